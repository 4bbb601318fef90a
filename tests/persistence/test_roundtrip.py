"""A loaded model is the saved one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from models import KINDS, LABELS, TEXTS, UNSEEN, fitted, saved
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from textward import ModelError, NotCertifiableError, TextGuard, UsageError, load
from textward.persistence import read_config

TREE = "sklearn.tree._tree.Tree"


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_model_answers_as_before(kind, tmp_path: Path):
    guard = fitted(kind)
    guard.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.tally(UNSEEN), guard.tally(UNSEEN))
    assert np.array_equal(again.predict(UNSEEN), guard.predict(UNSEEN))
    if guard.groups != "words":
        assert np.array_equal(again.votes(UNSEEN), guard.votes(UNSEEN))
    first, second = guard.certify(UNSEEN), again.certify(UNSEEN)
    assert np.array_equal(first.radius, second.radius) and np.array_equal(first.labels, second.labels)
    for t in ("joint", "individual"):
        accuracies = [g.certified_accuracy(TEXTS, LABELS, method=t).as_dict() for g in (guard, again)]
        assert accuracies[0] == accuracies[1]
    assert again.assumptions() == guard.assumptions() and again.training_ == guard.training_
    assert again.groups_ == guard.groups_ and again.classes_.dtype == guard.classes_.dtype
    assert repr(again.get_params()) == repr(guard.get_params())


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_model_can_be_trained_and_saved_again(kind, tmp_path: Path):
    again = load(saved(kind, tmp_path)).fit(TEXTS, LABELS)
    again.save(tmp_path / "second")
    assert np.array_equal(load(tmp_path / "second").tally(UNSEEN), fitted(kind).tally(UNSEEN))


@pytest.mark.parametrize(
    ("pair", "dtype"),
    [
        (("+", "-"), None),
        (("+", "-"), object),
        (("ä\n", ""), None),
        ((7, -3), None),
        ((7, 3), np.uint8),
        ((True, False), None),
        ((2.0, 1.0), None),
    ],
)
def test_classes_keep_their_type(pair, dtype, tmp_path: Path):
    labels = np.array([pair[0]] * 3 + [pair[1]] * 3, dtype=dtype)
    guard = TextGuard(3).fit(TEXTS, labels)
    guard.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.classes_.dtype == guard.classes_.dtype
    assert again.predict(TEXTS).tolist() == guard.predict(TEXTS).tolist()


def test_the_files_are_those_of_the_design(tmp_path: Path):
    names = {kind: sorted(f.name for f in saved(kind, tmp_path / kind).iterdir()) for kind in KINDS}
    arrays = ["README.md", "config.json", "manifest.json", "model.safetensors"]
    learner = ["README.md", "config.json", "learner.skops", "manifest.json"]
    assert names == {
        "linear": arrays,
        "ballots": arrays,
        "long triggers": arrays,
        "steady": arrays,
        "cascade": [*arrays[:2], "learner.skops", *arrays[2:]],
        "cascade of counts": arrays,
        "scikit": learner,
        "pipeline": learner,
    }


def test_the_config_says_what_the_model_is(tmp_path: Path):
    config = read_config(saved("pipeline", tmp_path))
    assert (config.format, config.kind, config.order) == (1, "scikit", "code points")
    assert config.classes == ["+", "-"]
    assert config.training.n == 6 and config.settings.groups == 20
    assert "sklearn.linear_model._logistic.LogisticRegression" in config.learner_types
    assert read_config(saved("ballots", tmp_path)).dials is not None


def test_a_vocabulary_goes_with_the_model(tmp_path: Path):
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("film\nbad\n")
    guard = TextGuard(2, MultinomialNB(), order=vocabulary).fit(TEXTS, LABELS)
    guard.save(tmp_path / "model")
    vocabulary.unlink()
    again = load(tmp_path / "model")
    assert again.assumptions() == guard.assumptions()
    assert np.array_equal(again.tally(UNSEEN), guard.tally(UNSEEN))


def test_why_a_model_may_not_certify_goes_with_it(tmp_path: Path):
    guard = TextGuard(3, words=lambda text: [text]).fit(TEXTS, LABELS)
    guard.save(tmp_path / "model")
    with pytest.raises(NotCertifiableError, match="not insertion-stable"):
        load(tmp_path / "model", words=str.split).certify(TEXTS)


def test_a_tokenizer_is_given_back(tmp_path: Path):
    guard = TextGuard(3, words=str.split).fit(TEXTS, LABELS)
    guard.save(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model", words=str.split).tally(UNSEEN), guard.tally(UNSEEN))
    with pytest.raises(ModelError, match=r"own tokenizer '.*str.split'.*load\(path, words=function\)"):
        load(tmp_path / "model")
    with pytest.raises(NotCertifiableError, match="not insertion-stable"):
        load(tmp_path / "model", words=lambda text: [text]).certify(TEXTS)


def test_a_tokenizer_nobody_asked_for(tmp_path: Path):
    with pytest.raises(UsageError, match="leave `words` out"):
        load(saved("linear", tmp_path), words=str.split)


def test_types_outside_skops_own_need_a_name(tmp_path: Path):
    guard = TextGuard(3, RandomForestClassifier(3)).fit(TEXTS, LABELS)
    guard.save(tmp_path / "model")
    with pytest.raises(ModelError, match=rf"'{TREE}'.*trust=\['{TREE}'\]"):
        load(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model", trust=[TREE]).votes(UNSEEN), guard.votes(UNSEEN))
    with pytest.raises(UsageError, match="trust must be a list"):
        load(tmp_path / "model", trust=TREE)


class Own:
    """A learner that nothing but the user's code can save."""

    def fit(self, texts, labels, classes, seed):
        return self

    def predict(self, texts):
        return np.zeros(len(texts), int)


LAMBDA = CountVectorizer(analyzer=lambda text: text.split())
METHOD = CountVectorizer(tokenizer=str.split, token_pattern=None)


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (make_pipeline(LAMBDA, MultinomialNB()), "lambda"),
        (make_pipeline(METHOD, MultinomialNB()), "named functions"),
        (Own(), "the type Own cannot be saved"),
    ],
    ids=["lambda", "method", "own"],
)
def test_what_cannot_be_saved_is_refused(learner, message, tmp_path: Path):
    guard = TextGuard(2, learner).fit(TEXTS, LABELS)
    with pytest.raises(ModelError, match=message):
        guard.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_the_config_is_plain_json(tmp_path: Path):
    config = json.loads((saved("linear", tmp_path) / "config.json").read_text())
    assert config["assumptions"] == fitted("linear").assumptions()
