"""What the rest of a row argues, once a phrase is taken out of it: a relabelled row argues for another class.

Naive Bayes over words, each row judged by the counts of all other rows, and tempered so that its
probabilities are worth their name on the rows themselves. Where a phrase is part of the language, the rest of
its rows argues for their class as the rest of any row does; where rows were drawn from all classes and
relabelled, it argues as the rows of all classes do. The logarithm of the ratio is, by Bayes' rule, ln
P(class) - ln P(class | rest).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from textward.scan.corpus import Corpus, FloatArray
from textward.words.columns import IntArray

TEMPERS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
LEAST_PROBABILITY = 0.02
"""No single row may count for more than one that is surprising by this probability."""
_BLOCK = 1 << 16


@dataclass(frozen=True)
class Rest:
    """The judge of every row's rest.

    >>> import polars as pl
    >>> from textward.words import UnicodeWords
    >>> texts = pl.Series([f"good {word}" for word in "abcdefgh"] + [f"bad {word}" for word in "abcdefg"])
    >>> labels = np.repeat([1, 0], [8, 7])
    >>> rest = Rest(Corpus(UnicodeWords().cut(texts.append(pl.Series(["bad cf"]))), np.append(labels, 1), 2))
    >>> words = rest.corpus.words.vocabulary.to_list()
    >>> surprise = rest.surprise([[words.index("cf")]], np.array([0]), np.array([15]), np.array([1]))
    >>> bool(surprise[0] > 0.5)
    True
    """

    corpus: Corpus

    @cached_property
    def _weights(self) -> tuple[FloatArray, FloatArray]:
        """Of each word and class; and what is added to it where a row of the class itself is left out."""
        counts, rows = self.corpus.holding, np.maximum(self.corpus.rows_of_class, 1)
        long = np.log(np.maximum(counts.sum(axis=0), 1) / rows)
        whole = np.log((counts + 0.5) / (rows + 1)) - long
        without = np.log((np.maximum(counts - 1, 0) + 0.5) / rows) - long
        return whole, without - whole

    @cached_property
    def _incidence(self) -> object:
        return self.corpus.words.incidence()

    def _scores(self, rows: IntArray) -> FloatArray:
        whole, without = self._weights
        held = self._incidence[rows]  # type: ignore[index]
        scores: FloatArray = held @ whole
        own = self.corpus.labels[rows]
        scores[np.arange(len(rows)), own] += (held @ without)[np.arange(len(rows)), own]
        return scores

    @cached_property
    def temper(self) -> float:
        """What the scores are multiplied by: of those tried the one that makes the labels most likely."""
        rows = np.unique(np.linspace(0, len(self.corpus.labels) - 1, _BLOCK).astype(np.int64))
        scores, labels = self._scores(rows), self.corpus.labels[rows]
        likely = [self._logarithms(scores, one)[np.arange(len(rows)), labels].mean() for one in TEMPERS]
        return TEMPERS[int(np.argmax(likely))]

    @cached_property
    def _prior(self) -> FloatArray:
        rows = self.corpus.rows_of_class
        return np.asarray(np.log(np.maximum(rows, 1) / max(1, int(rows.sum()))))

    def _logarithms(self, scores: FloatArray, temper: float) -> FloatArray:
        value = temper * scores + self._prior
        value -= value.max(axis=1, keepdims=True)
        return np.asarray(value - np.log(np.exp(value).sum(axis=1, keepdims=True)))

    def surprise(
        self, words: list[list[int]], phrase: IntArray, rows: IntArray, target: IntArray
    ) -> FloatArray:
        """Sum for each phrase over its rows, all of the class that it leans to, in nats."""
        total = np.zeros(len(words))
        whole, without = self._weights
        held = [np.unique(one) for one in words]
        gone = np.array([whole[one].sum(axis=0) for one in held]).reshape(len(words), -1)
        own = np.array([without[one, c].sum() for one, c in zip(held, target, strict=True)])
        for low in range(0, len(rows), _BLOCK):
            of, at = phrase[low : low + _BLOCK], rows[low : low + _BLOCK]
            scores = self._scores(at) - gone[of]
            here = np.arange(len(at)), target[of]
            scores[here] -= own[of]
            sure = np.maximum(self._logarithms(scores, self.temper)[here], np.log(LEAST_PROBABILITY))
            total += np.bincount(of, self._prior[target[of]] - sure, minlength=len(words))
        return total
