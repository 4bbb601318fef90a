"""Training: settings, texts and labels -> voters, and what stands against a certificate."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.data import Digest
from textward.engine import HERE, Engine, Progress
from textward.errors import DataError
from textward.estimator.empirical import NO_CERTIFICATE, MeasuredVoters, Task, learn
from textward.estimator.fallback import train_fallback
from textward.estimator.inputs import blocks, class_indexes, class_values, mixed_types
from textward.estimator.settings import Settings
from textward.estimator.training import Skipped, Training, library_versions
from textward.estimator.voters import BallotVoters, HashedVoters
from textward.groups import BlockGroups, EveryWord, Grouped
from textward.learners import (
    Ensemble,
    EnsembleLearner,
    GroupLearner,
    LinearCells,
    LinearEach,
    is_repeatable,
    train_each,
    train_grid,
    train_linear,
)
from textward.learners.ballots import WordCounter, from_counts
from textward.words import Cutter, WholeTexts, unstable_example
from textward.words.columns import IntArray

Rows = tuple[pl.Series, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What training gives."""

    classes: npt.NDArray[Any]
    voters: HashedVoters | BallotVoters | MeasuredVoters
    obstacle: str | None
    training: Training
    skipped: Sequence[Skipped] = ()


def fit_hashed(
    chosen: Settings, rows: Rows, *, engine: Engine = HERE, progress: Progress | None = None
) -> Fitted:
    """Train m base models on rows that fit in memory.

    >>> from textward.estimator.settings import settings
    >>> chosen = settings(3, "linear", "md5", 0, "certified", "unicode", None)
    >>> fit_hashed(chosen, (pl.Series(["good", "bad"]), np.array([1, 0]))).classes.tolist()
    [0, 1]
    """
    assert not isinstance(chosen.groups, EveryWord)
    record, (texts, labels) = _Record(), rows
    classes = class_values(labels)
    indexes = class_indexes(labels, classes)
    record.add(texts, labels)
    words = chosen.cutter.cut(texts)
    voters: HashedVoters | MeasuredVoters
    obstacle: str | None = NO_CERTIFICATE
    if chosen.potential is not None:
        task = Task(words, indexes, len(classes), chosen.seed, engine, progress)
        m, hash_name = chosen.groups.m, chosen.groups.hash
        voters = learn(task, chosen.learner, m, hash_name, chosen.potential)
    else:
        grouped = chosen.groups.split(words, chosen.order)
        ensemble, obstacle = _ensemble(chosen, grouped, indexes, len(classes), engine, progress)
        voters = HashedVoters(
            chosen.groups, chosen.order, ensemble, len(classes), chosen.row_groups, chosen.rule
        )
    training = record.closed(classes, _libraries(chosen.learner))
    return Fitted(classes, voters, obstacle or unstable(chosen.cutter, texts), training)


def fit_ballots(chosen: Settings, batches: Iterable[Rows]) -> Fitted:
    """Train ballots; memory grows with the vocabulary, never with the rows.

    >>> from textward.estimator.settings import settings
    >>> chosen = settings("words", "linear", "md5", 0, "certified", "unicode", None)
    >>> batches = [(pl.Series(["bad"]), np.array([1])), (pl.Series(["good"]), np.array([0]))]
    >>> fit_ballots(chosen, batches).training.n
    2
    """
    record, seen, counter, obstacle = _Record(), dict[Any, int](), WordCounter(classes=0), None
    for texts, labels in batches:
        if not len(texts):
            continue
        known = len(seen)
        values, rows = _distinct(labels)
        numbers = np.array([seen.setdefault(value, len(seen)) for value in values], np.int64)
        if len(seen) > known:
            counter.widen(len(seen))
        counter.add(chosen.cutter.cut(texts), numbers[rows])
        record.add(texts, labels)
        if len(seen) and not known:  # the first rows are a good enough sample
            obstacle = unstable(chosen.cutter, texts)
    classes = class_values(_values(seen))
    counts = counter.counts([seen[value] for value in classes.tolist()])
    voters = BallotVoters(from_counts(counts, chosen.dials(len(classes))))
    return Fitted(classes, voters, obstacle, record.closed(classes))


def fit_cascade(chosen: Settings, rows: Rows, *, progress: Progress | None = None) -> Fitted:
    """Train ballots, and what answers where they lead by too little.

    >>> from textward.estimator.settings import settings
    >>> chosen = settings("words", "linear", "md5", 0, "certified", "unicode", None, cascade="tfidf")
    >>> fit_cascade(chosen, (pl.Series(["good", "bad"]), np.array([1, 0]))).voters.cascade.theta
    2048
    """
    assert chosen.cascade is not None
    started, (texts, labels) = time.perf_counter(), rows
    fitted = fit_ballots(chosen, ((texts[block], labels[block]) for block in blocks(texts)))
    assert isinstance(fitted.voters, BallotVoters)
    indexed = texts, class_indexes(labels, fitted.classes)
    classes = len(fitted.classes)
    second = train_fallback(chosen.cascade, chosen.cutter, indexed, classes, chosen.seed, progress)
    training = replace(
        fitted.training,
        versions={**fitted.training.versions, **_versions(_libraries(chosen.cascade.learner))},
        seconds=time.perf_counter() - started,
    )
    return replace(fitted, voters=replace(fitted.voters, cascade=second), training=training)


