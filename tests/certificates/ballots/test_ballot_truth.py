"""Every ballot certificate against adversaries that try everything."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from ballot_adversary import cases, held_words, labels_for, outcomes, retrainings, survivors
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.certificates.ballots import (
    UNIT,
    BallotCase,
    BallotLimits,
    balancing_weights,
    ballot_joint_table,
    ballot_one_model,
    ballot_radii,
    ballots_accuracy,
)
from textward.certificates.ballots.cover import Cover, fell
from textward.errors import UsageError


@settings(max_examples=200, deadline=None)
@given(st.data(), st.integers(2, 5))
def test_a_radius_is_exactly_what_every_adversary_needs(data: st.DataObject, classes: int) -> None:
    case = data.draw(cases(classes, texts=2, words=3))
    winners, radius = ballot_radii(case, most=3)
    for text, words in enumerate(held_words(case)):
        stands = []
        for size in range(3 if classes < 4 else 2):
            reached = (
                label for changed in retrainings(case, size) for label in outcomes(words, case, changed)
            )
            stands.append(all(label == winners[text] for label in reached))
        assert stands == [size <= radius[text] for size in range(len(stands))]


@settings(max_examples=80, deadline=None)
@given(st.data(), st.integers(0, 2))
def test_two_classes_joint_is_the_minimum(data: st.DataObject, size: int) -> None:
    case = data.draw(cases(2))
    labels = data.draw(labels_for(case))
    populations = np.array([[True, label == 0, label == 1] for label in labels])
    row = ballot_joint_table(case, np.array(labels), [size], populations)[0]
    for count, members in zip(row, populations.T, strict=True):
        assert count.exact
        assert count.survivors == survivors(case, labels, members.astype(int).tolist(), size)
        assert count.survivors == count.attack_survivors
        assert count.texts == members.sum()
    one = ballot_one_model(case, np.array(labels), [size])[0]
    assert one.exact
    assert one.survivors == survivors(case, labels, balancing_weights(np.array(labels)).tolist(), size)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(3, 4), st.integers(0, 2))
def test_more_classes_joint_never_promises_too_much(data: st.DataObject, classes: int, size: int) -> None:
    case = data.draw(cases(classes, texts=3, words=3))
    labels = data.draw(labels_for(case))
    count = ballot_joint_table(case, np.array(labels), [size])[0][0]
    truth = survivors(case, labels, [1] * len(labels), size)  # of adversaries that cast whole ballots
    assert count.survivors <= truth
    if count.exact:
        assert count.survivors == count.attack_survivors
    one = ballot_one_model(case, np.array(labels), [size])[0]
    assert one.survivors <= survivors(case, labels, balancing_weights(np.array(labels)).tolist(), size)


def fractional_survivors(case: BallotCase, label: int, size: int) -> int:
    """The minimum for texts of one winner when ballots may be split: pushes need only reach thresholds."""
    held = held_words(case)
    total = case.scores
    right = [i for i in range(len(held)) if case.winners[i] == label]
    rivals = [c for c in range(case.classes) if c != label]
    worst = len(right)
    for known in range(size + 1):
        for chosen in combinations(range(case.incidence.shape[1]), known):
            needs = {
                (i, c): int(total[i, label] - total[i, c])
                - sum(int(case.ballots[w, label] - case.ballots[w, c]) for w in chosen if w in held[i])
                + (c > label)
                for i in right
                for c in rivals
            }
            # pushing to reach exactly some threshold of each rival is as good as any push
            levels = [
                sorted({0, *(max(0, needs[i, c] - (c > label) + (c > label)) for i in right)}) for c in rivals
            ]
            for push in product(*levels):
                if sum(push) <= UNIT * size:
                    fallen = {i for i in right for c, p in zip(rivals, push, strict=True) if p >= needs[i, c]}
                    worst = min(worst, len(right) - len(fallen))
    return worst


@settings(max_examples=200, deadline=None)
@given(st.data(), st.integers(3, 5), st.integers(1, 2))
def test_one_class_of_many_is_bracketed_by_split_ballots(
    data: st.DataObject, classes: int, size: int
) -> None:
    case = data.draw(cases(classes, texts=5, words=4))
    label = int(data.draw(st.sampled_from(case.winners.tolist())))
    labels = np.full(len(held_words(case)), label)
    count = ballot_joint_table(case, labels, [size])[0][0]
    truth = fractional_survivors(case, label, size)
    assert count.survivors <= truth <= count.attack_survivors
    if count.exact:
        assert count.survivors == truth


@settings(max_examples=900, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans())
def test_the_cover_search_finds_the_worst_words(seed: int, picks: int, several_rivals: bool) -> None:
    rng = np.random.default_rng(seed)
    threats, words, losses = int(rng.integers(1, 12)), int(rng.integers(1, 9)), int(rng.integers(0, 50))
    cells = np.unique(rng.integers(0, threats * words, losses))
    text = np.arange(threats) if not several_rivals else np.sort(rng.integers(0, 4, threats))
    weight = rng.integers(1, 5, 12)
    cover = Cover.of(
        cells // words,
        cells % words,
        rng.integers(0, 6, len(cells)),
        text,
        rng.integers(0, 9, threats),
        weight,
    )
    truth = max(cover.toll(chosen) for chosen in combinations(range(words + picks), picks))
    found = fell(cover, picks)
    assert found.toll == found.bound == truth == cover.toll(found.words)
    assert len(found.words) <= picks
    for floor in (truth - 1, truth, truth + 3):
        assert truth <= fell(cover, picks, floor=floor).bound <= max(truth, floor)
    cut = fell(cover, picks, nodes=1)
    assert cut.toll <= truth <= cut.bound


def test_one_word_that_splits_its_ballot_fells_texts_of_two_rivals() -> None:
    ballots = np.array([[512, 0, 0], [512, 0, 512], [512, 512, 0]])
    case = BallotCase.fixed(np.array([[1, 1, 0], [1, 0, 1]]), ballots)  # led by 512 over class 2, and over 1
    count = ballot_joint_table(case, np.array([0, 0]), [1])[0][0]
    assert count.survivors == count.attack_survivors == fractional_survivors(case, 0, 1) == 0


def test_a_word_that_speaks_for_the_rival_is_no_free_trigger() -> None:
    # Word 1 speaks for class 1 in text 0 already; turned into a trigger it can push only what it did not say.
    case = BallotCase.fixed(np.array([[1, 1, 1], [0, 1, 0]]), np.array([[512, 0], [0, 256], [512, 0]]))
    count = ballot_joint_table(case, np.array([0, 1]), [1])[0][0]
    assert count.exact
    assert count.survivors == survivors(case, [0, 1], [1, 1], 1) == 1


def test_at_a_tie_the_smaller_class_keeps_the_text() -> None:
    for winner, radius in ((0, 1), (1, 0)):
        ballots = np.zeros((2, 2), np.int64)
        ballots[:, winner] = UNIT  # one word takes its own unit and pushes another: two against two
        assert ballot_radii(BallotCase.fixed(np.array([[1, 1]]), ballots))[1].tolist() == [radius]


def test_a_search_cut_short_says_so_and_still_brackets_the_truth() -> None:
    rng = np.random.default_rng(5)
    incidence = (rng.random((60, 40)) < 0.3).astype(np.int64)
    ballots = rng.multinomial(UNIT, [0.6, 0.4], 40)
    case = BallotCase.fixed(incidence, ballots)
    labels = case.winners
    whole = ballot_joint_table(case, labels, [3])[0][0]
    cut = ballot_joint_table(case, labels, [3], limits=BallotLimits(nodes=2))[0][0]
    assert whole.exact
    assert not cut.exact
    assert cut.survivors <= whole.survivors <= cut.attack_survivors


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 4))
def test_accuracy_falls_with_size_and_joint_is_at_least_individual(data: st.DataObject, classes: int) -> None:
    case = data.draw(cases(classes))
    labels = np.array(data.draw(labels_for(case)))
    names = [f"class {c}" for c in range(classes)]
    sizes = range(3)
    individual, joint = (ballots_accuracy(case, labels, names, sizes, how) for how in ("individual", "joint"))
    one = ballots_accuracy(case, labels, names, sizes, "one_model")
    for i in sizes:
        assert individual.all[i] <= joint.all[i] == one.all[i]
        assert individual.balanced[i] <= joint.balanced[i] <= one.balanced[i] + 1e-6
        if i:
            assert joint.all[i] <= joint.all[i - 1]
    assert joint.all[0] == individual.all[0] == (case.winners == labels).mean()


def test_an_unknown_method_names_those_there_are() -> None:
    case = BallotCase.fixed(np.array([[1]]), np.array([[0, 1024]]))
    with pytest.raises(UsageError, match="'individual', 'joint', 'one_model', got 'both'"):
        ballots_accuracy(case, np.array([1]), ["bad", "good"], [1], "both")
