"""Ballots that borrow from neighbours: what corrupted words can do to others, by retraining."""

from __future__ import annotations

from functools import partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from textward import TextGuard, load
from textward.certificates.ballots import BallotCase, ballot_joint_table, ballot_radii
from textward.errors import DataError, ModelError, UsageError
from textward.learners.ballots import Counts, Dials, LendingDials, Neighbours, from_counts
from textward.learners.ballots.lending import LendingFormula, steepest
from textward.persistence.config import LendingConfig
from textward.persistence.parts import TENSORS, _list, _lists
from textward.persistence.tensors import Tensors, write_tensors

LETTERS = "abcdefgh"


def random_list(rng: np.random.Generator, words: int = 6, near: int = 3) -> Neighbours:
    """A list over the first letters, with heavy and missing neighbours."""
    nearest = np.stack([rng.permutation(np.delete(np.arange(words), w))[:near] for w in range(words)])
    weights = rng.choice([0, 300, 1024], (words, near), p=[0.2, 0.4, 0.4])
    return Neighbours(pl.Series(list(LETTERS[:words])), nearest, weights)


def random_counts(rng: np.random.Generator, classes: int, many: bool) -> Counts:
    """Counts of some letters, few of them common unless `many`."""
    words = np.sort(rng.permutation(len(LETTERS))[: rng.integers(3, len(LETTERS) + 1)])
    rows = rng.integers(30, 60, classes)
    top = 30 if many else 4
    return Counts(pl.Series([LETTERS[w] for w in words]), rng.integers(0, top, (len(words), classes)), rows)


def corruptions(rng: np.random.Generator, counts: Counts, words: tuple[int, ...]) -> list[Counts]:
    """Other counts of some words: at random, all for one class, and gone."""
    found = []
    for kind in range(2 * len(counts.rows) + 4):
        holding = counts.holding.copy()
        for word in words:
            if kind < len(counts.rows):
                holding[word] = np.where(np.arange(len(counts.rows)) == kind, counts.rows, 0)
            elif kind < 2 * len(counts.rows):
                holding[word] = np.where(np.arange(len(counts.rows)) == kind - len(counts.rows), 1, 0)
            elif kind % 4:
                holding[word] = rng.integers(0, rng.choice([2, 5, 30]), len(counts.rows))
            else:
                holding[word] = 0
        found.append(counts.holding_instead(holding))
    return found


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([1.0, 3.0, 12.0]),
)
def test_no_corruption_takes_more_from_a_lead_than_its_echo(
    seed: int, classes: int, size: int, many: bool, sharpness: float
) -> None:
    rng = np.random.default_rng(seed)
    near = random_list(rng)
    counts = near.extended(random_counts(rng, classes, many))
    lending = LendingDials(Dials(sharpness, 0.2), near)
    formula = LendingFormula(counts, lending)
    places = np.arange(len(counts.vocabulary))
    least, most = formula.bounds_of(places, 0)(size)
    echoes = {
        (y, c): formula.echoes(places, size, y, c).toarray()
        for y, c in product(range(classes), repeat=2)
        if y != c
    }
    for chosen in list(combinations(places.tolist(), size))[:20]:
        others = np.setdiff1d(places, chosen)
        for corrupted in corruptions(rng, counts, chosen):
            now = LendingFormula(corrupted, lending).ballots
            for (y, c), echo in echoes.items():
                lead = least[:, y] - most[:, c] - echo[:, list(chosen)].sum(axis=1)
                assert (now[others, y] - now[others, c] >= lead[others]).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 2))
