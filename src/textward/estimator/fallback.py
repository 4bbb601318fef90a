"""The second stage of a cascade: a plain classifier of whole texts, which certifies nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from textward.certificates.ballots.case import leads
from textward.certificates.votes import BoolArray
from textward.engine.pieces import Progress
from textward.estimator.inputs import blocks
from textward.groups import HashGroups
from textward.learners import Ensemble, EnsembleLearner, GroupLearner, ScikitLearner, train_each, train_linear
from textward.learners.scikit import takes_strings
from textward.words import CodePointOrder, Cutter, WholeTexts
from textward.words.columns import IntArray

TFIDF = "tfidf"
_ALL = HashGroups(1)


@dataclass(frozen=True, slots=True)
class FallbackSettings:
    """What to train beside the ballots, and the lead in 1/1024 of a ballot below which it answers.

    >>> FallbackSettings(None, theta=2048).theta
    2048
    """

    learner: GroupLearner | EnsembleLearner | None
    """None for naive Bayes."""
    theta: int


@dataclass(frozen=True, slots=True)
class Cascade:
    """The fallback, and the least lead with which the ballots answer.

    >>> import textward
    >>> guard = textward.TextGuard("words", cascade="tfidf").fit(["good fun", "bad"], ["+", "-"])
    >>> guard.model_.voters.cascade.hands_over(np.array([[0, 900], [0, 2048]])).tolist()
    [True, False]
    """

    theta: int
    cutter: Cutter
    ensemble: Ensemble

    def hands_over(self, scores: IntArray) -> BoolArray:
        """Which texts, of these summed ballots, the fallback answers."""
        handed: BoolArray = leads(scores) < self.theta
        return handed

    def completed(self, winners: IntArray, scores: IntArray, texts: pl.Series) -> IntArray:
        """The answers of the whole cascade, from those of the ballots."""
        handed = np.flatnonzero(self.hands_over(scores))
        if not handed.size:
            return winners
        answers: IntArray = winners.copy()
        answers[handed] = self.predict(texts.gather(handed))
        return answers

    def predict(self, texts: pl.Series) -> IntArray:
        """The fallback's answer to every text, as class indexes."""
        parts = [_ALL.split(self.cutter.cut(texts[block]), CodePointOrder()) for block in blocks(texts)]
        answers: IntArray = np.concatenate([self.ensemble.votes(part)[:, 0] for part in parts])
        return answers


def train_fallback(
    chosen: FallbackSettings,
    cutter: Cutter,
    rows: tuple[pl.Series, IntArray],
    classes: int,
    seed: int,
    progress: Progress | None = None,
) -> Cascade:
    """Train the second stage on whole texts and their class indexes; `cutter` is for naive Bayes alone.

    >>> from textward.words import UnicodeWords
    >>> rows = pl.Series(["good", "bad"]), np.array([1, 0])
    >>> train_fallback(FallbackSettings(None, 0), UnicodeWords(), rows, 2, 0).predict(rows[0]).tolist()
    [1, 0]
    """
    texts, labels = rows
    reader: Cutter = cutter if chosen.learner is None else WholeTexts()
    whole = _ALL.split(reader.cut(texts), CodePointOrder())
    ensemble: Ensemble
    if chosen.learner is None:
        ensemble = train_linear(whole, labels, classes)
    elif isinstance(chosen.learner, EnsembleLearner):
        ensemble = chosen.learner.train(whole, labels, classes, seed, progress=progress)
    else:
        ensemble = train_each(chosen.learner, whole, labels, classes, seed)
    return Cascade(chosen.theta, reader, ensemble)


def of_whole_texts(estimator: object) -> ScikitLearner:
    """A scikit-learn classifier as a learner of whole texts: one of vectors gets words and pairs of words.

    >>> of_whole_texts(LinearSVC()).estimator.steps[0][0]
    'tfidfvectorizer'
    """
    judged = ScikitLearner(estimator)  # which refuses what is no classifier
    return judged if takes_strings(estimator) else ScikitLearner(make_pipeline(_words_and_pairs(), estimator))


def tfidf() -> Pipeline:
    """The plain classifier behind the name "tfidf": a linear one on words and pairs of words.

    >>> tfidf().fit(["good fun", "bad"], [1, 0]).predict(["fun"]).tolist()
    [1]
    """
    return make_pipeline(_words_and_pairs(), LinearSVC())


def _words_and_pairs() -> TfidfVectorizer:
    return TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]", sublinear_tf=True)
