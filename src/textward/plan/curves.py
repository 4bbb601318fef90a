"""What a choice roughly buys: the certified accuracy of models of a part of the sample, on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textward.plan.candidates import Candidate
from textward.plan.sample import Sample


@dataclass(frozen=True, slots=True)
class Curve:
    """Balanced, joint certified accuracy by trigger size: the mean over the folds, and the extreme folds.

    >>> Curve((0, 1), (0.9, 0.5), (0.8, 0.4), (1.0, 0.6)).at(1)
    0.5
    """

    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    lowest: tuple[float, ...]
    highest: tuple[float, ...]

    def at(self, size: int) -> float:
        """The mean at a trigger size."""
        return self.shares[self.sizes.index(size)]


def curve(candidate: Candidate, sample: Sample, sizes: Sequence[int], seed: int) -> Curve:
    """Train on all folds but one, certify that one, for each in turn.

    >>> from textward.plan.sample import draw
    >>> import polars as pl
    >>> texts = pl.Series(["good fun", "bad dull"] * 6)
    >>> sample = draw(texts, np.array([1, 0] * 6), rows=12, folds=2, seed=0, names=["-", "+"])
    >>> curve(Candidate("words"), sample, [0], seed=0).shares
    (1.0,)
    """
    found = []
    for kept, held_out in sample.splits():
        guard = candidate.guard(seed).fit(sample.texts.gather(kept), sample.labels[kept])
        accuracy = guard.certified_accuracy(
            sample.texts.gather(held_out), sample.labels[held_out], sizes, method="joint"
        )
        found.append(accuracy.balanced)
    table = np.array(found)
    columns = (table.mean(axis=0), table.min(axis=0), table.max(axis=0))
    return Curve(tuple(sizes), *(tuple(column.tolist()) for column in columns))
