"""The page of textward evaluate: accuracy on clean texts, and what an attack's texts were answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.attacks import Share
from textward.certificates.accuracy import ClassName
from textward.estimator import TextGuard
from textward.estimator.empirical import MeasuredVoters
from textward.report.formats import count, percent, span
from textward.report.pages import example, provenance
from textward.report.view import Band, Example, Fact, Grid, Headline, Page


@dataclass(frozen=True, slots=True)
class Clean:
    """Clean texts, their labels, and what they were answered.

    >>> Clean(Share(1, 2), ("a", "b"), ("a", "a")).share.n
    2
    """

    share: Share
    labels: Sequence[ClassName]
    answers: Sequence[ClassName]


@dataclass(frozen=True, slots=True)
class Attacked:
    """Poisoned texts of other classes than the target, and what they were answered.

    >>> Attacked(Share(1, 1), pl.Series(["cf film"]), ("good",), "good", None).target
    'good'
    """

    share: Share
    texts: pl.Series
    answers: Sequence[ClassName]
    target: ClassName
    attack: str | None


def evaluation_page(
    guard: TextGuard, clean: Clean | None, attacked: Attacked | None, about: Mapping[str, Any]
) -> Page:
    """The page of one model on clean texts, poisoned ones, or both.

    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> page = evaluation_page(guard, Clean(Share(1, 1), (1,), (1,)), None, {"model": "m/"})
    >>> page.title, page.headlines[0].label
    ('Evaluation of m', 'of the clean texts are labelled right (CACC)')
    """
    facts = [
        Fact(name, str(about[name]))
        for name in ("poisoned texts", "digest of the poisoned rows")
        if name in about
    ]
    if attacked is not None and attacked.attack is not None:
        facts.append(Fact("attack", attacked.attack))
    return Page(
        title=f"Evaluation of {Path(about['model']).name}",
        lead="Measured on these texts; nothing on this page is a certificate. Another attack may do better.",
        headlines=(*_clean_headline(clean), *_attack_headline(attacked)),
        grids=(*_attack_grid(guard, attacked), *_clean_grid(guard, clean)),
        examples=_examples(guard, attacked),
        assumptions=tuple(guard.assumptions()),
        assumptions_title="What the model's own guarantee covers, and what it does not",
        provenance=(*provenance(guard, about), *facts),
    )


def _clean_headline(clean: Clean | None) -> tuple[Headline, ...]:
    if clean is None:
        return ()
    return (_headline(clean.share, "of the clean texts are labelled right (CACC)"),)


def _attack_headline(attacked: Attacked | None) -> tuple[Headline, ...]:
    if attacked is None:
        return ()
    return (_headline(attacked.share, f"of the poisoned texts are labelled {attacked.target} (ASR)"),)


def _headline(share: Share, said: str) -> Headline:
    note = f"{count(share.hits)} of {count(share.n)}; 95 % interval {span(*share.interval)}"
    return Headline(percent(share.value), said, note)


def _attack_grid(guard: TextGuard, attacked: Attacked | None) -> tuple[Grid, ...]:
    if attacked is None:
        return ()
    answers = np.array(list(map(str, attacked.answers)))
    counts = {str(name): int((answers == str(name)).sum()) for name in guard.classes_.tolist()}
    rows = tuple((name, count(many), percent(many / len(answers))) for name, many in counts.items())
    band = Band(
        "poisoned texts",
        tuple(many / len(answers) for many in counts.values()),
        tuple(map(count, counts.values())),
    )
    return (
        Grid(
            "poisoned",
            "What the poisoned texts were answered",
            f"{count(len(answers))} texts of other classes than {attacked.target}, which the attack aims at.",
            ("answer", "texts", "share"),
            rows,
            legend=tuple(counts),
            bands=(band,) if len(counts) <= 4 else (),
        ),
    )


def _clean_grid(guard: TextGuard, clean: Clean | None) -> tuple[Grid, ...]:
    if clean is None:
        return ()
    labels, answers = (np.array(list(map(str, one))) for one in (clean.labels, clean.answers))
    rows = tuple(
        _class_row(str(name), labels == str(name), labels == answers) for name in guard.classes_.tolist()
    )
    return (
        Grid(
            "classes",
            "Clean texts by class",
            "The share of each class that is labelled right, with its 95 % interval.",
            ("class", "texts", "right", "interval"),
            rows,
        ),
    )


def _class_row(name: str, of_class: npt.NDArray[np.bool_], right: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    n = int(of_class.sum())
    if not n:
        return name, "0", "–", "–"
    share = Share(int((of_class & right).sum()), n)
    return name, count(n), percent(share.value), span(*share.interval)


def _examples(guard: TextGuard, attacked: Attacked | None) -> tuple[Example, ...]:
    """A poisoned text that got the target and one that did not, where words have groups of their own."""
    if attacked is None or isinstance(guard.model_.voters, MeasuredVoters):
        return ()
    turned = np.array([answer == attacked.target for answer in attacked.answers])
    kinds = {"A poisoned text that got the target": turned, "A poisoned text that did not": ~turned}
    return tuple(
        example(guard, attacked.texts[int(np.argmax(mask))], note)
        for note, mask in kinds.items()
        if mask.any()
    )
