from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import combinations, pairwise
from unittest import mock

import numpy as np
import pytest
import votes_adversary as adversary
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.certificates import (
    JointCount,
    Limits,
    individual_certified,
    joint_certified,
    joint_survivors,
    joint_table,
)
from textward.certificates.joint import enumeration, search, table
from textward.certificates.joint.folding import fold
from textward.certificates.joint.game import live_game
from textward.errors import UsageError

MANY = 10**6


@dataclass(frozen=True)
class Path:
    """One way through the solvers, taken whether or not it pays."""

    lattice: bool | None
    limits: Limits
    clueless: bool = False  # starts from the first groups, so that branches and bounds must find the worst

    @contextmanager
    def taken(self):
        with ExitStack() as stack:
            if self.clueless:
                stack.enter_context(mock.patch.object(search, "greedy", lambda _, size: tuple(range(size))))
            if self.lattice is not None:
                forced = mock.patch.object(table, "lattice_pays", lambda *_: self.lattice)
                stack.enter_context(forced)
            if not self.limits.cells:
                barred = mock.Mock(side_effect=AssertionError("nothing may be enumerated"))
                for room in (table, search):
                    stack.enter_context(mock.patch.object(room, "enumerate_sets", barred))
            yield self.limits


PATHS = {
    "usual": Path(None, Limits()),
    "lattice": Path(True, Limits()),
    "enumeration": Path(False, Limits()),
    "search": Path(False, Limits(cells=0, nodes=MANY)),
    "search with leaves": Path(False, Limits(cells=6, nodes=MANY)),
    "clueless search": Path(False, Limits(cells=0, nodes=MANY), clueless=True),
    "clueless search with leaves": Path(False, Limits(cells=20, nodes=MANY), clueless=True),
}


@dataclass(frozen=True)
class Case:
    votes: np.ndarray
    labels: np.ndarray
    classes: int
    populations: np.ndarray

    @property
    def groups(self):
        return self.votes.shape[1]

    def rows(self, p):
        inside = self.populations[:, p]
        return [tuple(row) for row in self.votes[inside].tolist()], self.labels[inside].tolist()

    def solve(self, sizes, limits):
        return joint_table(self.votes, self.labels, self.classes, sizes, self.populations, limits=limits)


@st.composite
def cases(draw, groups=6, classes=5, texts=7):
    m, c = draw(st.integers(1, groups)), draw(st.integers(2, classes))
    n = draw(st.integers(1, texts))
    vote = st.integers(0, c - 1)
    votes = draw(st.lists(st.lists(vote, min_size=m, max_size=m), min_size=n, max_size=n))
    right = [adversary.winner(row, c) for row in votes]
    labels = [draw(st.one_of(st.just(y), vote)) for y in right]
    columns = draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), max_size=2))
    populations = np.array([[True] * n, *columns]).T
    return Case(np.array(votes), np.array(labels), c, populations)


def noisy(seed, texts, groups, classes, skill=0.6):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, texts)
    ease = rng.beta(2 * skill, 2 * (1 - skill), texts)[:, None]
    right = rng.random((texts, groups)) < ease
    votes = np.where(right, labels[:, None], rng.integers(0, classes, (texts, groups)))
    members = np.stack([np.ones(texts, bool), *(labels == c for c in range(classes))], axis=1)
    return Case(votes, labels, classes, members)


def by_the_inequality(case, p, size):
    """Theory, section 2, word for word: for every set of groups, count the texts, and take the least."""
    rows, labels = case.rows(p)
    least = len(rows)
    for corrupted in combinations(range(case.groups), min(size, case.groups)):
        stand = 0
        for votes, label in zip(rows, labels, strict=True):
            m = [votes.count(c) for c in range(case.classes)]
            y = m.index(max(m))
            from_y = sum(votes[j] == y for j in corrupted)
            stand += label == y and all(
                m[y] - from_y >= m[c] + sum(votes[j] != c for j in corrupted) + (y > c)
                for c in range(case.classes)
                if c != y
            )
        least = min(least, stand)
    return least


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@given(case=cases())
@settings(max_examples=80, deadline=None)
def test_no_set_of_groups_leaves_fewer_and_one_leaves_as_few(path, case):
    if path.lattice and case.classes > 2:
        case = Case(case.votes % 2, case.labels % 2, 2, case.populations)
    sizes = range(case.groups + 2)
    with path.taken() as limits:
        found = case.solve(sizes, limits)
    for size, row in zip(sizes, found, strict=True):
        for p, count in enumerate(row):
            rows, labels = case.rows(p)
            truth = adversary.joint(rows, labels, case.classes, case.groups, size)
            assert (count.texts, count.survivors, count.exact) == (len(rows), truth, True)
            check_attack(case, p, size, count)


