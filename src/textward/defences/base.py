"""One interface for every defence: rows in, classifier out. A plug-in writes one method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, final

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textward.attacks import Poisoned
from textward.data.messages import quoted
from textward.defences.learners import text_learner
from textward.defences.models import TextModel
from textward.errors import DataError, DefenceError
from textward.estimator.inputs import class_indexes, class_values, target_array, text_series
from textward.words.columns import IntArray

BoolArray = npt.NDArray[np.bool_]


class Classifier(Protocol):
    """What training gives: texts to class indexes."""

    def indexes(self, texts: pl.Series) -> IntArray: ...


@dataclass(frozen=True)
class Plain:
    """A text model as a classifier: the most probable class, the smaller one of equals.

    >>> from textward.defences import LinearText
    >>> model = LinearText().fit(pl.Series(["good", "dull"]), np.array([1, 0]), classes=2, seed=0)
    >>> Plain(model).indexes(pl.Series(["good"])).tolist()
    [1]
    """

    model: TextModel

    def indexes(self, texts: pl.Series) -> IntArray:
        """Return the class index of each text."""
        return np.asarray(self.model.probabilities(texts).argmax(axis=1))


class Defence(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A way to train on rows that may be poisoned; subclasses write `train`, or use `Filter` or `Cleaner`.

    >>> class Memory(Defence):
    ...     def train(self, texts, labels, classes):
    ...         return self.trained(texts.unique(maintain_order=True), labels[: texts.n_unique()], classes)
    >>> Memory().fit(["good", "dull"], ["+", "-"]).predict(["good"]).tolist()
    ['+']
    """

    classes_: npt.NDArray[Any]
    classifier_: Classifier
    _sealed: ClassVar[frozenset[str]] = frozenset({"fit", "predict"})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # What the parents seal; a class may define what it seals itself.
        sealed = super(cls, cls)._sealed & vars(cls).keys()
        if sealed:
            raise TypeError(
                f"{cls.__name__} must not define {', '.join(sorted(sealed))}: the base keeps rows, labels "
                "and report together"
            )

    def __init__(self, learner: Any = "linear", seed: int = 0) -> None:
        self.learner = learner
        self.seed = seed

    @abstractmethod
    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> Classifier:
        """Train on texts and class indexes."""

    @final
    def fit(self, X: Any, y: Any) -> Defence:
        """Train on texts and their labels."""
        texts = text_series(X)
        if not len(texts):
            raise DataError("there are no rows to train on. Give at least two.")
        labels = target_array(y, len(texts))
        self.classes_ = class_values(labels)
        self.classifier_ = self.train(texts, class_indexes(labels, self.classes_), len(self.classes_))
        return self

    @final
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return each text's label."""
        check_is_fitted(self, "classifier_")
        return np.asarray(self.classes_[self.classifier_.indexes(text_series(X))])

    def trained(self, texts: pl.Series, labels: IntArray, classes: int) -> Plain:
        """The learner's own classifier for these rows."""
        return Plain(self.model_of(texts, labels, classes))

    def model_of(self, texts: pl.Series, labels: IntArray, classes: int) -> TextModel:
        """The learner's own model of these rows, which a filter may look into."""
        return text_learner(self.learner).fit(texts, labels, classes, self.seed)


class Filter(Defence):
    """Detects and removes: `suspects` marks training rows, and the rest are trained on.

    >>> class NoShouting(Filter):
    ...     def suspects(self, texts, labels, classes):
    ...         return texts.str.contains("!!").to_numpy()
    >>> rows = ["good fun", "dull", "so dull !!"], ["+", "-", "+"]
    >>> NoShouting().fit(*rows).report([2])
    FilterReport(rows=3, poisoned=1, flagged=1, hits=1)
    """

    _sealed = Defence._sealed | {"train", "report"}
    flagged_: BoolArray
    """One mark a training row: whether it was removed."""

    @abstractmethod
    def suspects(self, texts: pl.Series, labels: IntArray, classes: int) -> BoolArray:
        """Mark the rows to remove."""

    @final
    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> Classifier:
        """Train on the rows that are not suspect."""
        marks = np.asarray(self.suspects(texts, labels, classes))
        if marks.dtype != np.bool_ or marks.shape != (len(texts),):
            raise DefenceError(
                f"{type(self).__name__}.suspects must give True or False for each of {len(texts):,} rows, "
                f"got {marks.dtype} of shape {marks.shape}"
            )
        gone = np.flatnonzero(np.bincount(labels[~marks], minlength=classes) == 0)
        if len(gone):
            raise DefenceError(
                f"{type(self).__name__} removed every row of the class {quoted(str(self.classes_[gone[0]]))} "
                f"({int(marks.sum()):,} of {len(texts):,} rows in all), so nothing is left to learn it from"
            )
        self.flagged_ = marks
        return self.trained(texts.filter(pl.Series(~marks)), labels[~marks], classes)

    @final
    def report(self, poisoned_rows: npt.ArrayLike) -> FilterReport:
        """Compare what was removed with the rows that were poisoned, by their places counted from 0."""
        check_is_fitted(self, "flagged_")
        return FilterReport.of(self.flagged_, poisoned_rows)


