"""Whole pages, from what the library computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.certificates import CertifiedAccuracy
from textward.certificates.votes import IntArray
from textward.estimator import TextGuard
from textward.groups import BlockGroups, HashGroups, is_design
from textward.report.collect import (
    class_rows,
    frontier_charts,
    headlines,
    population_charts,
    radius_bars,
    rule_charts,
    surface_charts,
)
from textward.report.coverage import covers
from textward.report.evaluation import Evaluation
from textward.report.examples import (
    ballot_words,
    class_scores,
    group_votes,
    group_words,
    left_out,
    shown_text,
)
from textward.report.formats import words as so_many_words
from textward.report.texts import text_rows
from textward.report.view import Example, Fact, GroupVote, Page

_MOST_LEAD = 8
"""Whole ballots up to which the frontier of a cascade is shown."""


def certificate_page(
    guard: TextGuard, found: Evaluation, texts: pl.Series | None, about: Mapping[str, Any]
) -> Page:
    """The page of one model on one test set; without the texts, of their votes alone.

    >>> from textward.report.evaluation import evaluate
    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> texts = pl.Series(["good", "bad"])
    >>> found = evaluate(guard, texts, np.array([1, 0]), [0, 1])
    >>> certificate_page(guard, found, texts, {"model": "m/", "data": "a.csv", "digest": "9f"}).title
    'Certificate of m'
    """
    main = found.accuracies[0]
    by_joint = next((one for one in found.accuracies if one.method == "joint"), main)
    chosen = [] if texts is None else telling_texts(found)
    rows = () if texts is None else text_rows(guard, found, texts)
    return Page(
        title=f"Certificate of {Path(about['model']).name}",
        lead=(
            f"What {so_many_words(max(main.trigger_sizes))} or fewer, planted in the training rows and in "
            f"the texts, can and cannot change about the answers to the {main.n:,} texts of "
            f"{Path(about['data']).name}."
        ),
        headlines=headlines(by_joint),
        charts=(
            *population_charts(found.accuracies),
            *surface_charts(found.surface, in_place=guard.row_groups > 1 and guard.rows_by == "place"),
            *frontier_charts(_frontier(guard, found, texts)),
            *rule_charts(found.rules),
        ),
        bars=radius_bars(found.radius, found.right),
        covers=covers(found.radius, found.right),
        class_sizes=by_joint.trigger_sizes,
        classes=class_rows(by_joint),
        examples=tuple(
            example(guard, texts[row], note, truth=found.classes[found.truth[row]])
            for row, note in chosen
            if texts is not None
        ),
        texts=rows,
        texts_note=_texts_note(guard, len(rows), main.n),
        assumptions=tuple(guard.assumptions()),
        provenance=provenance(guard, about),
    )


def _frontier(guard: TextGuard, found: Evaluation, texts: pl.Series | None) -> dict[float, CertifiedAccuracy]:
    if texts is None or guard.model_.cascade is None:
        return {}
    labels, sizes = guard.classes_[found.truth], found.accuracies[0].trigger_sizes
    return guard.frontier(texts, labels, map(float, range(_MOST_LEAD + 1)), sizes, "individual")


def _texts_note(guard: TextGuard, shown: int, n: int) -> str:
    which = f"All {n:,} texts." if shown == n else f"{shown:,} of {n:,} texts, evenly spaced."
    votes = ", ".join(map(str, guard.classes_.tolist()[:12]))
    unit = "ballots" if guard.groups == "words" else "votes"
    return f"{which} The {unit} are in the order of the classes: {votes}. A click on a head sorts by it."


def telling_texts(found: Evaluation) -> list[tuple[int, str]]:
    """The first text of each kind worth looking at, with what it shows.

    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> from textward.report.evaluation import evaluate
    >>> telling_texts(evaluate(guard, pl.Series(["bad", "good"]), np.array([0, 1]), [0]))
    [(0, 'Right, and of the largest radius: 1'), (1, 'Right, yet one word may change it')]
    """
    right = np.asarray(found.right, dtype=np.bool_)
    largest = int(found.radius[right].max(initial=0))
    kinds = [
        (right & (found.radius == largest) & (largest > 0), f"Right, and of the largest radius: {largest}"),
        (right & (found.radius == 1) & (largest > 1), "Right, and one word cannot change it"),
        (right & (found.radius == 0), "Right, yet one word may change it"),
        (~right, "Wrong"),
    ]
    return [(int(np.argmax(mask)), note) for mask, note in kinds if mask.any()]


def example(
    guard: TextGuard, text: str, note: str, *, truth: object = None, planted: Collection[str] = ()
) -> Example:
    """One text, as the model sees it and answers it.

    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> [word.text for word in example(guard, "Good film", "A text").words]
    ['good', 'film']
    """
    column = pl.Series([text])
    found = guard.model_.cutter.cut(column)
    words = found.of(0)
    tally = guard.tally(column)[0].tolist()
    winner = int(guard.model_.winners(column)[0])
    classes = guard.classes_.tolist()
    groups = guard.groups_
    by_word = not isinstance(groups, (HashGroups, BlockGroups))
    votes: tuple[GroupVote, ...] = ()
    if isinstance(groups, (HashGroups, BlockGroups)):
        marked = group_words(words, groups.of(pl.Series(words, dtype=pl.String)).tolist())
        votes = group_votes(guard.votes(column)[0].tolist(), winner, classes)
    else:
        marked = ballot_words(words, _ballots(guard, words), classes)
    shown, cut = shown_text(text)
    return Example(
        model=model_name(guard),
        text=shown,
        words=tuple(replace(word, planted=word.text in planted) for word in marked),
        left_out=left_out(words),
        truth=None if truth is None else str(truth),
        label=str(classes[winner]),
        radius=None if guard.model_.obstacle else int(guard.certify(column).radius[0]),
        note=note,
        votes=votes,
        scores=class_scores(tally, winner, classes, ballots=by_word),
        text_left_out=cut,
    )


def model_name(guard: TextGuard) -> str:
    """How a model is called beside its figures.

    >>> model_name(TextGuard(groups=9)), model_name(TextGuard(groups="words"))
    ('9 groups', 'ballots')
    """
    if guard.groups == "words":
        return "ballots" if guard.cascade is None else "cascade of ballots and a plain classifier"
    counted = f"{guard.groups} group{'s' * (guard.groups != 1)}"
    by_words = str(guard.groups) if is_design(guard.groups) else counted
    return by_words + (f" x {guard.row_groups} parts of the rows" if guard.row_groups > 1 else "")


def provenance(guard: TextGuard, about: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What a result was made from.

    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> provenance(guard, {"model": "m/"})[0]
    Fact(name='model', value='m/')
    """
    training = guard.training_
    counts = ", ".join(f"{name} {count:,}" for name, count in training.class_counts.items())
    versions = ", ".join(f"{name} {version}" for name, version in training.versions.items())
    facts = {
        "model": about.get("model"),
        "model's kind": f"{model_name(guard)}, seed {guard.seed}",
        "training rows": f"{training.n:,} ({counts})",
        "digest of the training rows": training.digest,
        "test texts": about.get("data"),
        "digest of the test rows": about.get("digest"),
        "made with": versions,
    }
    return tuple(Fact(name, str(value)) for name, value in facts.items() if value is not None)


def _ballots(guard: TextGuard, words: list[str]) -> IntArray:
    """The ballot of each word; a word's own text holds it alone."""
    if not words:
        return np.zeros((0, len(guard.classes_)), np.int64)
    return guard.tally(pl.Series(words, dtype=pl.String))
