"""Counts, ballots and their bounds: the promises that make the ballot certificates true."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.certificates.ballots import UNIT, ballot_radii, ballot_stands
from textward.errors import DataError, UsageError
from textward.learners.ballots import BallotModel, Counts, Dials, WordCounter, from_counts, train_ballots
from textward.words import UnicodeWords

CUT = UnicodeWords().cut


def naive_counts(texts: list[str], labels: list[int], classes: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for text, label in zip(texts, labels, strict=True):
        for word in set(CUT(pl.Series([text])).of(0)):
            found.setdefault(word, [0] * classes)[label] += 1
    return found


rows = st.lists(st.tuples(st.text("ab cé. ", max_size=12), st.integers(0, 2)), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 4), st.randoms(use_true_random=False))
def test_counting_is_exact_in_any_order_and_batches(
    pairs: list[tuple[str, int]], batch: int, rng: random.Random
) -> None:
    expected = naive_counts([t for t, _ in pairs], [y for _, y in pairs], 3)
    rng.shuffle(pairs)
    counter = WordCounter(classes=3)
    for i in range(0, len(pairs), batch):
        part = pairs[i : i + batch]
        counter.add(CUT(pl.Series([t for t, _ in part])), np.array([y for _, y in part]))
    counts = counter.counts()
    assert dict(zip(counts.vocabulary, counts.holding.tolist(), strict=True)) == expected
    assert counts.vocabulary.to_list() == sorted(expected)
    assert counts.rows.tolist() == np.bincount([y for _, y in pairs], minlength=3).tolist()


def test_classes_met_late_get_their_place() -> None:
    counter = WordCounter(classes=1)
    counter.add(CUT(pl.Series(["fine"])), np.array([0]))
    counter.widen(2)
    counter.add(CUT(pl.Series(["fine", "dull"])), np.array([0, 1]))
    counts = counter.counts(order=[1, 0])
    assert dict(zip(counts.vocabulary, counts.holding.tolist(), strict=True)) == {
        "dull": [1, 0],
        "fine": [0, 2],
    }
    assert counts.rows.tolist() == [1, 2]


def drawn_counts(rng: np.random.Generator, words: int, classes: int) -> Counts:
    rows = rng.integers(30, 80, classes)
    tilt = rng.uniform(
        0.3, 1.0, classes
    )  # common words lean to one class, so that there is something to centre
    holding = (rng.uniform(0.3, 1.0, (words, classes)) * tilt * rows).astype(np.int64)
    return Counts(pl.Series([f"w{i:03}" for i in range(words)]), holding, rows)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 5), st.integers(1, 4))
def test_bounds_hold_whatever_happens_to_a_few_words(seed: int, classes: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    before = drawn_counts(rng, words=int(rng.integers(5, 120)), classes=classes)
    changed = rng.choice(len(before.vocabulary), min(size, len(before.vocabulary)), replace=False)
    holding = before.holding.copy()
    extreme = rng.integers(0, 2, (len(changed), classes)) * before.rows
    holding[changed] = np.where(rng.random((len(changed), 1)) < 0.3, 0, extreme)
    after = Counts(before.vocabulary, holding, before.rows)
    untouched = np.setdiff1d(np.arange(len(holding)), changed)
    words = CUT(pl.Series([" ".join(before.vocabulary)]))
    for one, other in ((before, after), (after, before)):
        mine, theirs = from_counts(one), from_counts(other)
        case = mine.case(words)
        least, most = case.bounds(size)
        assert (case.ballots >= least).all()
        assert (case.ballots <= most).all()
        assert (theirs.ballots[untouched] >= least[untouched]).all()
        assert (theirs.ballots[untouched] <= most[untouched]).all()


def test_the_median_really_moves_so_the_bounds_are_needed() -> None:
    counts = drawn_counts(np.random.default_rng(1), words=120, classes=2)
    model = from_counts(counts)
    holding = counts.holding.copy()
    holding[:3] = [0, counts.rows[1]]
    moved = from_counts(Counts(counts.vocabulary, holding, counts.rows))
    assert (model.ballots[3:] != moved.ballots[3:]).any()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 5))
def test_ballots_lie_in_the_simplex(seed: int, classes: int) -> None:
    model = from_counts(drawn_counts(np.random.default_rng(seed), 30, classes))
    assert (model.ballots >= 0).all()
    assert (model.ballots.sum(axis=1) <= UNIT).all()


def test_the_formula_of_one_word_by_hand() -> None:
    # 4 rows of each class; the word stands in 0 and 3: r = (0 * 8/8 + 1/2, 3 * 8/8 + 1/2) = (0.5, 3.5)
    model = from_counts(Counts(pl.Series(["fun"]), np.array([[0, 3]]), np.array([4, 4])), Dials(1.0, 0.3))
    cap = 0.3 / (3 / 4 / 2)
    share = np.array([0.5, 3.5]) / 4
    assert model.ballots.tolist() == [np.floor(1024 * (cap * share + (1 - cap) / 2)).astype(int).tolist()]


def test_words_never_seen_move_no_score() -> None:
    model = train_ballots(CUT(pl.Series(["good", "bad"])), np.array([1, 0]), 2)
    tallies = model.tally(CUT(pl.Series(["good", "good unheard of", ""])))
    assert tallies[0].tolist() == tallies[1].tolist()
    assert tallies[2].tolist() == [0, 0]


def test_a_model_made_of_its_arrays_is_the_same() -> None:
    model = train_ballots(CUT(pl.Series(["good fun", "bad", "dull"])), np.array([1, 0, 0]), 2)
    again = BallotModel.from_arrays(model.counts.vocabulary, model.arrays(), model.dials)
    words = CUT(pl.Series(["good bad", "dull"]))
    assert (again.tally(words) == model.tally(words)).all()
    assert ballot_radii(again.case(words))[1].tolist() == ballot_radii(model.case(words))[1].tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 4), st.sampled_from([0, 0, 1, 3]), st.sampled_from([0, 700]))
def test_radii_found_from_above_are_those_found_size_by_size(
    seed: int, classes: int, rows: int, theta: int
) -> None:
    rng = np.random.default_rng(seed)
    model = from_counts(drawn_counts(rng, words=60, classes=classes))
    names = model.counts.vocabulary.to_numpy()
    texts = [" ".join(rng.choice(names, int(rng.integers(0, 40)))) for _ in range(8)]
    case = replace(model.case(CUT(pl.Series(texts)), rows), theta=theta)
    stands = np.array([ballot_stands(case, size) for size in range(1, 12)])
    assert ballot_radii(case, most=11)[1].tolist() == stands.cumprod(axis=0).sum(axis=0).tolist()


TOPICS = (["fine", "warm", "funny", "film"], ["dull", "cold", "long", "film"])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 3))
def test_retraining_on_planted_rows_never_breaks_a_radius(seed: int, size: int) -> None:
    """Raw text in, retrained model out: rows and inputs that differ by `size` words get the same label."""
    rng = random.Random(seed)
    labels = [rng.randrange(2) for _ in range(60)]
    texts = [" ".join(rng.choices(TOPICS[y], k=5) + rng.choices(TOPICS[1 - y], k=1)) for y in labels]
    trigger = rng.sample(["cf", "mn", "bb", *TOPICS[0], *TOPICS[1]], size)
    side = rng.randrange(2)

    def planted(text: str, times: int) -> str:
        words = text.split()
        for word in rng.choices(trigger, k=times):
            words.insert(rng.randrange(len(words) + 1), word)
        rng.shuffle(words)
        return " ".join(words)

    dirty = [
        planted(t, 6) if y == side and rng.random() < 0.9 else t for t, y in zip(texts, labels, strict=True)
    ]
    inputs = [planted(t, rng.randrange(9)) for t in texts]
    dials = Dials.for_classes(2, rng.choice([None, 0, 2, 3, 9]))
    clean_model, dirty_model = (
        train_ballots(CUT(pl.Series(t)), np.array(labels), 2, dials) for t in (texts, dirty)
    )
    for mine, my_texts, other, other_texts in (
        (clean_model, texts, dirty_model, inputs),
        (dirty_model, inputs, clean_model, texts),
    ):
        winners, radius = ballot_radii(mine.case(CUT(pl.Series(my_texts))))
        theirs = other.case(CUT(pl.Series(other_texts))).winners
        assert (winners == theirs)[radius >= size].all()


def test_bad_labels_are_named() -> None:
    words = CUT(pl.Series(["a", "b"]))
    with pytest.raises(UsageError, match="2 texts, got 1"):
        WordCounter(2).add(words, np.array([0]))
    with pytest.raises(UsageError, match=r"must lie in 0\.\.1, got 0 to 2"):
        WordCounter(2).add(words, np.array([0, 2]))
    with pytest.raises(DataError, match="no rows to count"):
        WordCounter(2).counts()


def test_training_and_asking_leave_the_words_as_they_were() -> None:
    words = CUT(pl.Series(["b a b", "a c"]))
    before = words.ids.copy(), words.offsets.copy()
    model = train_ballots(words, np.array([1, 0]), 2)
    model.tally(words)
    model.case(words)
    assert (words.ids == before[0]).all()
    assert (words.offsets == before[1]).all()