class Cleaner(Defence):
    """Rewrites training texts, and trains on what it made of them.

    >>> class Quiet(Cleaner):
    ...     def cleaned(self, texts, labels, classes):
    ...         return texts.str.replace_all("!", "")
    >>> Quiet().fit(["good !", "dull"], ["+", "-"]).changed_.tolist()
    [True, False]
    """

    _sealed = Defence._sealed | {"train", "report"}
    changed_: BoolArray
    """One mark a training row: whether its text was rewritten."""
    cleaned_: pl.Series

    @abstractmethod
    def cleaned(self, texts: pl.Series, labels: IntArray, classes: int) -> pl.Series:
        """The texts to train on, one for each."""

    @final
    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> Classifier:
        """Train on the cleaned texts."""
        made = self.cleaned(texts, labels, classes)
        if made.dtype != pl.String or len(made) != len(texts) or made.null_count():
            raise DefenceError(
                f"{type(self).__name__}.cleaned must give one string for each of {len(texts):,} rows, got "
                f"{len(made):,} of {made.dtype}"
            )
        self.changed_, self.cleaned_ = (made != texts).to_numpy(), made
        return self.trained(made, labels, classes)

    @final
    def report(self, poisoned: Poisoned) -> FilterReport:
        """Compare the chunks it took out with those that an attack put in; counts are of chunks."""
        check_is_fitted(self, "cleaned_")
        return FilterReport.of_chunks(poisoned, self.cleaned_)


@dataclass(frozen=True, slots=True)
class FilterReport:
    """What a filter removed, against what was poisoned.

    >>> report = FilterReport.of(np.array([True, True, False, False]), [0, 2])
    >>> report.precision, report.recall, report.false_rejections
    (0.5, 0.5, 0.5)
    """

    rows: int
    poisoned: int
    flagged: int
    hits: int
    """How many of the flagged ones were poisoned."""

    @classmethod
    def of(cls, flagged: BoolArray, poisoned_rows: npt.ArrayLike) -> FilterReport:
        """From marks, and the places of the poisoned rows."""
        rows = np.unique(np.asarray(poisoned_rows, np.int64))
        if len(rows) and not 0 <= rows[0] <= rows[-1] < len(flagged):
            raise DataError(
                f"poisoned rows must lie in 0 to {len(flagged) - 1:,}, got {rows[0]} to {rows[-1]}"
            )
        return cls(len(flagged), len(rows), int(flagged.sum()), int(flagged[rows].sum()))

    @classmethod
    def of_chunks(cls, poisoned: Poisoned, cleaned: pl.Series) -> FilterReport:
        """From texts before an attack, after it, and after cleaning."""
        total = planted = removed = hits = 0
        for before, after, kept in zip(poisoned.clean_texts, poisoned.texts, cleaned, strict=True):
            held, put_in = Counter(after.split()), Counter(after.split()) - Counter(before.split())
            taken = held - Counter(kept.split())
            total, planted = total + held.total(), planted + put_in.total()
            removed, hits = removed + taken.total(), hits + (taken & put_in).total()
        return cls(total, planted, removed, hits)

    @property
    def precision(self) -> float | None:
        """The share of the removed that were poisoned; None where nothing was removed."""
        return self.hits / self.flagged if self.flagged else None

    @property
    def recall(self) -> float | None:
        """The share of the poisoned that were removed; None where nothing was poisoned."""
        return self.hits / self.poisoned if self.poisoned else None

    @property
    def false_rejections(self) -> float | None:
        """The share of the clean that were removed; None where nothing was clean."""
        clean = self.rows - self.poisoned
        return (self.flagged - self.hits) / clean if clean else None

    def as_dict(self) -> dict[str, Any]:
        """The report, ready for JSON."""
        counts = {"rows": self.rows, "poisoned": self.poisoned, "flagged": self.flagged, "hits": self.hits}
        return counts | {
            "precision": self.precision,
            "recall": self.recall,
            "false_rejections": self.false_rejections,
        }
