from __future__ import annotations

import numpy as np
import pytest
import votes_adversary as adversary
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.certificates import individual_certified, radii, tally
from textward.certificates.votes import lead
from textward.errors import UsageError


@st.composite
def ballots(draw, groups=6, classes=5, texts=1):
    m, c = draw(st.integers(1, groups)), draw(st.integers(2, classes))
    row = st.lists(st.integers(0, c - 1), min_size=m, max_size=m)
    return np.array(draw(st.lists(row, min_size=texts, max_size=texts))), c


@given(ballots())
@settings(max_examples=300, deadline=None)
def test_the_radius_is_what_an_adversary_cannot_pass_and_one_more_can(drawn):
    votes, classes = drawn
    row = tuple(votes[0].tolist())
    labels, found = radii(votes, classes)
    assert labels[0] == adversary.winner(row, classes)
    assert found[0] == adversary.radius(row, classes)


@given(st.integers(2, 5), st.data())
def test_the_radius_follows_the_formula(classes, data):
    counts = np.array([data.draw(st.lists(st.integers(0, 30), min_size=classes, max_size=classes))])
    labels, found = lead(counts)
    most = max(counts[0])
    y = counts[0].tolist().index(most)
    worst = max(int(counts[0][c]) + (1 if y > c else 0) for c in range(classes) if c != y)
    assert (labels[0], found[0]) == (y, (most - worst) // 2)


@given(ballots(texts=4))
def test_counts_are_those_of_a_hand(drawn):
    votes, classes = drawn
    counts = tally(votes, classes)
    assert counts.tolist() == [[row.count(c) for c in range(classes)] for row in votes.tolist()]


@pytest.mark.parametrize(
    ("votes", "classes", "label", "radius"),
    [
        ([0, 1], 2, 0, 0),  # a tie goes to the smaller class
        ([1, 0, 1], 2, 1, 0),
        ([0, 0, 1, 0], 2, 0, 1),  # a tie after one turn still goes to 0
        ([1, 1, 0, 1], 2, 1, 0),  # and not to 1
        ([2, 2, 2], 5, 2, 1),
        ([4], 5, 4, 0),
    ],
)
def test_ties(votes, classes, label, radius):
    labels, found = radii(np.array([votes]), classes)
    assert (labels[0], found[0]) == (label, radius)


def test_a_text_is_certified_when_it_is_right_and_its_radius_suffices():
    votes = np.array([[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [1, 1, 1, 1, 1]])
    labels = np.array([0, 0, 0, 0])
    by_size = [individual_certified(votes, labels, 2, size).tolist() for size in range(4)]
    assert by_size == [
        [True, True, True, False],
        [True, True, False, False],
        [True, False, False, False],
        [False, False, False, False],
    ]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint32, np.uint64, np.int64])
def test_any_integers_any_layout_and_nothing_is_written(kind):
    votes = np.random.default_rng(0).integers(0, 5, (40, 9))
    odd = np.asfortranarray(np.repeat(votes, 2, axis=1).astype(kind))[:, ::2]
    odd.flags.writeable = False
    assert not odd.flags.c_contiguous
    for found, expected in zip(radii(odd, 5), radii(votes, 5), strict=True):
        assert np.array_equal(found, expected)
    assert np.array_equal(odd, votes)


def test_no_texts_have_no_labels():
    labels, radius = radii(np.zeros((0, 3), dtype=np.int8), 2)
    assert labels.shape == radius.shape == (0,)


@pytest.mark.parametrize(
    ("votes", "classes", "message"),
    [
        (np.array([[0, 2]]), 2, r"votes must lie in 0..1 for 2 classes, got values from 0 to 2"),
        (np.array([[-1, 0]], dtype=np.int8), 2, "got values from -1 to 0"),
        (np.array([[0.0, 1.0]]), 2, "votes must be integers, got dtype float64"),
        (np.array([[True]]), 2, "votes must be integers, got dtype bool"),
        (np.array([0, 1]), 2, r"texts x groups with at least one group, got shape \(2,\)"),
        (np.zeros((3, 0), dtype=int), 2, r"at least one group, got shape \(3, 0\)"),
        (np.array([[0]]), 1, "classes must be an integer >= 2, got 1"),
        (np.array([[0]]), 2.0, "classes must be an integer >= 2, got 2.0"),
        (np.array([[0]]), True, "classes must be an integer >= 2, got True"),
        (np.array([["0"]]), 2, "votes must be integers, got dtype <U1"),
        (np.array([[2**64 - 1]], dtype=np.uint64), 2, "got values from 18446744073709551615"),
    ],
)
def test_votes_that_cannot_be(votes, classes, message):
    with pytest.raises(UsageError, match=message):
        radii(votes, classes)


@pytest.mark.parametrize(
    ("labels", "size", "message"),
    [
        ([0], -1, "size must be an integer >= 0, got -1"),
        ([0], 1.0, "size must be an integer >= 0, got 1.0"),
        ([0], None, "size must be an integer >= 0, got None"),
        ([0, 1], 1, r"labels must be one per text: 1 texts, got shape \(2,\)"),
        ([2], 1, "labels must lie in 0..1 for 2 classes, got values from 2 to 2"),
        (["0"], 1, "labels must be integers"),
    ],
)
def test_labels_and_sizes_that_cannot_be(labels, size, message):
    with pytest.raises(UsageError, match=message):
        individual_certified(np.array([[0, 0, 1]]), np.array(labels), 2, size)
