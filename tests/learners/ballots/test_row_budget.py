"""Two budgets: what an attacker's rows can do to ballots, against every such set of rows and random ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_adversary import attacked, counts_of, drawn_rows, near, retriggered

from textward.certificates.ballots import UNIT, BallotCase, ballot_joint_table, ballot_one_model
from textward.certificates.ballots.individual import ballot_stands
from textward.errors import UsageError
from textward.learners.ballots import BallotModel, Counts, Dials, SteadyDials, from_counts
from textward.learners.ballots.drift import count_box
from textward.learners.ballots.formula import ANCHORS, highest_median, lowest_median

DIALS = [None, SteadyDials(1), SteadyDials(2), Dials(2.0, 0.3)]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("operations", [1, 2])
def test_no_rows_whatever_leave_the_box(classes: int, operations: int) -> None:
    rng = np.random.default_rng(classes)
    for _ in range(3):
        rows = drawn_rows(rng, 3 * classes + 2, words=1, classes=classes)
        before = counts_of(rows, 1, classes)
        box = count_box(before, operations)
        if box is None:
            continue
        low, high = (_expected(before, side) for side in box)
        for other in near(rows, operations, 1, classes):
            after = counts_of(other, 1, classes)
            moved = _expected(after, after.holding)
            assert (low <= moved + 1e-12).all()
            assert (moved <= high + 1e-12).all()
            rates = after.holding / after.rows
            assert (box[0] / before.rows <= rates + 1e-12).all()
            assert (rates <= box[1] / before.rows + 1e-12).all()


def _expected(counts: Counts, holding: np.ndarray) -> np.ndarray:
    return holding * counts.rows.sum() / (len(counts.rows) * counts.rows)


@pytest.mark.parametrize("dials", DIALS, ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_retraining_a_row_away_keeps_what_is_certified(
    dials: Dials | SteadyDials | None, classes: int
) -> None:
    rng = np.random.default_rng(7)
    held_out = np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]])
    some = np.bool_(False)
    for _ in range(4):
        rows = drawn_rows(rng, 10 * classes, words=2, classes=classes)
        model = from_counts(counts_of(rows, 2, classes), dials)
        case = _case(model, held_out, rows=1)
        stands = ballot_stands(case, 0)
        some |= stands.any()
        for other in near(rows, 1, 3, classes):  # the third word is one that no row held
            counts = counts_of(other, 3, classes)
            theirs = _scores(from_counts(counts, dials), held_out, counts)
            assert (theirs.argmax(axis=1) == case.winners)[stands].all()
    assert some, "nothing was certified, so nothing was tested"


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10**9), st.integers(2, 4), st.integers(0, 2), st.integers(1, 12), st.sampled_from(DIALS)
)
def test_ballots_stay_within_bounds_and_certified_texts_keep_their_label(
    seed: int, classes: int, size: int, operations: int, dials: Dials | SteadyDials | None
) -> None:
    rng = np.random.default_rng(seed)
    words = int(rng.integers(size + 1, 40))
    rows = drawn_rows(rng, int(rng.integers(20, 150)) * classes, words, classes)
    trigger = rng.choice(words, size, replace=False).tolist()
    other = retriggered(attacked(rows, operations, words, rng), trigger, rng)
    before, after = counts_of(rows, words, classes), counts_of(other, words, classes)
    if not after.rows.all():
        return
    untouched = np.setdiff1d(np.arange(words), trigger)
    texts = (rng.random((30, words)) < 0.3).astype(np.int64)
    changed = texts.copy()
    changed[:, trigger] = rng.integers(0, 2, (30, size))
    for one, two, mine, yours in ((before, after, texts, changed), (after, before, changed, texts)):
        model, retrained = from_counts(one, dials), from_counts(two, dials)
        least, most = model.bounds_of(np.arange(words), operations)(size)
        cast = np.where(two.holding.sum(axis=1, keepdims=True) > 0, retrained.ballots, 0)
        assert (least[untouched] <= cast[untouched]).all()
        assert (cast[untouched] <= most[untouched]).all()
        case = _case(model, mine, operations)
        stands = ballot_stands(case, size)
        labels = _scores(retrained, yours, two).argmax(axis=1)
        assert (labels == case.winners)[stands].all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 3), st.integers(0, 2))
def test_joint_under_rows_lies_between_individual_and_any_one_attack(
    seed: int, classes: int, size: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = drawn_rows(rng, 80 * classes, 12, classes)
    model = from_counts(counts_of(rows, 12, classes), SteadyDials(2))
    texts = (rng.random((25, 12)) < 0.4).astype(np.int64)
    case = _case(model, texts, rows=2)
    truth = rng.integers(0, classes, 25)
    joint = ballot_joint_table(case, truth, [size])[0][0]
    stands = ballot_stands(case, size) & (case.winners == truth)
    assert stands.sum() <= joint.survivors <= (case.winners == truth).sum()
    assert ballot_one_model(case, truth, [size])[0].share <= 1
    for _ in range(5):
        trigger = rng.choice(12, size, replace=False).tolist()
        other = retriggered(attacked(rows, 2, 12, rng), trigger, rng)
        counts = counts_of(other, 12, classes)
        attacked_texts = texts.copy()
        attacked_texts[:, trigger] = 1
        scores = _scores(from_counts(counts, SteadyDials(2)), attacked_texts, counts)
        assert ((scores.argmax(axis=1) == truth) & (case.winners == truth)).sum() >= joint.survivors


def test_more_rows_are_never_easier_to_withstand() -> None:
    rng = np.random.default_rng(3)
    model = from_counts(counts_of(drawn_rows(rng, 300, 30, 2), 30, 2), SteadyDials(3))
    texts = (rng.random((60, 30)) < 0.4).astype(np.int64)
    stood = [ballot_stands(_case(model, texts, rows), 1).sum() for rows in (0, 1, 3, 9, 27, 400)]
    assert stood == sorted(stood, reverse=True)
    assert stood[0] > stood[-1] == 0  # a class has fewer than 400 rows, so nothing is known there


def test_both_ends_of_the_box_are_reached_by_rewriting_rows() -> None:
    holds, lacks = [(frozenset([0]), 1)] * 30, [(frozenset[int](), 1)] * 40
    others = [(frozenset[int](), 0)] * 40
    before = counts_of(holds + lacks + others, 1, 2)
    box = count_box(before, 10)
    assert box is not None
    assert [side[0, 1] for side in box] == [20, 40]
    fewer = counts_of(holds[10:] + lacks + [(frozenset(), 1)] * 10 + others, 1, 2)
    more = counts_of(holds + [(frozenset([0]), 1)] * 10 + lacks[10:] + others, 1, 2)
    assert [side.holding[0, 1] for side in (fewer, more)] == [20, 40]
    assert (fewer.rows == before.rows).all() and (more.rows == before.rows).all()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 30))
def test_medians_lie_within_their_bounds(seed: int, changed: int) -> None:
    rng = np.random.default_rng(seed)
    sure, maybe = rng.normal(0.3, 1, rng.integers(0, 40)), rng.normal(0, 1, rng.integers(0, 20))
    low, high = lowest_median(sure, maybe, changed), highest_median(sure, maybe, changed)
    for _ in range(20):
        kept = maybe[rng.random(len(maybe)) < rng.choice([0, 0.5, 1])]
        values = np.concatenate([sure, kept, np.zeros(ANCHORS)])
        gone = rng.integers(0, changed + 1)
        end = rng.choice([-9.0, 9.0])
        values = np.sort(values)[::-1] if end < 0 else np.sort(values)
        values = np.concatenate([values[min(gone, len(values) - 1) :], np.full(gone, end)])
        assert low <= np.sort(values)[(len(values) - 1) // 2] <= high


def test_steady_ballots_say_what_they_cannot_count() -> None:
    with pytest.raises(UsageError, match="rows must be an integer >= 1, got 0"):
        SteadyDials(0)
    with pytest.raises(UsageError, match="rows must be 1,000,000 at most"):
        SteadyDials(2_000_000)
    many = Counts(counts_of([(frozenset([0]), 0)], 1, 2).vocabulary, np.array([[1, 1]]), np.array([10**9, 1]))
    with pytest.raises(UsageError, match="count up to 100,000,000 rows"):
        _ = from_counts(many, SteadyDials(1)).ballots


def test_steady_ballots_lie_in_the_simplex_and_are_silent_for_rare_words() -> None:
    rng = np.random.default_rng(5)
    counts = counts_of(drawn_rows(rng, 300, 40, 3), 40, 3)
    cast = from_counts(counts, SteadyDials(4)).ballots
    assert (cast >= 0).all()
    assert (cast.sum(axis=1) <= UNIT).all()
    assert not cast[counts.holding.sum(axis=1) <= SteadyDials(4).rows].any()


def _case(model: BallotModel, texts: np.ndarray, rows: int) -> BallotCase:
    """The case of texts over the model's words; columns past those are words that no row held."""
    known = len(model.counts.vocabulary)
    places = np.where(np.arange(texts.shape[1]) < known, np.arange(texts.shape[1]), -1)
    ballots = np.concatenate([_cast(model, model.counts), np.zeros((1, model.classes), np.int64)])[places]
    fixed = BallotCase.fixed(texts, ballots)
    return BallotCase(fixed.incidence, ballots, model.bounds_of(places, rows))


def _cast(model: BallotModel, counts: Counts) -> np.ndarray:
    """The ballots, and none for a word that no row holds, as for any word never seen."""
    return np.where(counts.holding.sum(axis=1, keepdims=True) > 0, model.ballots, 0)


def _scores(model: BallotModel, texts: np.ndarray, counts: Counts) -> np.ndarray:
    return np.asarray(texts[:, : len(counts.holding)] @ _cast(model, counts))
