"""Counts to ballots: the power ballot, its cap for frequent words, and the centring that mends text length.

Every dial is a constant or a function of public things (the number of classes, the trigger size asked for). A
dial tuned on the training rows would be a channel from one word to every ballot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textward.certificates.ballots import UNIT
from textward.learners.ballots.counting import CountArray, Counts, IntArray

FloatArray = npt.NDArray[np.float64]

COMMON_ROWS = 20
"""Words that stand in so many rows take part in the centring."""
ANCHORS = 24
"""Imaginary neutral words in every median, so that it stands firm where few words are common."""
SLACK = 1e-10
"""Far above the rounding of the arithmetic below, so that a bound holds for every way to round it."""


_OF_TWO_CLASSES = (4.0, 0.15), (8.0, 0.15), (16.0, 0.1), (32.0, 0.1)
_OF_MORE = (1.5, 0.05), (2.0, 0.05), (3.0, 0.05), (6.0, 0.05)
"""Sharpness and cap by trigger size; chosen on rows that no figure is measured on (docs/past.md)."""
USUAL_SIZE = 1


@dataclass(frozen=True, slots=True)
class Dials:
    """The two constants of the power ballot.

    >>> Dials.for_classes(2), Dials.for_classes(2, size=3)
    (Dials(sharpness=8.0, cap=0.15), Dials(sharpness=32.0, cap=0.1))
    """

    sharpness: float
    """A softer ballot buys clean accuracy, a sharper one withstands larger triggers."""
    cap: float
    """Words in a larger share of the rows than this hold less than a full ballot."""

    @classmethod
    def for_classes(cls, classes: int, size: int | None = None) -> Dials:
        """The dials for triggers of so many words: 0 for accuracy while there is none."""
        by_size = _OF_TWO_CLASSES if classes == 2 else _OF_MORE
        return cls(*by_size[min(USUAL_SIZE if size is None else size, len(by_size) - 1)])


@dataclass(frozen=True, slots=True)
class Strengths:
    """What a ballot is made of, before centring.

    >>> strengths = Strengths.of(Counts(pl.Series(["fun"]), np.array([[0, 3]]), np.array([4, 4])), cap=0.1)
    >>> strengths.weight.round(3).tolist()
    [0.267]
    """

    leaning: FloatArray
    """Words x classes: the log of how far the word leans to each class; sums to 0 over the classes."""
    weight: FloatArray
    """The share of a full ballot that the word holds."""
    common: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, counts: Counts, cap: float) -> Strengths:
        total, classes = counts.rows.sum(), len(counts.rows)
        rates = counts.holding / np.maximum(counts.rows, 1)
        log = np.log((rates * total + 1) / classes)
        with np.errstate(divide="ignore"):
            weight = np.minimum(1.0, cap / rates.mean(axis=1))
        common = counts.holding.sum(axis=1) >= COMMON_ROWS
        return cls(log - log.mean(axis=1, keepdims=True), weight, common)

    def of_words(self, words: IntArray) -> Strengths:
        """The same for some of the words."""
        return Strengths(self.leaning[words], self.weight[words], self.common[words])


@dataclass(frozen=True, slots=True)
class Centre:
    """Per class the median leaning of the common words, and where it can lie after some words changed.

    >>> centre = Centre.of(np.array([[-0.1, 0.1], [0.3, -0.3]]))
    >>> centre.median.tolist(), centre.within(1)[1].tolist()
    ([0.0, 0.0], [0.0, 0.0])
    """

    ranked: FloatArray
    """Leanings in rising order, classes x (common words and anchors)."""

    @classmethod
    def of(cls, leaning: FloatArray) -> Centre:
        anchored = np.concatenate([leaning, np.zeros((ANCHORS, leaning.shape[1]))])
        return cls(np.sort(anchored.T, axis=1))

    @property
    def median(self) -> FloatArray:
        """The lower median: an order statistic, never a mean of two."""
        return self.ranked[:, self._middle]

    def within(self, changed: int) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest the median can be once `changed` words came, went or moved.

        Each such word moves it by at most one rank, for it takes at most one value away and brings one.
        """
        low, high = self._middle - changed, self._middle + changed
        inf = np.full(len(self.ranked), np.inf)
        return (
            self.ranked[:, low] if low >= 0 else -inf,
            self.ranked[:, high] if high < self.ranked.shape[1] else inf,
        )

    @property
    def _middle(self) -> int:
        return (int(self.ranked.shape[1]) - 1) // 2


