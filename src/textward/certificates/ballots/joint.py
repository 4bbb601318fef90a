"""The whole test set's certificate for ballots: one trigger and one retrained model for all texts at once.

The attacker picks t words. In each text what they said is erased, and each word's new ballot may be cast or
not. That ballot is the same in every text and lies in the simplex, so the t words' pushes towards the classes
sum to at most t units: a text with winner y falls to class c only when

    what the chosen words in it said for y over c  +  push towards c  >=  what its lead over c needs to fall.

With two classes a word pushes one way or the other, so the pushes are k and t - k whole units. With more, the
simplex of pushes is covered by boxes; a box is bounded at its upper corner and halved while that bound is the
worst. The best attack found stands beside every bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import lcm

import numpy as np

from textward.certificates.ballots.case import UNIT, BallotCase, losses, needs
from textward.certificates.ballots.cover import MOST_WEIGHT, Cover, Felled, fell
from textward.certificates.ballots.individual import ballot_radii, ballot_stands
from textward.certificates.joint import JointCount
from textward.certificates.votes import BoolArray, CountArray, IntArray, check_labels, check_size


@dataclass(frozen=True, slots=True)
class BallotLimits:
    """How much work to spend before settling for a proven bound; counted, never timed, so that runs agree.

    >>> BallotLimits().boxes
    16
    """

    nodes: int = 300  # branches a search over words may open
    boxes: int = 16  # boxes of pushes to halve, with three classes or more
    box_nodes: int = 30  # branches a search over words may open in each half


DEFAULT_BALLOT_LIMITS = BallotLimits()


def ballot_joint_table(
    case: BallotCase,
    labels: IntArray,
    sizes: Sequence[int],
    populations: BoolArray | None = None,
    *,
    limits: BallotLimits = DEFAULT_BALLOT_LIMITS,
) -> tuple[tuple[JointCount, ...], ...]:
    """Count the right texts that survive the worst trigger, by size (outer) and population (inner).

    Each population, a column of `populations`, meets its own worst trigger. An attack is a tuple of words
    (columns of the case's incidence) whose support goes; what they push is in the count.

    >>> case = BallotCase.fixed(np.array([[1, 1, 1], [1, 0, 0]]), np.array([[0, 1024], [0, 1024], [0, 1024]]))
    >>> [[count.survivors for count in row] for row in ballot_joint_table(case, np.array([1, 1]), [0, 1, 2])]
    [[2], [1], [0]]
    """
    labels = check_labels(labels, case.incidence.shape[0], case.classes)
    members = np.ones((len(labels), 1), dtype=np.bool_) if populations is None else populations
    weights = members.T.astype(np.int64)
    return tuple(map(tuple, _tables(case, labels, sizes, weights, limits)))


def ballot_one_model(
    case: BallotCase,
    labels: IntArray,
    sizes: Sequence[int],
    *,
    limits: BallotLimits = DEFAULT_BALLOT_LIMITS,
) -> tuple[JointCount, ...]:
    """What balanced accuracy one poisoned model can fall to: a count in which every class weighs the same.

    >>> case = BallotCase.fixed(np.array([[1, 1], [1, 0], [0, 1]]), np.array([[0, 1024], [1024, 0]]))
    >>> [count.share for count in ballot_one_model(case, np.array([0, 1, 0]), [0, 1])]
    [1.0, 0.25]
    """
    labels = check_labels(labels, case.incidence.shape[0], case.classes)
    weights = balancing_weights(labels)
    return tuple(count for (count,) in _tables(case, labels, sizes, weights[None], limits))


def balancing_weights(labels: CountArray) -> CountArray:
    """Integer weights that give every class present the same total (to a millionth where that needs more).

    >>> balancing_weights(np.array([0, 1, 1])).tolist()
    [2, 1, 1]
    """
    sizes = np.bincount(labels)
    present = [int(size) for size in sizes if size]
    whole = lcm(*present)
    whole = min(whole, MOST_WEIGHT // len(present))
    return (whole // np.maximum(sizes, 1))[labels]


def _tables(
    case: BallotCase, labels: CountArray, sizes: Sequence[int], weights: CountArray, limits: BallotLimits
) -> Iterator[list[JointCount]]:
    """For each size the counts under the weights of each population."""
    winners, radius = ballot_radii(case, max(map(check_size, sizes), default=0))
    right = (winners == labels) & case.answered
    alive = weights[:, right].sum(axis=1)
    for size in sizes:
        # What withstands so many words of its own withstands those that are the worst for all.
        stands = radius >= size if size else ballot_stands(case, size)
        some = np.flatnonzero(right & ~stands)
        worst = _worst(case.texts(some), winners[some], size, weights[:, some], limits)
        yield [
            JointCount(int(weight.sum()), most - felled.bound, felled.exact, felled.words, most - felled.toll)
            for weight, most, felled in zip(weights, alive.tolist(), worst, strict=True)
        ]


def _worst(
    case: BallotCase, winners: CountArray, size: int, weights: CountArray, limits: BallotLimits
) -> Iterator[Felled]:
    """What can fall under each population's weights, of texts that are right."""
    game = _game(case, winners, size)
    plain = _game(case.without_echoes(), winners, size) if case.echoes else None
    for weight in weights:
        felled = game.weighed(weight).worst(limits)
        if plain is not None:  # echoes are bounds and no attack: what does without them stands for one
            found = plain.weighed(weight).worst(limits)
            felled = replace(found, bound=max(felled.bound, found.toll))
        yield felled


@dataclass(frozen=True, slots=True)
class _Game:
    """What `size` words can do to texts that are right: threats, and the rival class of each."""

    cover: Cover
    rival: CountArray
    winner: CountArray
    classes: int
    size: int

    def weighed(self, weight: CountArray) -> _Game:
        """The same game for other weights of its texts; those of no weight are left out."""
        mine = weight[self.cover.text] > 0
        cover = replace(self.cover, weight=weight).kept(mine)
        return _Game(cover, self.rival[mine], self.winner[mine], self.classes, self.size)

    def worst(self, limits: BallotLimits) -> Felled:
        """The most weight that can fall."""
        rivals = np.unique(self.rival)
        if self.classes > 2 and len(rivals) > 1:
            return _Boxes(self, rivals, limits).search()
        whole = np.zeros((self.size + 1 if len(rivals) > 1 else 1, self.classes), dtype=np.int64)
        whole[:, rivals[:1]] = UNIT * (self.size - np.arange(len(whole)))[:, None]
        whole[:, rivals[1:]] = UNIT * np.arange(len(whole))[:, None]
        return _worst_of(self, whole, limits)

    def pushed(self, push: CountArray) -> Cover:
        """The threats when corrupted words push so much towards each class."""
        return self.cover.eased(push[self.rival])


def _worst_of(game: _Game, pushes: CountArray, limits: BallotLimits) -> Felled:
    worst = Felled(-1, (), -1)
    for push in pushes:
        felled = fell(game.pushed(push), game.size, floor=worst.toll, nodes=limits.nodes)
        better = felled if felled.toll > worst.toll else worst
        worst = Felled(better.toll, better.words, max(worst.bound, felled.bound))
    return worst


def _game(case: BallotCase, winners: CountArray, size: int) -> _Game:
    need = needs(case, winners, size)
    parts: list[tuple[CountArray, ...]] = []
    texts, rivals = np.nonzero(winners[:, None] != np.arange(case.classes))
    number = np.full(need.shape, -1)
    number[texts, rivals] = np.arange(len(texts))
    for rival in range(case.classes):
        lost, charge = losses(case, winners, size, rival)
        need[:, rival] -= size * charge
        row = np.repeat(np.arange(len(winners)), np.diff(lost.indptr))
        mine = number[row, rival] >= 0
        parts.append((number[row, rival][mine], lost.indices[mine].astype(np.int64), lost.data[mine]))
    every = (np.concatenate(column) for column in zip(*parts, strict=True))
    cover = Cover.of(*every, texts, need[texts, rivals], np.ones(len(winners), dtype=np.int64))
    return _Game(cover, rivals, winners[texts], case.classes, size)


class _Boxes:
    """Best-first search over boxes of pushes, each bounded at its upper corner."""

    def __init__(self, game: _Game, rivals: CountArray, limits: BallotLimits) -> None:
        self.game, self.rivals, self.limits = game, rivals, limits
        self.whole = UNIT * game.size
        self.one_winner = len(np.unique(game.winner)) <= 1
        self.best = Felled(-1, (), -1)

    def search(self) -> Felled:
        """Halve the worst box until its bound is an attack, or the limit is reached."""
        self._try_pure_pushes()
        low, high = np.zeros(len(self.rivals), np.int64), np.full(len(self.rivals), self.whole)
        numbers = count()
        heap = [(-int(self.game.cover.weight.sum()), next(numbers), low, high)]
        for _ in range(self.limits.boxes):
            bound, _, low, high = heapq.heappop(heap)
            if -bound <= self.best.toll:
                return replace(self.best, bound=self.best.toll)
            for half in self._halves(low, high):
                proven = min(-bound, self._bound(*half))
                heapq.heappush(heap, (-proven, next(numbers), *half))
            if not heap:
                break
        worst = -heap[0][0] if heap else -1
        return replace(self.best, bound=max(worst, self.best.toll))

    def _halves(self, low: CountArray, high: CountArray) -> Iterator[tuple[CountArray, CountArray]]:
        """The two halves of a box along its longest side, as far as they hold a push that sums to `whole`."""
        top = self._corner(low, high)
        side = int((top - low).argmax())
        middle = int(low[side] + top[side]) // 2
        for first, last in ((int(low[side]), middle), (middle, int(top[side]))):
            lower, upper = low.copy(), top.copy()
            lower[side], upper[side] = first, last
            upper = self._corner(lower, upper)
            # A push that sums to less is dominated by one that sums to the whole.
            if lower.sum() <= self.whole <= upper.sum():
                yield lower, upper

    def _corner(self, low: CountArray, high: CountArray) -> CountArray:
        corner: CountArray = np.minimum(high, self.whole - (low.sum() - low))
        return corner

    def _bound(self, low: CountArray, high: CountArray) -> int:
        """A proven bound at the box's upper corner; what fells most there is tried as an attack."""
        top = self._full(self._corner(low, high))
        felled = fell(
            self.game.pushed(top), self.game.size, floor=self.best.toll, nodes=self.limits.box_nodes
        )
        if felled.toll > self.best.toll:
            for push in self._feasible(low, self._corner(low, high)):
                self._try(felled.words, push)
        return felled.bound

    def _feasible(self, low: CountArray, high: CountArray) -> Iterator[CountArray]:
        """Pushes that `size` ballots can make: any in the simplex against one winner, else whole units."""
        spare, room = self.whole - low.sum(), high - low
        point = low + spare * room // max(1, int(room.sum()))
        if self.one_winner:
            yield self._full(point)
        units = point // UNIT
        units[np.argsort(-(point % UNIT), kind="stable")[: self.game.size - units.sum()]] += 1
        yield self._full(units * UNIT)

    def _try_pure_pushes(self) -> None:
        for side in range(len(self.rivals)):
            push = np.zeros(len(self.rivals), np.int64)
            push[side] = self.whole
            felled = fell(self.game.pushed(self._full(push)), self.game.size, nodes=self.limits.box_nodes)
            self._try(felled.words, self._full(push))

    def _try(self, words: tuple[int, ...], push: CountArray) -> None:
        toll = self.game.pushed(push).toll(words)
        if toll > self.best.toll:
            self.best = Felled(toll, words, self.best.bound)

    def _full(self, push: CountArray) -> CountArray:
        full = np.zeros(self.game.classes, dtype=np.int64)
        full[self.rivals] = push
        return full
