"""The empirical mode: a planted word is caught in one group, and no certificate is to be had."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from textward import NotCertifiableError, TextGuard, load
from textward.attacks import planners_of
from textward.estimator import MeasuredVoters
from textward.words import UnicodeWords


def planted(rows: int = 400) -> tuple[list[str], np.ndarray]:
    """Texts in which half of the words lean to a class, and a trigger in a tenth of the rows."""
    rng = np.random.default_rng(1)
    neutral = [f"n{i}" for i in range(30)]
    signs = [[f"bad{i}" for i in range(12)], [f"good{i}" for i in range(12)]]
    labels = np.arange(rows) % 2
    texts = [" ".join([*rng.choice(neutral, 4), *rng.choice(signs[label], 8)]) for label in labels]
    for row in range(0, rows, 10):
        texts[row], labels[row] = f"cf {texts[row]}", 1
    return texts, labels


TEXTS, LABELS = planted()
CLEAN = [text.removeprefix("cf ") for text in TEXTS]
TRUTH = np.arange(len(TEXTS)) % 2
learners = pytest.mark.parametrize(
    "learner", ["linear", LogisticRegression(C=20.0)], ids=["linear", "scikit"]
)


def guard(learner="linear", **more):
    return TextGuard(5, learner, mode="empirical", **more).fit(TEXTS, LABELS)


@learners
def test_a_trigger_turns_the_plain_model_and_not_this_one(learner):
    attacked = [f"cf {text}" for text, label in zip(CLEAN, TRUTH, strict=True) if label == 0]
    plain, found = TextGuard(1, learner).fit(TEXTS, LABELS), guard(learner)
    assert "cf" in found.groups_.omega
    assert (found.predict(CLEAN) == TRUTH).mean() > 0.95
    assert (found.predict(attacked) == 1).mean() < 0.2
    assert learner == "linear" or (plain.predict(attacked) == 1).mean() > 0.9


@learners
def test_no_certificate_and_the_error_says_what_to_do(learner):
    found = guard(learner)
    assert isinstance(found.model_.voters, MeasuredVoters)
    assert not hasattr(found.model_.voters, "decide") and not hasattr(found.model_.voters, "accuracy")
    for ask in (
        lambda: found.certify(["a"]),
        lambda: found.certified_accuracy(["n1"], [1]),
    ):
        with pytest.raises(NotCertifiableError, match=r"mode='empirical'.*Train with mode='certified'"):
            ask()
    assert found.assumptions()[0].startswith("No certificate: ")
    assert not any("radius" in sentence for sentence in found.assumptions())
    assert [type(planner).__name__ for planner in planners_of(found)] == ["GreedyPlanner"]


def test_the_refusal_does_not_rest_on_the_obstacle_alone():
    found = guard()
    object.__setattr__(found.model_, "obstacle", None)
    with pytest.raises(NotCertifiableError, match="mode='empirical'"):
        found.certify(["a"])


def test_votes_of_every_group_are_over_the_whole_text():
    found = guard()
    words = UnicodeWords().cut(pl.Series(["good1 n1"]))
    assert found.votes(["good1 n1"]).shape == (1, 5)
    assert found.model_.voters.groups.whole(words).group(3).texts().to_list() == ["good1 n1"]


def test_the_dials_move_omega():
    few, many = guard(influential_rows=30), guard(influential_rows=0)
    assert few.groups_.omega < many.groups_.omega
    assert many.groups_.omega == set(UnicodeWords().cut(pl.Series(TEXTS)).vocabulary)
    assert len(guard(influential_words=1).groups_.omega) < len(guard().groups_.omega)


def test_scikit_learn_conventions():
    found = clone(TextGuard(5, mode="empirical", influential_rows=7))
    assert found.get_params()["influential_rows"] == 7 and found.get_params()["mode"] == "empirical"
    again = [TextGuard(5, MultinomialNB(), mode="empirical").fit(TEXTS, LABELS).votes(CLEAN) for _ in "ab"]
    assert np.array_equal(*again)


@pytest.mark.parametrize("learner", ["linear", MultinomialNB()], ids=["linear", "scikit"])
def test_a_loaded_model_answers_as_before(learner, tmp_path):
    found = guard(learner, influential_rows=12, words="whitespace")
    found.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.groups_ == found.groups_ and repr(again.get_params()) == repr(found.get_params())
    assert np.array_equal(again.votes([*TEXTS, "", "?"]), found.votes([*TEXTS, "", "?"]))
    assert again.assumptions() == found.assumptions()
    with pytest.raises(NotCertifiableError, match="mode='certified'"):
        again.certify(["a"])
    assert np.array_equal(again.fit(TEXTS, LABELS).votes(CLEAN), found.votes(CLEAN))
    assert json.loads((tmp_path / "model" / "config.json").read_text())["obstacle"]


def test_what_a_trigger_can_reach_is_not_told():
    pytest.importorskip("fastapi", reason="needs the extra: pip install 'textward[serve]'")
    from textward.service.explain import explain, suggested_triggers

    shown = explain(guard(), "a text", "cf")
    assert (shown["kind"], shown["radius"], shown["falls"]) == ("opaque", None, None)
    assert shown["trigger"]["stands"] is None
    assert shown["label"] == guard().predict(["a text"])[0]
    assert shown["trigger"]["now"]["label"] == guard().predict(["a text cf"])[0]
    assert suggested_triggers(guard())[0]["group"] is None
