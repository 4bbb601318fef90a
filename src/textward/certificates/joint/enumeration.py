"""Every set of groups, tried in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from textward.certificates.joint.game import Game
from textward.certificates.votes import CountArray

BLOCK_CELLS = 1 << 18  # sets x texts held at once: about the size of a processor's cache
_FLOAT32_EXACT = 1 << 24  # float32 holds every integer up to here


@dataclass(frozen=True, slots=True)
class Kill:
    """The most texts known to fall, the groups that fell them, and a proven bound on any set's toll.

    >>> Kill(toll=3, groups=(0,), bound=5).bound
    5
    """

    toll: int
    groups: tuple[int, ...]
    bound: int


def one_thread() -> AbstractContextManager[Any]:
    """Multiply in this thread alone.

    Products this small gain little from more, and on a busy machine the threads mostly wait for each other.

    >>> with one_thread():
    ...     float(np.ones(2) @ np.ones(2))
    2.0
    """
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def enumerate_sets(game: Game, size: int) -> list[Kill]:
    """The worst set of `size` groups for each population; the game has at least one row.

    >>> half = Game(3, (np.array([[2, 0, 2]]),), (np.array([3]),), np.array([[7]]))
    >>> enumerate_sets(half, 2)
    [Kill(toll=7, groups=(0, 2), bound=7)]
    """
    toll_of = toll_counter(game)
    worst = np.full(game.weight.shape[1], -1, dtype=np.int64)
    attack = np.zeros((len(worst), size), dtype=np.int64)
    for block in _blocks(game.groups, size, max(1, min(4096, BLOCK_CELLS // game.rows))):
        toll = toll_of(block)
        at = toll.argmax(axis=0)
        most = toll[at, np.arange(len(worst))]
        better = most > worst
        worst[better], attack[better] = most[better], block[at[better]]
    return [Kill(t, tuple(a), t) for t, a in zip(worst.tolist(), attack.tolist(), strict=True)]


def _blocks(groups: int, size: int, length: int) -> Iterator[CountArray]:
    """All sets of `size` groups in lexicographic order, `length` at a time."""
    sets = combinations(range(groups), size)
    while True:
        flat = np.fromiter(chain.from_iterable(islice(sets, length)), dtype=np.int64)
        if not flat.size:
            return
        yield flat.reshape(-1, size)


def toll_counter(game: Game) -> Callable[[CountArray], CountArray]:
    """A function from sets of groups (sets x size) to the texts that fall (sets x populations).

    Floats carry integers here, all below the type's exact range: losses less slack, then 0 or 1, then texts.

    >>> half = Game(3, (np.array([[2, 0, 2]]),), (np.array([3]),), np.array([[7]]))
    >>> toll_counter(half)(np.array([[0, 1], [0, 2]])).tolist()
    [[0], [7]]
    """
    small = int(game.weight.sum(axis=0).max(initial=0)) < _FLOAT32_EXACT
    kind = np.float32 if small else np.float64
    slots = zip(game.loss, game.slack, strict=True)
    excess = [np.vstack([loss.T, -slack]).astype(kind) for loss, slack in slots]
    weight = game.weight.astype(kind)
    rooms = [np.empty(0, dtype=kind) for _ in range(2)]

    def product(room: int, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[Any]:
        # Written where the last block's was: to ask the system for new memory takes longer than to multiply.
        cells = len(left) * right.shape[1]
        if rooms[room].size < cells:
            rooms[room] = np.empty(cells, dtype=kind)
        out = rooms[room][:cells].reshape(len(left), -1)
        return np.clip(np.matmul(left, right, out=out), 0, 1, out=out)

    def toll_of(sets: CountArray) -> CountArray:
        picked = np.zeros((len(sets), game.groups + 1), dtype=kind)
        np.put_along_axis(picked, sets, 1, axis=1)
        picked[:, game.groups] = 1  # meets the row of slacks
        fallen = product(0, picked, excess[0])
        for table in excess[1:]:
            some = fallen[:, : table.shape[1]]
            np.maximum(some, product(1, picked, table), out=some)
        return (fallen @ weight).astype(np.int64)

    return toll_of