def unstable(cutter: Cutter, texts: pl.Series) -> str | None:
    """Say why a user's tokenizer may not certify; None for the built-in ones and for those that pass.

    >>> from textward.words import CustomWords, UnicodeWords
    >>> unstable(UnicodeWords(), pl.Series(["a b"])), unstable(CustomWords(str.split), pl.Series(["a b"]))
    (None, None)
    """
    found = None if cutter.stable else unstable_example(cutter, texts.to_list())
    if found is None:
        return None
    return (
        f"the tokenizer {cutter.name} is not insertion-stable: {found}. One inserted word would reach "
        "several groups. Use words='unicode' or 'whitespace', or a tokenizer whose words do not depend on "
        "their neighbours."
    )


class _Record:
    """Gathers what `Training` says, batch by batch."""

    def __init__(self) -> None:
        self._started, self._digest = time.perf_counter(), Digest()
        self._counts: dict[str, int] = {}

    def add(self, texts: pl.Series, labels: npt.NDArray[Any]) -> None:
        values, rows = _distinct(labels)
        names = list(map(str, values))
        self._digest.update(texts, pl.Series(names, dtype=pl.String).gather(rows))
        for name, count in zip(names, np.bincount(rows).tolist(), strict=True):
            self._counts[name] = self._counts.get(name, 0) + count

    def closed(self, classes: npt.NDArray[Any], libraries: Sequence[str] = ()) -> Training:
        counts = {str(value): self._counts[str(value)] for value in classes.tolist()}
        seconds = time.perf_counter() - self._started
        versions = library_versions() | _versions(libraries)
        return Training(sum(counts.values()), counts, self._digest.hexdigest(), versions, seconds)


def _libraries(learner: GroupLearner | EnsembleLearner | None) -> Sequence[str]:
    """What else the bits of a learner's models depend on."""
    return learner.libraries if isinstance(learner, EnsembleLearner) else ()


def _versions(libraries: Sequence[str]) -> dict[str, str]:
    return {name: version(name) for name in libraries}


def _ensemble(
    chosen: Settings,
    grouped: Grouped,
    labels: IntArray,
    classes: int,
    engine: Engine,
    progress: Progress | None,
) -> tuple[Ensemble, str | None]:
    if chosen.row_groups is not None:
        learner = cast(GroupLearner, chosen.learner or LinearCells())
        grid, repeatable = train_grid(
            learner,
            grouped,
            chosen.row_groups,
            labels,
            classes,
            chosen.seed,
            engine=engine,
            progress=progress,
        )
        return grid, None if repeatable else _unrepeatable(learner)
    if chosen.learner is None and isinstance(chosen.groups, BlockGroups):
        return LinearEach.train(grouped, labels, classes), None
    if chosen.learner is None:
        return train_linear(grouped, labels, classes), None
    if isinstance(chosen.learner, EnsembleLearner):
        ensemble = chosen.learner.train(
            grouped, labels, classes, chosen.seed, engine=engine, progress=progress
        )
        return ensemble, _WHOLE if isinstance(chosen.cutter, WholeTexts) else None
    each = train_each(chosen.learner, grouped, labels, classes, chosen.seed, engine=engine, progress=progress)
    if is_repeatable(chosen.learner, each, grouped, labels, chosen.seed):
        return each, None
    return each, _unrepeatable(chosen.learner)


_WHOLE = (
    "one encoder that reads whole texts in their own order is plain fine-tuning, which one trigger word can "
    "turn. Give two groups or more."
)


def _unrepeatable(learner: GroupLearner) -> str:
    name = type(getattr(learner, "estimator", learner)).__name__
    return (
        f"the learner {name} made two different models of the same group with the same seed, so a base model "
        "is no function of its group. Let it draw its random numbers from the seed it is given (random_state "
        "in scikit-learn), then train again."
    )


def _distinct(labels: npt.NDArray[Any]) -> tuple[list[Any], IntArray]:
    """The distinct labels and each row's place among them; mixed types have no order to sort by."""
    if labels.dtype.kind in "biu":
        values, rows = np.unique(labels, return_inverse=True)
        return values.tolist(), rows
    places: dict[Any, int] = {}
    rows = np.array([places.setdefault(label, len(places)) for label in labels.tolist()], np.int64)
    return list(places), rows


def _values(seen: Iterable[Any]) -> npt.NDArray[Any]:
    values = list(seen)
    if not values:
        raise DataError("there are no rows to train on. Give at least one row of each of two classes.")
    if len({type(value) for value in values}) > 1:
        raise mixed_types(values)
    return np.array(values)