def check_attack(case, p, size, count):
    """The attack is a set of groups of the size, and what it leaves is counted again."""
    rows, labels = case.rows(p)
    assert len(count.attack) == min(size, case.groups)
    assert list(count.attack) == sorted({*count.attack} & {*range(case.groups)})
    assert adversary.survivors(rows, labels, case.classes, count.attack) == count.attack_survivors


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_paper_s_inequality_says_the_same(classes):
    case = noisy(classes, texts=40, groups=8, classes=classes)
    for size, row in enumerate(case.solve(range(9), Limits())):
        assert [count.survivors for count in row] == [
            by_the_inequality(case, p, size) for p in range(classes + 1)
        ]


@pytest.mark.parametrize("nodes", [1, 2, 7, 40])
def test_a_search_cut_short_says_so_and_stays_on_both_sides_of_the_truth(nodes):
    open_gaps = 0
    for seed in range(4):
        case = noisy(seed, texts=30, groups=8, classes=2 + seed % 4)
        with PATHS["clueless search" if seed % 2 else "search"].taken():
            found = case.solve([2, 3, 4], Limits(cells=0, nodes=nodes))
        for size, row in zip([2, 3, 4], found, strict=True):
            for p, count in enumerate(row):
                rows, labels = case.rows(p)
                truth = adversary.joint(rows, labels, case.classes, case.groups, size)
                assert count.survivors <= truth <= count.attack_survivors
                assert count.exact == (count.survivors == count.attack_survivors)
                check_attack(case, p, size, count)
                open_gaps += not count.exact
    assert open_gaps if nodes < 3 else True


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_bound_of_a_search_never_under_counts(classes):
    case = noisy(classes, texts=30, groups=7, classes=classes)
    right = fold(case.votes, case.labels, classes, case.populations[:, :1])
    for size in range(1, 7):
        game = live_game(right, size)
        gains, _ = search._gains(game, size)
        sets = np.array(list(combinations(range(7), size)))
        felled = enumeration.toll_counter(game)(sets)[:, 0]
        assert (gains[sets].sum(axis=1) >= felled * search._UNIT).all()
        alone = [game.keep(np.arange(game.rows) == row) for row in range(game.rows)]
        for one in alone:
            gains, reach = search._gains(one, size)
            fell = enumeration.toll_counter(one)(sets)[:, 0]
            assert (gains[sets].sum(axis=1) >= fell * search._UNIT).all()
            assert reach[0] == fell.any()


@given(case=cases(texts=12))
@settings(deadline=None)
def test_larger_triggers_leave_no_more_and_one_trigger_for_all_leaves_no_fewer_than_one_each(case):
    found = case.solve(range(case.groups + 2), Limits())
    for smaller, larger in pairwise(found):
        assert all(a.survivors >= b.survivors for a, b in zip(smaller, larger, strict=True))
    for size, row in enumerate(found):
        alone = individual_certified(case.votes, case.labels, case.classes, size)
        for p, count in enumerate(row):
            assert count.survivors >= int(alone[case.populations[:, p]].sum())
    clean = [
        sum(adversary.winner(row, case.classes) == y for row, y in zip(*case.rows(p), strict=True))
        for p in range(case.populations.shape[1])
    ]
    assert [count.survivors for count in found[0]] == clean
    assert all(count.survivors == 0 for count in found[case.groups])


