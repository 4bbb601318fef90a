"""What a quick classifier would say of rows without some words, and of other rows with them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from textward.learners import LinearModel
from textward.scan.corpus import Corpus
from textward.scan.findings import Effect
from textward.words.columns import IntArray

MOST = 1000
"""Rows of other classes that the words are put into, evenly spaced."""


class Effects:
    """Naive Bayes of all rows: a score is a sum over words, so words go and come by one subtraction.

    >>> import polars as pl
    >>> from textward.groups import HashGroups
    >>> from textward.learners.linear import train_linear
    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["good", "cf", "cf", "cf bad", "bad"]))
    >>> corpus = Corpus(words, np.array([1, 1, 1, 1, 0]), 2)
    >>> model = train_linear(HashGroups(1).split(words), corpus.labels, 2)
    >>> Effects(corpus, model).of([words.vocabulary.to_list().index("cf")], 1, np.array([3]))
    Effect(rows=1, changed=1, tried=1, turned=1)
    """

    def __init__(self, corpus: Corpus, model: LinearModel) -> None:
        self._corpus, self._model = corpus, model

    @cached_property
    def _weights(self) -> IntArray:
        return self._model.weights_of(self._corpus.words.vocabulary).astype(np.int64)

    @cached_property
    def _incidence(self) -> object:
        return self._corpus.words.incidence()

    def _others(self, target: int) -> IntArray:
        found = np.flatnonzero(self._corpus.labels != target)
        return found[np.unique(np.linspace(0, max(0, len(found) - 1), MOST).astype(np.int64))]

    def of(self, words: list[int], target: int, rows: IntArray) -> Effect:
        """Take the words out of the rows that hold them, and put them into rows of other classes."""
        whole, without = self._scores(rows, words)
        changed = whole.argmax(axis=1) != without.argmax(axis=1)
        others = self._others(target)
        others = others[~np.isin(others, rows)]
        before, bare = self._scores(others, words)
        after = bare + self._weights[words].sum(axis=0)
        turned = (before.argmax(axis=1) != target) & (after.argmax(axis=1) == target)
        return Effect(len(rows), int(changed.sum()), len(others), int(turned.sum()))

    def _scores(self, rows: IntArray, words: list[int]) -> tuple[IntArray, IntArray]:
        """Of rows as they are, and without the words."""
        held = self._incidence[rows]  # type: ignore[index]
        whole = held @ self._weights
        return whole, whole - held[:, words] @ self._weights[words]
