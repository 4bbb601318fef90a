"""Power ballots of given counts, and how far trigger words and an attacker's rows can move them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from textward.certificates.ballots import UNIT
from textward.learners.ballots.counting import CountArray, Counts, IntArray
from textward.learners.ballots.drift import corners, count_box
from textward.learners.ballots.formula import (
    COMMON_ROWS,
    SLACK,
    Centre,
    Dials,
    FloatArray,
    Strengths,
    ballot_bounds,
    ballots,
    highest_median,
    lowest_median,
    parts,
    shares,
)


@dataclass(frozen=True)
class PowerFormula:
    """Counts to power ballots, and their bounds.

    >>> import polars as pl
    >>> counts = Counts(pl.Series(["fun"]), np.array([[0, 3]]), np.array([4, 4]))
    >>> formula = PowerFormula(counts, Dials(1.0, 0.3))
    >>> formula.ballots.tolist(), [side.tolist() for side in formula.bounds_of(np.array([0]), rows=1)(0)]
    ([[204, 819]], [[[102, 573]], [[450, 921]]])
    """

    counts: Counts
    dials: Dials

    @property
    def ballots(self) -> CountArray:
        """Words x classes, in 1/1024 of a whole ballot."""
        return ballots(self._strengths, self.dials, self._centre.median)

    def bounds_of(self, words: IntArray, rows: int) -> Callable[[int], tuple[CountArray, CountArray]]:
        """The least and the greatest ballots of these words once so many others changed, and `rows` rows.

        A word that is -1 was never seen; it may be where an attacker wrote rows.
        """
        if rows:
            return partial(self._under_rows, self.counts.of_words(words), rows)
        strengths = self._strengths.of_words(words)
        return lambda size: ballot_bounds(strengths, self.dials, *self._centre.within(size))

    def _under_rows(self, counts: Counts, rows: int, size: int) -> tuple[CountArray, CountArray]:
        box = count_box(counts, rows)
        edges = self._centre_within(size, rows)
        if box is None or edges is None:
            return np.zeros_like(counts.holding), np.full_like(counts.holding, UNIT)
        least, most = self._moved(counts, box, edges)
        # A word that can lose all its rows, or has none, may come to cast nothing.
        least[counts.holding.sum(axis=1) <= rows] = 0
        return least, most

    def would_cast(self, counts: Counts) -> CountArray:
        """The ballots of other counts, were they a few words among those there are."""
        return ballots(Strengths.of(counts, self.dials.cap), self.dials, self._centre.median)

    @cached_property
    def _strengths(self) -> Strengths:
        return Strengths.of(self.counts, self.dials.cap)

    @cached_property
    def _centre(self) -> Centre:
        return Centre.of(self._strengths.leaning[self._strengths.common])

    def _centre_within(self, size: int, rows: int) -> tuple[FloatArray, FloatArray] | None:
        """Where the medians can lie; None where an attacker's rows alone can make any word common."""
        box = count_box(self.counts, rows)
        if box is None or rows >= COMMON_ROWS:
            return None
        total = self.counts.holding.sum(axis=1)
        sure = total >= COMMON_ROWS + rows
        maybe = ~sure & (total >= COMMON_ROWS - rows)
        low, high = np.empty((2, len(self.counts.rows)))
        for c in range(len(low)):
            falls, rises = (side[:, c] for side in self._leanings(box, c))
            low[c] = lowest_median(falls[sure], falls[maybe], size)
            high[c] = highest_median(rises[sure], rises[maybe], size)
        return (low, high) if np.isfinite([low, high]).all() else None

    def _leanings(self, box: tuple[CountArray, CountArray], c: int) -> list[FloatArray]:
        """All leanings where class c's is least, and where it is greatest."""
        low, high = box
        held = corners(low, high, c), corners(high, low, c)
        return [Strengths.of(self.counts.holding_instead(one), self.dials.cap).leaning for one in held]

    def _moved(
        self, counts: Counts, box: tuple[CountArray, CountArray], edges: tuple[FloatArray, FloatArray]
    ) -> tuple[CountArray, CountArray]:
        formula = PowerFormula(counts, self.dials)
        weights = [Strengths.of(counts.holding_instead(held), self.dials.cap).weight for held in box]
        least, most = np.empty_like(box[0]), np.empty_like(box[0])
        for c in range(len(counts.rows)):
            falls, rises = formula._leanings(box, c)
            mine = np.arange(len(counts.rows)) == c
            weak = shares(falls, self.dials, np.where(mine, edges[1], edges[0]))[c]
            strong = shares(rises, self.dials, np.where(mine, edges[0], edges[1]))[c]
            least[:, c] = np.minimum(*(parts(weak, k, len(mine), -SLACK) for k in weights))
            most[:, c] = np.maximum(*(parts(strong, k, len(mine), SLACK) for k in weights))
        return least, np.minimum(most, UNIT)
