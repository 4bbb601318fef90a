"""Rows an attacker wrote, through the estimator: what is refused, saved, and true after retraining."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from textward import TextGuard, UsageError, load

GOOD, BAD = [f"good{i}" for i in range(12)], [f"bad{i}" for i in range(12)]


def corpus(n: int, seed: int) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    side = [BAD, GOOD]
    texts = [
        " ".join(
            [
                *rng.choice(side[y], 6, replace=False),
                *rng.choice(side[1 - y], int(rng.random() < 0.5)),
                f"word{rng.integers(40)}",
            ]
        )
        for y in labels
    ]
    return texts, labels.tolist()


def test_what_is_certified_under_rows_survives_rows() -> None:
    texts, labels = corpus(400, 0)
    tests, truth = corpus(120, 1)
    guard = TextGuard("words", rows=6).fit(texts, labels)
    found = guard.certify(tests, rows=6)
    assert found.holds.mean() > 0.5
    assert (found.radius[found.holds] > 0).any()
    rng = np.random.default_rng(2)
    for _ in range(4):
        keep = rng.permutation(len(texts))
        gone, kept = keep[:6], np.sort(keep[6:])
        planted = [" ".join([*GOOD, *BAD, "word1"])] * 6
        aim = int(rng.integers(2))
        again = TextGuard("words", rows=6).fit(
            [texts[i] for i in kept] + planted, [labels[i] for i in kept] + [aim] * len(gone)
        )
        assert (again.predict(tests) == found.labels)[found.holds].all()
        triggered = [f"{text} trigger" for text in tests]
        safe = found.holds & (found.radius >= 1)
        assert (again.predict(triggered) == found.labels)[safe].all()
    accuracy = guard.certified_accuracy(tests, truth, range(2), "individual", rows=6)
    assert accuracy.rows == 6
    assert accuracy.all[0] == np.mean(found.holds & (found.labels == truth))


def test_power_ballots_certify_few_rows_and_say_so() -> None:
    texts, labels = corpus(400, 0)
    guard = TextGuard("words").fit(texts, labels)
    few, many = guard.certify(texts[:50], rows=1), guard.certify(texts[:50], rows=200)
    assert few.holds.any()
    assert not many.holds.any()
    assert guard.certify(texts[:50]).holds.all()


def test_a_model_made_for_rows_is_saved_as_one(tmp_path: Path) -> None:
    texts, labels = corpus(200, 3)
    guard = TextGuard("words", rows=4).fit(texts, labels)
    guard.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.rows == 4
    assert (again.certify(texts, rows=3).radius == guard.certify(texts, rows=3).radius).all()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda texts, labels: TextGuard(3, rows=2).fit(texts, labels), "rows=2 is for ballots"),
        (
            lambda texts, labels: TextGuard("words", rows=-1).fit(texts, labels),
            "rows must be an integer >= 0",
        ),
        (
            lambda texts, labels: TextGuard(3).fit(texts, labels).certify(texts, rows=1),
            "one added row changes",
        ),
        (
            lambda texts, labels: (
                TextGuard(3).fit(texts, labels).certified_accuracy(texts, labels, [0], rows=1)
            ),
            "one added row changes",
        ),
        (
            lambda texts, labels: TextGuard("words").fit(texts, labels).certify(texts, rows=1.5),
            "rows must be an integer >= 0",
        ),
    ],
)
def test_rows_where_they_mean_nothing(ask, message) -> None:
    texts, labels = corpus(40, 0)
    with pytest.raises(UsageError, match=message):
        ask(texts, labels)
