"""The worst case against a trained TextGuard: what can be planned with full knowledge of it, and tried."""

from __future__ import annotations

import numpy as np
import polars as pl
from sklearn.base import clone

from textward.attacks.ballots import BallotPlanner
from textward.attacks.planners import GreedyPlanner, GroupPlanner, Planner
from textward.attacks.worst import WorstCase, worst_case
from textward.estimator import MeasuredVoters, TextGuard
from textward.estimator.voters import BallotVoters, HashedVoters
from textward.groups import HashGroups


def planners_of(guard: TextGuard) -> list[Planner]:
    """Planners that know this model.

    >>> guard = TextGuard(groups=3).fit(["good", "dull"], [1, 0])
    >>> [type(planner).__name__ for planner in planners_of(guard)]
    ['GroupPlanner', 'GreedyPlanner']
    """
    voters, cutter = guard.model_.voters, guard.model_.cutter
    greedy = GreedyPlanner(guard.model_.winners, candidates=20, cutter=cutter)
    if isinstance(voters, BallotVoters):
        theta = 0 if voters.cascade is None else voters.cascade.theta
        return [BallotPlanner(voters.model, cutter=cutter, theta=theta), greedy]
    if isinstance(voters, MeasuredVoters):
        return [greedy]
    return [group_planner(guard, voters), greedy]


def group_planner(guard: TextGuard, voters: HashedVoters) -> GroupPlanner:
    """The planner that knows which base models each word touches.

    >>> guard = TextGuard(groups="fano").fit(["good", "dull"], [1, 0])
    >>> group_planner(guard, guard.model_.voters).touched.shape
    (7, 7)
    """
    groups, cutter = voters.groups, guard.model_.cutter
    if isinstance(groups, HashGroups) and voters.row_groups is None:
        return GroupPlanner(groups, guard.votes, voters.classes, cutter)
    buckets = groups if isinstance(groups, HashGroups) else groups.buckets
    return GroupPlanner(buckets, guard.votes, voters.classes, cutter, voters.reach().words)


def worst_trigger(
    guard: TextGuard, texts: pl.Series, labels: pl.Series, *, size: int, target: int | str, seed: int = 0
) -> WorstCase:
    """The planned trigger that turns most of these rows when models like this one are trained with it.

    >>> texts = pl.Series(["good fun", "dull film", "fun", "a bore"] * 5)
    >>> labels = pl.Series(["1", "0"] * 10)
    >>> guard = TextGuard(groups=3).fit(texts, labels)
    >>> len(worst_trigger(guard, texts, labels, size=1, target="1").words)
    1
    """
    rows = texts, np.array(labels.to_list())
    tried = worst_case(
        lambda texts, labels: clone(guard).fit(texts, labels),
        rows, rows, planners_of(guard), size=size, target=target, seed=seed,
    )  # fmt: skip
    return tried[0].attack
