"""Words to groups, and a corpus to one columnar sub-dataset per group."""

from textward.groups.assign import EveryWord, HashGroups
from textward.groups.hashing import HASHES
from textward.groups.learned import LearnedGroups, in_order, omega_of
from textward.groups.split import Grouped, SubTexts, split_by

__all__ = [
    "HASHES",
    "EveryWord",
    "Grouped",
    "HashGroups",
    "LearnedGroups",
    "SubTexts",
    "in_order",
    "omega_of",
    "split_by",
]
