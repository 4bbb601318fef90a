"""A model's answers as the service gives them: plain values, equal to the library's to the last vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from textward.certificates.accuracy import ClassName
from textward.certificates.ballots import UNIT
from textward.data import encode_labels
from textward.errors import DataError
from textward.estimator import TextGuard


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of one text.

    >>> Answer("good", [1, 2], None).label
    'good'
    """

    label: ClassName
    votes: list[int]
    """For each class; ballots in 1/1024."""
    radius: int | None
    """None where the model certifies nothing."""
    handed_over: bool = False
    """Whether a cascade's fallback answered."""


def answering(guard: TextGuard) -> Callable[[list[str]], list[Answer]]:
    """Return the function that answers texts.

    >>> answering(TextGuard(groups=3).fit(["good", "bad"], [1, 0]))(["good"])
    [Answer(label=1, votes=[1, 2], radius=0, handed_over=False)]
    """
    model, classes = guard.model_, guard.model_.classes
    certified = model.obstacle is None

    def answer(texts: list[str]) -> list[Answer]:
        column = pl.Series(texts, dtype=pl.String)
        if not certified:
            winners, tally = model.winners(column), model.tally(column)
            radius: list[int | None] = [None] * len(texts)
        else:
            found = model.certify(column)
            winners, tally, radius = found.winners, found.tally, found.radius.tolist()
        handed = [False] * len(texts) if model.cascade is None else model.cascade.hands_over(tally).tolist()
        rows = zip(winners.tolist(), tally.tolist(), radius, handed, strict=True)
        return [Answer(classes[winner], *rest) for winner, *rest in rows]

    return answer


def certified_accuracy(
    guard: TextGuard,
    texts: Sequence[str],
    labels: Sequence[ClassName],
    sizes: Sequence[int],
    methods: Sequence[str],
    target: ClassName | None,
) -> dict[str, Any]:
    """What share of some labelled texts is right and stays so; labels may be spelled as strings.

    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> found = certified_accuracy(guard, ["good"], ["1"], [0, 1], ["joint"], None)
    >>> found["certified_accuracy"]["joint"]["all"]
    [1.0, 0.0]
    """
    classes = guard.classes_.tolist()
    truth = encode_labels(pl.Series(list(map(str, labels)), dtype=pl.String), classes, source="labels")
    by_name = {str(name): name for name in classes}
    if target is not None and str(target) not in by_name:
        raise DataError("target: there is no such class; GET /v1/model names the classes")
    aim = None if target is None else by_name[str(target)]
    column = pl.Series(list(texts), dtype=pl.String)
    found = [
        guard.certified_accuracy(column, guard.classes_[truth], sizes, method, aim) for method in methods
    ]
    return {
        "n": len(texts),
        "classes": classes,
        "target": aim,
        "trigger_sizes": list(found[0].trigger_sizes),
        "certified_accuracy": {one.method: one.as_dict() for one in found},
        "assumptions": guard.assumptions(),
    }


def description(guard: TextGuard, name: str) -> dict[str, Any]:
    """What the model is.

    >>> description(TextGuard(groups=3).fit(["good", "bad"], [1, 0]), "films")["classes"]
    [0, 1]
    """
    training, by_word = guard.training_, guard.groups == "words"
    return {
        "name": name,
        "learner": guard.learner if isinstance(guard.learner, str) else type(guard.learner).__name__,
        "groups": guard.groups,
        "hash": None if by_word else guard.hash,
        "classes": guard.classes_.tolist(),
        "certified": guard.model_.obstacle is None,
        "votes_unit": UNIT if by_word or guard.rule.startswith("soft") else 1,
        "seed": guard.seed,
        "assumptions": guard.assumptions(),
        "training": {
            "n": training.n,
            "class_counts": dict(training.class_counts),
            "digest": training.digest,
            "versions": dict(training.versions),
        },
    }
