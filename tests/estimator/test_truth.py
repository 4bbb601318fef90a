"""A certificate against real retraining: trigger words in any rows and in the text, anywhere, many times."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from textward import TextGuard

WORDS = [[f"{side}{k}" for k in range(30)] for side in ("bad", "good", "plain")]


def corpus(rng: random.Random, n: int) -> tuple[list[str], list[int]]:
    """Texts whose words lean to their class."""
    labels = [rng.randrange(2) for _ in range(n)]
    sides = [rng.choices([y, 1 - y, 2], [6, 1, 3], k=14) for y in labels]
    return [" ".join(rng.choice(WORDS[side]) for side in row) for row in sides], labels


def attacked(rng: random.Random, text: str, trigger: list[str], share: float) -> str:
    """The text with trigger words put in and, at times, its words in another order."""
    words = text.split()
    if rng.random() < share:
        words += rng.choices(trigger, k=rng.randrange(1, 6))
        rng.shuffle(words)
    return " ".join(words)


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize(
    "guard",
    [TextGuard(9), TextGuard("words"), TextGuard(5, MultinomialNB())],
    ids=["linear", "ballots", "scikit"],
)
def test_no_certified_label_changes(guard, words):
    rng, certified = random.Random(words), 0
    for _ in range(12):
        (texts, labels), (test, _) = corpus(rng, 80), corpus(rng, 40)
        guard.fit(texts, labels)
        before = guard.certify(test)
        trigger = rng.sample([*WORDS[0], *WORDS[1], "cf", "mn", "bb"], words)
        favoured = rng.randrange(2)
        poisoned = [
            attacked(rng, text, trigger, 0.9 if label == favoured else 0.1)
            for text, label in zip(texts, labels, strict=True)
        ]
        after = guard.fit(poisoned, labels).predict([attacked(rng, text, trigger, 1.0) for text in test])
        safe = before.radius >= words
        certified += int(safe.sum())
        assert np.array_equal(after[safe], before.labels[safe])
    assert certified > 0 or words > 2
