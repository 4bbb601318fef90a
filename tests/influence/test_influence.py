"""Influence by the closed form and by leaving out are one; counting is the paper's Algorithm 2."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from textward.groups import HashGroups
from textward.influence import influence_of, leaving_one_out, linear_influence, potential_triggers
from textward.influence import variants as variants_module
from textward.influence.models import centred
from textward.influence.variants import distinct, without_each
from textward.learners import ConstantModel, EachGroup, LinearEach, ScikitLearner, train_each
from textward.words import UnicodeWords

TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=2, max_size=6)


def cut(texts):
    return UnicodeWords().cut(pl.Series([" ".join(text) for text in texts]))


def by_hand(texts):
    """Every text without all copies of each of its words, one by one."""
    return [
        (row, word, [other for other in text if other != word])
        for row, text in enumerate(texts)
        for word in sorted(set(text))
    ]


@settings(deadline=None)
@given(TEXTS)
def test_variants_are_the_texts_without_each_word(texts):
    words = cut(texts)
    rows, ids = distinct(words.ids, words.offsets)
    left, offsets = without_each(words.ids, words.offsets, rows, ids)
    names = words.vocabulary.to_list()
    found = [
        (int(row), names[word], [names[i] for i in left[low:high]])
        for row, word, low, high in zip(rows, ids, offsets[:-1], offsets[1:], strict=True)
    ]
    assert found == by_hand(texts)


@settings(deadline=None)
@given(TEXTS)
def test_the_closed_form_of_naive_bayes_is_leaving_out(texts):
    words, labels = cut(texts), np.arange(len(texts)) % 2
    plain = LinearEach.train(HashGroups(1).split(words), labels, 2)
    weights = centred(plain.models[0].weights_of(words.vocabulary))

    def scores(ids, offsets):
        rows, held = distinct(ids, offsets)
        out = np.zeros((len(offsets) - 1, 2))
        np.add.at(out, rows, weights[held])
        return out

    closed, slow = linear_influence(plain.models[0], words), leaving_one_out(scores, words.ids, words.offsets)
    assert closed.rows.tolist() == slow.rows.tolist() and closed.words.tolist() == slow.words.tolist()
    assert np.array_equal(closed.distance, slow.distance)


def test_blocks_change_nothing(monkeypatch):
    words = cut([list("abc"), list("abcdefa"), [], list("b")])
    told = []

    def length(ids, offsets):
        return np.diff(offsets)[:, None].astype(float)

    whole = leaving_one_out(length, words.ids, words.offsets)
    monkeypatch.setattr(variants_module, "BLOCK", 4)
    parts = leaving_one_out(length, words.ids, words.offsets, lambda done, total: told.append((done, total)))
    assert np.array_equal(whole.distance, parts.distance)
    assert len(told) > 2 and told[-1] == (len(whole.rows), len(whole.rows))


def test_a_planted_word_is_influential_in_its_rows_whatever_the_learner():
    rng = np.random.default_rng(0)
    names = [f"w{i}" for i in range(40)]
    texts = [" ".join(rng.choice(names, 8)) for _ in range(200)]
    labels = rng.integers(0, 2, 200)
    for row in range(40):
        texts[row], labels[row] = f"{texts[row]} cf", 1
    words = UnicodeWords().cut(pl.Series(texts))
    grouped = HashGroups(1).split(words)
    for plain in (
        LinearEach.train(grouped, labels, 2),
        train_each(ScikitLearner(LogisticRegression()), grouped, labels, 2, 0),
    ):
        counts = influence_of(plain, words).counts(len(words.vocabulary))
        assert counts[words.vocabulary.index_of("cf")] == 40
        assert "cf" in words.vocabulary.gather(potential_triggers(counts, 40)).to_list()


def test_a_classifier_without_scores_is_measured_by_its_answers():
    words = cut([["a"], ["b", "a"]])
    moved = influence_of(EachGroup((ConstantModel(1),), 2), words)
    assert moved.distance.tolist() == [0.0, 0.0, 0.0]


def test_only_one_group_can_be_asked():
    with pytest.raises(TypeError, match="one group"):
        influence_of(EachGroup((ConstantModel(1), ConstantModel(0)), 2), cut([["a"]]))


def test_no_texts_and_no_words():
    empty = np.zeros(0, np.int64)
    assert len(leaving_one_out(lambda ids, offsets: np.zeros((0, 1)), empty, np.array([0, 0])).rows) == 0
