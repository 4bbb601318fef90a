"""Worst-case triggers: they reach what the certificates say they can, and never further."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from textward import TextGuard
from textward.attacks import (
    BallotPlanner,
    GreedyPlanner,
    GroupPlanner,
    WorstCase,
    planners_of,
    worst_case,
)
from textward.certificates.ballots import ballot_joint_table
from textward.certificates.joint import joint_survivors
from textward.certificates.votes import radii
from textward.errors import UsageError
from textward.groups import HashGroups
from textward.learners.ballots import train_ballots
from textward.words import UnicodeWords

CUT = UnicodeWords().cut
GROUPS = HashGroups(5)


def reviews(rows: int, seed: int) -> tuple[pl.Series, np.ndarray]:
    """Texts of two classes whose words lean to their class."""
    rng = np.random.default_rng(seed)
    labels = np.arange(rows) % 2
    leaning = np.linspace(-1, 1, 60)
    texts = []
    for label in labels:
        weight = np.exp(leaning * (2 * label - 1) * 2)
        texts.append(" ".join(f"w{word}" for word in rng.choice(60, size=8, p=weight / weight.sum())))
    return pl.Series(texts), labels


TRAIN, TEST = reviews(400, 1), reviews(120, 2)


@dataclass
class Ballots:
    """A ballot model that predicts from texts."""

    texts: pl.Series
    labels: np.ndarray

    def __post_init__(self) -> None:
        self.model = train_ballots(CUT(self.texts), self.labels, 2)

    def predict(self, texts: pl.Series) -> np.ndarray:
        return self.model.tally(CUT(texts)).argmax(axis=1)


@dataclass
class Groups:
    """In each hash group a naive count of which class its words lean to."""

    texts: pl.Series
    labels: np.ndarray

    def votes(self, texts: pl.Series) -> np.ndarray:
        words = CUT(self.texts)
        rows = words.incidence()
        holding = (
            np.stack([np.asarray(rows[self.labels == c].sum(axis=0)).ravel() for c in (0, 1)], axis=1) + 0.5
        )
        lean = dict(zip(words.vocabulary, np.log(holding[:, 1] / holding[:, 0]), strict=True))
        asked = CUT(texts)
        scores = np.array([lean.get(word, 0.0) for word in asked.vocabulary])
        of = GROUPS.of(asked.vocabulary)
        incidence = asked.incidence()
        return np.stack([incidence @ (scores * (of == j)) > 0 for j in range(GROUPS.m)], axis=1).astype(int)

    def predict(self, texts: pl.Series) -> np.ndarray:
        return radii(self.votes(texts), 2)[0]


@pytest.mark.parametrize("size", [1, 2])
def test_against_ballots_it_comes_close_to_the_certificate_and_never_past_it(size):
    clean = Ballots(*TRAIN)
    planner = BallotPlanner(clean.model)
    tried = worst_case(Ballots, TRAIN, TEST, [planner], size=size, target=1)
    case = clean.model.case(CUT(TEST[0].gather(np.flatnonzero(TEST[1] == 0))))
    counts = ballot_joint_table(case, np.zeros(60, int), [0, size])
    right, survivors = counts[0][0].survivors, counts[1][0].survivors
    assert 0 < tried[0].felled <= right - survivors
    assert tried[0].felled >= 0.5 * (right - survivors)
    assert [assault.felled for assault in tried] == sorted((a.felled for a in tried), reverse=True)


@pytest.mark.parametrize("size", [1, 2])
def test_against_groups_it_reaches_the_certificate_and_never_past_it(size):
    clean = Groups(*TRAIN)
    planners = [GroupPlanner(GROUPS, clean.votes, 2), GreedyPlanner(clean.predict, candidates=5, sample=20)]
    tried = worst_case(Groups, TRAIN, TEST, planners, size=size, target=1, shares=[0.2, 1.0])
    negative = np.flatnonzero(TEST[1] == 0)
    votes = clean.votes(TEST[0].gather(negative))
    labels = np.zeros(len(negative), int)
    right = joint_survivors(votes, labels, 2, 0).survivors
    lost = right - joint_survivors(votes, labels, 2, size).survivors
    assert all(assault.felled <= lost for assault in tried)
    assert tried[0].felled >= 0.7 * lost > 0


def test_against_a_cascade_the_planner_aims_at_the_hand_over():
    guard = TextGuard("words", cascade="linear", theta=0.5).fit(*TRAIN)
    planner = planners_of(guard)[0]
    assert isinstance(planner, BallotPlanner) and planner.theta == 512
    assert all(len(words) == 1 for words in planner.triggers(*TEST, 1, 1))


def test_the_group_planner_names_words_of_the_groups_that_hurt_most():
    votes = np.array([[0, 0, 0, 1, 1]] * 6 + [[1, 1, 0, 0, 0]] * 2)
    texts, labels = pl.Series(["a film"] * 8), np.zeros(8, int)
    attack = joint_survivors(votes, labels, 2, 1).attack
    fresh, common = GroupPlanner(GROUPS, lambda _: votes, 2).triggers(texts, labels, 1, 1)
    for words in (fresh, common):
        assert tuple(GROUPS.of(pl.Series(list(words))).tolist()) == attack


def test_greedy_finds_the_word_that_the_model_obeys():
    def obeys(texts: pl.Series) -> np.ndarray:
        return texts.str.contains(r"\bw9\b").cast(int).to_numpy()

    texts = pl.Series([f"w{i} film" for i in range(20)])
    (words,) = GreedyPlanner(obeys).triggers(texts, obeys(texts) * 0, 1, 1)
    assert words == ("w9",)


def test_a_trigger_of_no_words_is_refused():
    with pytest.raises(UsageError, match="size must be at least 1"):
        worst_case(Ballots, TRAIN, TEST, [], size=0, target=1)
    with pytest.raises(UsageError, match="words must be different"):
        WorstCase(())
