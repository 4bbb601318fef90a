"""The default for hashed groups: naive Bayes in every group, all groups in one columnar pass.

For a word w that stands in n_c(w) of the N_c rows of class c (N rows, C classes; T_c = sum of n_c over the
group's words) class c scores

    ln(n_c(w) N / (C N_c) + 1)  -  ln(T_c / N_c) / 2

once for each distinct word of the sub-text. The second term takes back half of what a class gains by longer
texts. A sub-text without a known word votes for the class with the largest share of rows that have no word in
the group. Classes of any size weigh the same.

Weights are integers, in 1/65536: a score is then an exact sum, whatever its order. Everything before the
rounding is arithmetic on one value at a time, so a weight depends on its own group's counts and on nothing
else, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.certificates.votes import BoolArray
from textward.groups import Grouped, SubTexts
from textward.learners.ballots.counting import Counts
from textward.learners.shares import shares_of
from textward.words.columns import IntArray

FloatArray = npt.NDArray[np.float64]
UNIT = 1 << 16
ABSENT = 1 << 24
"""Taken from the score of a class without a row, once for each word: far more than words can give."""


@dataclass(frozen=True, slots=True)
class LinearModel:
    """The weights of all groups in one matrix, words x classes, for groups share no word.

    >>> from textward.groups import HashGroups
    >>> from textward.words import UnicodeWords
    >>> grouped = HashGroups(1).split(UnicodeWords().cut(pl.Series(["good fun", "bad", "fun"])))
    >>> model = train_linear(grouped, np.array([1, 0, 1]), classes=2)
    >>> model.votes(grouped).tolist()
    [[1], [0], [1]]
    """

    vocabulary: pl.Series
    """The words seen in training, sorted by code points."""
    weights: npt.NDArray[np.int32]
    """Words x classes, in 1/65536."""
    wordless: npt.NDArray[np.int32]
    """Each group's vote for a sub-text without a known word."""

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        scores, wordless = self._scores(grouped)
        return np.where(wordless, self.wordless, scores.argmax(axis=2))

    def shares(self, grouped: Grouped) -> IntArray:
        """Return how sure each group is: texts x groups x classes, in 1/2**20.

        A group without a known word is as unsure as can be, with a grain for the class that it votes for.
        """
        scores, wordless = self._scores(grouped)
        silent = np.zeros_like(scores)
        groups = np.arange(grouped.groups)
        silent[:, groups, self.wordless] = 1
        return shares_of(np.where(wordless[:, :, None], silent, scores))

    def predict(self, texts: SubTexts) -> IntArray:
        """Return one group's votes, as the base model of that group alone."""
        return self.votes(texts.alone())[:, 0]

    def weights_of(self, vocabulary: pl.Series) -> npt.NDArray[np.int32]:
        """Return each word's weights, words x classes; zeros for a word that was not seen in training."""
        place = self._places(vocabulary)
        if not len(self.vocabulary):
            return np.zeros((len(place), self.weights.shape[1]), np.int32)
        return np.where((place >= 0)[:, None], self.weights[place], 0).astype(np.int32)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return what is saved of it, beside the vocabulary."""
        return {"weights": self.weights, "wordless": self.wordless}

    @classmethod
    def from_arrays(cls, vocabulary: pl.Series, arrays: Mapping[str, npt.NDArray[Any]]) -> LinearModel:
        """Return the model that `arrays` came from."""
        return cls(vocabulary, arrays["weights"], arrays["wordless"])

    def _scores(self, grouped: Grouped) -> tuple[IntArray, BoolArray]:
        """Texts x groups x classes: exact sums of weights; texts x groups: whether no word is known."""
        cells, shape = len(grouped) * grouped.groups, (-1, grouped.groups)
        cell, ids = _present(grouped)
        place = self._places(grouped.vocabulary)[ids]
        known = place >= 0
        cell, weights = cell[known], self.weights[place[known]]
        sums = np.stack([np.bincount(cell, column, minlength=cells) for column in weights.T], axis=1)
        wordless = (np.bincount(cell, minlength=cells) == 0).reshape(shape)
        return sums.astype(np.int64).reshape(*shape, sums.shape[1]), wordless

    def _places(self, vocabulary: pl.Series) -> IntArray:
        """Where each word stands in the model's vocabulary; -1 where it does not."""
        if not len(self.vocabulary):
            return np.full(len(vocabulary), -1)
        place = np.minimum(self.vocabulary.search_sorted(vocabulary).to_numpy(), len(self.vocabulary) - 1)
        found = (self.vocabulary.gather(place) == vocabulary).to_numpy()
        return np.where(found, place.astype(np.int64), -1)


