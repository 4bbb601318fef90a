"""DPA and Bagging: what their certificates say, against every attacker on toy data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

from textward.defences import Bagging, Dpa, RowAccuracy
from textward.defences.bagging import toll
from textward.errors import DataError, UsageError

UNIVERSE = [(text, label) for text in ("a", "b", "c", "d") for label in (0, 1)]
ASKED = ["a", "b", "z"]


@dataclass(frozen=True)
class Memory:
    """Knows the last label of each text; of others, the label of its first row's neighbour class."""

    def fit(self, texts, labels, classes, seed):
        return Recalled(dict(zip(texts, labels, strict=True)), int(labels[0]), classes)


@dataclass(frozen=True)
class Recalled:
    known: dict
    other: int
    classes: int

    def probabilities(self, texts):
        return np.eye(self.classes)[[self.known.get(text, self.other) for text in texts]]

    def features(self, texts):
        return self.probabilities(texts)


def fitted(rows, **settings):
    texts, labels = zip(*rows, strict=True)
    return Dpa(Memory(), **settings).fit(list(texts), list(labels))


def edits(rows, count):
    """Every set of rows with some of them rewritten in any way."""
    for places in combinations(range(len(rows)), count):
        for new in product(UNIVERSE, repeat=count):
            changed = list(rows)
            for place, row in zip(places, new, strict=True):
                changed[place] = row
            yield changed


def additions_and_removals(rows, count):
    for removed in range(count + 1):
        for gone in combinations(range(len(rows)), removed):
            kept = [row for place, row in enumerate(rows) if place not in gone]
            for new in product(UNIVERSE, repeat=count - removed):
                yield kept + list(new)
                yield list(new) + kept


def both_classes(rows):
    return len({label for _, label in rows}) == 2


ROWS = [("a", 0), ("b", 1), ("c", 0), ("d", 0), ("a", 0), ("b", 1), ("d", 0)]


@pytest.mark.parametrize("by", ["text", "place"])
@pytest.mark.parametrize("partitions", [1, 3, 5, 7])
def test_dpa_no_edit_within_the_radius_changes_a_label(by, partitions):
    dpa = fitted(ROWS, partitions=partitions, by=by)
    labels, radius = dpa.certified_rows(dpa.votes(ASKED), edits=True)
    assert labels.tolist() == dpa.predict(ASKED).tolist()
    for count in (1, 2):
        for changed in edits(ROWS, count):
            if both_classes(changed):
                after = fitted(changed, partitions=partitions, by=by).predict(ASKED)
                assert (after == labels)[radius >= count].all(), changed
    if partitions == 7 and by == "place":
        assert radius.max() == 1


