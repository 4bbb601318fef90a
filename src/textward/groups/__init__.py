"""Words to groups, and a corpus to one columnar sub-dataset per group."""

from textward.groups.assign import HASHES, EveryWord, HashGroups
from textward.groups.split import Grouped, SubTexts, split_by

__all__ = ["HASHES", "EveryWord", "Grouped", "HashGroups", "SubTexts", "split_by"]
