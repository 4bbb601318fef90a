"""Blocks of rows to counts and counts to one model: sums, so that neither order nor cutting changes a bit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from textward.data import Batch, SumDigest
from textward.groups import HashGroups
from textward.learners.ballots.counting import CountArray, Counts, WordCounter
from textward.learners.linear import LinearModel, linear_from_counts
from textward.words import Cutter, Words
from textward.words.columns import numbered

_CELLS = 1 << 27


@dataclass(frozen=True, slots=True)
class Counted:
    """What a block's rows add up to; classes by their labels as spelled, in the order they came in.

    >>> from textward.words import UnicodeWords
    >>> import polars as pl
    >>> batch = Batch(pl.Series(["fun", "dull"]), pl.Series(["1", "0"]), first_row=1)
    >>> count_batches([batch], UnicodeWords()).labels
    ('1', '0')
    """

    labels: tuple[str, ...]
    counts: Counts
    wordless: CountArray
    """Classes x groups: the rows of the class without a word in the group."""
    digest: int

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.counts.rows.sum())

    def in_order(self, labels: Iterable[str]) -> Counted:
        """The same with the classes in this order."""
        order = [self.labels.index(label) for label in labels]
        counts = Counts(self.counts.vocabulary, self.counts.holding[:, order], self.counts.rows[order])
        return Counted(tuple(labels), counts, self.wordless[order], self.digest)

    def linear(self, groups: HashGroups) -> LinearModel:
        """Naive Bayes in each of the groups that were counted for."""
        return linear_from_counts(self.counts, groups.of(self.counts.vocabulary), self.wordless)


class Gatherer:
    """Adds up; what it holds grows with the vocabulary, never with the rows.

    >>> from textward.words import UnicodeWords
    >>> import polars as pl
    >>> one = count_batches([Batch(pl.Series(["fun"]), pl.Series(["1"]), 1)], UnicodeWords())
    >>> two = count_batches([Batch(pl.Series(["fun"]), pl.Series(["0"]), 1)], UnicodeWords())
    >>> gatherer = Gatherer()
    >>> gatherer.add(one), gatherer.add(two)
    (None, None)
    >>> gatherer.counted().counts.holding.tolist()
    [[1, 1]]
    """

    def __init__(self, groups: HashGroups | None = None) -> None:
        self._groups = groups
        self._seen: dict[str, int] = {}
        self._counter = WordCounter(classes=0)
        self._wordless = np.zeros((0, 0 if groups is None else groups.m), np.int64)
        self._digest = SumDigest()

    def add_rows(self, batch: Batch, cutter: Cutter) -> None:
        """Count a batch of labelled rows."""
        assert batch.labels is not None
        words = cutter.cut(batch.texts)
        distinct, codes = numbered(batch.labels)
        labels = self._places(distinct.to_list())[codes]
        self._counter.add(words, labels)
        if self._groups is not None:
            self._wordless += _wordless(words, labels, self._groups, len(self._seen))
        self._digest.update(batch.texts, batch.labels)

    def add(self, counted: Counted) -> None:
        """Add what was counted elsewhere."""
        places = self._places(list(counted.labels))
        self._counter.add_counts(counted.counts, places.tolist())
        self._wordless[places] += counted.wordless
        self._digest = SumDigest(self._digest.total + counted.digest)

    def counted(self) -> Counted:
        """All so far."""
        return Counted(tuple(self._seen), self._counter.counts(), self._wordless, self._digest.total)

    def _places(self, labels: list[str]) -> CountArray:
        known = len(self._seen)
        places = np.array([self._seen.setdefault(label, len(self._seen)) for label in labels], np.int64)
        new = len(self._seen) - known
        if new:
            self._counter.widen(len(self._seen))
            zeros = np.zeros((new, self._wordless.shape[1]), np.int64)
            self._wordless = np.concatenate([self._wordless, zeros])
        return places


def count_batches(batches: Iterable[Batch], cutter: Cutter, groups: HashGroups | None = None) -> Counted:
    """Count a block's rows, batch by batch; `groups` where a model of hashed groups is to be made.

    >>> from textward.words import UnicodeWords
    >>> import polars as pl
    >>> count_batches([Batch(pl.Series(["fun"]), pl.Series(["1"]), first_row=1)], UnicodeWords()).n
    1
    """
    gatherer = Gatherer(groups)
    for batch in batches:
        gatherer.add_rows(batch, cutter)
    return gatherer.counted()


def _wordless(words: Words, labels: CountArray, groups: HashGroups, classes: int) -> CountArray:
    """Classes x groups, for some rows; so many at a time that their cells fit."""
    group, found = groups.of(words.vocabulary), np.zeros((classes, groups.m), np.int64)
    step = max(1, _CELLS // groups.m)
    for low in range(0, len(words), step):
        offsets = words.offsets[low : low + step + 1]
        row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        empty = np.ones((len(offsets) - 1, groups.m), np.bool_)
        empty[row, group[words.ids[offsets[0] : offsets[-1]]]] = False
        for c in range(classes):
            found[c] += empty[labels[low : low + step] == c].sum(axis=0)
    return found
