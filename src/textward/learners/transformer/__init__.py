"""Fine-tuned encoders as base models; needs the extra ``transformers``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textward.errors import MissingExtraError
from textward.learners.transformer.settings import Settings, sub_text_length

if TYPE_CHECKING:
    from textward.learners.transformer.learner import (
        EmbeddingEnsemble,
        EmbeddingLearner,
        TransformerEnsemble,
        TransformerLearner,
    )

__all__ = [
    "EmbeddingEnsemble",
    "EmbeddingLearner",
    "Settings",
    "TransformerEnsemble",
    "TransformerLearner",
    "sub_text_length",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from textward.learners.transformer import learner
    except ImportError as error:
        raise MissingExtraError(
            f"{name} needs {error.name or 'torch'}, which is not installed: "
            "pip install 'textward[transformers]'"
        ) from error
    return getattr(learner, name)
