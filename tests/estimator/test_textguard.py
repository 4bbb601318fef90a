"""TextGuard as a user meets it: inputs, labels, answers, and scikit-learn's tools around it."""

from __future__ import annotations

import weakref
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from textward import TextGuard
from textward.certificates.votes import radii
from textward.data import Digest
from textward.estimator import inputs
from textward.groups import EveryWord, HashGroups

GOOD = ["good fun film", "great fun", "good and great", "fun film , good", "a great film !"]
BAD = ["bad dull film", "dull", "bad and awful", "awful film , bad", "a dull film !"]
TEXTS = GOOD + BAD
LABELS = ["+"] * 5 + ["-"] * 5
KINDS = pytest.mark.parametrize("groups", [3, "words"])
CONTAINERS = [
    list,
    tuple,
    np.array,
    lambda v: np.array(v, dtype=object),
    pl.Series,
    pd.Series,
    lambda v: pd.Series(v, index=range(9, -1, -1), dtype="object"),
    lambda v: pl.Series(v, dtype=pl.Categorical),
]


@KINDS
def test_it_learns_and_answers_with_the_users_labels(groups):
    guard = TextGuard(groups).fit(TEXTS, LABELS)
    assert guard.score(TEXTS, LABELS) >= 0.9
    assert guard.classes_.tolist() == ["+", "-"] and guard.predict(["great fun"]).tolist() == ["+"]


@KINDS
@pytest.mark.parametrize("pair", [("+", "-"), (1, 0), (True, False), (2.0, 1.0)])
def test_labels_keep_their_type(groups, pair):
    labels = [label for label in pair for _ in range(5)]
    guard = TextGuard(groups).fit(TEXTS, labels)
    assert guard.predict(TEXTS[:1]).dtype == np.array(labels).dtype
    assert guard.predict(TEXTS[:1]).tolist() == labels[:1]


@KINDS
@pytest.mark.parametrize("container", CONTAINERS)
def test_any_column_gives_the_same_answers(groups, container):
    expected = TextGuard(groups).fit(TEXTS, LABELS).tally(TEXTS)
    found = TextGuard(groups).fit(container(TEXTS), container(LABELS)).tally(container(TEXTS))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("groups", [1, "words"])
def test_more_than_two_classes(groups):
    texts = [f"{word} film" for word in ("good", "bad", "odd") for _ in range(3)]
    guard = TextGuard(groups).fit(texts, [2, 2, 2, 0, 0, 0, 1, 1, 1])
    assert guard.predict(["good", "bad", "odd"]).tolist() == [2, 0, 1]
    assert guard.tally(["good"]).shape == (1, 3)


def test_votes_tally_shares_radius_and_labels_agree():
    guard = TextGuard(5).fit(TEXTS, LABELS)
    votes, tally, certificates = guard.votes(TEXTS), guard.tally(TEXTS), guard.certify(TEXTS)
    labels, radius = radii(votes, 2)
    assert votes.shape == (10, 5) and np.array_equal(tally.sum(axis=1), [5] * 10)
    assert np.array_equal(guard.predict_proba(TEXTS), tally / 5)
    assert np.array_equal(certificates.labels, guard.predict(TEXTS))
    assert np.array_equal(certificates.tally, tally)
    assert np.array_equal(guard.classes_[labels], certificates.labels)
    assert np.array_equal(certificates.radius, radius) and radius.max() > 0


def test_ballots_tally_shares_radius_and_labels_agree():
    words = [[f"{side}{k}" for k in range(12)] for side in "gb"]
    guard = TextGuard("words").fit([" ".join(words[k % 2]) for k in range(20)], [1, 0] * 10)
    texts = [" ".join(words[0]), " ".join(words[1][:6]), "nothing known"]
    certificates, shares = guard.certify(texts), guard.predict_proba(texts)
    assert certificates.labels.tolist() == guard.predict(texts).tolist() == [1, 0, 0]
    assert np.array_equal(certificates.tally, guard.tally(texts))
    assert np.array_equal(shares.argmax(axis=1), certificates.labels) and np.allclose(shares.sum(axis=1), 1)
    assert shares[2].tolist() == [0.5, 0.5]
    assert certificates.radius[0] > certificates.radius[1] > certificates.radius[2] == 0


