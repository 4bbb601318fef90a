"""Branch and bound over sets of groups: exact where it ends by itself, else a proven bound and an attack."""

from __future__ import annotations

import heapq
from math import comb
from typing import NamedTuple

import numpy as np

from textward.certificates.joint.counts import Limits
from textward.certificates.joint.enumeration import BLOCK_CELLS, Kill, enumerate_sets, toll_counter
from textward.certificates.joint.game import Game
from textward.certificates.votes import BoolArray, CountArray

LEAF_CELLS = 1 << 22  # a branch this small is enumerated rather than split
_UNIT = 1 << 20  # fixed-point one of the fractional bound


class _Branch(NamedTuple):
    """Sets of groups that hold `taken` and `picks` more out of `free`; the least is the next to open."""

    rank: int  # minus a bound on the toll of any of them
    picks: int  # of equal bounds, open the deeper
    taken: tuple[int, ...]
    free: tuple[int, ...]


def search(game: Game, size: int, limits: Limits) -> Kill:
    """The worst set of `size` groups for one population (a game with one column of weights).

    >>> half = Game(3, (np.array([[2, 0, 2]]),), (np.array([3]),), np.array([[7]]))
    >>> search(half, 2, Limits(cells=0))
    Kill(toll=7, groups=(0, 2), bound=7)
    """
    if not game.rows:
        return Kill(0, tuple(range(size)), 0)
    attack = greedy(game, size)
    best = int(game.weight[game.after(attack)[1]].sum())
    heap = [_Branch(-int(game.weight.sum()), size, (), tuple(range(game.groups)))]
    opened = 0
    while heap and -heap[0].rank > best:
        if opened == limits.nodes:
            return Kill(best, attack, -heap[0].rank)
        opened += 1
        toll, found, branches = _open(game, heapq.heappop(heap), min(limits.cells, LEAF_CELLS))
        if toll > best:
            best, attack = toll, tuple(sorted(found))
        for branch in branches:
            if -branch.rank > best:
                heapq.heappush(heap, branch)
    return Kill(best, attack, best)


def _open(game: Game, branch: _Branch, leaf_cells: int) -> tuple[int, tuple[int, ...], list[_Branch]]:
    """Find a good set in the branch and its toll; unless it is the best one there, split the branch."""
    _, picks, taken, free = branch
    left, fallen = game.after(taken)
    down = int(game.weight[fallen].sum())
    left = left.keep(~fallen, free)
    if not (picks and left.rows):
        return down, taken + free[:picks], []
    gains, reach = _gains(left, picks)
    left = left.keep(reach)
    if not left.rows:
        return down, taken + free[:picks], []
    if left.rows * comb(len(free), picks) <= leaf_cells:
        kill = enumerate_sets(left, picks)[0]
        return down + kill.toll, taken + tuple(free[j] for j in kill.groups), []
    order = np.argsort(-gains, kind="stable").tolist()
    toll = down + int(left.weight[left.after(order[:picks])[1]].sum())
    bound = min(-branch.rank, down + int(left.weight.sum()))
    ranked = branch._replace(rank=-bound, free=tuple(free[j] for j in order))
    return toll, taken + ranked.free[:picks], _split(ranked, down, gains[order])


def _split(branch: _Branch, down: int, gains: CountArray) -> list[_Branch]:
    """One branch per group taken next; the groups before it, which gain more, are out.

    A set in it has that group and later ones, so with gains in falling order the next `picks` gains bound it.
    """
    rank, picks, taken, free = branch
    summed = np.concatenate([[0], np.cumsum(gains)])
    bounds = down + (summed[picks:] - summed[:-picks]) // _UNIT
    return [
        _Branch(max(rank, -bound), picks - 1, (*taken, free[i]), free[i + 1 :])
        for i, bound in enumerate(bounds.tolist())
    ]


def _gains(game: Game, picks: int) -> tuple[CountArray, BoolArray]:
    """Each group's fractional gain, in 1/_UNIT of a text, and the rows that `picks` groups can fell.

    A row falls by rival c only if its losses add up to need = slack + 1 or more, so its groups' shares
    min(1, loss / need) add up to 1 or more. Rounded up and summed over rows, the `picks` largest gains bound
    the toll of any set of `picks` groups.
    """
    share = np.zeros((game.rows, game.groups), dtype=np.int64)
    reach = np.zeros(game.rows, dtype=np.bool_)
    for loss, slack in zip(game.loss, game.slack, strict=True):
        twos, ones = (loss == 2).sum(axis=1), (loss == 1).sum(axis=1)
        need = slack + 1 + ((ones == 0) & (slack % 2 == 0))  # twos alone make an even sum
        full = np.minimum(twos, picks)
        able = 2 * full + np.minimum(ones, picks - full) >= need
        part = np.minimum(_UNIT, -(-loss * _UNIT // need[:, None])) * able[:, None]
        some = share[: len(slack)]
        np.maximum(some, part, out=some)
        reach[: len(slack)] |= able
    return game.weight.sum(axis=1) @ share, reach


def greedy(game: Game, size: int) -> tuple[int, ...]:
    """A good set of groups: best fractional gain one by one, then swaps while they help.

    >>> greedy(Game(3, (np.array([[2, 0, 2]]),), (np.array([3]),), np.array([[7]])), 2)
    (0, 2)
    """
    attack: list[int] = []
    for picks in range(size, 0, -1):
        free = [j for j in range(game.groups) if j not in attack]
        left, fallen = game.after(attack)
        left = left.keep(~fallen, free)
        attack.append(free[int(_gains(left, picks)[0].argmax())] if left.rows else free[0])
    if not game.after(attack)[1].all():
        attack = _swapped(game, attack)
    return tuple(sorted(attack))


def _swapped(game: Game, attack: list[int]) -> list[int]:
    toll_of = toll_counter(game)
    best = int(toll_of(np.array([attack])).sum())
    length = max(1, BLOCK_CELLS // game.rows)
    while True:
        outside = [j for j in range(game.groups) if j not in attack]
        moves = [[*(k for k in attack if k != out), new] for out in attack for new in outside]
        tolls = [toll_of(np.array(moves[i : i + length])).sum(axis=1) for i in range(0, len(moves), length)]
        toll = np.concatenate([[best], *tolls])
        if int(toll.max()) == best:
            return attack
        best, attack = int(toll.max()), moves[int(toll.argmax()) - 1]
