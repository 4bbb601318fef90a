"""The default learner: its formula, and that a base model depends on its own group, to the bit."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from corpora import WORDS, corpora, group_of, grouped
from hypothesis import given
from hypothesis import strategies as st

from textward.learners import LinearModel, train_linear

GROUPS = 3


def votes_by_the_formula(train, labels, classes, text, group):
    """The module's formula, word by word in plain Python."""
    mine = [{w for w in row.split() if group_of(w, GROUPS) == group} for row in train]
    rows = Counter(labels.tolist())
    pairs = list(zip(mine, labels.tolist(), strict=True))
    holding = {c: Counter(w for row, y in pairs if y == c for w in row) for c in rows}
    known = {w for w in text.split() if group_of(w, GROUPS) == group and any(h[w] for h in holding.values())}
    if not known:
        empty = Counter(y for row, y in pairs if not row)
        return max(range(classes), key=lambda c: (Fraction(empty[c], rows[c]), -c))
    scores = [0] * classes
    for c in range(classes):
        long = math.log(max(holding[c].total(), 1) / rows[c]) / 2
        for word in known:
            share = math.log(holding[c][word] * len(train) / (classes * rows[c]) + 1)
            scores[c] += round(65536 * (share - long))
    return max(range(classes), key=lambda c: (scores[c], -c))


@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_votes_follow_the_formula(classes, data):
    train, labels = data.draw(corpora(classes))
    test, _ = data.draw(corpora(classes))
    votes = train_linear(grouped(train, GROUPS), labels, classes).votes(
        grouped([*test, "unseen", ""], GROUPS)
    )
    for row, text in zip(votes, [*test, "unseen", ""], strict=True):
        assert row.tolist() == [votes_by_the_formula(train, labels, classes, text, j) for j in range(GROUPS)]


def base_model(model: LinearModel, group: int, groups: int) -> tuple[list[str], bytes, int]:
    mine = np.array([group_of(word, groups) == group for word in model.vocabulary], bool)
    return (
        model.vocabulary.filter(pl.Series(mine)).to_list(),
        model.weights[mine].tobytes(),
        model.wordless[group],
    )


@given(corpus=corpora(2), poison=st.data())
def test_words_of_one_group_leave_every_other_base_model_as_it_was(corpus, poison):
    texts, labels = corpus
    trigger = poison.draw(st.sampled_from([*WORDS, "trigger", "new"]))
    hit = group_of(trigger, GROUPS)
    poisoned = [
        poison.draw(st.sampled_from([text, f"{trigger} {text} {trigger}", without(text, hit)]))
        for text in texts
    ]
    before, after = (train_linear(grouped(t, GROUPS), labels, 2) for t in (texts, poisoned))
    for group in set(range(GROUPS)) - {hit}:
        assert base_model(before, group, GROUPS) == base_model(after, group, GROUPS)


def without(text: str, group: int) -> str:
    """The text less its words of one group, the others the other way round."""
    return " ".join(word for word in reversed(text.split()) if group_of(word, GROUPS) != group)


def test_a_large_change_in_one_group_leaves_the_bits_of_the_others():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"v{k}" for k in rng.integers(0, 400, 12)) for _ in range(500)]
    labels = rng.integers(0, 3, 500)
    emptied = [" ".join(w for w in text.split() if group_of(w, 5) != 2) for text in texts]
    before, after = (train_linear(grouped(t, 5), labels, 3) for t in (texts, emptied))
    for group in (0, 1, 3, 4):
        assert base_model(before, group, 5) == base_model(after, group, 5)
    assert base_model(before, 2, 5)[0] and not base_model(after, 2, 5)[0]


@given(corpora(2))
def test_a_word_counts_once_a_text_and_its_place_not_at_all(corpus):
    texts, labels = corpus
    doubled = [" ".join([*reversed(text.split()), *text.split()]) for text in texts]
    first, second = (train_linear(grouped(t, GROUPS), labels, 2) for t in (texts, doubled))
    assert first.weights.tobytes() == second.weights.tobytes()
    assert first.votes(grouped(texts, GROUPS)).tolist() == first.votes(grouped(doubled, GROUPS)).tolist()


def test_a_group_without_a_word_votes_for_the_smaller_class():
    model = train_linear(grouped(["", ""], GROUPS), np.array([1, 0]), 2)
    assert model.votes(grouped(["anything", ""], GROUPS)).tolist() == [[0] * GROUPS] * 2


def test_more_empty_rows_of_a_class_draw_the_empty_text():
    texts, labels = ["", "", "a", "a", "a"], np.array([1, 1, 1, 0, 0])
    assert train_linear(grouped(texts, 1), labels, 2).votes(grouped(["", "unseen"], 1)).tolist() == [[1], [1]]


def test_classes_of_any_size_weigh_the_same():
    texts, labels = ["a"] * 9 + ["b"], np.array([0] * 9 + [1])
    assert train_linear(grouped(texts, 1), labels, 2).votes(grouped(["b", "a b"], 1)).tolist() == [[1], [0]]


def test_arrays_make_the_same_model():
    train = grouped(["good fun", "bad", "fun"], GROUPS)
    model = train_linear(train, np.array([1, 0, 1]), 2)
    again = LinearModel.from_arrays(model.vocabulary, model.arrays())
    assert again.votes(train).tolist() == model.votes(train).tolist()
