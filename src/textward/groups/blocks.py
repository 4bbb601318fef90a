"""Words hashed into buckets, and base models that read several of them each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.groups.assign import CODE_POINTS, HashGroups
from textward.groups.designs import Design
from textward.groups.hashing import HashName
from textward.groups.split import Grouped, gathered, ordered
from textward.words import WordOrder, Words
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class BlockGroups:
    """A bucket by a hash of the word, modulo the number of buckets; a group is the buckets of one model.

    >>> from textward.groups.designs import design_of
    >>> BlockGroups(design_of("fano")).of(pl.Series(["bad", "film"])).tolist()
    [5, 3]
    """

    design: Design
    hash: HashName = "md5"

    def __post_init__(self) -> None:
        HashGroups(self.design.buckets, self.hash)  # refuses what is no hash

    @property
    def m(self) -> int:
        """The number of groups, one a base model."""
        return self.design.models

    @property
    def buckets(self) -> HashGroups:
        """The buckets, as groups by themselves: two words of one bucket are one to an attacker."""
        return HashGroups(self.design.buckets, self.hash)

    def of(self, vocabulary: pl.Series) -> IntArray:
        """Return the bucket of each normalised word."""
        return self.buckets.of(vocabulary)

    def incidence(self) -> npt.NDArray[np.bool_]:
        """Return buckets x models: which models a word of each bucket touches."""
        return self.design.incidence()

    def split(self, words: Words, order: WordOrder = CODE_POINTS) -> Grouped:
        """Split a corpus into one sub-dataset a model, each text's words in a fixed order.

        >>> from textward.groups.designs import design_of
        >>> from textward.words import UnicodeWords
        >>> groups = BlockGroups(design_of("blocks:0,1/1,2/0,2"))
        >>> grouped = groups.split(UnicodeWords().cut(pl.Series(["A bad, bad film."])))
        >>> groups.of(pl.Series(["a", "bad", ",", "."])).tolist(), grouped.group(0).texts().item()
        ([1, 1, 1, 0], ', . a bad bad film')
        """
        sorted_words = ordered(words, order)
        bucket = self.of(sorted_words.vocabulary)
        members = map(partial(np.isin, bucket), map(list, self.design.blocks))
        return gathered(sorted_words, list(members))