@pytest.mark.parametrize("partitions", [3, 7])
def test_dpa_no_row_more_or_less_within_the_radius_changes_a_label(partitions):
    dpa = fitted(ROWS, partitions=partitions)
    labels, radius = dpa.certified_rows(dpa.votes(ASKED), edits=False)
    for count in (1, 2):
        for changed in additions_and_removals(ROWS, count):
            if both_classes(changed):
                after = fitted(changed, partitions=partitions).predict(ASKED)
                assert (after == labels)[radius >= count].all(), changed
    _, of_edits = dpa.certified_rows(dpa.votes(ASKED), edits=True)
    assert of_edits.tolist() == (radius // 2).tolist()


def test_dpa_by_place_says_nothing_of_rows_that_come_or_go():
    dpa = fitted(ROWS, partitions=3, by="place")
    assert dpa.certified_rows(dpa.votes(ASKED), edits=False)[1].tolist() == [0, 0, 0]


def vote_shares(rows, sample, text):
    """The exact distribution of the label that a sample of the rows, with replacement, learns."""
    votes = Counter(dict(drawn).get(text, drawn[0][1]) for drawn in product(rows, repeat=sample))
    return {label: Fraction(votes[label], len(rows) ** sample) for label in (0, 1)}


@pytest.mark.parametrize(("sample", "most"), [(1, 2), (2, 2), (3, 1)])
def test_bagging_a_lead_above_the_toll_survives_every_edit(sample, most):
    rows = [("a", 0), ("a", 0), ("c", 0), ("d", 0), ("c", 0)] + [("b", 1)] * (sample == 1)
    held = set()
    for text in ("a", "b", "z"):
        shares = vote_shares(rows, sample, text)
        lead = shares[0] - shares[1]
        for count in range(1, most + 1):
            if abs(lead) > toll(len(rows), count, sample, edits=True):
                held.add(count)
                for changed in edits(rows, count):
                    after = vote_shares(changed, sample, text)
                    assert (after[0] - after[1]) * lead > 0, changed
    assert 1 in held


@pytest.mark.parametrize("sample", [1, 2])
def test_bagging_a_lead_above_the_toll_survives_rows_that_come_or_go(sample):
    rows = [("a", 0), ("c", 0), ("d", 0), ("b", 0), ("a", 0), ("c", 1)]
    held = 0
    for text in ("a", "z"):
        shares = vote_shares(rows, sample, text)
        lead = shares[0] - shares[1]
        for count in (1, 2):
            if abs(lead) > toll(len(rows), count, sample, edits=False):
                held += 1
                for changed in additions_and_removals(rows, count):
                    after = vote_shares(changed, sample, text)
                    assert (after[0] - after[1]) * lead > 0, changed
    assert held


@pytest.mark.parametrize(("rows", "n"), [(1, 10), (3, 10), (5, 11)])
def test_the_toll_of_single_rows_is_what_as_many_rows_can_turn(rows, n):
    # With samples of one row the vote is a share of the rows, and each edited row moves the lead by 2 / n.
    assert toll(n, rows, 1, edits=True) == pytest.approx(2 * rows / n)
    assert toll(n, rows, 1, edits=True) >= Fraction(2 * rows, n)


def test_tolls_rise_with_poisoned_rows_and_with_the_sample():
    tolls = np.array(
        [[toll(50, rows, sample, edits) for rows in range(6)] for sample in (1, 5) for edits in (1, 0)]
    )
    assert (np.diff(tolls, axis=1) > 0).all()
    assert (tolls[2:] >= tolls[:2]).all()


def test_bagging_certifies_no_more_than_the_exact_vote_does():
    rows = [("a", 0), ("b", 1), ("c", 0), ("d", 0), ("a", 0), ("c", 0), ("d", 1), ("b", 0)]
    texts, labels = zip(*rows, strict=True)
    bagging = Bagging(Memory(), models=2_000, sample=2).fit(list(texts), list(labels))
    winners, radius = bagging.certified_rows(bagging.votes(ASKED), edits=True)
    for text, winner, most in zip(ASKED, winners, radius, strict=True):
        shares = vote_shares(rows, 2, text)
        lead = float(shares[int(winner)] - shares[1 - int(winner)])
        exact = max((count for count in range(9) if lead > toll(8, count, 2, edits=True)), default=-1)
        assert exact - 1 <= most <= exact


def test_a_vote_too_close_to_call_is_not_certified_at_all():
    bagging = Bagging(Memory(), models=60, sample=1).fit(["a", "b"], [0, 1])
    winners, radius = bagging.certified_rows(bagging.votes(["z"]), edits=True)
    assert radius.tolist() == [-1]
    accuracy = bagging.certified_accuracy(["z"], [int(winners[0])], rows=[0])
    assert accuracy.all == (0.0,)


def test_accuracy_counts_texts_that_are_right_and_certified():
    dpa = fitted(ROWS, partitions=7, by="place")
    labels, radius = dpa.certified_rows(dpa.votes(ASKED), edits=True)
    truth = [int(labels[0]), int(labels[1]), 1 - int(labels[2])]
    found = dpa.certified_accuracy(ASKED, truth, rows=[0, 1, 2, 3, 4], target=1)
    assert isinstance(found, RowAccuracy)
    right = np.array([True, True, False])
    assert found.all == tuple(float((right & (radius >= rows)).mean()) for rows in range(5))
    others = np.array(truth) != 1
    assert found.non_target == tuple(float((right & (radius >= rows))[others].mean()) for rows in range(5))
    assert found.n == 3


def test_what_is_asked_is_judged():
    dpa = fitted(ROWS, partitions=3)
    with pytest.raises(UsageError, match="the target '7' is not a class"):
        dpa.certified_accuracy(["a"], [0], target=7)
    with pytest.raises(DataError, match="was not seen in training"):
        dpa.certified_accuracy(["a"], [4])
    with pytest.raises(UsageError):
        dpa.certified_accuracy(["a"], [0], rows=[-1])
    with pytest.raises(UsageError, match="by must be one of text, place"):
        fitted(ROWS, by="row")
    for wrong in ({"models": 0}, {"sample": 0}, {"error": 0.0}, {"error": 1.0}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            Bagging(**wrong).fit(["a", "b"], [0, 1])
    with pytest.raises(UsageError, match="no learner 'bert'"):
        Dpa("bert").fit(["a", "b"], [0, 1])


def test_linear_models_vote_all_at_once_as_they_do_one_by_one():
    texts = [f"good{i % 9} x{i}" if i % 3 else f"dull{i % 7} y{i}" for i in range(90)]
    labels = [i % 3 for i in range(90)]
    dpa = Dpa(partitions=6).fit(texts, labels)
    asked = [*texts[:20], "", "unseen"]
    one_by_one = [model.probabilities(pl.Series(asked)).argmax(axis=1) for model in dpa.classifier_.models]
    assert dpa.votes(asked).tolist() == np.stack(one_by_one, axis=1).tolist()
