from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
import votes_adversary as adversary
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.certificates import (
    Figure,
    JointCount,
    Limits,
    clopper_pearson,
    from_counts,
    joint_table,
    populations,
    votes_accuracy,
)
from textward.certificates.accuracy import balanced_figure, figure
from textward.errors import UsageError

VOTES = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 0, 1], [2, 2, 2]])
LABELS = np.array([0, 0, 0, 1, 1, 2])
NAMES = ["bad", "fair", "good"]


@st.composite
def judged(draw):
    classes = draw(st.integers(2, 4))
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    vote = st.integers(0, classes - 1)
    votes = draw(st.lists(st.lists(vote, min_size=m, max_size=m), min_size=n, max_size=n))
    labels = draw(st.lists(vote, min_size=n, max_size=n))
    target = draw(vote)
    if all(label == target for label in labels):
        target = (target + 1) % classes
    return votes, labels, classes, target


@given(judged(), st.sampled_from(["joint", "individual"]))
@settings(deadline=None)
def test_each_figure_is_the_share_an_adversary_leaves(drawn, method):
    votes, labels, classes, target = drawn
    names = [f"class {c}" for c in range(classes)]
    sizes = range(len(votes[0]) + 2)
    found = votes_accuracy(np.array(votes), np.array(labels), names, sizes, method, names[target])

    def share(size, inside):
        rows = [(tuple(row), y) for row, y in zip(votes, labels, strict=True) if inside(y)]
        texts, gold = [row for row, _ in rows], [y for _, y in rows]
        if method == "joint":
            return Fraction(adversary.joint(texts, gold, classes, len(votes[0]), size), len(rows))
        stand = sum(
            all(adversary.outcomes(row, classes, g) == {y} for g in adversary.sets_of(len(row), size))
            for row, y in rows
        )
        return Fraction(stand, len(rows))

    for at, size in enumerate(sizes):
        assert found.all[at] == float(share(size, lambda _: True))
        assert found.non_target[at] == float(share(size, lambda y: y != target))
        mine = {c: share(size, lambda y, c=c: y == c) for c in sorted(set(labels))}
        assert {name: shares[at] for name, shares in found.per_class.items()} == {
            names[c]: float(one) for c, one in mine.items()
        }
        assert found.balanced[at] == float(sum(mine.values()) / len(mine))
    assert all(all(one.exact) for one in [*found.figures.values(), *found.class_figures.values()])


def test_what_is_said_about_the_test_set():
    found = votes_accuracy(VOTES, LABELS, NAMES, iter([0, 2]), target="good")
    assert (found.method, found.n, found.classes) == ("joint", 6, ("bad", "fair", "good"))
    assert (found.target, found.trigger_sizes) == ("good", (0, 2))
    assert found.all == (1.0, 0.0)
    counts = {key: one.n for key, one in (found.figures | found.class_figures).items()}
    assert counts == {"all": 6, "non_target": 5, "balanced": 6, "bad": 3, "fair": 2, "good": 1}


def test_without_a_target_there_is_no_non_target_figure():
    found = votes_accuracy(VOTES, LABELS, NAMES, [1])
    assert found.target is found.non_target is None
    assert found.as_dict()["non_target"] is None


def test_a_class_without_texts_has_no_figure_and_does_not_count():
    found = votes_accuracy(VOTES[:3], LABELS[:3], NAMES, [0, 1], target="good")
    assert found.per_class == {"bad": found.all}
    assert found.balanced == found.all == found.non_target


def test_balanced_weighs_classes_alike_and_each_meets_its_own_worst_trigger():
    votes = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 1], [1, 0, 1]])
    labels = np.array([0, 0, 0, 1])
    found = votes_accuracy(votes, labels, [0, 1], [0, 1])
    assert found.balanced == (1.0, 0.0)
    votes = np.array([[0, 0, 1, 2], [2, 2, 1, 1]])  # fall to either of the first, of the last two groups
    found = votes_accuracy(votes, np.array([0, 1]), [0, 1, 2], [1])
    assert (found.all, found.balanced) == ((0.5,), (0.0,))


def test_intervals_are_clopper_pearson_and_jointly_so_for_the_balanced_figure():
    found = votes_accuracy(VOTES, LABELS, NAMES, [1], target="good")
    assert found.figures["all"].intervals == (clopper_pearson(round(6 * found.all[0]), 6),)
    each = {
        name: clopper_pearson(round(one.n * one.shares[0]), one.n, 1 - 0.05 / 3)
        for name, one in found.class_figures.items()
    }
    low, high = found.figures["balanced"].intervals[0]
    assert low == pytest.approx(sum(ends[0] for ends in each.values()) / 3)
    assert high == pytest.approx(sum(ends[1] for ends in each.values()) / 3)


def test_the_balanced_interval_covers_at_least_as_often_as_it_says():
    rng = np.random.default_rng(0)
    truth, sizes = (0.9, 0.5, 0.2), (30, 60, 10)
    draws = [rng.binomial(n, p, 300).tolist() for n, p in zip(sizes, truth, strict=True)]
    covered = 0
    for hits in zip(*draws, strict=True):
        counts = [[JointCount(n, k, True, (), k)] for n, k in zip(sizes, hits, strict=True)]
        low, high = balanced_figure(counts).intervals[0]
        covered += low <= sum(truth) / 3 <= high
    assert covered >= 0.95 * 300


def test_a_bound_is_shown_with_the_attack_above_it():
    open_count = JointCount(texts=10, survivors=4, exact=False, attack=(1, 2), attack_survivors=6)
    closed = JointCount(texts=5, survivors=5, exact=True, attack=(0, 1), attack_survivors=5)
    one = figure([open_count])
    assert (one.shares, one.exact, one.best_attack) == ((0.4,), (False,), (0.6,))
    assert one.intervals == ((clopper_pearson(4, 10)[0], clopper_pearson(6, 10)[1]),)
    mean = balanced_figure([[open_count], [closed]])
    assert (mean.n, mean.shares, mean.exact, mean.best_attack) == (15, (0.7,), (False,), (0.8,))


