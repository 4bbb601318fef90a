"""Groups trained one by one: for learners that see one group's sub-texts at a time."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from textward.engine import Engine, Progress, run_pieces
from textward.errors import UsageError
from textward.groups import Grouped, SubTexts
from textward.learners.constant import ConstantModel
from textward.learners.linear import LinearModel
from textward.learners.protocol import GroupLearner, GroupModel
from textward.learners.scikit import ScikitModel
from textward.learners.seeds import group_seed, seeded
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class EachGroup:
    """One base model a group.

    >>> from textward.groups import HashGroups
    >>> from textward.learners import ConstantModel
    >>> from textward.words import UnicodeWords
    >>> grouped = HashGroups(2).split(UnicodeWords().cut(pl.Series(["a b", ""])))
    >>> EachGroup((ConstantModel(0), ConstantModel(1)), classes=2).votes(grouped).tolist()
    [[0, 1], [0, 1]]
    """

    models: tuple[GroupModel, ...]
    classes: int

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        columns = run_pieces(
            lambda j: voted(self.models[j], grouped.group(j), self.classes),
            range(grouped.groups),
            name="group",
        )
        return np.stack(columns, axis=1)

    def shares(self, grouped: Grouped) -> IntArray:
        """Return how sure each group is: texts x groups x classes, in 1/2**20."""
        columns = [shares_by(model, grouped.group(j), self.classes) for j, model in enumerate(self.models)]
        return np.stack(columns, axis=1)


def voted(model: GroupModel, texts: SubTexts, classes: int) -> IntArray:
    """Return a base model's votes, or say what is wrong with them.

    >>> from textward.learners import ConstantModel
    >>> voted(ConstantModel(1), SubTexts(pl.Series(["a"]), np.array([0]), np.array([0, 1])), 2).tolist()
    [1]
    """
    column = np.asarray(model.predict(texts))
    whole = column.shape == (len(texts),) and np.issubdtype(column.dtype, np.integer)
    if not whole or (len(column) and not 0 <= column.min() <= column.max() < classes):
        raise UsageError(
            f"the base model's predict must return one class index of 0 to {classes - 1} a text, "
            f"{len(texts)} here; got an array of {column.dtype} of shape {column.shape}"
        )
    return column.astype(np.int64)


def shares_by(model: GroupModel, texts: SubTexts, classes: int) -> IntArray:
    """Return how sure a base model is of each class: texts x classes, in 1/2**20.

    >>> from textward.learners import ConstantModel
    >>> texts = SubTexts(pl.Series(["a"]), np.array([0]), np.array([0, 1]))
    >>> shares_by(ConstantModel(1), texts, 2).tolist()
    [[0, 1048576]]
    """
    if isinstance(model, LinearModel):
        return model.shares(texts.alone())[:, 0]
    if isinstance(model, (ConstantModel, ScikitModel)):
        return model.shares(texts, classes)
    raise UsageError(
        f"base models of the type {type(model).__name__} do not say how sure they are, so they cast hard "
        "votes only. Use the rule plurality."
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """What one base model is trained on.

    >>> from textward.learners import ScikitLearner
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> texts = SubTexts(pl.Series(["a"]), np.array([0]), np.array([0, 1]))
    >>> Piece(ScikitLearner(MultinomialNB()), texts, np.array([1]), 2, seed=0).train()
    ConstantModel(label=1)
    """

    learner: GroupLearner
    texts: SubTexts
    labels: IntArray
    classes: int
    seed: int

    def train(self) -> GroupModel:
        # A copy, so that what a learner keeps of one group never reaches the next.
        with seeded(self.seed):
            return deepcopy(self.learner).fit(self.texts, self.labels.copy(), self.classes, self.seed)


def train_each(
    learner: GroupLearner,
    grouped: Grouped,
    labels: IntArray,
    classes: int,
    seed: int,
    *,
    jobs: int | None = None,
    engine: Engine | str = "local",
    progress: Progress | None = None,
) -> EachGroup:
    """Train every group's base model, each with its own seed, on an engine or in up to ``jobs`` processes.

    >>> from textward.groups import HashGroups
    >>> from textward.learners import ScikitLearner
    >>> from textward.words import UnicodeWords
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> grouped = HashGroups(2).split(UnicodeWords().cut(pl.Series(["good fun", "bad"])))
    >>> train_each(ScikitLearner(MultinomialNB()), grouped, np.array([1, 0]), 2, seed=0).votes(grouped).shape
    (2, 2)
    """
    pieces = [_piece(learner, grouped, j, labels, classes, seed) for j in range(grouped.groups)]
    return EachGroup(
        tuple(run_pieces(Piece.train, pieces, jobs=jobs, engine=engine, progress=progress, name="group")),
        classes,
    )


def is_repeatable(
    learner: GroupLearner, ensemble: EachGroup, grouped: Grouped, labels: IntArray, seed: int
) -> bool:
    """Train the group of the fewest words again: does it predict as before, of words it never saw, too?

    A learner that ignores its seed gives another model each time, and then no certificate holds.
    """
    sizes = np.bincount(np.arange(len(grouped.offsets) - 1) % grouped.groups, np.diff(grouped.offsets))
    smallest = int(np.where(sizes > 0, sizes, np.inf).argmin())
    piece = _piece(learner, grouped, smallest, labels, ensemble.classes, seed)
    return trains_again(piece, ensemble.models[smallest], grouped.group((smallest + 1) % grouped.groups))


def trains_again(piece: Piece, model: GroupModel, strange: SubTexts) -> bool:
    """Whether a base model trained anew answers as the first did: its own sub-texts, and strange ones.

    >>> from textward.learners import ConstantModel, ScikitLearner
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> texts = SubTexts(pl.Series(["a"]), np.array([0]), np.array([0, 1]))
    >>> piece = Piece(ScikitLearner(MultinomialNB()), texts, np.array([1]), 2, seed=0)
    >>> trains_again(piece, ConstantModel(1), texts), trains_again(piece, ConstantModel(0), texts)
    (True, False)
    """
    again = run_pieces(Piece.train, [piece], name="group")[0]
    return all(_answers(model, texts) == _answers(again, texts) for texts in (piece.texts, strange))


def _answers(model: GroupModel, texts: SubTexts) -> list[Any]:
    """The predictions and, where a model gives them, the scores behind them, which differ sooner."""
    scores = model.scores(texts) if isinstance(model, ScikitModel) else None
    return [np.asarray(model.predict(texts)).tolist(), None if scores is None else scores.tolist()]


def _piece(
    learner: GroupLearner, grouped: Grouped, group: int, labels: IntArray, classes: int, seed: int
) -> Piece:
    return Piece(learner, grouped.group(group), labels, classes, group_seed(seed, group))
