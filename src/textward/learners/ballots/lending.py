"""Ballots that borrow: a word that few rows hold also hears what its neighbours in a public list say.

Each neighbour lends at most one row's worth of evidence, however many rows hold it. So a corrupted word
can change its own ballot at will, and those of the words it lends to by an amount that is bounded here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import expit

from textward.certificates.ballots import UNIT
from textward.errors import UsageError
from textward.learners.ballots.counting import CountArray, Counts, IntArray
from textward.learners.ballots.formula import (
    SLACK,
    Centre,
    Dials,
    FloatArray,
    Strengths,
    ballot_bounds,
    ballots,
)
from textward.learners.ballots.neighbours import WHOLE, Neighbours


@dataclass(frozen=True, eq=False)
class LendingDials:
    """The constants of ballots that borrow, and the public list.

    >>> import polars as pl
    >>> near = Neighbours(pl.Series(["fine", "good"]), np.array([[1], [0]]), np.array([[512], [1024]]))
    >>> LendingDials.for_classes(2, near).dials
    Dials(sharpness=16.0, cap=0.15)
    """

    dials: Dials
    neighbours: Neighbours

    @classmethod
    def for_classes(cls, classes: int, neighbours: Neighbours) -> LendingDials:
        """Sharper than ballots that stand alone, for borrowing softens them."""
        sharpness = 16.0 if classes == 2 else 3.0
        return cls(replace(Dials.for_classes(classes), sharpness=sharpness), neighbours)

    def formula(self, counts: Counts) -> LendingFormula:
        """Return what turns these counts, which have all words of the list, into ballots."""
        return LendingFormula(counts, self)


@dataclass(frozen=True)
class LendingFormula:
    """Counts to ballots that borrow, and how far those can move.

    >>> import polars as pl
    >>> near = Neighbours(pl.Series(["fine", "good"]), np.array([[1], [0]]), np.array([[1024], [1024]]))
    >>> counts = near.extended(Counts(pl.Series(["good"]), np.array([[0, 9]]), np.array([20, 20])))
    >>> LendingFormula(counts, LendingDials(Dials(1.0, 0.3), near)).ballots.tolist()
    [[256, 767], [51, 972]]
    """

    counts: Counts
    lending: LendingDials

    @property
    def ballots(self) -> CountArray:
        """Words x classes, in 1/1024 of a whole ballot."""
        return ballots(self._strengths, self.lending.dials, self._centre.median)

    def would_cast(self, counts: Counts) -> CountArray:
        """The ballots of other counts, were they a few words among those there are, without neighbours."""
        dials = self.lending.dials
        return ballots(Strengths.of(counts, dials.cap), dials, self._centre.median)

    def bounds_of(self, words: IntArray, rows: int) -> Callable[[int], tuple[CountArray, CountArray]]:
        """The least and the greatest ballots of these words, by the median alone; `echoes` has the rest."""
        if rows:
            raise UsageError(
                f"rows={rows} is not for ballots that borrow from neighbours: train without neighbours"
            )
        strengths = self._strengths.of_words(words)
        return lambda size: ballot_bounds(strengths, self.lending.dials, *self._centre.within(size))

    def with_lenders(self, words: IntArray) -> IntArray:
        """These words, and after them all others that lend to any of them."""
        lenders = np.unique(self._lenders[words][self._weights[words] > 0])
        return np.concatenate([words, np.setdiff1d(lenders, words)])

    def echoes(self, words: IntArray, size: int, winner: int, rival: int) -> sparse.csr_array:
        """Borrowers x lenders, both among `words`: the most a ballot's lead loses by a lender's corruption.

        However the `size` words are chosen, the lead of a word outside them falls by the sum at most.
        """
        place = np.full(len(self.counts.vocabulary), -1)
        place[words] = np.arange(len(words))
        weight = self._weights[words]
        row, slot = np.nonzero(weight)
        column = place[self._lenders[words][row, slot]]
        inside = column >= 0
        row, slot, column = row[inside], slot[inside], column[inside]
        lost = self._lost(words, size, winner, rival)[row, slot]
        parts = np.where(lost > 0, np.ceil(UNIT * lost * (1 + SLACK)).astype(np.int64) + 1, 0)
        return sparse.csr_array((parts, (row, column)), shape=(len(words), len(words)))

    def _lost(self, words: IntArray, size: int, winner: int, rival: int) -> FloatArray:
        """Words x neighbours: the most that a neighbour's corruption takes from a lead (see docs/past.md).

        With A, B and R the powers of winner, rival and all others the lead is tau tanh(z / 2), where
        z = ln(A / B) and tau = (A + B) / (A + B + R).
        """
        sharp = self.lending.dials.sharpness
        weight = (self._weights[words] / WHOLE)[:, :, None]
        lent = weight * self._lent[self._lenders[words]]
        own, now = self._own[words], self._evidence[words]
        up = sharp * np.log1p((weight - lent) / now[:, None])
        others = np.minimum(_top(lent, size - 1)[:, None], _top(lent, size)[:, None] - lent)
        least = np.maximum(own[:, None], now[:, None] - others - lent)
        down = sharp * np.log1p(lent / least)
        low, high = (sharp * (np.log(now) - edge) for edge in self._centre.within(size)[::-1])
        fall = down[:, :, winner] + up[:, :, rival]
        first, last = low[:, winner] - high[:, rival], high[:, winner] - low[:, rival]
        if size == 1:
            lost = _drop(fall, np.clip(fall / 2, first[:, None], last[:, None]))
        else:
            lost = fall * steepest(np.clip(0, first, last), _top(fall[:, :, None], size)[:, 0])[:, None]
        rest = np.delete(np.arange(now.shape[1]), [winner, rival])
        if len(rest):
            moved, pair = np.maximum(down, up), [winner, rival]
            shift = moved[:, :, pair].max(axis=2) + moved[:, :, rest].max(axis=2)
            furthest = _top(shift[:, :, None], size)[:, 0]
            first = _logsum(low[:, pair]) - _logsum(high[:, rest])
            last = _logsum(high[:, pair]) - _logsum(low[:, rest])
            at = np.clip(0, first - furthest, last + furthest)
            lost = lost * expit(last)[:, None] + shift * (expit(at) * expit(-at))[:, None]
        return np.minimum(lost, 2) * self._strengths.weight[words][:, None]

    @cached_property
    def _own(self) -> FloatArray:
        """Words x classes: the rows that hold a word, were all classes of one size, plus 1/C."""
        rows = self.counts.rows
        rates = self.counts.holding / np.maximum(rows, 1)
        own: FloatArray = (rates * rows.sum() + 1) / len(rows)
        return own

    @cached_property
    def _lent(self) -> FloatArray:
        """Words x classes: what a word says to its neighbours, one row's worth at most."""
        rows = self.counts.rows
        said = self.counts.holding / np.maximum(rows, 1) * rows.sum() / len(rows)
        lent: FloatArray = said / np.maximum(said.sum(axis=1, keepdims=True), 1)
        return lent

    @cached_property
    def _evidence(self) -> FloatArray:
        evidence: FloatArray = self._own.copy()
        for slot in range(self._weights.shape[1]):
            weight = self._weights[:, slot, None] / WHOLE
            evidence += weight * self._lent[self._lenders[:, slot]]
        return evidence

    @cached_property
    def _strengths(self) -> Strengths:
        own = Strengths.of(self.counts, self.lending.dials.cap)
        log = np.log(self._evidence)
        return replace(own, leaning=log - log.mean(axis=1, keepdims=True))

    @cached_property
    def _centre(self) -> Centre:
        own = Strengths.of(self.counts, self.lending.dials.cap)
        return Centre.of(own.leaning[own.common])

    @cached_property
    def _listed(self) -> IntArray:
        """The place of each word of the list among the counted ones."""
        mine = self.counts.vocabulary.to_frame("word").with_row_index("place")
        words = self.lending.neighbours.words.to_frame("word")
        found = words.join(mine, on="word", how="left", maintain_order="left")["place"]
        return np.asarray(found.to_numpy(), np.int64)

    @cached_property
    def _lenders(self) -> IntArray:
        near = self.lending.neighbours.nearest
        lenders = np.zeros((len(self.counts.vocabulary), near.shape[1]), np.int64)
        lenders[self._listed] = self._listed[near]
        return lenders

    @cached_property
    def _weights(self) -> CountArray:
        near = self.lending.neighbours
        weights = np.zeros((len(self.counts.vocabulary), near.nearest.shape[1]), np.int64)
        weights[self._listed] = near.weights
        return weights


