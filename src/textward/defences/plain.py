"""DT and BoW: no defence at all, and words without their order."""

from __future__ import annotations

import polars as pl

from textward.defences.base import Classifier, Defence, Plain
from textward.defences.models import LinearText
from textward.words.columns import IntArray


class NoDefence(Defence):
    """DT: training on the rows as they are.

    >>> NoDefence().fit(["good fun", "dull"], ["+", "-"]).predict(["fun"]).tolist()
    ['+']
    """

    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> Classifier:
        return self.trained(texts, labels, classes)


class BagOfWords(Defence):
    """BoW: a linear classifier of which words a text holds, whatever the learner of the others.

    >>> BagOfWords().fit(["good fun", "dull"], ["+", "-"]).predict(["fun"]).tolist()
    ['+']
    """

    def __init__(self, seed: int = 0) -> None:
        super().__init__(LinearText(), seed)

    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> Classifier:
        return Plain(LinearText().fit(texts, labels, classes, self.seed))
