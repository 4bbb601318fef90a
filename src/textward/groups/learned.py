"""Groups learned from the training rows: they keep a text's meaning, and no certificate holds for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from textward.groups.assign import HashGroups
from textward.groups.hashing import HashName
from textward.groups.preserving import EVERY, learned_groups
from textward.groups.split import Grouped, gathered
from textward.words import Words
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class LearnedGroups:
    """Potential trigger words (omega) go to their hash group only, every other word goes to all m groups.

    Omega is learned from the rows, so a trigger may change it, and with it every group at once: no base model
    is a function of its own group's words alone. That is why this type offers nothing to certify with.

    >>> LearnedGroups(frozenset({"cf"}), 3).of(pl.Series(["cf", "film"])).tolist()
    [2, -1]
    """

    omega: frozenset[str]
    m: int
    hash: HashName = "md5"

    def __post_init__(self) -> None:
        object.__setattr__(self, "omega", frozenset(self.omega))
        HashGroups(self.m, self.hash)  # refuses what is no number of groups, and no hash

    def of(self, vocabulary: pl.Series) -> IntArray:
        """Return the group of each normalised word; -1 for one that every group reads."""
        hashed = HashGroups(self.m, self.hash).of(vocabulary)
        omega = pl.Series(sorted(self.omega), dtype=pl.String)
        return learned_groups(hashed, vocabulary.is_in(omega.implode()).to_numpy())

    def split(self, words: Words) -> Grouped:
        """Split a training corpus; sub-texts keep the order of their text.

        >>> from textward.words import UnicodeWords
        >>> grouped = LearnedGroups(frozenset({"cf"}), 3).split(UnicodeWords().cut(pl.Series(["A cf film"])))
        >>> [grouped.group(j).texts().item() for j in range(3)]
        ['a film', 'a film', 'a cf film']
        """
        return in_order(words, self.of(words.vocabulary), self.m)

    def whole(self, words: Words) -> Grouped:
        """Give every group the whole text, as the base models read it when they predict.

        >>> from textward.words import UnicodeWords
        >>> grouped = LearnedGroups(frozenset({"cf"}), 2).whole(UnicodeWords().cut(pl.Series(["A cf film"])))
        >>> [grouped.group(j).texts().item() for j in range(2)]
        ['a cf film', 'a cf film']
        """
        return in_order(words, np.full(len(words.vocabulary), EVERY), self.m)


def in_order(words: Words, group_of_word: IntArray, groups: int) -> Grouped:
    """Split a corpus by an assignment in which -1 is every group, each text's words in their own order.

    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["b a c"]))
    >>> in_order(words, np.array([0, 1, -1]), 2).group(0).texts().to_list()
    ['a c']
    """
    return gathered(words, [np.isin(group_of_word, (EVERY, j)) for j in range(groups)])


def omega_of(vocabulary: pl.Series, chosen: Iterable[int] | IntArray) -> frozenset[str]:
    """Return the words at these places of a vocabulary.

    >>> omega_of(pl.Series(["a", "cf"]), [1])
    frozenset({'cf'})
    """
    return frozenset(vocabulary.gather(np.asarray(chosen, np.int64)).to_list())
