"""Ballots for rows that somebody may have written: a word speaks where a few rows could not have made it.

A power ballot is decided by two or three rows. Where an attacker may write r rows of its own, with any words
and any labels, such a word says nothing. A steady ballot is silent within a dead zone of several r, and rises
over r rows more:

    b_c = floor(1024 clip((e_c - max over d != c of e_d - dead) / ramp, 0, 1) min(1, f / mean_c p_c)),

with e_c = n_c N / (C N_c), the rows that would hold the word were all classes of one size, p_c = n_c / N_c
and the cap f for frequent words. All of it is integer arithmetic. It rises with e_c and falls with every e_d
and p_d, so its ends over a box of them lie at the box's corners. Nothing is shared among words, not even a
median.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from textward.certificates.ballots import UNIT
from textward.certificates.votes import check_integer
from textward.errors import UsageError
from textward.learners.ballots.counting import CountArray, Counts, IntArray
from textward.learners.ballots.drift import corners, count_box

_FINE = 1 << 8  # parts of an expected row
_RATE = 1 << 20  # parts of a whole rate
MOST_ROWS, MOST_TOTAL = 1_000_000, 100_000_000
"""So many rows may be asked for, and so many counted; past it a product would leave 64 bits."""


@dataclass(frozen=True, slots=True)
class SteadyDials:
    """The constants of steady ballots, all of which follow from the rows asked for.

    >>> SteadyDials(rows=10).dead_zone
    52
    """

    rows: int
    """Rows of an attacker's own that the ballots are made to withstand."""

    def __post_init__(self) -> None:
        check_integer("rows", self.rows, least=1)
        if self.rows > MOST_ROWS:
            raise UsageError(f"rows must be {MOST_ROWS:,} at most, got {self.rows!r}")

    @property
    def dead_zone(self) -> int:
        """Rows by which a class must lead every other before the word speaks for it."""
        return 5 * self.rows + 2

    @property
    def ramp(self) -> int:
        """Rows past the dead zone that make the ballot whole."""
        return self.rows

    def formula(self, counts: Counts) -> SteadyFormula:
        """Return what turns these counts into ballots."""
        return SteadyFormula(counts, self)


@dataclass(frozen=True)
class SteadyFormula:
    """Counts to steady ballots, and how far those can move.

    >>> import polars as pl
    >>> counts = Counts(pl.Series(["fun"]), np.array([[1, 12]]), np.array([20, 20]))
    >>> formula = SteadyDials(rows=1).formula(counts)
    >>> formula.ballots.tolist(), [side.tolist() for side in formula.bounds_of(np.array([0]), rows=2)(0)]
    ([[0, 472]], [[[0, 0]], [[0, 614]]])
    """

    counts: Counts
    dials: SteadyDials

    @property
    def ballots(self) -> CountArray:
        """Words x classes, in 1/1024 of a whole ballot."""
        return self.would_cast(self.counts)

    def would_cast(self, counts: Counts) -> CountArray:
        """The ballots of other counts."""
        every = range(len(counts.rows))
        return np.stack([self._of_class(c, counts, counts.holding) for c in every], axis=1)

    def bounds_of(self, words: IntArray, rows: int) -> Callable[[int], tuple[CountArray, CountArray]]:
        """The least and the greatest ballots of these words; how many other words changed means nothing.

        A word that is -1 was never seen.
        """
        found = self._under_rows(self.counts.of_words(words), rows)
        return lambda _: found

    def _under_rows(self, counts: Counts, rows: int) -> tuple[CountArray, CountArray]:
        box = count_box(counts, rows)
        if box is None:
            return np.zeros_like(counts.holding), np.full_like(counts.holding, UNIT)
        low, high = box
        least, most = np.empty_like(low), np.empty_like(low)
        for c in range(low.shape[1]):
            least[:, c] = self._of_class(c, counts.holding_instead(corners(low, high, c)), high)
            most[:, c] = self._of_class(c, counts.holding_instead(corners(high, low, c)), low)
        return least, most

    def _of_class(self, c: int, counts: Counts, for_cap: CountArray) -> CountArray:
        """The ballots for one class, with the cap of words that stand in other rows."""
        expected = _expected(counts)
        lead = expected[:, c] - np.delete(expected, c, axis=1).max(axis=1) - _FINE * self.dials.dead_zone
        ramp = _FINE * self.dials.ramp
        cap = _cap(len(counts.rows))
        frequent = np.maximum((for_cap * _RATE // counts.rows).sum(axis=1), cap)
        part: CountArray = (UNIT * np.clip(lead, 0, ramp) // ramp) * cap // frequent
        return part


def _cap(classes: int) -> int:
    """The sum of the rates at which a word begins to hold less than a full ballot."""
    return classes * _RATE * 3 // (20 if classes == 2 else 60)


def _expected(counts: Counts) -> CountArray:
    """Rows that would hold each word were all classes of one size, in 1/256 of a row, rounded down."""
    rows, classes = counts.rows, len(counts.rows)
    total = int(rows.sum())
    if total > MOST_TOTAL:
        raise UsageError(f"steady ballots count up to {MOST_TOTAL:,} rows, got {total:,}")
    return counts.holding * (total * _FINE) // (classes * rows)