@pytest.mark.parametrize(("classes", "groups"), [(2, 12), (3, 11), (5, 10)])
def test_all_solvers_agree_on_larger_tables(classes, groups):
    case = noisy(7, texts=200, groups=groups, classes=classes)
    sizes = [2, 4, groups // 2]
    paths = [path for name, path in PATHS.items() if name != "lattice" or classes == 2]
    paths.append(Path(False, Limits(cells=4_000, nodes=MANY), clueless=True))
    totals = []
    for path in paths:
        with path.taken() as limits:
            totals.append([[(c.survivors, c.exact) for c in row] for row in case.solve(sizes, limits)])
    assert all(total == totals[0] for total in totals)
    assert all(exact for row in totals[0] for _, exact in row)


def test_weights_past_what_float32_holds_are_counted_in_float64():
    case = noisy(3, texts=200, groups=9, classes=3)
    with mock.patch.object(enumeration, "_FLOAT32_EXACT", 1):
        wide = case.solve(range(5), Limits())
    assert wide == case.solve(range(5), Limits())


def test_one_table_is_many_single_counts():
    case = noisy(11, texts=120, groups=9, classes=4)
    rows = case.solve([3, 0, 2, 3], Limits())
    assert rows[0] == rows[3]
    for size, row in zip([3, 0, 2, 3], rows, strict=True):
        whole = joint_survivors(case.votes, case.labels, 4, size)
        assert whole.survivors == row[0].survivors
        assert joint_certified(case.votes, case.labels, 4, size) == whole.survivors / 120
        for c in range(4):
            mine = case.labels == c
            assert (
                joint_survivors(case.votes[mine], case.labels[mine], 4, size).survivors
                == row[1 + c].survivors
            )


def test_twenty_one_groups_and_half_of_them_corrupted():
    case = noisy(1, texts=250, groups=21, classes=3, skill=0.75)
    found = case.solve(range(11), Limits())
    assert all(count.exact for row in found for count in row)
    left = [row[0].survivors for row in found]
    assert left == sorted(left, reverse=True)
    assert left[0] > left[5] > left[10]
    with PATHS["search"].taken() as limits:
        assert joint_survivors(case.votes, case.labels, 3, 4, limits=limits).survivors == left[4]
    check_attack(case, 0, 10, found[10][0])


def test_more_groups_than_any_key_or_lattice_holds():
    case = noisy(5, texts=25, groups=70, classes=2)
    for size, row in zip([1, 2], case.solve([1, 2], Limits()), strict=True):
        assert [count.survivors for count in row] == [by_the_inequality(case, p, size) for p in range(3)]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
def test_any_integers_any_layout_and_nothing_is_written(kind):
    case = noisy(2, texts=80, groups=7, classes=3)
    odd = np.asfortranarray(np.repeat(case.votes, 2, axis=1).astype(kind))[:, ::2]
    labels, members = case.labels.astype(kind), np.asfortranarray(case.populations)
    for array in (odd, labels, members):
        array.flags.writeable = False
    assert joint_table(odd, labels, 3, range(4), members) == case.solve(range(4), Limits())


def test_texts_in_another_order_count_the_same():
    case = noisy(4, texts=90, groups=9, classes=4)
    order = np.random.default_rng(0).permutation(90)
    moved = Case(case.votes[order], case.labels[order], 4, case.populations[order])
    assert moved.solve(range(6), Limits()) == case.solve(range(6), Limits())


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_nothing_right_nobody_there_and_no_sizes(path):
    votes, labels = np.array([[0, 0, 1], [1, 1, 1]]), np.array([1, 0])
    nobody = np.array([[True, False], [True, False]])
    with path.taken() as limits:
        (row,) = joint_table(votes, labels, 2, [2], nobody, limits=limits)
        assert [(c.texts, c.survivors, c.exact, c.attack_survivors) for c in row] == [
            (2, 0, True, 0),
            (0, 0, True, 0),
        ]
        assert joint_table(votes, labels, 2, [], nobody, limits=limits) == ()
        assert joint_table(votes, labels, 2, [1, 2], nobody[:, :0], limits=limits) == ((), ())
    with pytest.raises(UsageError, match="needs at least one text, got none"):
        _ = row[1].share


def test_no_texts_at_all():
    empty = np.zeros((0, 5), dtype=np.int64)
    assert joint_survivors(empty, np.array([], dtype=int), 2, 2).texts == 0
    with pytest.raises(UsageError, match="needs at least one text"):
        joint_certified(empty, np.array([], dtype=int), 2, 2)


def test_a_size_past_the_groups_corrupts_them_all():
    votes = np.zeros((2, 3), dtype=np.int64)
    count = joint_survivors(votes, np.array([0, 0]), 2, 99)
    assert count == JointCount(texts=2, survivors=0, exact=True, attack=(0, 1, 2), attack_survivors=0)


@pytest.mark.parametrize(
    ("populations", "message"),
    [
        (np.ones((2, 1)), r"populations must be bool, texts x populations with 3 texts, got float64"),
        (np.ones((2, 1), dtype=bool), r"got bool of shape \(2, 1\)"),
        (np.ones(3, dtype=bool), r"got bool of shape \(3,\)"),
    ],
)
def test_populations_that_cannot_be(populations, message):
    votes = np.zeros((3, 3), dtype=np.int64)
    with pytest.raises(UsageError, match=message):
        joint_table(votes, np.array([0, 0, 0]), 2, [1], populations)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cells": -1}, "cells must be an integer >= 0, got -1"),
        ({"cells": 1.5}, "cells must be an integer >= 0, got 1.5"),
        ({"nodes": 0}, "nodes must be an integer >= 1, got 0"),
    ],
)
def test_limits_that_cannot_be(arguments, message):
    with pytest.raises(UsageError, match=message):
        Limits(**arguments)


@pytest.mark.parametrize("size", [-1, 1.0, None, True])
def test_sizes_that_cannot_be(size):
    with pytest.raises(UsageError, match="size must be an integer >= 0"):
        joint_survivors(np.array([[0, 0, 1]]), np.array([0]), 2, size)