def test_no_retraining_breaks_a_radius_or_the_joint_count(seed: int, classes: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    near = random_list(rng)
    counts = random_counts(rng, classes, many=False)
    lending = LendingDials(Dials(12.0, 0.5), near)
    model = from_counts(counts, lending)
    vocabulary = model.counts.vocabulary
    incidence = rng.random((6, len(vocabulary))) < 0.5
    case = _case(model.formula, incidence)
    winners = case.winners
    joint = ballot_joint_table(case, winners, [size])[0][0]
    radius = ballot_radii(case, size)[1]
    for chosen in list(combinations(range(len(vocabulary)), size))[:25]:
        clean = model.counts
        for corrupted in corruptions(rng, clean, chosen):
            ballots = LendingFormula(corrupted, lending).ballots
            fell = np.zeros(len(incidence), dtype=np.bool_)
            for there in product([False, True], repeat=size):
                texts = incidence.copy()
                texts[:, chosen] = there
                labels = (texts.astype(np.int64) @ ballots).argmax(axis=1)
                fell |= labels != winners
            assert not fell[radius >= size].any()
            assert (~fell).sum() >= joint.survivors


def _case(formula: object, incidence: np.ndarray) -> BallotCase:
    assert isinstance(formula, LendingFormula)
    places = np.arange(incidence.shape[1])
    return BallotCase(
        sparse.csr_array(incidence.astype(np.int64)),
        formula.ballots,
        formula.bounds_of(places, 0),
        echoes=partial(formula.echoes, places),
    )


def test_the_steepest_drop_is_never_less_than_any() -> None:
    rng = np.random.default_rng(0)
    start, most = rng.normal(0, 5, 300), np.exp(rng.normal(0, 2, 300))
    falls = most[:, None] * np.linspace(0, 1, 2_001)[1:]
    means = (np.tanh(start[:, None] / 2) - np.tanh((start[:, None] - falls) / 2)) / falls
    found = steepest(start, most)
    assert (found >= means.max(axis=1) - 1e-9).all()  # the arithmetic's own rounding
    assert found == pytest.approx(means.max(axis=1), abs=1e-2)


def test_a_word_in_no_row_speaks_as_its_neighbours_do(tmp_path: Path) -> None:
    near = Neighbours(pl.Series(["great", "good"]), np.array([[1], [0]]), np.array([[1024], [1024]]))
    texts, labels = ["good fun", "good", "dull", "bad"] * 4, [1, 1, 0, 0] * 4
    guard = TextGuard("words", neighbours=near).fit(texts, labels)
    assert guard.predict(["great"]).tolist() == [1]
    assert TextGuard("words").fit(texts, labels).predict(["great"]).tolist() == [0]
    assert "depend on no training row" in " ".join(guard.assumptions())
    assert guard.certify(["good fun", "great"]).radius.tolist() == [0, 0]
    assert guard.certified_accuracy(["good", "dull"], [1, 0], [0, 1]).all[0] == 1.0
    near.write(tmp_path / "near.parquet")
    again = TextGuard("words", neighbours=tmp_path / "near.parquet").fit_batches([(texts, labels)])
    assert (again.model_.voters.model.ballots == guard.model_.voters.model.ballots).all()
    guard.save(tmp_path / "model")
    back = load(tmp_path / "model")
    assert back.neighbours.digest == near.digest
    assert (back.certify(["good fun", "great"]).tally == guard.certify(["good fun", "great"]).tally).all()
    with pytest.raises(UsageError, match="rows=1 is not for ballots that borrow"):
        guard.certify(["good"], rows=1)


def test_a_saved_list_that_is_another_is_refused(tmp_path: Path) -> None:
    near = Neighbours(pl.Series(["a", "b"]), np.array([[1], [0]]), np.array([[9], [9]]))
    arrays = _lists(LendingDials(Dials(8.0, 0.1), near))
    write_tensors(tmp_path / TENSORS, arrays)
    config = LendingConfig(sharpness=8.0, cap=0.1, neighbours="other")
    with pytest.raises(ModelError, match="not the one that"):
        _list(config, Tensors(tmp_path / TENSORS))
    write_tensors(tmp_path / TENSORS, arrays | {"nearest": np.array([[0], [0]], np.int32)})
    with pytest.raises(ModelError, match="as its own"):
        _list(config, Tensors(tmp_path / TENSORS))


@pytest.mark.parametrize(
    ("words", "nearest", "weights", "problem"),
    [
        (["a", "b"], [[1]], [[1]], "as many"),
        (["a", "a"], [[1], [0]], [[1], [1]], "twice, or none"),
        (["a", "b"], [[2], [0]], [[1], [1]], "not in it"),
        (["a", "b"], [[1], [0]], [[1], [2000]], "outside 0..1024"),
        (["a", "b"], [[1, 1], [0, 0]], [[1, 1], [1, 0]], "neighbour twice"),
        (["a", "b"], [[0], [0]], [[1], [1]], "as its own"),
        (["a", "b"], [[0] * 257] * 2, [[0] * 257] * 2, "more than 256"),
    ],
)
def test_a_list_that_is_none_says_why(
    words: list[str], nearest: list[list[int]], weights: list[list[int]], problem: str
) -> None:
    with pytest.raises(DataError, match=problem):
        Neighbours(pl.Series(words), np.array(nearest), np.array(weights))


def test_arguments_that_cannot_be_say_why(tmp_path: Path) -> None:
    rows = ["a", "b"], [0, 1]
    near = Neighbours(pl.Series(["a", "b"]), np.array([[1], [0]]), np.array([[9], [9]]))
    (tmp_path / "no.parquet").write_text("no")
    for made, error, match in (
        (TextGuard(3, neighbours=near), UsageError, "for ballots"),
        (TextGuard("words", rows=1, neighbours=near), UsageError, "leave one of the two out"),
        (TextGuard("words", neighbours=3), UsageError, "got 3"),
        (TextGuard("words", neighbours=tmp_path / "no.parquet"), DataError, "is no list of neighbours"),
    ):
        with pytest.raises(error, match=match):
            made.fit(*rows)
    with pytest.raises(UsageError, match=r"nearest must lie in 1\.\.1, got 2"):
        Neighbours.of_vectors(pl.Series(["a", "b"]), np.eye(2), nearest=2)