@KINDS
@pytest.mark.parametrize("method", ["individual", "joint"])
def test_certified_accuracy_at_no_trigger_is_plain_accuracy(groups, method):
    guard = TextGuard(groups).fit(TEXTS, LABELS)
    found = guard.certified_accuracy(TEXTS, LABELS, range(3), method, target="+")
    assert found.all[0] == guard.score(TEXTS, LABELS) and found.classes == ("+", "-") and found.target == "+"
    assert list(found.all) == sorted(found.all, reverse=True)


def test_individual_certified_accuracy_counts_radii():
    guard = TextGuard(3).fit(TEXTS, LABELS)
    certificates = guard.certify(TEXTS)
    right = certificates.labels == np.array(LABELS)
    expected = [(right & (certificates.radius >= t)).mean() for t in range(3)]
    assert list(guard.certified_accuracy(TEXTS, LABELS, range(3), "individual").all) == expected


def test_one_model_accuracy_of_ballots():
    found = TextGuard("words").fit(TEXTS, LABELS).certified_accuracy(TEXTS, LABELS, range(2), "one_model")
    assert found.method == "one_model" and found.balanced[0] == 1.0


def test_a_scikit_learn_learner_and_its_parameters():
    guard = TextGuard(3, make_pipeline(FunctionTransformer(), MultinomialNB()))
    assert guard.get_params()["learner__multinomialnb__alpha"] == 1.0
    guard = TextGuard(1, LogisticRegression()).set_params(learner__C=10.0).fit(TEXTS, LABELS)
    assert guard.learner.C == 10.0 and guard.model_.voters.ensemble.models[0].estimator[-1].C == 10.0
    assert guard.certify(TEXTS).radius.max() >= 0


class Learner:
    """A learner of the user's own."""

    def fit(self, texts, labels, classes, seed):
        return Model(texts.vocabulary[0] if len(texts.vocabulary) else None)


class Model:
    def __init__(self, word):
        self.word = word

    def predict(self, texts):
        return np.array([self.word in text.split() for text in texts.texts()], int)


def test_a_group_learner_of_the_users_own():
    guard = TextGuard(2, Learner()).fit(TEXTS, LABELS)
    assert guard.votes(TEXTS).shape == (10, 2) and guard.certify(TEXTS).radius.shape == (10,)


def without_marks(texts):
    return [text.replace("!", "") for text in texts]


def test_clones_grids_and_pipelines():
    guard = clone(TextGuard(3, hash="sha1", seed=4, words="whitespace"))
    assert guard.get_params() == {
        "groups": 3, "learner": "linear", "hash": "sha1", "seed": 4, "mode": "certified", "rows": 0,
        "words": "whitespace", "order": None, "n_jobs": None, "engine": "local",
        "cascade": None, "theta": None, "influential_words": 5, "influential_rows": 20,
        "row_groups": 1, "rows_by": "text", "rule": "plurality",
        "neighbours": None, "trigger_size": None,
    }  # fmt: skip
    grid = GridSearchCV(TextGuard(), {"groups": [1, 3], "hash": ["md5", "sha256"]}, cv=2)
    assert grid.fit(TEXTS, LABELS).best_params_["groups"] in (1, 3)
    pipeline = make_pipeline(FunctionTransformer(without_marks), TextGuard(3))
    assert pipeline.fit(TEXTS, LABELS).predict(["great fun !"]).tolist() == ["+"]
    assert cross_val_score(TextGuard(3), np.array(TEXTS), LABELS, cv=2).shape == (2,)


@KINDS
def test_the_order_of_words_in_a_text_changes_nothing(groups):
    backwards = [" ".join(reversed(text.split())) for text in TEXTS]
    first, second = TextGuard(groups).fit(TEXTS, LABELS), TextGuard(groups).fit(backwards, LABELS)
    assert np.array_equal(first.tally(TEXTS), second.tally(backwards))


