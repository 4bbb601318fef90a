"""The learner that a user named or gave."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, is_classifier

from textward.data.messages import quoted
from textward.defences.encoders import EncoderText
from textward.defences.models import LinearText, ScikitText, TextLearner
from textward.errors import UsageError


def text_learner(learner: Any) -> TextLearner:
    """Return what trains classifiers of whole texts.

    >>> text_learner("linear")
    LinearText(strength=1.0, cutter=UnicodeWords())
    """
    if isinstance(learner, str) and learner in ("linear", "transformer"):
        return LinearText() if learner == "linear" else EncoderText.of_paper()
    if isinstance(learner, BaseEstimator) and is_classifier(learner):
        return ScikitText(learner)
    if not isinstance(learner, (BaseEstimator, type)):
        if callable(getattr(learner, "train_texts", None)):
            return EncoderText(learner)
        if isinstance(learner, TextLearner):
            return learner
    shown = quoted(learner if isinstance(learner, str) else type(learner).__name__)
    raise UsageError(
        f"no learner {shown}; give 'linear', 'transformer', a TransformerLearner, a scikit-learn classifier "
        "of strings, or an object whose fit(texts, labels, classes, seed) returns a model with probabilities "
        "and features"
    )
