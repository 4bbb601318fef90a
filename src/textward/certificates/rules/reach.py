"""Which base models a trigger word, and a training row, can touch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textward.certificates.votes import BoolArray, CountArray


@dataclass(frozen=True, slots=True)
class RowReach:
    """A row touches models in *units*; in every *lane*, a set of units, it touches `each` of them at most.

    >>> RowReach(np.array([0, 0, 1, 1]), np.array([0, 0]), each=1).most(np.array([[3, 1, 1, 1]]), 1).tolist()
    [4]
    """

    units: CountArray
    """The unit of each model."""
    lanes: CountArray
    """The lane of each unit."""
    each: int

    def most(self, loss: CountArray, rows: int) -> CountArray:
        """What so many rows can take at most from each text, given its losses (texts x models)."""
        order = np.argsort(self.units, kind="stable")
        starts = np.searchsorted(self.units[order], np.arange(len(self.lanes)))
        of_units = np.add.reduceat(loss[:, order], starts, axis=1)  # every unit has a model
        taken = np.zeros(len(loss), np.int64)
        for lane in range(int(self.lanes.max(initial=-1)) + 1):
            mine = of_units[:, self.lanes == lane]
            picks = min(self.each * rows, mine.shape[1])
            if picks:
                taken += -np.partition(-mine, picks - 1, axis=1)[:, :picks].sum(axis=1)
        return taken


@dataclass(frozen=True, slots=True)
class Reach:
    """Buckets x models: what a word of each bucket touches; and what rows touch, where they are split.

    >>> Reach.plain(3).degree, Reach(np.array([[True, True], [False, True]])).disjoint
    (1, False)
    """

    words: BoolArray
    rows: RowReach | None = None

    @classmethod
    def plain(cls, models: int) -> Reach:
        """A bucket for every model, as plain hashing has it."""
        return cls(np.eye(models, dtype=np.bool_))

    @property
    def buckets(self) -> int:
        """The number of buckets of words."""
        return len(self.words)

    @property
    def degree(self) -> int:
        """The most models that one word touches."""
        return int(self.words.sum(axis=1).max())

    @property
    def disjoint(self) -> bool:
        """Whether no two buckets touch the same model."""
        return int(self.words.sum(axis=0).max()) <= 1

    @property
    def is_plain(self) -> bool:
        """Whether every model has a bucket of its own, and rows are not split."""
        return self.rows is None and np.array_equal(self.words, np.eye(*self.words.shape, dtype=np.bool_))
