"""Where the ballots of a cascade should begin to answer: clean accuracy against certified share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from textward.certificates.accuracy import CertifiedAccuracy
from textward.certificates.ballots.accuracy import ballots_accuracy
from textward.certificates.ballots.case import leads
from textward.errors import DataError, UsageError
from textward.estimator.fallback import Cascade
from textward.estimator.guard import GuardModel
from textward.estimator.settings import threshold
from textward.estimator.voters import BallotVoters
from textward.words.columns import IntArray

if TYPE_CHECKING:
    from textward.estimator.textguard import TextGuard

THETAS: tuple[float, ...] = tuple(quarter / 4 for quarter in range(33))
"""The values tried: quarters of a ballot up to eight."""
_FOLDS = 5


def frontier(
    model: GuardModel,
    texts: pl.Series,
    labels: IntArray,
    thetas: Iterable[float],
    sizes: Sequence[int],
    method: str,
) -> dict[float, CertifiedAccuracy]:
    """Certify a test set once for each theta; the fallback answers every text once.

    >>> from textward import TextGuard
    >>> model = TextGuard("words", cascade="tfidf").fit(["good", "bad"], [1, 0]).model_
    >>> list(frontier(model, pl.Series(["good"]), np.array([1]), [0.5], [0, 1], "joint"))
    [0.5]
    """
    voters, cascade = _stages(model)
    case, second = voters.case(model.cutter.cut(texts)), cascade.predict(texts)
    scores, first = case.scores, case.winners
    found = {}
    for theta in thetas:
        least = threshold(theta)
        answers = np.where(leads(scores) >= least, first, second)
        one = replace(case, theta=least)
        found[theta] = ballots_accuracy(one, labels, model.classes, sizes, method, answers=answers)
    return found


def theta_for(guard: TextGuard, texts: pl.Series, labels: npt.NDArray[Any], accuracy: float) -> float:
    """The least of `THETAS` with which cascades trained on folds of trusted rows reach an accuracy.

    >>> from textward import TextGuard
    >>> texts = pl.Series(["good fun", "great film", "dull", "bad film"] * 5)
    >>> theta_for(TextGuard("words", cascade="tfidf"), texts, np.array([1, 1, 0, 0] * 5), accuracy=0.9)
    0.0
    """
    if not 0 < accuracy <= 1:
        raise UsageError(f"the accuracy asked for must lie above 0 and up to 1, got {accuracy!r}")
    right = np.array(list(trusted_counts(guard, texts, labels).values()))
    enough = np.flatnonzero(right >= accuracy * len(texts))
    if not enough.size:
        best = int(right.argmax())
        raise UsageError(
            f"no theta reaches an accuracy of {accuracy:g} on the {len(texts):,} trusted rows: the best is "
            f"{right[best] / len(texts):.4f}, at theta {THETAS[best]:g}. Ask for less, or give more trusted "
            "rows or a stronger cascade."
        )
    return THETAS[int(enough[0])]


def trusted_counts(guard: TextGuard, texts: pl.Series, labels: npt.NDArray[Any]) -> dict[float, int]:
    """How many trusted rows cascades trained on the other folds of them answer rightly, by theta.

    >>> from textward import TextGuard
    >>> texts, labels = pl.Series(["good fun", "dull"] * 5), np.array([1, 0] * 5)
    >>> trusted_counts(TextGuard("words", cascade="tfidf"), texts, labels)[2.0]
    10
    """
    if np.unique(labels, return_counts=True)[1].min(initial=len(labels)) < _FOLDS:
        raise DataError(
            f"theta is judged by {_FOLDS} folds: give at least {_FOLDS} trusted rows of every class"
        )
    right = np.zeros(len(THETAS), np.int64)
    for rows, asked in StratifiedKFold(_FOLDS).split(np.zeros(len(texts)), labels):
        fold = clone(guard).fit(texts.gather(rows), labels[rows])
        right += _right(fold.model_, texts.gather(asked), np.searchsorted(fold.classes_, labels[asked]))
    return dict(zip(THETAS, right.tolist(), strict=True))


def _right(model: GuardModel, texts: pl.Series, truth: IntArray) -> IntArray:
    """How many answers are right with each theta."""
    scores, (_, cascade) = model.tally(texts), _stages(model)
    first, second = scores.argmax(axis=1) == truth, cascade.predict(texts) == truth
    least = np.array([[threshold(theta)] for theta in THETAS])
    right: IntArray = np.where(leads(scores) >= least, first, second).sum(axis=1)
    return right


def _stages(model: GuardModel) -> tuple[BallotVoters, Cascade]:
    voters = model.voters
    if not isinstance(voters, BallotVoters) or voters.cascade is None:
        raise UsageError("theta is for a cascade: train with groups='words' and, say, cascade='tfidf'")
    return voters, voters.cascade
