"""The group of a word: a public constant of the word alone (theory P2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.data.messages import listing
from textward.errors import UsageError
from textward.groups.hashing import HASHES, HashName, hashed
from textward.groups.split import Grouped, split_by
from textward.words import CodePointOrder, WordOrder, Words
from textward.words.columns import IntArray

MOST_GROUPS = 2**16
CODE_POINTS = CodePointOrder()


@dataclass(frozen=True, slots=True)
class HashGroups:
    """m groups by a hash of the word's UTF-8 bytes: the hexadecimal digest as an integer, modulo m.

    >>> HashGroups(3).of(pl.Series(["bad", "film"])).tolist()
    [1, 1]
    """

    m: int
    hash: HashName = "md5"

    def __post_init__(self) -> None:
        if (
            isinstance(self.m, bool)
            or not isinstance(self.m, (int, np.integer))
            or not 1 <= self.m <= MOST_GROUPS
        ):
            raise UsageError(f"groups must be a whole number of 1 to {MOST_GROUPS:,}, got {self.m!r}")
        if self.hash not in HASHES:
            raise UsageError(f"unknown hash {self.hash!r}; choose one of {listing(HASHES)}")

    def of(self, vocabulary: pl.Series) -> IntArray:
        """Return the group, 0 to m - 1, of each normalised word.

        >>> HashGroups(5, "sha1").of(pl.Series(["a", "b", "a"])).tolist()
        [2, 0, 2]
        """
        return hashed(vocabulary.cast(pl.Binary).to_list(), self.m, self.hash)

    def incidence(self) -> npt.NDArray[np.bool_]:
        """Return groups x base models: each group touches its own."""
        return np.eye(self.m, dtype=np.bool_)

    def split(self, words: Words, order: WordOrder = CODE_POINTS) -> Grouped:
        """Split a corpus into the m sub-datasets, each text's words in a fixed order.

        >>> from textward.words import UnicodeWords
        >>> grouped = HashGroups(3).split(UnicodeWords().cut(pl.Series(["A bad, bad film."])))
        >>> [grouped.group(j).texts().item() for j in range(3)]
        ['.', ', a bad bad film', '']
        """
        return split_by(words, self.of(words.vocabulary), self.m, order)


@dataclass(frozen=True, slots=True)
class EveryWord:
    """Every word is a group of its own, as ballots need.

    >>> EveryWord().of(pl.Series(["bad", "film"])).tolist()
    [0, 1]
    """

    def of(self, vocabulary: pl.Series) -> IntArray:
        """Return the group of each word: its place in the vocabulary."""
        return np.arange(len(vocabulary))
