"""Ensembles over parts of the rows, with certificates that count poisoned rows rather than trigger words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textward.certificates.votes import check_size
from textward.data.messages import quoted
from textward.defences.base import BoolArray, Defence
from textward.defences.learners import text_learner
from textward.defences.models import FloatArray, LinearTextModel, TextModel
from textward.errors import UsageError
from textward.estimator.inputs import class_indexes, label_array, text_series
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class RowAccuracy:
    """Certified accuracy by the number of poisoned rows; every text meets its own worst rows.

    >>> right = np.array([[True, True], [True, False], [True, False]])
    >>> RowAccuracy.of(right, np.array([0, 0, 1]), (0, 10), target=1).non_target
    (1.0, 0.5)
    """

    rows: tuple[int, ...]
    n: int
    all: tuple[float, ...]
    balanced: tuple[float, ...]
    """The mean over classes."""
    non_target: tuple[float, ...] | None

    @classmethod
    def of(
        cls, certified: BoolArray, labels: IntArray, rows: tuple[int, ...], target: int | None
    ) -> RowAccuracy:
        """From texts x numbers of rows: is the text right, and certified to stay so?"""
        by_class = [certified[labels == c].mean(axis=0) for c in np.unique(labels)]
        others = None if target is None else _shares(certified[labels != target].mean(axis=0))
        return cls(
            rows, len(labels), _shares(certified.mean(axis=0)), _shares(np.mean(by_class, axis=0)), others
        )


def _shares(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


class RowDefence(Defence):
    """Many models, each of some of the rows, that vote; subclasses choose the rows and the certificate."""

    classifier_: RowEnsemble

    @abstractmethod
    def certified_rows(self, votes: IntArray, edits: bool) -> tuple[IntArray, IntArray]:
        """Winners, and for each text the largest number of poisoned rows that cannot change it."""

    def votes(self, texts: Any) -> IntArray:
        """Return the class index that each model votes for: texts x models."""
        check_is_fitted(self, "classifier_")
        return self.classifier_.votes(text_series(texts))

    def certified_accuracy(
        self,
        texts: Any,
        labels: Any,
        rows: Iterable[int] = (0, 1, 10, 100),
        *,
        target: int | str | None = None,
        edits: bool = True,
    ) -> RowAccuracy:
        """Return the share of texts that are right whatever is done to so many training rows.

        With `edits` the poisoned rows are there already, and their texts and labels changed; without it rows
        are added or removed.
        """
        sizes = tuple(check_size(size) for size in rows)
        series = text_series(texts)
        truth = class_indexes(label_array(labels, len(series)), self.classes_)
        known = self.classes_.tolist()
        if target is not None and target not in known:
            raise UsageError(f"the target {quoted(str(target))} is not a class; the classes are {known}")
        winners, radius = self.certified_rows(self.votes(series), edits)
        certified = (winners == truth)[:, None] & (radius[:, None] >= np.array(sizes))
        return RowAccuracy.of(certified, truth, sizes, None if target is None else known.index(target))

    def ensemble(
        self, texts: pl.Series, labels: IntArray, classes: int, parts: Sequence[IntArray]
    ) -> RowEnsemble:
        """Train one model on each part of the rows."""
        models: list[TextModel] = []
        learner = text_learner(self.learner)
        for part in parts:
            present = np.unique(labels[part])
            if len(present) > 1:
                models.append(learner.fit(texts.gather(part), labels[part], classes, self.seed))
            else:
                models.append(Sure(int(present[0]) if len(present) else 0, classes))
        return RowEnsemble(tuple(models), classes)


@dataclass(frozen=True)
class Sure:
    """The model of rows of one class, or of none.

    >>> Sure(1, classes=2).probabilities(pl.Series(["a"])).tolist()
    [[0.0, 1.0]]
    """

    label: int
    classes: int

    def probabilities(self, texts: pl.Series) -> FloatArray:
        """Return certainty."""
        return np.tile(np.eye(self.classes)[self.label], (len(texts), 1))

    def features(self, texts: pl.Series) -> FloatArray:
        """Return the same."""
        return self.probabilities(texts)


@dataclass(frozen=True)
class RowEnsemble:
    """Models that vote; a tie goes to the smaller class.

    >>> RowEnsemble((Sure(1, 2), Sure(0, 2)), classes=2).indexes(pl.Series(["a"])).tolist()
    [0]
    """

    models: tuple[TextModel, ...]
    classes: int

    def votes(self, texts: pl.Series) -> IntArray:
        """Return texts x models."""
        votes = np.empty((len(texts), len(self.models)), np.int64)
        linear = [j for j, model in enumerate(self.models) if isinstance(model, LinearTextModel)]
        for j in sorted(set(range(len(self.models))) - set(linear)):
            votes[:, j] = self.models[j].probabilities(texts).argmax(axis=1)
        if linear:
            votes[:, linear] = _linear_votes([self.models[j] for j in linear], texts)
        return votes

    def indexes(self, texts: pl.Series) -> IntArray:
        """Return the class with most votes."""
        votes = self.votes(texts)
        counts = np.stack([(votes == c).sum(axis=1) for c in range(self.classes)], axis=1)
        return np.asarray(counts.argmax(axis=1))


def _linear_votes(models: Sequence[Any], texts: pl.Series) -> IntArray:
    """All models at once: the texts are cut once, and each class is one product of sparse matrices."""
    words = models[0].cutter.cut(texts)
    place = {word: number for number, word in enumerate(words.vocabulary)}
    incidence = words.incidence().astype(np.float64)
    best, votes = None, np.zeros((len(texts), len(models)), np.int64)
    rows = [np.array([place.get(word, -1) for word in model.vocabulary], np.int64) for model in models]
    column = np.repeat(np.arange(len(models)), [len(row) for row in rows])
    row = np.concatenate(rows)
    known = row >= 0
    for c in range(models[0].weights.shape[1]):
        weight = np.concatenate([model.weights[:, c] for model in models])
        matrix = sparse.csc_matrix(
            (weight[known], (row[known], column[known])), shape=(len(place), len(models))
        )
        scores = (incidence @ matrix).toarray() + np.array([model.bias[c] for model in models])
        if best is None:
            best = scores
        else:
            votes[scores > best] = c
            best = np.maximum(best, scores)
    return votes