@KINDS
def test_training_is_recorded(groups):
    training = TextGuard(groups).fit(pl.Series(TEXTS), LABELS).training_
    digest = Digest()
    digest.update(pl.Series(TEXTS), pl.Series(LABELS))
    assert (training.n, training.class_counts, training.digest) == (10, {"+": 5, "-": 5}, digest.hexdigest())
    assert training.seconds > 0 and "numpy" in training.versions


def test_batches_make_the_same_ballots(monkeypatch):
    monkeypatch.setattr(inputs, "BLOCK_TEXTS", 3)
    whole = TextGuard("words").fit(TEXTS, LABELS)
    by_hand = [(TEXTS[a : a + 4], LABELS[a : a + 4]) for a in (8, 4, 0)]
    parts = TextGuard("words").fit_batches(iter(by_hand))
    monkeypatch.setattr(inputs, "BLOCK_TEXTS", 99)
    other = TextGuard("words").fit(TEXTS, LABELS)
    assert parts.classes_.tolist() == ["+", "-"] and parts.training_.class_counts == {"+": 5, "-": 5}
    for guard in (parts, other):
        assert np.array_equal(guard.tally(TEXTS), whole.tally(TEXTS))
    assert whole.training_.digest == other.training_.digest


class Rows(list):
    """A list whose end can be watched."""


def test_batches_are_not_kept():
    watched = []

    def batches():
        for _ in range(5):
            rows = Rows(TEXTS)
            watched.append(weakref.ref(rows))
            yield rows, LABELS
            del rows
            assert sum(one() is not None for one in watched) <= 1

    assert TextGuard("words").fit_batches(batches()).training_.n == 50


@KINDS
def test_blocks_change_no_answer(groups, monkeypatch):
    guard = TextGuard(groups).fit(TEXTS, LABELS)
    whole = guard.tally(TEXTS), guard.certify(TEXTS).radius, guard.certified_accuracy(TEXTS, LABELS).all
    monkeypatch.setattr(inputs, "BLOCK_BYTES", 20)
    parts = guard.tally(TEXTS), guard.certify(TEXTS).radius, guard.certified_accuracy(TEXTS, LABELS).all
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


def test_blocks_hold_every_text_once(monkeypatch):
    monkeypatch.setattr(inputs, "BLOCK_BYTES", 10)
    texts = pl.Series(["a" * 30, "", "b" * 4, "c" * 6, "d"])
    found = [texts[block].to_list() for block in inputs.blocks(texts)]
    assert found == [["a" * 30], ["", "b" * 4, "c" * 6], ["d"]]


@KINDS
def test_no_texts_give_no_answers(groups):
    guard = TextGuard(groups).fit(TEXTS, LABELS)
    assert guard.predict([]).shape == (0,) and guard.certify([]).radius.shape == (0,)


def test_groups_in_use():
    assert TextGuard(3, hash="sha1").fit(TEXTS, LABELS).groups_ == HashGroups(3, "sha1")
    assert TextGuard("words").fit(TEXTS, LABELS).groups_ == EveryWord()


def test_progress_and_jobs_reach_the_groups():
    seen = []
    TextGuard(3, MultinomialNB(), n_jobs=1).fit(TEXTS, LABELS, progress=lambda *at: seen.append(at))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_vocabulary_sets_the_order(tmp_path: Path):
    (tmp_path / "vocab.txt").write_text("film\nbad\n")
    guard = TextGuard(1, MultinomialNB(), order=tmp_path).fit(TEXTS, LABELS)
    assert "group's words: vocabulary of 2 words" in " ".join(guard.assumptions())


@pytest.mark.parametrize("method", ["predict", "predict_proba", "votes", "tally", "certify"])
def test_nothing_is_answered_before_fit(method):
    with pytest.raises(NotFittedError):
        getattr(TextGuard(), method)(TEXTS)
    for call in (
        lambda g: g.save("x"),
        lambda g: g.assumptions(),
        lambda g: g.certified_accuracy(TEXTS, LABELS),
    ):
        with pytest.raises(NotFittedError):
            call(TextGuard())


@KINDS
def test_the_assumptions_say_what_is_not_covered(groups):
    said = " ".join(TextGuard(groups).fit(TEXTS, LABELS).assumptions())
    for phrase in ("distinct words", "added, removed or rewritten", "misspelt", "one character"):
        assert phrase in said
