"""The base model of a group without a single word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textward.certificates.rules import SHARE
from textward.groups import SubTexts
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class ConstantModel:
    """Votes for one class whatever the text.

    >>> ConstantModel(1).predict(SubTexts(pl.Series(["a"]), np.array([0]), np.array([0, 1, 1]))).tolist()
    [1, 1]
    """

    label: int

    def predict(self, texts: SubTexts) -> IntArray:
        """Return the one class for every sub-text."""
        return np.full(len(texts), self.label, np.int64)

    def shares(self, texts: SubTexts, classes: int) -> IntArray:
        """Return certainty: texts x classes, in 1/2**20."""
        return np.tile(np.eye(classes, dtype=np.int64)[self.label] * SHARE, (len(texts), 1))


def most_frequent(labels: IntArray, classes: int) -> ConstantModel:
    """Return the model that votes for the most frequent label; a tie goes to the smaller class.

    >>> most_frequent(np.array([1, 0, 1, 0]), classes=2)
    ConstantModel(label=0)
    """
    return ConstantModel(int(np.bincount(labels, minlength=classes).argmax()))
