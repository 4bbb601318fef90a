"""A corpus split by group: every sub-dataset at once, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from textward.certificates.votes import BoolArray
from textward.errors import UsageError
from textward.words import WordOrder, Words
from textward.words.columns import IntArray, spread
from textward.words.parts import by_parts


@dataclass(frozen=True, slots=True)
class SubTexts:
    """One group's sub-dataset: of each text, the group's words, duplicates kept, in word order.

    >>> SubTexts(pl.Series(["bad", "film"]), np.array([0, 0, 1]), np.array([0, 3, 3])).texts().to_list()
    ['bad bad film', '']
    """

    vocabulary: pl.Series
    ids: IntArray
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def texts(self) -> pl.Series:
        """Return each text's words joined by one space; "" where it has none."""
        row = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        pieces = pl.DataFrame({"row": pl.Series(row).set_sorted(), "word": self.vocabulary.gather(self.ids)})
        joined = pieces.group_by("row", maintain_order=True).agg(pl.col("word").str.join(" "))
        empty = pl.repeat("", len(self), dtype=pl.String, eager=True)
        return empty.scatter(joined["row"], joined["word"]).alias("text")

    def rows(self, chosen: BoolArray) -> SubTexts:
        """Return the same sub-dataset of some rows.

        >>> both = SubTexts(pl.Series(["bad", "film"]), np.array([1, 0]), np.array([0, 1, 2]))
        >>> both.rows(np.array([False, True])).texts().to_list()
        ['bad']
        """
        lengths = np.diff(self.offsets)
        return SubTexts(self.vocabulary, self.ids[np.repeat(chosen, lengths)], spread(lengths[chosen]))

    def alone(self) -> Grouped:
        """Return the same sub-dataset as a corpus of one group, each text's words in the vocabulary's order.

        >>> SubTexts(pl.Series(["bad", "film"]), np.array([1, 0]), np.array([0, 2])).alone().ids.tolist()
        [0, 1]
        """
        ids = _sorted_rows(self.ids, self.offsets, len(self.vocabulary))
        return Grouped(self.vocabulary, np.array([0, len(self.vocabulary)]), ids, self.offsets)


@dataclass(frozen=True, slots=True)
class Grouped:
    """The m sub-datasets of n texts, made in one pass.

    ``vocabulary`` is ordered by group, then by word order; group j's words are
    ``vocabulary[bounds[j]:bounds[j + 1]]``, and text i's words of group j are
    ``ids[offsets[i * m + j]:offsets[i * m + j + 1]]``.

    >>> from textward.words import CodePointOrder, UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["b a c", "c c"]))
    >>> grouped = split_by(words, np.array([1, 0, 1]), 2, CodePointOrder())
    >>> grouped.vocabulary.to_list(), grouped.bounds.tolist(), grouped.ids.tolist(), grouped.offsets.tolist()
    (['b', 'a', 'c'], [0, 1, 3], [0, 1, 2, 2, 2], [0, 1, 3, 3, 5])
    """

    vocabulary: pl.Series
    bounds: IntArray
    ids: IntArray
    offsets: IntArray

    @property
    def groups(self) -> int:
        """The number of groups, m."""
        return len(self.bounds) - 1

    def __len__(self) -> int:
        return (len(self.offsets) - 1) // self.groups

    def group(self, j: int) -> SubTexts:
        """Return the sub-dataset of one group."""
        if not 0 <= j < self.groups:
            raise UsageError(f"there is no group {j}: the groups are 0 to {self.groups - 1}")
        starts, ends = self.offsets[:-1][j :: self.groups], self.offsets[1:][j :: self.groups]
        offsets = spread(ends - starts)
        first = np.repeat(starts - offsets[:-1], ends - starts)
        low, high = self.bounds[j : j + 2]
        return SubTexts(
            self.vocabulary[int(low) : int(high)], self.ids[first + np.arange(offsets[-1])] - low, offsets
        )


