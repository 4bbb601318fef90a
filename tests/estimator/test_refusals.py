"""What TextGuard refuses, and that the message says what to do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge

from textward import DataError, NotCertifiableError, TextGuard, UsageError

TEXTS, LABELS = ["good fun", "great", "bad", "dull film"], [1, 1, 0, 0]

BAD_TEXTS = [
    ("a film", UsageError, "Put it in a list"),
    (b"a film", UsageError, "Put it in a list"),
    (np.array([["a"], ["b"]]), UsageError, "one dimension, got shape"),
    (pd.DataFrame({"text": ["a"]}), UsageError, "one dimension.*Give one column"),
    (pl.DataFrame({"text": ["a"]}), UsageError, "one dimension"),
    (sparse.eye(3).tocsr(), UsageError, "one dimension"),
    (np.array("a"), UsageError, "one dimension"),
    (7, UsageError, "a sequence of strings, got int"),
    ({"a": "b"}, UsageError, "a sequence of strings, got dict"),
    (["a", 3], UsageError, "row 2: must be a string, got '3'"),
    (["a", ["b"]], UsageError, "row 2: must be a string"),
    (pl.Series([1, 2]), UsageError, "row 1: must be a string"),
    (["a", None], DataError, r"row 2: the text is missing \(None\)"),
    (pl.Series(["a", None]), DataError, "row 2: the text is missing"),
    (pd.Series(["a", None]), DataError, "row 2: the text is missing"),
    (["a", float("nan")], DataError, "row 2: the text is missing"),
    (["a", "b\ud800"], DataError, "row 2: holds half of a surrogate pair"),
]


@pytest.mark.parametrize(("texts", "error", "message"), BAD_TEXTS)
def test_bad_texts(texts, error, message):
    guard = TextGuard(3).fit(TEXTS, LABELS)
    for call in (lambda: guard.predict(texts), lambda: TextGuard().fit(texts, LABELS)):
        with pytest.raises(error, match=message):
            call()


BAD_LABELS = [
    (None, UsageError, "requires y to be passed"),
    ([1, 0, 1], DataError, "4 texts and 3 labels"),
    ([1, 1, 1, 1], DataError, "every row has the same label, '1'"),
    ([1, 0, None, 1], DataError, "row 3: the label is missing"),
    ([1.0, 0.0, float("nan"), 1.0], DataError, "row 3: the label is missing"),
    ([0.5, 1.5, 0.25, 0], DataError, "continuous"),
    (np.array(["a", 1, "a", 1], dtype=object), DataError, "the labels mix int and str"),
]


@pytest.mark.parametrize("groups", [3, "words"])
@pytest.mark.parametrize(("labels", "error", "message"), BAD_LABELS)
def test_bad_labels(groups, labels, error, message):
    with pytest.raises(error, match=message):
        TextGuard(groups).fit(TEXTS, labels)


@pytest.mark.parametrize("labels", [np.zeros((4, 2)), 3, "abcd", np.zeros((4, 1, 1))], ids=str)
def test_labels_that_are_no_column(labels):
    with pytest.raises(DataError, match=r"labels: .* Give one label a text"):
        TextGuard().fit(TEXTS, labels)


def test_no_rows():
    with pytest.raises(DataError, match="no rows to train on"):
        TextGuard().fit([], [])
    for batches in ([], [([], [])]):
        with pytest.raises(DataError, match="no rows to train on"):
            TextGuard("words").fit_batches(batches)


BAD_SETTINGS = [
    ({"groups": 0}, "groups must be a whole number of 1 to 65,536, got 0"),
    ({"groups": 2.0}, "groups must be a whole number"),
    ({"groups": "word"}, "groups must be a whole number, 'words' or a design: .* got 'word'"),
    ({"groups": None}, "groups must be a whole number"),
    ({"hash": "crc"}, "unknown hash 'crc'"),
    ({"seed": -1}, "seed must be an integer >= 0, got -1"),
    ({"seed": None}, "seed must be an integer >= 0, got None"),
    ({"mode": "other"}, "mode must be 'certified' or 'empirical'"),
    (
        {"mode": "empirical", "groups": "words", "learner": "ballots"},
        "groups='words' makes each word a group",
    ),
    ({"mode": "empirical", "order": "vocab.txt"}, "leave `order` out"),
    ({"mode": "empirical", "influential_rows": -1}, "influential_rows must be an integer >= 0"),
    ({"mode": "empirical", "influential_words": 0}, "influential_words must be an integer >= 1"),
    ({"words": "letters"}, "words must be 'unicode', 'whitespace' or a function"),
    ({"words": ["a"]}, "words must be"),
    ({"order": 3}, "order must be None or the path"),
    ({"order": "/nowhere/vocab.txt"}, "no vocabulary at '/nowhere/vocab.txt'"),
    ({"learner": "svm"}, "unknown learner 'svm'"),
    ({"learner": "ballots"}, "give it groups='words'"),
    ({"learner": LogisticRegression}, r"give an object: LogisticRegression\(\)"),
    ({"learner": Ridge()}, "no classifier"),
    ({"learner": 7}, "the learner 7 is none"),
    ({"learner": None}, "the learner None is none"),
    ({"trigger_size": 2}, "trigger_size=2 is for ballots: give it groups='words'"),
    ({"groups": "words", "trigger_size": -1}, "trigger_size must be an integer >= 0, got -1"),
    ({"groups": "words", "trigger_size": 1.5}, "trigger_size must be an integer"),
    ({"groups": "words", "trigger_size": 1, "rows": 2}, "trigger_size=1 and rows=2 each make ballots"),
    ({"groups": "words", "learner": LogisticRegression()}, "the only learner is 'ballots'.*groups=7"),
]


@pytest.mark.parametrize(("setting", "message"), BAD_SETTINGS, ids=str)
def test_bad_settings_are_judged_by_fit_alone(setting, message):
    guard = TextGuard(**setting)
    with pytest.raises(UsageError, match=message):
        guard.fit(TEXTS, LABELS)


def test_votes_of_ballots():
    with pytest.raises(UsageError, match="Use tally"):
        TextGuard("words").fit(TEXTS, LABELS).votes(TEXTS)


def test_batches_for_hashed_groups():
    with pytest.raises(UsageError, match=r"needs all rows at once: call fit, or .*groups='words'"):
        TextGuard(3).fit_batches([(TEXTS, LABELS)])


def test_batches_whose_labels_differ_in_type():
    with pytest.raises(DataError, match="the labels mix int and str"):
        TextGuard("words").fit_batches([(["a", "b"], [1, 0]), (["c", "d"], ["1", "0"])])


def test_a_label_never_seen():
    with pytest.raises(DataError, match="the label 'odd' was not seen in training; the classes are '0', '1'"):
        TextGuard(3).fit(TEXTS, LABELS).certified_accuracy(["a", "b"], ["odd", "odd"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "both"}, "method"),
        ({"target": 5}, "target must be one of the classes 0, 1, got 5"),
        ({"trigger_sizes": [-1]}, "must be an integer >= 0"),
        ({"trigger_sizes": []}, "at least one size"),
    ],
    ids=str,
)
@pytest.mark.parametrize("groups", [3, "words"])
def test_bad_questions(groups, arguments, message):
    with pytest.raises(UsageError, match=message):
        TextGuard(groups).fit(TEXTS, LABELS).certified_accuracy(TEXTS, LABELS, **arguments)


@pytest.mark.parametrize("groups", [3, "words"])
def test_no_texts_to_certify(groups):
    with pytest.raises(UsageError, match="at least one"):
        TextGuard(groups).fit(TEXTS, LABELS).certified_accuracy([], [])


def test_one_model_accuracy_is_for_ballots():
    with pytest.raises(UsageError, match="got 'one_model'"):
        TextGuard(3).fit(TEXTS, LABELS).certified_accuracy(TEXTS, LABELS, method="one_model")


def first_and_last(text: str) -> list[str]:
    """A tokenizer whose words depend on what stands beside them."""
    words = text.split()
    return [f"{a}_{b}" for a, b in pairwise(words)] + words[-1:]


class Coin(ClassifierMixin, BaseEstimator):
    """A classifier that ignores every seed."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.random.default_rng().integers(0, 2, X.shape[0])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@pytest.mark.parametrize("groups", [3, "words"])
