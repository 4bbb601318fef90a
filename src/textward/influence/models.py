"""The influence of every word on every text, for each kind of plain classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from textward.groups import SubTexts
from textward.influence.ranking import FloatArray, Influence
from textward.influence.variants import Progress, distinct, leaving_one_out, strings
from textward.learners import EachGroup, Ensemble, GroupModel, LinearEach, LinearModel, ScikitModel
from textward.words import Words
from textward.words.columns import IntArray


@runtime_checkable
class Featured(Protocol):
    """A model of one group that tells what its head makes a decision of.

    >>> isinstance("linear", Featured)
    False
    """

    def features_of(self, texts: Sequence[str]) -> npt.NDArray[np.floating]:
        """Return one vector a text."""
        ...


def influence_of(plain: Ensemble, words: Words, progress: Progress | None = None) -> Influence:
    """Measure, in a classifier of one group trained on whole texts, how each word moves each text.

    >>> from textward.groups import HashGroups
    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["good film", "film"]))
    >>> plain = LinearEach.train(HashGroups(1).split(words), np.array([1, 0]), classes=2)
    >>> influence_of(plain, words).rows.tolist()
    [0, 0, 1]
    """
    if isinstance(plain, LinearEach) and len(plain.models) == 1:
        return linear_influence(plain.models[0], words)
    vocabulary = words.vocabulary.to_list()
    if isinstance(plain, Featured):
        own = plain
        return leaving_one_out(
            lambda ids, offsets: own.features_of(strings(vocabulary, ids, offsets)),
            words.ids,
            words.offsets,
            progress,
        )
    model, classes = _only_model(plain), plain.classes if isinstance(plain, EachGroup) else 0
    return leaving_one_out(
        lambda ids, offsets: _scores(model, SubTexts(words.vocabulary, ids, offsets), classes),
        words.ids,
        words.offsets,
        progress,
    )


def linear_influence(plain: LinearModel, words: Words) -> Influence:
    """The influence for naive Bayes, exact and without leaving anything out.

    Its feature vector h(x) is the score of every class less the mean score, all that the decision is made of.
    A score is a sum of one weight for each distinct word, and centring is linear, so h(x) less h(x without w)
    is w's own centred row of weights, whichever the text: its largest absolute entry is the distance. Scores
    are integers, in 1/65536, so nothing is rounded but the division by the number of classes.

    >>> from textward.words import UnicodeWords
    >>> model = LinearModel(pl.Series(["cf"]), np.array([[0, 4]], np.int32), np.zeros(1, np.int32))
    >>> linear_influence(model, UnicodeWords().cut(pl.Series(["a cf cf film"]))).distance.tolist()
    [0.0, 2.0, 0.0]
    """
    rows, ids = distinct(words.ids, words.offsets)
    moved = np.abs(centred(plain.weights_of(words.vocabulary))).max(axis=1, initial=0.0)
    return Influence(rows, ids, moved[ids])


def centred(weights: IntArray) -> FloatArray:
    """Return weights of words x classes less each word's mean.

    >>> centred(np.array([[0, 4]])).tolist()
    [[-2.0, 2.0]]
    """
    return np.asarray(weights - weights.mean(axis=1, keepdims=True), np.float64)


def _only_model(plain: Ensemble) -> GroupModel:
    if isinstance(plain, EachGroup) and len(plain.models) == 1:
        return plain.models[0]
    raise TypeError(f"influence needs a classifier of one group, got {type(plain).__name__}")


def _scores(model: GroupModel, texts: SubTexts, classes: int) -> FloatArray:
    """The scores that a classifier decides by; the decision itself, where it tells no scores."""
    scores = model.scores(texts) if isinstance(model, ScikitModel) else None
    if scores is None:
        return np.eye(classes)[np.asarray(model.predict(texts))]
    return scores.reshape(len(texts), -1)
