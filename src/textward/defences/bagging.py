"""Bagging (Jia et al., 2021): models of small random samples of the rows, and what their votes certify."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from textward.attacks.draws import below, draw, keys_of
from textward.certificates.intervals import clopper_pearson
from textward.certificates.votes import check_integer, tally
from textward.defences.models import FloatArray
from textward.defences.rows import RowDefence, RowEnsemble
from textward.errors import UsageError
from textward.words.columns import IntArray


class Bagging(RowDefence):
    """`models` models, each of `sample` rows drawn with replacement.

    The certificate is about the vote of *all* possible samples, of which the models are a random few: it
    holds with a probability of at least 1 - `error` for all texts together.

    >>> rows = ["good fun", "dull bore", "good film", "dull film"] * 50, [1, 0, 1, 0] * 50
    >>> bagging = Bagging(models=100, sample=5).fit(*rows)
    >>> bagging.certified_accuracy(["good fun"], [1], rows=[0, 5, 150]).all
    (1.0, 1.0, 0.0)
    """

    rows_: int

    def __init__(
        self,
        learner: Any = "linear",
        seed: int = 0,
        *,
        models: int = 1_000,
        sample: int = 30,
        error: float = 0.001,
    ) -> None:
        super().__init__(learner, seed)
        self.models = models
        self.sample = sample
        self.error = error

    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> RowEnsemble:
        check_integer("models", self.models, least=1)
        check_integer("sample", self.sample, least=1)
        if not 0 < self.error < 1:
            raise UsageError(f"error must lie strictly between 0 and 1, got {self.error!r}")
        self.rows_ = len(texts)
        keys = keys_of(self.seed, "bags", self.models)
        bounds = np.full(self.models, len(texts))
        bags = np.stack([below(draw(keys, number), bounds) for number in range(self.sample)], axis=1)
        return self.ensemble(texts, labels, classes, list(bags))

    def certified_rows(self, votes: IntArray, edits: bool) -> tuple[IntArray, IntArray]:
        counts = tally(votes, len(self.classes_))
        winners = counts.argmax(axis=1)
        gap = _gaps(counts, winners, self.error)
        largest = np.zeros(len(votes), np.int64)
        open_ = gap > 0
        for rows in range(1, self.rows_ + 1):
            open_ &= gap > toll(self.rows_, rows, self.sample, edits)
            if not open_.any():
                break
            largest[open_] = rows
        # A vote too close to call is not even certified against no poisoned row.
        return winners, np.where(gap > 0, largest, -1)


def toll(n: int, rows: int, sample: int, edits: bool) -> float:
    """What so many poisoned rows of n take from the winner's lead, rounded up.

    A sample of the old rows holds none that are gone with probability a = (kept / n) ** sample, and one of
    the n' new rows none that came with a' = (kept / n') ** sample; given that, both are distributed alike.
    The winner stays when its lead exceeds 1 - 2a + a / a'.

    >>> toll(100, 0, 10, edits=True), round(toll(100, 10, 1, edits=True), 3)
    (0.0, 0.2)
    """
    after = [n] if edits else range(n - min(rows, n - 1), n + rows + 1)
    most = Fraction(0)
    for new in after:
        kept = max(0, max(n, new) - rows)
        most = max(most, 1 - 2 * Fraction(kept, n) ** sample + Fraction(new, n) ** sample)
    return float(np.nextafter(float(most), np.inf)) if most else 0.0


def _gaps(counts: IntArray, winners: IntArray, error: float) -> FloatArray:
    """A lower bound of the winner's lead over every other class, for all texts at once."""
    texts, classes = counts.shape
    models = int(counts[0].sum())
    # The winner is chosen by the same votes, so every class's interval must hold on both sides.
    confidence = 1 - error / (texts * classes)
    bounds = np.array([clopper_pearson(hits, models, confidence) for hits in range(models + 1)])
    low, high = bounds[counts, 0], bounds[counts, 1]
    np.put_along_axis(high, winners[:, None], 0.0, axis=1)
    first = np.take_along_axis(low, winners[:, None], axis=1)[:, 0]
    gap: FloatArray = first - np.minimum(high.max(axis=1), 1 - first)
    return gap
