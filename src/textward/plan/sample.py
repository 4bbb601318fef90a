"""Rows to try things on: drawn once, every class by its share and by enough rows for every fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from textward.certificates.votes import IntArray
from textward.data.messages import quoted
from textward.errors import DataError


@dataclass(frozen=True, slots=True)
class Sample:
    """Some rows, and the fold each is held out in.

    >>> Sample(pl.Series(["a"]), np.array([0]), np.array([0]), 1, 10).whole
    10
    """

    texts: pl.Series
    labels: IntArray
    """Class indexes."""
    fold: IntArray
    folds: int
    whole: int
    """Rows of the data that these were drawn from."""

    def splits(self) -> Iterator[tuple[IntArray, IntArray]]:
        """The rows to train on and the rows held out, fold by fold."""
        for number in range(self.folds):
            yield np.flatnonzero(self.fold != number), np.flatnonzero(self.fold == number)


def draw(texts: pl.Series, labels: IntArray, *, rows: int, folds: int, seed: int, names: list[str]) -> Sample:
    """Draw so many rows; a class needs a row for every fold.

    >>> texts, labels = pl.Series(list("abcdef")), np.array([0, 1] * 3)
    >>> sample = draw(texts, labels, rows=4, folds=2, seed=0, names=["-", "+"])
    >>> sorted(sample.labels.tolist()), [sorted(sample.labels[out].tolist()) for _, out in sample.splits()]
    ([0, 0, 1, 1], [[0, 1], [0, 1]])
    """
    rng = np.random.default_rng(seed)
    chosen, fold = [], []
    for number, name in enumerate(names):
        members = rng.permutation(np.flatnonzero(labels == number))
        if len(members) < folds:
            raise DataError(
                f"the class {quoted(name)} has {len(members):,} row{'s' * (len(members) != 1)}, and every "
                f"fold needs one. Give at least {folds} rows of every class, or fewer --folds."
            )
        wanted = max(folds, round(rows * len(members) / len(labels)))
        chosen.append(members[:wanted])
        fold.append(np.arange(len(members[:wanted])) % folds)
    picked, folded = np.concatenate(chosen), np.concatenate(fold)
    order = np.argsort(picked, kind="stable")
    picked = picked[order]
    return Sample(texts.gather(picked), labels[picked], folded[order], folds, len(labels))
