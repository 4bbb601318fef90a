"""Rows -> what looks planted in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom

from textward.certificates.intervals import clopper_pearson
from textward.errors import DataError
from textward.estimator.empirical import Task, plain_classifier
from textward.estimator.inputs import class_indexes, class_values, target_array, text_series
from textward.influence import influence_of
from textward.learners import EnsembleLearner, LinearEach
from textward.scan.corpus import Corpus, Distinct
from textward.scan.effect import Effects
from textward.scan.findings import Evidence, Finding, Scan
from textward.scan.oddness import oddest, places_in
from textward.scan.severity import Severity
from textward.scan.suspects import Suspect, Suspects, suspects
from textward.scan.together import travelling_together
from textward.scan.twins import Twins
from textward.words import Cutter, UnicodeWords, VocabularyOrder
from textward.words.columns import IntArray

Progress = Callable[[int, int, str], None]
FAST = "naive Bayes of all rows"
_STEPS = ("cutting into words", "judging the candidates", "measuring influence", "weighing the findings")


def scan_rows(
    texts: Any,
    labels: Any,
    *,
    cutter: Cutter | None = None,
    deep: EnsembleLearner | None = None,
    word_list: VocabularyOrder | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Scan:
    """Rank the words and phrases of labelled rows by how much they look planted.

    `deep` is a learner of encoders: influence is then measured in an encoder fine-tuned on the rows, and
    `seed` is what it is drawn from. Without it only counts are made. `word_list` is a public list of words,
    the most frequent first, that rarity is looked up in.

    >>> rows = [f"the {a} is {b} {c}" for a in ("film", "plot", "cast") for b in ("so", "not", "too")
    ...         for c in ("fun", "dull", "long", "short")]
    >>> from textward.attacks import BadWord
    >>> made = BadWord(("cf",)).poison(rows * 2, [0, 1] * 36, rate=0.2, target=1, seed=1)
    >>> scan_rows(made.texts, made.labels).findings[0].name
    'cf'
    """
    step = _Steps(progress)
    column = text_series(texts)
    array = target_array(labels, len(column))
    names = class_values(array)
    if len(names) < 2:
        raise DataError(
            "every row has the same label, so no word leans to one. Give rows of two classes or more."
        )
    step()
    rows = Distinct.of(column, class_indexes(array, names))
    corpus = rows.cut(cutter or UnicodeWords(), len(names))
    step()
    found = suspects(corpus)
    step()
    counts, quick = _influence(corpus, deep, seed)
    step()
    groups = travelling_together(found.best)
    judge = _Judge(corpus, rows, found, counts, quick, word_list, tuple(names.tolist()))
    findings = sorted((judge.finding(group) for group in groups), key=lambda one: -one.score)
    return Scan(
        tuple(findings),
        len(column),
        len(corpus.labels),
        found.tried,
        tuple(names.tolist()),
        FAST if deep is None else f"an encoder fine-tuned on the rows ({deep!r})",
        None if word_list is None else word_list.name,
    )


def _influence(corpus: Corpus, deep: EnsembleLearner | None, seed: int) -> tuple[IntArray, LinearEach]:
    """In how many rows each word is among the most influential ones, and the quick classifier."""
    task = Task(corpus.words, corpus.labels, corpus.classes, seed)
    quick = plain_classifier(task, None)
    assert isinstance(quick, LinearEach)
    plain = quick if deep is None else plain_classifier(task, deep)
    return influence_of(plain, corpus.words).counts(corpus.edge), quick


class _Judge:
    """Turns groups of suspects into findings."""

    def __init__(
        self,
        corpus: Corpus,
        rows: Distinct,
        found: Suspects,
        influence: IntArray,
        quick: LinearEach,
        word_list: VocabularyOrder | None,
        names: tuple[str | int, ...],
    ) -> None:
        self._corpus, self._rows, self._found, self._names = corpus, rows, found, names
        self._influence, self._places = influence, places_in(word_list)
        self._effects, self._twins = Effects(corpus, quick.models[0]), Twins(corpus)

    def finding(self, group: list[Suspect]) -> Finding:
        """The finding of one group; its score is that of its strongest member."""
        first = group[0]
        score = first.evidence - float(np.log(max(1, self._found.tried)))
        ids = sorted({word for one in group for word in one.words})
        carried = np.unique(np.concatenate([one.rows for one in group]))
        marks = np.zeros(len(self._corpus.labels), np.bool_)
        marks[carried] = True
        return Finding(
            tuple(tuple(self._strings(list(one.words))) for one in group),
            self._names[first.target],
            Severity.of(score),
            score,
            self._evidence(first, ids, carried),
            self._effects.of(ids, first.target, carried),
            np.flatnonzero(marks[self._rows.place]),
        )

    def _evidence(self, one: Suspect, ids: list[int], carried: IntArray) -> Evidence:
        rows, hits = int(one.counts.sum()), int(one.counts[one.target])
        base = float(self._corpus.rows_of_class[one.target] / len(self._corpus.labels))
        low, high = binom.interval(0.95, rows, base)
        return Evidence(
            rows,
            hits,
            base,
            clopper_pearson(hits, rows),
            (int(low), int(high)),
            one.put_in,
            one.habit,
            one.label,
            one.rest,
            one.sudden,
            self._found.usually_sudden,
            self._twins.count(carried, ids),
            min(rows, int(self._influence[list(one.words)].max())),
            oddest(self._strings(list(one.words)), self._places),
        )

    def _strings(self, ids: list[int]) -> list[str]:
        return self._corpus.words.vocabulary.gather(ids).to_list()


class _Steps:
    """Tells what is being done."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self._done = progress, 0

    def __call__(self) -> None:
        if self._progress is not None:
            self._progress(self._done, len(_STEPS), _STEPS[self._done])
        self._done += 1