def test_limits_reach_the_search():
    rng = np.random.default_rng(0)
    votes = np.where(rng.random((80, 9)) < 0.8, 0, rng.integers(0, 3, (80, 9)))
    cut = votes_accuracy(votes, np.zeros(80, int), [0, 1, 2], [3], limits=Limits(cells=0, nodes=1))
    whole = votes_accuracy(votes, np.zeros(80, int), [0, 1, 2], [3])
    assert not cut.figures["all"].exact[0]
    assert cut.all[0] < whole.all[0] <= cut.figures["all"].best_attack[0]


def test_counts_of_another_method_need_not_be_over_groups():
    labels = np.array([0, 1, 1])
    row = [JointCount(k, k, True, (17, 23_456), k) for k in populations(labels, 2).sum(axis=0).tolist()]
    assert from_counts("joint", [0, 1], None, [2], labels, [row]).balanced == (1.0,)


def test_json_takes_it_even_where_the_classes_are_numpy_s():
    found = votes_accuracy(VOTES, LABELS, np.array([3, 5, 9]), np.arange(2), target=np.int64(9))
    assert (found.classes, found.target, found.trigger_sizes) == ((3, 5, 9), 9, (0, 1))
    text = json.dumps([found.as_dict(), found.classes, found.target, found.trigger_sizes, found.n])
    assert json.loads(text)[0] == found.as_dict()


def test_the_dictionary_has_the_shares_and_the_same_shape_for_what_is_known_of_them():
    one = votes_accuracy(VOTES, LABELS, NAMES, [0, 1], target="good").as_dict()
    assert one["all"] == [1.0, 0.5]
    assert one["per_class"] == {"bad": [1.0, 1 / 3], "fair": [1.0, 0.5], "good": [1.0, 1.0]}
    shape = {"all", "balanced", "non_target", "per_class"}
    assert set(one) == shape | {"texts", "intervals", "exact", "best_attack"}
    for key in ("texts", "intervals", "exact", "best_attack"):
        assert set(one[key]) == shape
        assert list(one[key]["per_class"]) == NAMES
    assert one["texts"]["per_class"] == {"bad": 3, "fair": 2, "good": 1}
    assert one["exact"]["non_target"] == [True, True]
    assert one["best_attack"]["all"] == one["all"]


def test_populations_are_all_then_non_target_then_each_class():
    assert populations(np.array([0, 2]), 3, target=0).tolist() == [
        [True, False, True, False, False],
        [True, True, False, False, True],
    ]
    table = joint_table(VOTES, LABELS, 3, [0], populations(LABELS, 3))
    assert [count.texts for count in table[0]] == [6, 3, 2, 1]


def certify(votes=VOTES, labels=LABELS, names=NAMES, sizes=(1,), method="joint", target=None):
    return votes_accuracy(votes, labels, names, sizes, method, target)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "one_model"}, "by method 'individual' or 'joint', got 'one_model'"),
        ({"target": "Good"}, "target must be one of the classes 'bad', 'fair', 'good', got 'Good'"),
        ({"target": 2}, "target must be one of the classes"),
        ({"target": "x\x1b[31m"}, r"got 'x\\x1b\[31m'"),
        ({"sizes": []}, "trigger_sizes must hold at least one size, got none"),
        ({"sizes": [1, -1]}, "size must be an integer >= 0, got -1"),
        ({"sizes": [0.5]}, "size must be an integer >= 0, got 0.5"),
        ({"names": ["bad"]}, "classes must be an integer >= 2, got 1"),
        ({"names": ["bad", "fair"]}, "labels must lie in 0..1 for 2 classes, got values from 0 to 2"),
        ({"votes": VOTES[:2]}, r"labels must be one per text: 2 texts, got shape \(6,\)"),
        ({"votes": VOTES[:0], "labels": LABELS[:0]}, "needs at least one, got none"),
        ({"labels": LABELS[:, None]}, r"labels must be one per text: 6 texts, got shape \(6, 1\)"),
        ({"labels": np.full(6, 2), "target": "good"}, "all 6 texts are of the target class, so there is no"),
    ],
)
def test_what_cannot_be_certified(arguments, message):
    with pytest.raises(UsageError, match=message):
        certify(**arguments)


def test_counts_of_other_texts_are_refused():
    row = joint_table(VOTES, LABELS, 3, [0], populations(LABELS, 3))[0]
    with pytest.raises(UsageError, match=r"1 rows over \[6, 3, 2, 1\] texts"):
        from_counts("joint", NAMES, None, [0], LABELS, [row[1:]])
    with pytest.raises(UsageError, match="trigger sizes x populations"):
        from_counts("joint", NAMES, None, [0, 1], LABELS, [row])


def test_a_figure_of_no_texts_is_refused():
    with pytest.raises(UsageError, match="needs at least one text, got none"):
        figure([JointCount(0, 0, True, (), 0)])


def test_a_method_may_leave_figures_out():
    one = Figure(n=2, shares=(0.5,), intervals=((0.1, 0.9),), exact=(True,), best_attack=(0.5,))
    found = certify()
    bare = type(found)("one_model", 2, (0, 1), 1, (1,), {"all": one, "balanced": one}, {})
    assert (bare.non_target, bare.per_class) == (None, {})
    assert bare.as_dict()["intervals"] == {
        "all": [[0.1, 0.9]],
        "balanced": [[0.1, 0.9]],
        "non_target": None,
        "per_class": {},
    }
