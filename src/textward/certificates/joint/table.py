"""The face of the joint certificate: votes and labels -> counts of survivors."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from textward.certificates.joint.counts import DEFAULT_LIMITS, JointCount, Limits
from textward.certificates.joint.enumeration import Kill, enumerate_sets, one_thread
from textward.certificates.joint.folding import Folded, fold
from textward.certificates.joint.game import Game, live_game
from textward.certificates.joint.lattice import by_lattice, lattice_pays
from textward.certificates.joint.search import LEAF_CELLS, greedy, search
from textward.certificates.votes import BoolArray, IntArray, check_labels, check_size, check_votes
from textward.errors import UsageError


def joint_certified(votes: IntArray, labels: IntArray, classes: int, size: int) -> float:
    """Certify a share of right texts, whichever `size` groups an attacker corrupts, the same for all texts.

    One group fells two of these three texts; no group fells the third with them.

    >>> votes = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    >>> joint_certified(votes, np.array([0, 0, 0]), classes=2, size=1)
    0.3333333333333333
    """
    return joint_survivors(votes, labels, classes, size).share


def joint_survivors(
    votes: IntArray, labels: IntArray, classes: int, size: int, *, limits: Limits = DEFAULT_LIMITS
) -> JointCount:
    """Count the texts that are right and survive the worst `size` corrupted groups.

    >>> votes = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    >>> joint_survivors(votes, np.array([0, 0, 0]), classes=2, size=1)
    JointCount(texts=3, survivors=1, exact=True, attack=(0,), attack_survivors=1)
    """
    return joint_table(votes, labels, classes, [size], limits=limits)[0][0]


def joint_table(
    votes: IntArray,
    labels: IntArray,
    classes: int,
    sizes: Sequence[int],
    populations: BoolArray | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[tuple[JointCount, ...], ...]:
    """Count the survivors for several trigger sizes (outer) and several populations of the texts (inner).

    Each population, a column of `populations`, meets its own worst set of groups; the work is shared.

    >>> votes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 0, 1]])
    >>> labels = np.array([0, 0, 1, 1])
    >>> per_class = labels[:, None] == np.arange(2)
    >>> [[count.survivors for count in row] for row in joint_table(votes, labels, 2, [0, 1, 2], per_class)]
    [[2, 2], [1, 1], [0, 0]]
    """
    votes, classes = check_votes(votes, classes)
    labels = check_labels(labels, len(votes), classes)
    wanted = [min(check_size(size), votes.shape[1]) for size in sizes]
    members = _check_populations(populations, len(votes))
    folded = fold(votes, labels, classes, members)
    if lattice_pays(folded, wanted, limits):
        return by_lattice(folded, wanted)
    with one_thread():
        return tuple(_solve(folded, size, limits) for size in wanted)


def _check_populations(populations: BoolArray | None, texts: int) -> BoolArray:
    if populations is None:
        return np.ones((texts, 1), dtype=np.bool_)
    members = np.asarray(populations)
    if members.dtype != np.bool_ or members.ndim != 2 or members.shape[0] != texts:
        found = f"{members.dtype} of shape {members.shape}"
        raise UsageError(f"populations must be bool, texts x populations with {texts} texts, got {found}")
    return members


def _solve(folded: Folded, size: int, limits: Limits) -> tuple[JointCount, ...]:
    kills = _kills(live_game(folded, size), size, limits)
    right = folded.weight.sum(axis=0).tolist()
    return tuple(
        JointCount(texts, total - kill.bound, kill.toll == kill.bound, kill.groups, total - kill.toll)
        for texts, total, kill in zip(folded.texts, right, kills, strict=True)
    )


def _kills(game: Game, size: int, limits: Limits) -> list[Kill]:
    """The worst set of groups for each population."""
    alive = game.weight.sum(axis=0).tolist()
    cells = game.rows * comb(game.groups, size)
    if game.rows and cells <= min(limits.cells, LEAF_CELLS):
        return enumerate_sets(game, size)
    attack = greedy(game, size)
    if game.after(attack)[1].all():  # nothing is left to fall, in any population
        return [Kill(toll, attack, toll) for toll in alive]
    if cells <= limits.cells:
        return enumerate_sets(game, size)
    return [search(game.population(p), size, limits) for p in range(len(alive))]
