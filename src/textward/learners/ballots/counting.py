"""Rows to counts: in how many rows of each class a word stands at least once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.errors import DataError, UsageError
from textward.words import Words

IntArray = npt.NDArray[np.integer[Any]]
CountArray = npt.NDArray[np.int64]

_WORD = "word"


@dataclass(frozen=True, slots=True)
class Counts:
    """For each word, the rows of each class that hold it; `rows` are all rows of each class.

    >>> Counts(pl.Series(["fun"]), np.array([[0, 2]]), np.array([3, 4])).rows.tolist()
    [3, 4]
    """

    vocabulary: pl.Series
    """Distinct and sorted by code points."""
    holding: CountArray
    """Words x classes."""
    rows: CountArray

    def of_words(self, words: IntArray) -> Counts:
        """The counts of some of the words, by place; -1 stands for a word that was never seen."""
        return Counts(self.vocabulary[:0], with_unseen(self.holding)[words], self.rows)

    def holding_instead(self, holding: CountArray) -> Counts:
        """The same words and rows of each class, with other rows that hold the words."""
        return Counts(self.vocabulary, holding, self.rows)


class WordCounter:
    """Counts batch by batch; what it holds grows with the vocabulary, never with the rows.

    The counts do not depend on the order of the rows or on how they were batched.

    >>> from textward.words import UnicodeWords
    >>> counter = WordCounter(classes=2)
    >>> counter.add(UnicodeWords().cut(pl.Series(["fun fun", "dull"])), np.array([1, 0]))
    >>> counter.add(UnicodeWords().cut(pl.Series(["fun"])), np.array([1]))
    >>> counts = counter.counts()
    >>> dict(zip(counts.vocabulary, counts.holding.tolist()))
    {'dull': [1, 0], 'fun': [0, 2]}
    """

    def __init__(self, classes: int) -> None:
        self._columns = _columns(classes)
        self._rows = np.zeros(classes, dtype=np.int64)
        self._merged = pl.DataFrame(schema={_WORD: pl.String} | dict.fromkeys(self._columns, pl.Int64))
        self._pending: list[pl.DataFrame] = []

    def add(self, words: Words, labels: IntArray) -> None:
        """Count a batch of rows, whose labels are class indexes."""
        classes = len(self._columns)
        if len(labels) != len(words):
            raise UsageError(f"labels must be one per text: {len(words)} texts, got {len(labels)}")
        if len(labels) and (labels.min() < 0 or labels.max() >= classes):
            raise UsageError(f"labels must lie in 0..{classes - 1}, got {labels.min()} to {labels.max()}")
        rows = np.bincount(labels, minlength=classes)
        holding = rows_holding(words, labels, classes)
        self.add_counts(Counts(words.vocabulary, holding, rows), range(classes))

    def add_counts(self, counts: Counts, places: Sequence[int]) -> None:
        """Add what was counted elsewhere, whose class number k has the index `places[k]` here.

        >>> counter = WordCounter(classes=2)
        >>> counter.add_counts(Counts(pl.Series(["fun"]), np.array([[3]]), np.array([5])), places=[1])
        >>> counter.counts().holding.tolist(), counter.counts().rows.tolist()
        ([[0, 3]], [0, 5])
        """
        of_place = dict(zip(places, counts.holding.T, strict=True))
        none = np.zeros(len(counts.vocabulary), np.int64)
        columns = {name: of_place.get(c, none) for c, name in enumerate(self._columns)}
        self._rows[list(places)] += counts.rows
        self._pending.append(pl.DataFrame({_WORD: counts.vocabulary} | columns))
        if sum(map(len, self._pending)) > len(self._merged) + 2**18:
            self._merge()

    def widen(self, classes: int) -> None:
        """Make room for classes met for the first time; their index follows those there are."""
        new = _columns(classes)[len(self._columns) :]
        zeros = [pl.lit(0, dtype=pl.Int64).alias(name) for name in new]
        self._merged = self._merged.with_columns(zeros)
        self._pending = [frame.with_columns(zeros) for frame in self._pending]
        self._rows = np.concatenate([self._rows, np.zeros(len(new), dtype=np.int64)])
        self._columns = self._columns + new

    def counts(self, order: Sequence[int] | None = None) -> Counts:
        """All that was counted so far, with the classes in the order given (class indexes)."""
        if not self._rows.sum():
            raise DataError("there are no rows to count. Give at least one row.")
        self._merge()
        classes = list(range(len(self._columns)) if order is None else order)
        frame = self._merged.sort(_WORD)
        holding = frame.select(self._columns[c] for c in classes).to_numpy()
        return Counts(frame[_WORD], np.ascontiguousarray(holding), self._rows[classes])

    def _merge(self) -> None:
        if len(self._pending) == 1 and self._merged.is_empty():
            self._merged, self._pending = self._pending[0], []
        elif self._pending:
            every = pl.concat([self._merged, *self._pending])
            self._merged = every.group_by(_WORD).agg(pl.col(self._columns).sum())
            self._pending = []


def with_unseen(of_words: CountArray) -> CountArray:
    """One more row of zeros, words x classes: place -1 then stands for a word never seen.

    >>> with_unseen(np.array([[1, 2]]))[[0, -1]].tolist()
    [[1, 2], [0, 0]]
    """
    return np.concatenate([of_words, np.zeros((1, of_words.shape[1]), np.int64)])


def rows_holding(words: Words, labels: IntArray, classes: int) -> CountArray:
    """Words x classes: the rows of each class that hold each word of the vocabulary at least once.

    >>> from textward.words import UnicodeWords
    >>> rows_holding(UnicodeWords().cut(pl.Series(["a a b", "a"])), np.array([0, 1]), 2).tolist()
    [[1, 1], [1, 0]]
    """
    holding = words.holding()
    cells = np.repeat(np.arange(holding.shape[1]) * classes, np.diff(holding.indptr))
    cells += np.asarray(labels, dtype=np.int64)[holding.indices]
    return np.bincount(cells, minlength=holding.shape[1] * classes).reshape(-1, classes)


def _columns(classes: int) -> list[str]:
    return [f"class {c}" for c in range(classes)]