def test_an_unstable_tokenizer_predicts_but_does_not_certify(groups):
    guard = TextGuard(groups, words=first_and_last).fit(TEXTS, LABELS)
    refused(guard, "first_and_last is not insertion-stable.*Use words='unicode'")


def test_a_stable_tokenizer_certifies():
    guard = TextGuard(3, words=str.split).fit(TEXTS, LABELS)
    assert guard.certify(TEXTS).radius.shape == (4,)
    assert "str.split" in " ".join(guard.assumptions())


def test_a_learner_without_a_seed_predicts_but_does_not_certify():
    many = [f"w{k} w{k + 1} w{k + 2}" for k in range(64)]
    guard = TextGuard(3, Coin()).fit(many, [0, 1] * 32)
    refused(guard, "the learner Coin made two different models.*random_state")


def refused(guard: TextGuard, message: str) -> None:
    assert len(guard.predict(TEXTS)) == 4
    with pytest.raises(NotCertifiableError, match=message):
        guard.certify(TEXTS)
    with pytest.raises(NotCertifiableError, match=message):
        guard.certified_accuracy(TEXTS, LABELS)
    assert guard.assumptions()[0].startswith("No certificate: ")


def test_a_tokenizer_must_return_strings():
    with pytest.raises(UsageError, match="must return a list of strings"):
        TextGuard(3, words=lambda text: [1]).fit(TEXTS, LABELS)