def split_by(words: Words, groups_of_words: IntArray, groups: int, order: WordOrder) -> Grouped:
    """Split a corpus by any assignment of its vocabulary to groups 0 to ``groups`` - 1.

    >>> from textward.words import CodePointOrder, UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["b a c"]))
    >>> split_by(words, np.array([0, 0, 1]), 2, CodePointOrder()).group(0).texts().to_list()
    ['a b']
    """
    if len(groups_of_words) != len(words.vocabulary):
        raise UsageError(f"{len(words.vocabulary)} words, {len(groups_of_words)} groups given: one each")
    if len(groups_of_words) and not 0 <= int(groups_of_words.min()) <= int(groups_of_words.max()) < groups:
        raise UsageError(f"the group of a word must lie in 0 to {groups - 1}")
    placed = np.lexsort((order.rank(words.vocabulary), groups_of_words))
    place = np.empty(len(placed), np.int32)
    place[placed] = np.arange(len(placed), dtype=np.int32)
    group_of_place = groups_of_words[placed]

    def part(low: int, high: int) -> tuple[IntArray, IntArray]:
        offsets = words.offsets[low : high + 1]
        ids = _sorted_rows(place[words.ids[offsets[0] : offsets[-1]]], offsets - offsets[0], len(placed))
        cells = np.repeat(np.arange(high - low) * groups, np.diff(offsets))
        cells += group_of_place[ids]
        return ids, np.bincount(cells, minlength=(high - low) * groups)

    ids, lengths = map(np.concatenate, zip(*by_parts(part, len(words), words.ids.nbytes), strict=True))
    bounds = spread(np.bincount(groups_of_words, minlength=groups))
    return Grouped(words.vocabulary.gather(placed), bounds, ids, spread(lengths))


def ordered(words: Words, order: WordOrder) -> Words:
    """The same corpus with its vocabulary, and each text's words, in word order.

    >>> from textward.words import CodePointOrder, UnicodeWords
    >>> ordered(UnicodeWords().cut(pl.Series(["b a b"])), CodePointOrder()).of(0)
    ['a', 'b', 'b']
    """
    placed = np.argsort(order.rank(words.vocabulary), kind="stable")
    place = np.empty(len(placed), np.int32)
    place[placed] = np.arange(len(placed), dtype=np.int32)
    ids = _sorted_rows(place[words.ids], words.offsets, len(placed))
    return Words(words.vocabulary.gather(placed), ids, words.offsets)


def gathered(words: Words, members: Sequence[BoolArray]) -> Grouped:
    """Give each group the words that its mask over the vocabulary marks, each text's in their own order.

    >>> from textward.words import UnicodeWords
    >>> words, masks = UnicodeWords().cut(pl.Series(["b a c"])), np.array([[1, 0, 1], [0, 1, 1]], dtype=bool)
    >>> gathered(words, list(masks)).group(1).texts().item()
    'b c'
    """
    groups = len(members)
    parts = [_kept(mask[words.ids], words) for mask in members]
    bounds = spread(np.array([mask.sum() for mask in members], np.int64))
    offsets = spread(np.stack([np.diff(starts) for _, starts in parts], axis=1).reshape(-1))
    ids = np.empty(int(offsets[-1]), np.int32)
    for j, (own, starts) in enumerate(parts):
        place = np.cumsum(members[j]) - 1 + bounds[j]
        moved = offsets[:-1][j::groups] - starts[:-1]
        ids[np.arange(len(own)) + np.repeat(moved, np.diff(starts))] = place[own]
    chosen = np.concatenate([np.flatnonzero(mask) for mask in members])
    return Grouped(words.vocabulary.gather(chosen), bounds, ids, offsets)


def _kept(mask: BoolArray, words: Words) -> tuple[IntArray, IntArray]:
    return words.ids[mask], spread(mask)[words.offsets]


def _sorted_rows(ids: IntArray, offsets: IntArray, width: int) -> IntArray:
    """Sort the ids of each text; transposing twice is a counting sort, linear in the number of ids."""
    rows = sparse.csr_array((np.ones(len(ids), np.int8), ids, offsets), shape=(len(offsets) - 1, width))
    indices: IntArray = rows.tocsc().tocsr().indices
    return indices
