"""Any scikit-learn classifier or pipeline as the learner of one group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.utils import get_tags

from textward.certificates.rules import SHARE
from textward.errors import UsageError
from textward.groups import SubTexts
from textward.learners.constant import ConstantModel, most_frequent
from textward.learners.shares import from_floats, shares_of
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class ScikitModel:
    """A fitted scikit-learn classifier that predicts class indexes from sub-texts.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = ScikitModel(DummyClassifier().fit(["bad", "good"], [1, 1]))
    >>> model.predict(SubTexts(pl.Series(["bad"]), np.array([0]), np.array([0, 1]))).tolist()
    [1]
    """

    estimator: Any

    def predict(self, texts: SubTexts) -> IntArray:
        """Return the class index of each sub-text."""
        return np.asarray(self.estimator.predict(_strings(texts)))

    def scores(self, texts: SubTexts) -> npt.NDArray[np.float64] | None:
        """Return the scores behind the predictions, where the classifier gives any."""
        for name in ("predict_proba", "decision_function"):
            if hasattr(self.estimator, name):
                return np.asarray(getattr(self.estimator, name)(_strings(texts)))
        return None

    def shares(self, texts: SubTexts, classes: int) -> IntArray:
        """Return how sure it is of each class: texts x classes, in 1/2**20."""
        scores = self.scores(texts)
        if scores is None:
            raise UsageError(
                f"{type(self.estimator).__name__} has neither predict_proba nor decision_function, so it "
                "casts hard votes only. Use the rule plurality."
            )
        if hasattr(self.estimator, "predict_proba"):
            known: IntArray = np.floor(np.clip(scores, 0, 1) * SHARE).astype(np.int64)
        else:
            margins = np.stack([np.zeros_like(scores), scores], axis=1) if scores.ndim == 1 else scores
            known = shares_of(from_floats(margins))
        shares = np.zeros((len(texts), classes), np.int64)
        shares[:, np.asarray(self.estimator.classes_)] = known
        return shares


@dataclass(frozen=True, slots=True)
class ScikitLearner:
    """Clones a classifier for each group and gives the clone the group's seed.

    A classifier of strings, or a pipeline that begins with one, gets the sub-texts; any other gets a
    vectorizer in front that takes each word of the sub-text as it is.

    >>> from sklearn.linear_model import LogisticRegression
    >>> texts = SubTexts(pl.Series(["bad", "good"]), np.array([0, 1]), np.array([0, 1, 2]))
    >>> model = ScikitLearner(LogisticRegression()).fit(texts, np.array([0, 1]), classes=2, seed=7)
    >>> model.predict(texts).tolist()
    [0, 1]
    """

    estimator: Any

    def __post_init__(self) -> None:
        _check_classifier(self.estimator)

    def fit(self, texts: SubTexts, labels: IntArray, classes: int, seed: int) -> ScikitModel | ConstantModel:
        """Train a clone; a group without a word, or with rows of one class, gets a constant model."""
        if not len(texts.ids) or len(np.unique(labels)) < 2:
            return most_frequent(labels, classes)
        estimator = clone(self.estimator)
        _set_seed(estimator, seed)
        if not takes_strings(estimator):
            estimator = make_pipeline(
                TfidfVectorizer(token_pattern=r"\S+", lowercase=False, sublinear_tf=True), estimator
            )
        return ScikitModel(estimator.fit(_strings(texts), labels))


def takes_strings(estimator: Any) -> bool:
    """Whether an estimator's input is texts rather than vectors.

    >>> from sklearn.svm import LinearSVC
    >>> takes_strings(LinearSVC()), takes_strings(make_pipeline(TfidfVectorizer(), LinearSVC()))
    (False, True)
    """
    if estimator is None or isinstance(estimator, str):
        return False
    if isinstance(estimator, (Pipeline, FeatureUnion)):
        steps = estimator.steps if isinstance(estimator, Pipeline) else estimator.transformer_list
        inner = [step for _, step in steps if not isinstance(step, str) and step is not None]
        return bool(inner) and takes_strings(inner[0])
    if get_tags(estimator).input_tags.string:
        return True
    wrapped = estimator.get_params(deep=False).get("estimator")
    return isinstance(wrapped, BaseEstimator) and takes_strings(wrapped)


def _strings(texts: SubTexts) -> npt.NDArray[np.object_]:
    return np.array(texts.texts().to_list(), dtype=object)


def _set_seed(estimator: Any, seed: int) -> None:
    names = [
        name
        for name in estimator.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]
    estimator.set_params(**dict.fromkeys(names, seed))


def _check_classifier(estimator: Any) -> None:
    kind = type(estimator).__name__
    if not is_classifier(estimator):
        raise UsageError(
            f"the learner {kind} is a scikit-learn estimator but no classifier. "
            "Give a classifier, or a pipeline that ends with one."
        )
    tags = get_tags(estimator)
    if not takes_strings(estimator) and not tags.input_tags.sparse:
        raise UsageError(
            f"the learner {kind} takes no sparse matrices, and words make sparse ones. Give a pipeline that "
            f"makes dense vectors of few columns: "
            f"make_pipeline(TfidfVectorizer(), TruncatedSVD(100), {kind}())."
        )
