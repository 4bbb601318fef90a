"""Words to groups, and a corpus to one columnar sub-dataset per group."""

from textward.groups.assign import EveryWord, HashGroups
from textward.groups.blocks import BlockGroups
from textward.groups.designs import Design, design_of, is_design
from textward.groups.hashing import HASHES
from textward.groups.learned import LearnedGroups, in_order, omega_of
from textward.groups.rows import RowGroups
from textward.groups.split import Grouped, SubTexts, split_by

__all__ = [
    "HASHES",
    "BlockGroups",
    "Design",
    "EveryWord",
    "Grouped",
    "HashGroups",
    "LearnedGroups",
    "RowGroups",
    "SubTexts",
    "design_of",
    "in_order",
    "is_design",
    "omega_of",
    "split_by",
]
