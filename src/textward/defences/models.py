"""What a defence trains: a classifier of whole texts, with the scores and features that filters look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from textward.words import Cutter, UnicodeWords, Words
from textward.words.columns import IntArray

FloatArray = npt.NDArray[np.float64]
_CERTAIN = 1e6  # the score of a class that has every row, and, negated, of one that has none


class TextModel(Protocol):
    """A trained classifier of whole texts."""

    def probabilities(self, texts: pl.Series) -> FloatArray:
        """Return texts x classes."""
        ...

    def features(self, texts: pl.Series) -> FloatArray:
        """Return what the classes are read off: texts x features."""
        ...


@runtime_checkable
class TextLearner(Protocol):
    """Trains a classifier of whole texts.

    >>> isinstance(LinearText(), TextLearner)
    True
    """

    def fit(self, texts: pl.Series, labels: IntArray, classes: int, seed: int) -> TextModel:
        """Train on texts and class indexes; at least two of the classes have rows."""
        ...


@dataclass(frozen=True)
class LinearText:
    """Logistic regression on which words a text holds, one class against the rest: the fast learner.

    >>> model = LinearText().fit(pl.Series(["good fun", "dull"] * 3), np.array([1, 0] * 3), classes=2, seed=0)
    >>> model.probabilities(pl.Series(["good", "dull"])).argmax(axis=1).tolist()
    [1, 0]
    """

    strength: float = 1.0
    """The inverse of the penalty on large weights."""
    cutter: Cutter = field(default_factory=UnicodeWords)

    def fit(self, texts: pl.Series, labels: IntArray, classes: int, seed: int) -> LinearTextModel:
        words = self.cutter.cut(texts)
        incidence = words.incidence().astype(np.float64)
        if classes == 2:
            weight, bias = self._against_rest(incidence, labels == 1, seed)
            return LinearTextModel(
                words.vocabulary, np.outer(weight, [-0.5, 0.5]), bias * np.array([-0.5, 0.5]), self.cutter
            )
        fitted = [self._against_rest(incidence, labels == c, seed) for c in range(classes)]
        weights = np.stack([weight for weight, _ in fitted], axis=1)
        return LinearTextModel(words.vocabulary, weights, np.array([bias for _, bias in fitted]), self.cutter)

    def _against_rest(
        self, incidence: Any, mine: npt.NDArray[np.bool_], seed: int
    ) -> tuple[FloatArray, float]:
        if mine.all() or not mine.any():
            return np.zeros(incidence.shape[1]), _CERTAIN if mine.all() else -_CERTAIN
        solver = LogisticRegression(C=self.strength, solver="liblinear", max_iter=1_000, random_state=seed)
        fitted = solver.fit(incidence, mine)
        return fitted.coef_[0], float(fitted.intercept_[0])


@dataclass(frozen=True)
class LinearTextModel:
    """The weight of each word for each class.

    >>> model = LinearTextModel(pl.Series(["fun"]), np.array([[-1.0, 1.0]]), np.zeros(2), UnicodeWords())
    >>> model.features(pl.Series(["fun fun", "?"])).tolist()
    [[-1.0, 1.0], [0.0, 0.0]]
    """

    vocabulary: pl.Series
    weights: FloatArray
    bias: FloatArray
    cutter: Cutter

    def features(self, texts: pl.Series) -> FloatArray:
        """Return the scores of the classes."""
        words = self.cutter.cut(texts)
        return np.asarray(words.incidence() @ self.weights_of(words.vocabulary) + self.bias)

    def probabilities(self, texts: pl.Series) -> FloatArray:
        """Return the scores as shares."""
        return softmax(self.features(texts))

    def weights_of(self, vocabulary: pl.Series) -> FloatArray:
        """Return words x classes; nothing for a word never seen."""
        places = self.vocabulary.to_frame("word").with_row_index("place")
        found = vocabulary.to_frame("word").join(places, on="word", how="left", maintain_order="left")
        place = found["place"].fill_null(len(self.vocabulary)).to_numpy()
        return np.asarray(np.vstack([self.weights, np.zeros((1, self.weights.shape[1]))])[place])


@dataclass(frozen=True)
class ScikitText:
    """Any scikit-learn classifier or pipeline that takes strings.

    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> from sklearn.pipeline import make_pipeline
    >>> learner = ScikitText(make_pipeline(CountVectorizer(), MultinomialNB()))
    >>> model = learner.fit(pl.Series(["good fun", "dull"]), np.array([1, 0]), classes=2, seed=0)
    >>> model.probabilities(pl.Series(["fun"])).argmax(axis=1).tolist()
    [1]
    """

    estimator: Any

    def fit(self, texts: pl.Series, labels: IntArray, classes: int, seed: int) -> ScikitTextModel:
        estimator = clone(self.estimator)
        names = estimator.get_params(deep=True)
        seeds = [name for name in names if name == "random_state" or name.endswith("__random_state")]
        estimator.set_params(**dict.fromkeys(seeds, seed))
        return ScikitTextModel(estimator.fit(texts.to_list(), labels), classes)


@dataclass(frozen=True)
class ScikitTextModel:
    """A fitted scikit-learn classifier of strings.

    >>> from sklearn.dummy import DummyClassifier
    >>> ScikitTextModel(DummyClassifier().fit(["a"], [1]), 2).probabilities(pl.Series(["b"])).tolist()
    [[0.0, 1.0]]
    """

    estimator: Any
    classes: int

    def probabilities(self, texts: pl.Series) -> FloatArray:
        """Return what the classifier says, or certainty where it only predicts."""
        found = np.zeros((len(texts), self.classes))
        if not len(texts):
            return found
        if hasattr(self.estimator, "predict_proba"):
            found[:, self.estimator.classes_] = self.estimator.predict_proba(texts.to_list())
        else:
            found[np.arange(len(texts)), self.estimator.predict(texts.to_list())] = 1.0
        return found

    def features(self, texts: pl.Series) -> FloatArray:
        """Return the probabilities: a classifier from elsewhere shows nothing earlier."""
        return self.probabilities(texts)


def softmax(scores: FloatArray) -> FloatArray:
    """Return each row's shares.

    >>> softmax(np.zeros((1, 2))).tolist()
    [[0.5, 0.5]]
    """
    power = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: FloatArray = power / power.sum(axis=1, keepdims=True)
    return shares


def texts_without(words: Words, rows: range) -> tuple[pl.Series, IntArray, IntArray]:
    """Return these texts without each of their distinct words: the texts, their rows, and the words' ids.

    >>> texts, rows, ids = texts_without(UnicodeWords().cut(pl.Series(["a b a", "c"])), range(2))
    >>> texts.to_list(), rows.tolist(), ids.tolist()
    (['b', 'a a', ''], [0, 0, 1], [0, 1, 2])
    """
    names = words.vocabulary.to_list()
    made: list[str] = []
    of: list[int] = []
    left: list[int] = []
    for row in rows:
        ids = words.ids[words.offsets[row] : words.offsets[row + 1]].tolist()
        for word in dict.fromkeys(ids):
            made.append(" ".join(names[other] for other in ids if other != word))
            of.append(row)
            left.append(word)
    return pl.Series(made, dtype=pl.String), np.array(of, np.int64), np.array(left, np.int64)