def ballots(strengths: Strengths, dials: Dials, centre: FloatArray) -> CountArray:
    """The ballots, words x classes, when the median leanings are `centre`.

    >>> strengths = Strengths(np.array([[-1.0, 1.0]]), np.array([1.0]), np.array([False]))
    >>> ballots(strengths, Dials(sharpness=1.0, cap=0.1), np.zeros(2)).tolist()
    [[122, 901]]
    """
    share = shares(strengths.leaning, dials, centre)
    return np.stack([parts(part, strengths.weight, len(share)) for part in share], axis=1)


def ballot_bounds(
    strengths: Strengths, dials: Dials, low: FloatArray, high: FloatArray
) -> tuple[CountArray, CountArray]:
    """The least and the greatest each ballot can be while the median leanings lie within `low` and `high`.

    A class's share falls with its own median and rises with every other's.

    >>> strengths = Strengths(np.array([[-1.0, 1.0]]), np.array([1.0]), np.array([False]))
    >>> least, most = ballot_bounds(strengths, Dials(1.0, 0.1), np.array([-0.1, -0.1]), np.array([0.1, 0.1]))
    >>> least.tolist(), most.tolist()
    ([[102, 878]], [[145, 921]])
    """
    words, classes = strengths.leaning.shape
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return np.zeros((words, classes), np.int64), np.full((words, classes), UNIT)
    power = _power(strengths, dials)
    weak, strong = (power * np.exp(-dials.sharpness * edge)[:, None] for edge in (high, low))
    least, most = np.empty((words, classes), np.int64), np.empty((words, classes), np.int64)
    for c in range(classes):
        rest = np.arange(classes) != c
        for bound, mine, others, slack in ((least, weak, strong, -SLACK), (most, strong, weak, SLACK)):
            share = mine[c] / (mine[c] + others[rest].sum(axis=0))
            bound[:, c] = parts(share * (1 + slack), strengths.weight, classes)
    return least, most


def _power(strengths: Strengths, dials: Dials) -> FloatArray:
    """Classes x words: how a ballot is shared out, up to a factor, where no word leans anywhere."""
    logits = dials.sharpness * np.ascontiguousarray(strengths.leaning.T)
    power: FloatArray = np.exp(logits - logits.max(axis=0))
    return power


def shares(leaning: FloatArray, dials: Dials, centre: FloatArray) -> FloatArray:
    """Classes x words: how a ballot of full weight is shared out.

    >>> shares(np.zeros((1, 2)), Dials(1.0, 0.1), np.zeros(2)).tolist()
    [[0.5], [0.5]]
    """
    logits = dials.sharpness * (np.ascontiguousarray(leaning.T) - centre[:, None])
    power = np.exp(logits - logits.max(axis=0))
    share: FloatArray = power / power.sum(axis=0)
    return share


def parts(share: FloatArray, weight: FloatArray, classes: int, slack: float = 0.0) -> CountArray:
    """Whole parts of a ballot, of which the weight is shared out and the rest is neutral.

    >>> parts(np.array([0.75]), np.array([0.5]), classes=2).tolist()
    [640]
    """
    exact = weight * share + (1 - weight) / classes
    return np.floor(UNIT * (exact if slack == 0 else exact * (1 + slack))).astype(np.int64)


def lowest_median(sure: FloatArray, maybe: FloatArray, changed: int) -> float:
    """The least lower median, with the anchors, of values that are at least these.

    Those of `maybe` may be left out, and `changed` values may be taken away and as many be put in. A value m
    is the median or more than it where no more values lie above m than at it or below.

    >>> none, low = np.array([]), np.array([-3.0] * 9)
    >>> lowest_median(np.array([1.0] * 26), none, changed=0), lowest_median(none, low, changed=8)
    (1.0, -3.0)
    """
    certain = np.sort(np.concatenate([sure, np.zeros(ANCHORS)]))
    every = np.sort(np.concatenate([certain, maybe]))
    below = np.searchsorted(every, every, side="right") + changed
    above = len(certain) - np.searchsorted(certain, every, side="right") - changed
    reached = every[below >= above]
    return -np.inf if len(certain) <= 2 * changed else float(reached[0])


def highest_median(sure: FloatArray, maybe: FloatArray, changed: int) -> float:
    """The greatest lower median, with the anchors, of values that are at most these; the mirror of the least.

    >>> highest_median(np.array([-1.0] * 25), np.array([]), changed=0)
    -1.0
    """
    certain = np.sort(np.concatenate([sure, np.zeros(ANCHORS)]))
    every = np.sort(np.concatenate([certain, maybe]))
    below = np.searchsorted(certain, every, side="left") - changed
    above = len(every) - np.searchsorted(every, every, side="left") + changed
    reached = every[below < above]
    return np.inf if len(certain) < 2 * changed else float(reached[-1])
