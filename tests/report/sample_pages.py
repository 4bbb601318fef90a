"""A small page with something in every part of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from textward.certificates import radii, votes_accuracy
from textward.report import (
    Band,
    Example,
    Fact,
    Grid,
    Page,
    class_rows,
    headlines,
    population_charts,
    radius_bars,
)
from textward.report.coverage import covers
from textward.report.examples import class_scores, group_votes, group_words, left_out, shown_text
from textward.report.view import TextRow

GROUPS = 5


def example(original: str, name: str = "positive", **changes: Any) -> Example:
    words = original.lower().split()
    shown, cut = shown_text(original)
    votes = [1, 1, 0, 1, 1]
    values: dict[str, Any] = {
        "model": "5 groups",
        "text": shown,
        "words": group_words(words, [len(word) % GROUPS for word in words]),
        "left_out": left_out(words),
        "truth": name,
        "label": name,
        "radius": 1,
        "note": "A text",
        "votes": group_votes(votes, 1, ["negative", name]),
        "scores": class_scores([1, 4], 1, ["negative", name], ballots=False),
        "text_left_out": cut,
    }
    return Example(**(values | changes))


def row(number: int, text: str = "a film", name: str = "positive") -> TextRow:
    words = text.lower().split()
    shown = group_words(words, [len(word) % GROUPS for word in words])
    return TextRow(number, shown[:40], 3, name, name, number != 2, "1 : 4", number % 3)


def page(text: str = "a cf gripping film", name: str = "positive", **changes: Any) -> Page:
    """A page made from real certificates of random votes; `name` is a class of the test set."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    votes = np.where(rng.random((200, GROUPS)) < 0.8, truth[:, None], 1 - truth[:, None])
    labels, radius = radii(votes, 2)
    classes = ["negative", name]
    found = [
        votes_accuracy(votes, truth, classes, range(4), method=method, target=name)
        for method in ("joint", "individual")
    ]
    values: dict[str, Any] = {
        "title": "Certificate of a model",
        "lead": "What no trigger can change.",
        "headlines": headlines(found[0]),
        "charts": population_charts(found),
        "grids": (
            Grid(
                "attack",
                "What a trigger did",
                "Measured.",
                ("classifier", "turned"),
                ((name, "25 %"),),
                legend=("turned", "still right"),
                bands=(Band(name, (0.25, 0.75), ("1", "3")),),
            ),
        ),
        "bars": radius_bars(radius, labels == truth),
        "covers": covers(radius, labels == truth),
        "texts": tuple(row(number, text, name) for number in (1, 2, 3)),
        "texts_note": "All texts.",
        "class_sizes": found[0].trigger_sizes,
        "classes": class_rows(found[0]),
        "examples": (example(text, name),),
        "assumptions": ("Trigger words inserted anywhere.", "Not covered: deleted words."),
        "provenance": (Fact("seed", "0"), Fact("digest of the rows", "9f" * 32)),
    }
    return Page(**(values | changes))