def steepest(start: FloatArray, most: FloatArray) -> FloatArray:
    """The greatest drop of tanh(z / 2) per unit as z falls from `start` by `most` or less.

    >>> steepest(np.array([0.0, -5.0, 3.0, 9.0]), np.array([1.0, 1.0, 100.0, 1.0])).round(4).tolist()
    [0.5, 0.0133, 0.3435, 0.0004]
    """
    # Up to z = 0 the drop speeds up; past it there is one fall whose mean speed is its last one.
    low, high = np.minimum(np.maximum(start, 0), most), most
    for _ in range(40):
        middle = (low + high) / 2
        early = _drop(middle, start) < middle * _speed(start - middle)
        low, high = np.where(early, middle, low), np.where(early, high, middle)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(low > 0, _drop(high, start) / low, 0)
    rises: FloatArray = np.where(start > 0, mean, _speed(start))
    return np.minimum(rises, 0.5)


def _drop(fall: FloatArray, start: FloatArray) -> FloatArray:
    drop: FloatArray = np.tanh(start / 2) - np.tanh((start - fall) / 2)
    return drop


def _speed(at: FloatArray) -> FloatArray:
    speed: FloatArray = 2 * expit(at) * expit(-at)
    return speed


def _top(values: FloatArray, count: int) -> FloatArray:
    """The sum of the `count` largest values along the middle axis."""
    count = min(count, values.shape[1])
    if count == 0:
        return np.zeros((values.shape[0], values.shape[2]))
    top: FloatArray = np.partition(values, -count, axis=1)[:, -count:].sum(axis=1)
    return top


def _logsum(powers: FloatArray) -> FloatArray:
    summed: FloatArray = np.logaddexp.reduce(powers, axis=1)
    return summed
