"""What a learner must do, whoever writes it.

A certificate needs every base model to be a function of its own group's sub-texts, the labels and its seed,
and of nothing else (theory P4 to P6).
"""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from textward.engine import HERE, Engine, Progress
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


@runtime_checkable
class EnsembleLearner(Protocol):
    """Trains all groups' base models itself; ``reads_order`` says whether the order of words means anything.

    >>> isinstance("linear", EnsembleLearner)
    False
    """

    reads_order: ClassVar[bool]
    libraries: ClassVar[tuple[str, ...]]
    """What else the bits of its models depend on."""

    def train(
        self,
        grouped: Grouped,
        labels: IntArray,
        classes: int,
        seed: int,
        *,
        engine: Engine = HERE,
        progress: Progress | None = None,
    ) -> Ensemble:
        """Train; each base model must be a function of its own group, the labels and its seed."""
        ...


class Ensemble(Protocol):
    """m base models, one a group."""

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        ...