@dataclass(frozen=True, slots=True)
class LinearEach:
    """A naive Bayes a group, each with its own vocabulary: for groups that share words.

    >>> from textward.groups import LearnedGroups
    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["good fun", "bad"]))
    >>> groups = LearnedGroups(frozenset({"fun"}), 2)
    >>> each = LinearEach.train(groups.split(words), np.array([1, 0]), classes=2)
    >>> each.votes(groups.whole(words)).tolist()
    [[1, 1], [0, 0]]
    """

    models: tuple[LinearModel, ...]

    @classmethod
    def train(cls, grouped: Grouped, labels: IntArray, classes: int) -> LinearEach:
        """Train every group's model by itself; `labels` are class indexes."""
        groups = range(grouped.groups)
        return cls(tuple(train_linear(grouped.group(j).alone(), labels, classes) for j in groups))

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        columns = [model.votes(grouped.group(j).alone()) for j, model in enumerate(self.models)]
        return np.concatenate(columns, axis=1)

    def shares(self, grouped: Grouped) -> IntArray:
        """Return how sure each group is: texts x groups x classes, in 1/2**20."""
        columns = [model.shares(grouped.group(j).alone()) for j, model in enumerate(self.models)]
        return np.concatenate(columns, axis=1)


def train_linear(grouped: Grouped, labels: IntArray, classes: int) -> LinearModel:
    """Train every group's naive Bayes at once; `labels` are class indexes.

    >>> from textward.groups import HashGroups
    >>> from textward.words import UnicodeWords
    >>> grouped = HashGroups(3).split(UnicodeWords().cut(pl.Series(["good fun", "bad"])))
    >>> train_linear(grouped, np.array([1, 0]), classes=2).vocabulary.to_list()
    ['bad', 'fun', 'good']
    """
    rows = np.bincount(labels, minlength=classes)
    cell, ids = _present(grouped)
    text = cell // grouped.groups
    words = len(grouped.vocabulary)
    holding = np.bincount(ids * classes + labels[text], minlength=words * classes).reshape(words, classes)
    group = np.repeat(np.arange(grouped.groups), np.diff(grouped.bounds))
    order = grouped.vocabulary.arg_sort().to_numpy()
    counts = Counts(grouped.vocabulary.gather(order), holding[order], rows)
    empty = (np.diff(grouped.offsets) == 0).reshape(-1, grouped.groups)
    wordless = np.stack([empty[labels == c].sum(axis=0) for c in range(classes)])
    return linear_from_counts(counts, group[order], wordless)


def linear_from_counts(counts: Counts, group: IntArray, wordless: IntArray) -> LinearModel:
    """Train on counts, each word's group, and the rows without a word in a group: classes x groups.

    >>> counts = Counts(pl.Series(["bad", "fun"]), np.array([[1, 0], [0, 1]]), np.array([1, 1]))
    >>> linear_from_counts(counts, np.array([0, 0]), np.array([[0], [0]])).weights.tolist()
    [[45426, 0], [0, 45426]]
    """
    weights = _weights(counts.holding, counts.rows, group, wordless.shape[1])
    rows = counts.rows[:, None]
    share = np.where(rows > 0, wordless / np.maximum(rows, 1), -1.0)
    return LinearModel(counts.vocabulary, weights, np.asarray(share.argmax(axis=0), np.int32))


def _present(grouped: Grouped) -> tuple[IntArray, IntArray]:
    """The distinct words of every cell (text, group), as two columns: cell and word."""
    cell = np.repeat(np.arange(len(grouped.offsets) - 1), np.diff(grouped.offsets))
    ids = grouped.ids.astype(np.int64)
    first = np.ones(len(ids), np.bool_)
    first[1:] = (ids[1:] != ids[:-1]) | (cell[1:] != cell[:-1])
    return cell[first], ids[first]


def _weights(holding: IntArray, rows: IntArray, group: IntArray, groups: int) -> npt.NDArray[np.int32]:
    classes = len(rows)
    weights = np.empty(holding.shape, np.int32)
    for c in range(classes):
        if not rows[c]:  # in a part of the rows; nothing speaks for a class that was never seen
            weights[:, c] = -ABSENT
            continue
        total = np.bincount(group, holding[:, c], minlength=groups)
        long = _log(np.maximum(total, 1) / rows[c]) / 2
        word = _log(holding[:, c] * int(rows.sum()) / (classes * int(rows[c])) + 1)
        weights[:, c] = np.rint(UNIT * (word - long[group]))
    return weights


def _log(values: FloatArray) -> FloatArray:
    # numpy's logarithm of an array may round by a value's place in it; math.log sees the value alone.
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([math.log(value) for value in distinct.tolist()])[place.reshape(-1)]
