"""A cascade against an adversary that tries every trigger and every retraining, fallback included."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from ballot_adversary import cases, held_words, labels_for, retrainings
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.certificates.ballots import UNIT, BallotCase, balancing_weights, ballot_one_model, ballot_radii
from textward.certificates.ballots.accuracy import ballots_accuracy
from textward.certificates.ballots.case import leads

THETAS = st.sampled_from([0, 1, 256, 512, 1024, 1536, 3000])
HANDED = -1  # the fallback is retrained as well: it may say anything


def answers(words, case, changed):
    """All that the first stage may say of a text: each changed word may be there or not."""
    kept = sum((case.ballots[w] for w in words if w not in changed), np.zeros(case.classes, dtype=np.int64))
    for there in product([False, True], repeat=len(changed)):
        score = kept.copy()
        for side, cast in zip(changed.values(), there, strict=True):
            if cast and side is not None:
                score[side] += UNIT
        yield int(score.argmax()) if leads(score[None])[0] >= case.theta else HANDED


def keeps(words, label, case, changed):
    return answered(words, case) == label and all(said == label for said in answers(words, case, changed))


def answered(words, case):
    return next(answers(words, case, {}))


def least_weight(case, labels, weights, size):
    held = held_words(case)
    return min(
        sum(w for words, y, w in zip(held, labels, weights, strict=True) if keeps(words, y, case, changed))
        for changed in retrainings(case, size)
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data(), classes=st.sampled_from([2, 2, 3]), theta=THETAS)
def test_no_trigger_within_the_radius_changes_an_answer_or_hands_it_over(data, classes, theta):
    case = with_theta(data.draw(cases(classes, texts=3, words=3)), theta)
    winners, radius = ballot_radii(case, most=2)
    for words, winner, least in zip(held_words(case), winners, radius, strict=True):
        for size in range(1, int(least) + 1):
            assert all(keeps(words, int(winner), case, changed) for changed in retrainings(case, size))
        if least < 1 and answered(words, case) != HANDED and classes == 2:  # and the radius is exact
            assert not all(keeps(words, int(winner), case, changed) for changed in retrainings(case, 1))


@settings(max_examples=50, deadline=None)
@given(data=st.data(), classes=st.sampled_from([2, 2, 3]), theta=THETAS, size=st.integers(1, 2))
def test_one_trigger_leaves_at_least_what_is_proven(data, classes, theta, size):
    case = with_theta(data.draw(cases(classes, texts=4, words=3)), theta)
    labels = np.array(data.draw(labels_for(case)))
    said = (labels + 1) % classes  # a fallback that is never right
    found = ballots_accuracy(case, labels, range(classes), [size], "joint", answers=said).figures["all"]
    worst = least_weight(case, labels.tolist(), [1] * len(labels), size) / len(labels)
    assert found.shares[0] <= worst
    if classes == 2 and found.exact[0]:
        assert found.shares[0] == worst


@settings(max_examples=30, deadline=None)
@given(data=st.data(), theta=THETAS)
def test_one_poisoned_model_leaves_at_least_what_is_proven(data, theta):
    case = with_theta(data.draw(cases(2, texts=4, words=3)), theta)
    labels = np.array(data.draw(labels_for(case)))
    found = ballot_one_model(case, labels, [1])[0]
    assert found.survivors <= least_weight(case, labels.tolist(), balancing_weights(labels).tolist(), 1)


def test_what_is_handed_over_counts_while_nothing_is_planted():
    case = with_theta(one_word_each([900, 100, 100]), 256)
    labels, said = np.array([1, 1, 1]), np.array([1, 1, 0])
    for method in ("joint", "individual", "one_model"):
        found = ballots_accuracy(case, labels, ["-", "+"], [0, 1], method, answers=said)
        assert found.all == (2 / 3, 0.0)


@pytest.mark.parametrize("theta", [0, 256, 900, 901])
def test_theta_is_the_least_lead_that_answers(theta):
    case = with_theta(one_word_each([900]), theta)
    assert case.answered.tolist() == [theta <= 900]


def test_a_certified_answer_keeps_its_distance_from_the_threshold():
    many = BallotCase.fixed(
        np.ones((1, 5), np.int64), np.array([[0, UNIT]] * 5)
    )  # a word takes 2 of the lead of 5
    radius = {theta: int(ballot_radii(with_theta(many, theta * UNIT))[1][0]) for theta in range(7)}
    assert radius == {0: 2, 1: 2, 2: 1, 3: 1, 4: 0, 5: 0, 6: 0}


def one_word_each(leads_wanted):
    words = np.eye(len(leads_wanted), dtype=np.int64)
    return BallotCase.fixed(words, np.array([[0, lead] for lead in leads_wanted]))


def with_theta(case, theta):
    return replace(case, theta=theta)
