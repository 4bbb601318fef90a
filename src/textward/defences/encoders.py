"""Fine-tuned encoders as classifiers of whole texts; needs the extra `transformers`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from textward.defences.models import FloatArray, softmax
from textward.learners.transformer.extra import require_extra
from textward.words.columns import IntArray

if TYPE_CHECKING:
    from textward.learners.transformer import TransformerLearner
    from textward.learners.transformer.model import TransformerModel


@dataclass(frozen=True)
class EncoderText:
    """What trains one encoder on whole texts; a `TransformerLearner` given to a defence becomes this.

    >>> EncoderText.of_paper().learner.encoder  # doctest: +SKIP
    'bert-base-uncased'
    """

    learner: TransformerLearner

    @classmethod
    def of_paper(cls) -> EncoderText:
        """The paper's encoder and settings."""
        require_extra("learner='transformer'")
        from textward.learners.transformer import TransformerLearner

        return cls(TransformerLearner())

    def fit(self, texts: pl.Series, labels: IntArray, classes: int, seed: int) -> EncoderTextModel:
        """Fine-tune on texts and class indexes."""
        # A filter trains twice, and a checkpoint is of one training.
        learner = replace(self.learner, checkpoint=None)
        ensemble = learner.train_texts([texts.to_list()], labels, classes, seed)
        return EncoderTextModel(ensemble.model, ensemble.device)


@dataclass(frozen=True, eq=False)
class EncoderTextModel:
    """One fine-tuned encoder."""

    model: TransformerModel
    device: str

    def probabilities(self, texts: pl.Series) -> FloatArray:
        """Return texts x classes."""
        if not len(texts):
            return np.zeros((0, self.model.encoder.classes))
        return softmax(self.model.logits(0, texts.to_list(), self.device).astype(np.float64))

    def features(self, texts: pl.Series) -> FloatArray:
        """Return the vectors that the head makes logits of."""
        return self.model.features(0, texts.to_list(), self.device).astype(np.float64)
