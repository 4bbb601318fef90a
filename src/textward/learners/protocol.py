"""What a learner must do, whoever writes it.

A certificate needs every base model to be a function of its own group's sub-texts, the labels and its seed,
and of nothing else (theory P4 to P6).
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from textward.groups import Grouped, SubTexts
from textward.words.columns import IntArray


class GroupModel(Protocol):
    """One group's base model."""

    def predict(self, texts: SubTexts) -> IntArray:
        """Return the class index of each sub-text."""
        ...


@runtime_checkable
class GroupLearner(Protocol):
    """Trains one group's base model.

    >>> class MostFrequent:
    ...     def fit(self, texts, labels, classes, seed):
    ...         return ConstantModel(int(np.bincount(labels, minlength=classes).argmax()))
    >>> from textward.learners import ConstantModel
    >>> isinstance(MostFrequent(), GroupLearner)
    True
    """

    def fit(self, texts: SubTexts, labels: IntArray, classes: int, seed: int) -> GroupModel:
        """Train on sub-texts and class indexes; the same arguments must give the same model."""
        ...


class Ensemble(Protocol):
    """m base models, one a group."""

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        ...
