"""Cascades from texts to answers: who answers, what is certified, and what is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from test_truth import WORDS, attacked, corpus

from textward import TextGuard
from textward.errors import DataError, UsageError
from textward.estimator.fallback import Cascade

TEXTS = ["good fun film", "great fun", "good and great", "bad dull film", "dull", "awful bad"] * 3
LABELS = ["+", "+", "+", "-", "-", "-"] * 3


class Turncoat(DummyClassifier):
    """A fallback that any change of its rows turns: it answers whatever the attacker would like."""

    def fit(self, X, y):
        self.constant = 0 if any("trigger" in text for text in X) else 1
        self.strategy = "constant"
        return super().fit(X, y)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


@pytest.mark.parametrize("theta", [0, 1, 2.5])
@pytest.mark.parametrize("second", ["tfidf", Turncoat()], ids=["tfidf", "turncoat"])
def test_no_certified_answer_changes_when_both_stages_are_retrained(theta, second):
    rng, certified, turned = random.Random(5), 0, 0
    for words in (1, 2):
        for _ in range(3):
            (texts, labels), (test, _) = corpus(rng, 80), corpus(rng, 40)
            guard = TextGuard("words", cascade=second, theta=theta).fit(texts, labels)
            before = guard.certify(test)
            trigger = [*rng.sample([*WORDS[0], *WORDS[1], "cf"], words - 1), "trigger"]
            poisoned = [attacked(rng, text, trigger, 0.5) for text in texts]
            after = guard.fit(poisoned, labels).predict([attacked(rng, text, trigger, 1.0) for text in test])
            safe = before.radius >= words
            certified += int(safe.sum())
            turned += int((after != before.labels).sum())
            assert np.array_equal(after[safe], before.labels[safe])
            assert not before.handed_over[safe].any()
    assert certified > 0
    assert turned > 0 or theta == 0 or second == "tfidf"


def test_ballots_answer_from_theta_on_and_the_fallback_below():
    plain = TextGuard("words").fit(TEXTS, LABELS)
    texts = ["good fun film", "good bad", "never seen", ""]
    leads = np.abs(np.diff(plain.tally(texts))[:, 0])
    for theta in (0, 0.5, 1, 100):
        guard = TextGuard("words", cascade=DummyClassifier(strategy="constant", constant=1), theta=theta)
        found = guard.fit(TEXTS, LABELS).certify(texts)
        assert found.handed_over.tolist() == (leads < 1024 * theta).tolist()
        expected = np.where(found.handed_over, "-", plain.predict(texts))
        assert found.labels.tolist() == guard.predict(texts).tolist() == expected.tolist()
        shares = guard.predict_proba(texts)
        assert np.array_equal(guard.classes_[shares.argmax(axis=1)], found.labels)
        assert np.allclose(shares.sum(axis=1), 1) and (found.radius[found.handed_over] == 0).all()


def test_certified_accuracy_counts_the_fallback_at_no_words_and_no_rows_only():
    guard = TextGuard("words", cascade="tfidf", theta=100).fit(TEXTS, LABELS)
    for method in ("joint", "individual", "one_model"):
        assert guard.certified_accuracy(TEXTS, LABELS, range(2), method).all == (1.0, 0.0)
        assert guard.certified_accuracy(TEXTS, LABELS, [0], method, rows=1).all == (0.0,)


def test_the_frontier_is_what_training_with_each_theta_would_give():
    guard = TextGuard("words", cascade="tfidf", theta=1).fit(TEXTS, LABELS)
    for theta, found in guard.frontier(TEXTS, LABELS, [0, 1, 2.5], range(3)).items():
        other = TextGuard("words", cascade="tfidf", theta=theta).fit(TEXTS, LABELS)
        assert found == other.certified_accuracy(TEXTS, LABELS, range(3))


def test_theta_is_a_function_of_the_trusted_rows_alone():
    (texts, labels), (other, more) = corpus(random.Random(1), 60), corpus(random.Random(2), 90)
    guard = TextGuard("words", cascade="tfidf", theta=3)
    fresh = guard.theta_for(texts, labels, 0.9)
    assert guard.fit(other, more).theta_for(texts, labels, 0.9) == fresh


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": 3, "cascade": "tfidf"}, "begins with ballots"),
        ({"theta": 1.0}, "is for a cascade"),
        ({"cascade": "svm"}, "unknown cascade"),
        ({"cascade": "tfidf", "theta": -1}, "theta must be a number"),
        ({"cascade": "tfidf", "theta": float("nan")}, "theta must be a number"),
        ({"cascade": "tfidf", "theta": "2"}, "theta must be a number"),
        ({"cascade": LogisticRegression}, "give an object"),
        ({"cascade": 7}, "is none"),
    ],
)
def test_refusals_of_settings(arguments, message):
    with pytest.raises(UsageError, match=message):
        TextGuard(**{"groups": "words"} | arguments).fit(TEXTS, LABELS)


def test_refusals_of_calls():
    guard = TextGuard("words", cascade="tfidf")
    with pytest.raises(UsageError, match="needs all rows at once"):
        guard.fit_batches([(TEXTS, LABELS)])
    with pytest.raises(UsageError, match="no theta reaches an accuracy of 1"):
        guard.theta_for([*TEXTS, "dull"], [*LABELS, "+"], 1.0)
    with pytest.raises(UsageError, match="must lie above 0"):
        guard.theta_for(TEXTS, LABELS, 0.0)
    with pytest.raises(DataError, match="5 trusted rows of every class"):
        guard.theta_for(TEXTS[:6], LABELS[:6], 0.5)
    with pytest.raises(UsageError, match="theta is for a cascade"):
        TextGuard("words").fit(TEXTS, LABELS).frontier(TEXTS, LABELS)


def test_the_assumptions_say_who_answers():
    guard = TextGuard("words", cascade=LogisticRegression(), theta=1.5).fit(TEXTS, LABELS)
    assert isinstance(guard.model_.cascade, Cascade)
    assert any("less than 1.5 whole ballots" in sentence for sentence in guard.assumptions())
