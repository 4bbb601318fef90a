"""The whole test set's certificate: one set of corrupted groups for all texts at once.

The attacker picks `size` groups, the same for every text, and lets them vote as they like in each. A text
that was right survives a set G of groups when, for every rival c of its winner y,

    M_y - #{j in G: f^j = y}  >=  M_c + #{j in G: f^j != c} + [y > c].

Written as a budget: group j costs the lead over c a loss of 2 (it voted y), 0 (it voted c already) or 1; the
text falls when the losses over G exceed the slack M_y - M_c - [y > c] for some c. The certified count is the
minimum of the survivors over all G. Three methods find it; one cut short reports a proven bound.

- *lattice* (two classes): whether a text falls depends on how many of its winner's groups stay intact. Two
  transforms over the lattice of sets of groups then count the survivors of every G at once.
- *enumeration*: all sets G in blocks, by matrix products over small integers, which float32 holds exactly.
- *branch and bound*: past that. Bounds are integers, rounded against us.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from textward.certificates.votes import (
    BoolArray,
    CountArray,
    IntArray,
    check_integer,
    check_labels,
    check_size,
    check_votes,
    lead,
    tally,
)
from textward.errors import UsageError

_BLOCK_CELLS = 1 << 18  # sets x texts held at once: about the size of a processor's cache
_LEAF_CELLS = 1 << 22  # a branch this small is enumerated rather than split
_LATTICE_GROUPS = 24  # 2**24 counters of 4 bytes are 64 MiB
_FLOAT32_EXACT = 1 << 24  # float32 holds every integer up to here
_UNIT = 1 << 20  # fixed-point one of the fractional bound


@dataclass(frozen=True, slots=True)
class Limits:
    """How much work to spend before settling for a proven bound; counted, never timed, so that runs agree.

    >>> Limits(nodes=10).nodes
    10
    """

    cells: int = 1 << 34  # sets x texts one enumeration may visit; 0 leaves branch and bound alone
    nodes: int = 2_000  # branches one search may open

    def __post_init__(self) -> None:
        check_integer("cells", self.cells, least=0)
        check_integer("nodes", self.nodes, least=1)


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class JointCount:
    """How many of `texts` are right and survive the worst set of corrupted groups.

    `survivors` is always proven: the minimum when `exact`, else a lower bound. `attack` is the worst set
    found and `attack_survivors` what it leaves, an upper bound on the minimum.

    >>> JointCount(texts=4, survivors=1, exact=False, attack=(0, 3), attack_survivors=2).share
    0.25
    """

    texts: int
    survivors: int
    exact: bool
    attack: tuple[int, ...]
    attack_survivors: int

    @property
    def share(self) -> float:
        """The certified share of the texts."""
        if self.texts == 0:
            raise UsageError("a certified share needs at least one text, got none")
        return self.survivors / self.texts


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
    groups = votes.shape[1]
    wanted = [min(check_size(size), groups) for size in sizes]
    members = _check_populations(populations, len(votes))
    folded = _fold(votes, labels, classes, members)
    if _lattice_pays(folded, wanted, limits):
        return tuple(_by_lattice(folded, wanted))
    return tuple(_solve(folded, size, limits) for size in wanted)


def _check_populations(populations: BoolArray | None, texts: int) -> BoolArray:
    if populations is None:
        return np.ones((texts, 1), dtype=np.bool_)
    members = np.asarray(populations)
    if members.dtype != np.bool_ or members.ndim != 2 or members.shape[0] != texts:
        found = f"{members.dtype} of shape {members.shape}"
        raise UsageError(f"populations must be bool, texts x populations with {texts} texts, got {found}")
    return members


# ---- equal texts, folded ----


@dataclass(frozen=True, slots=True)
class _Folded:
    """Distinct rows of votes, and how many right texts of each population cast each of them."""

    votes: CountArray  # rows x groups
    counts: CountArray  # rows x classes
    winners: CountArray
    radius: CountArray
    weight: CountArray  # rows x populations
    texts: tuple[int, ...]  # of each population, right or wrong


def _fold(votes: CountArray, labels: CountArray, classes: int, members: BoolArray) -> _Folded:
    first, row_of = _distinct(votes, classes)
    votes = votes[first]
    counts = tally(votes, classes)
    winners, radius = lead(counts)
    right = members & (labels == winners[row_of])[:, None]
    weight = np.empty((len(first), members.shape[1]), dtype=np.int64)
    for p in range(members.shape[1]):
        weight[:, p] = np.bincount(row_of[right[:, p]], minlength=len(first))
    texts = tuple(int(k) for k in members.sum(axis=0))
    keep = weight.any(axis=1)
    return _Folded(votes[keep], counts[keep], winners[keep], radius[keep], weight[keep], texts)


def _distinct(votes: CountArray, classes: int) -> tuple[CountArray, CountArray]:
    """Index of the first of each distinct row, and each row's place among them."""
    groups = votes.shape[1]
    if classes**groups < 1 << 62:
        key = votes @ np.array([classes**j for j in range(groups)], dtype=np.int64)
        _, first, row_of = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, row_of = np.unique(votes, axis=0, return_index=True, return_inverse=True)
    return first, row_of.reshape(-1)  # numpy 2.0 alone shapes the inverse otherwise


# ---- the lattice of sets of groups, for two classes ----


def _lattice_pays(folded: _Folded, sizes: Sequence[int], limits: Limits) -> bool:
    rows, groups = len(folded.votes), int(folded.votes.shape[1])
    if folded.counts.shape[1] != 2 or groups > _LATTICE_GROUPS or max(folded.texts, default=0) >= 1 << 32:
        return False
    cells = 3 * groups * len(folded.texts) << groups
    enumerated = rows * sum(comb(groups, size) for size in sizes)
    return cells <= limits.cells and cells < enumerated


def _by_lattice(folded: _Folded, sizes: Sequence[int]) -> Iterator[tuple[JointCount, ...]]:
    """Read each size's minimum off the survivors of every set of intact groups."""
    groups = folded.votes.shape[1]
    members = _set_sizes(groups)
    tables = [_survivor_table(folded, folded.weight[:, p], members) for p in range(len(folded.texts))]
    for size in sizes:
        intact = np.flatnonzero(members == groups - size)
        row = []
        for texts, table in zip(folded.texts, tables, strict=True):
            at = int(intact[table[intact].argmin()])
            attack = tuple(j for j in range(groups) if not at >> (groups - 1 - j) & 1)
            row.append(JointCount(texts, int(table[at]), True, attack, int(table[at])))
        yield tuple(row)


def _survivor_table(
    folded: _Folded, weight: CountArray, members: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint32]:
    """Count, for every set I of intact groups, the texts that survive when all groups outside I turn.

    With two classes and V the groups that voted the winner, a text survives iff |V & I| >= K, where K is the
    least majority, ceil((m + [y = 1]) / 2). By inclusion and exclusion over the sets S within both V and I,
    [|V & I| >= K] = sum over S, |S| >= K, of (-1)^(|S| - K) * binomial(|S| - 1, K - 1). Sums are taken modulo
    2^32; the result is a number of texts, below that, hence exact.
    """
    groups = folded.votes.shape[1]
    place = np.array([1 << (groups - 1 - j) for j in range(groups)], dtype=np.int64)
    voters = (folded.votes == folded.winners[:, None]) @ place
    need = (groups + folded.winners + 1) // 2
    table = np.zeros(1 << groups, dtype=np.uint32)
    for least in np.unique(need).tolist():
        chosen = need == least
        within = np.zeros_like(table)
        np.add.at(within, voters[chosen], weight[chosen].astype(np.uint32))
        _sum_supersets(within)
        within *= _threshold_coefficients(least, groups)[members]
        table += within
    _sum_subsets(table)
    return table


def _threshold_coefficients(least: int, groups: int) -> npt.NDArray[np.uint32]:
    exact = [(-1) ** (s - least) * comb(s - 1, least - 1) if s >= least else 0 for s in range(groups + 1)]
    return np.array([value % (1 << 32) for value in exact], dtype=np.uint32)


def _set_sizes(groups: int) -> npt.NDArray[np.uint8]:
    sizes = np.zeros(1, dtype=np.uint8)
    for _ in range(groups):
        sizes = np.concatenate([sizes, sizes + np.uint8(1)])
    return sizes


def _sum_supersets(table: npt.NDArray[np.uint32]) -> None:
    for halves in _halvings(table):
        halves[:, 0] += halves[:, 1]


def _sum_subsets(table: npt.NDArray[np.uint32]) -> None:
    for halves in _halvings(table):
        halves[:, 1] += halves[:, 0]


def _halvings(table: npt.NDArray[np.uint32]) -> Iterator[npt.NDArray[np.uint32]]:
    """The table seen, for each group in turn, as pairs of sets without and with it."""
    for j in range(table.size.bit_length() - 1):
        yield table.reshape(-1, 2, 1 << j)


# ---- texts that can still fall ----


@dataclass(frozen=True, slots=True)
class _Game:
    """Rows of texts that can still fall, and what each group costs them.

    Slot k holds the k-th dangerous rival of the rows that have one; rows with more rivals come first, so each
    slot covers the first rows. `loss[k]` is rows x groups, `slack[k]` what the row can lose and still stand.
    """

    loss: tuple[CountArray, ...]
    slack: tuple[CountArray, ...]
    weight: CountArray  # rows x populations

    @property
    def rows(self) -> int:
        return len(self.weight)

    def after(self, picks: Sequence[int]) -> tuple[_Game, BoolArray]:
        """Spend the losses of `picks`; also mark the rows that have fallen."""
        spent = (part[:, list(picks)].sum(axis=1) for part in self.loss)
        slack = tuple(left - cost for left, cost in zip(self.slack, spent, strict=True))
        fallen = np.zeros(self.rows, dtype=np.bool_)
        for left in slack:
            fallen[: len(left)] |= left < 0
        return _Game(self.loss, slack, self.weight), fallen

    def keep(self, rows: BoolArray, groups: Sequence[int]) -> _Game:
        """Only these rows and groups."""
        loss, slack = [], []
        for part, left in zip(self.loss, self.slack, strict=True):
            mine = rows[: len(left)]
            if mine.any():
                loss.append(part[mine][:, list(groups)])
                slack.append(left[mine])
        return _Game(tuple(loss), tuple(slack), self.weight[rows])

    def population(self, p: int) -> _Game:
        """Only the rows and weights of one population."""
        column = _Game(self.loss, self.slack, self.weight[:, [p]])
        groups = self.loss[0].shape[1]
        return column.keep(self.weight[:, p] > 0, range(groups))


def _live_game(folded: _Folded, size: int) -> _Game:
    """The rows whose radius is below `size`, with the rivals that `size` groups can bring past the winner."""
    live = folded.radius < size
    votes, counts, winners = folded.votes[live], folded.counts[live], folded.winners[live]
    dangerous, slack = _rivals(counts, winners, size)
    number = dangerous.sum(axis=1)
    order = np.argsort(-number, kind="stable")
    rival_at = np.argsort(~dangerous, axis=1, kind="stable")  # dangerous rivals first
    loss, left = [], []
    for k in range(int(number.max(initial=0))):
        rows = order[: int((number > k).sum())]
        rival = rival_at[rows, k]
        mine, theirs = votes[rows] == winners[rows, None], votes[rows] != rival[:, None]
        loss.append(mine.astype(np.int64) + theirs)
        left.append(slack[rows, rival])
    return _Game(tuple(loss), tuple(left), folded.weight[live][order])


def _rivals(counts: CountArray, winners: CountArray, size: int) -> tuple[BoolArray, CountArray]:
    """Mark the rivals (rows x classes) that `size` groups can bring past the winner; give all slacks."""
    groups, classes = counts.sum(axis=1, keepdims=True), np.arange(counts.shape[1])
    best = np.take_along_axis(counts, winners[:, None], axis=1)
    slack = best - counts - (winners[:, None] > classes)
    twos = np.minimum(best, size)
    most = 2 * twos + np.minimum(size - twos, groups - best - counts)
    # Rivals without a vote lose alike; the first of them has the least slack and stands for all.
    voteless = (counts == 0) & (classes != winners[:, None])
    spare = voteless & (np.cumsum(voteless, axis=1) > 1)
    return (most > slack) & (classes != winners[:, None]) & ~spare, slack


# ---- one trigger size: greedy, enumeration, branch and bound ----


@dataclass(frozen=True, slots=True)
class _Kill:
    """The most texts known to fall, the groups that fell them, and a proven bound on any set's toll."""

    toll: int
    groups: tuple[int, ...]
    bound: int


def _solve(folded: _Folded, size: int, limits: Limits) -> tuple[JointCount, ...]:
    game = _live_game(folded, size)
    groups = folded.votes.shape[1]
    right = folded.weight.sum(axis=0)
    row = []
    for p, kill in enumerate(_kills(game, groups, size, limits)):
        total = int(right[p])
        exact = kill.toll == kill.bound
        row.append(JointCount(folded.texts[p], total - kill.bound, exact, kill.groups, total - kill.toll))
    return tuple(row)


def _kills(game: _Game, groups: int, size: int, limits: Limits) -> list[_Kill]:
    """The worst set of groups for each population."""
    alive = game.weight.sum(axis=0)
    cells = game.rows * comb(groups, size)
    if game.rows and cells <= min(limits.cells, _LEAF_CELLS):
        return _enumerate(game, groups, size)
    attack = _greedy(game, groups, size)
    if game.after(attack)[1].all():  # nothing is left to fall, in any population
        return [_Kill(int(toll), attack, int(toll)) for toll in alive]
    if cells <= limits.cells:
        return _enumerate(game, groups, size)
    return [_search(game.population(p), groups, size, limits) for p in range(len(alive))]


def _enumerate(game: _Game, groups: int, size: int) -> list[_Kill]:
    """Try every set of `size` groups."""
    toll_of = _toll_counter(game)
    worst = np.full(game.weight.shape[1], -1, dtype=np.int64)
    attack = np.zeros((len(worst), size), dtype=np.int64)
    for block in _blocks(groups, size, max(1, min(4096, _BLOCK_CELLS // game.rows))):
        toll = toll_of(block)
        at = toll.argmax(axis=0)
        most = toll[at, np.arange(len(worst))]
        better = most > worst
        worst[better], attack[better] = most[better], block[at[better]]
    return [_Kill(t, tuple(a), t) for t, a in zip(worst.tolist(), attack.tolist(), strict=True)]


def _blocks(groups: int, size: int, length: int) -> Iterator[CountArray]:
    """All sets of `size` groups in lexicographic order, `length` at a time."""
    sets = combinations(range(groups), size)
    while True:
        flat = np.fromiter(chain.from_iterable(islice(sets, length)), dtype=np.int64)
        if not flat.size:
            return
        yield flat.reshape(-1, size)


def _toll_counter(game: _Game) -> Callable[[CountArray], CountArray]:
    """A function from sets of groups (sets x size) to the texts that fall (sets x populations).

    Floats carry integers here, all below the type's exact range: losses less slack, then 0 or 1, then texts.
    """
    small = int(game.weight.sum(axis=0).max(initial=0)) < _FLOAT32_EXACT
    kind = np.float32 if small else np.float64
    groups = game.loss[0].shape[1]
    slots = zip(game.loss, game.slack, strict=True)
    excess = [np.vstack([loss.T, -slack]).astype(kind) for loss, slack in slots]
    weight = game.weight.astype(kind)

    def toll_of(sets: CountArray) -> CountArray:
        picked = np.zeros((len(sets), groups + 1), dtype=kind)
        np.put_along_axis(picked, sets, 1, axis=1)
        picked[:, groups] = 1  # meets the row of slacks
        fallen = picked @ excess[0]
        np.clip(fallen, 0, 1, out=fallen)
        for table in excess[1:]:
            also, some = picked @ table, fallen[:, : table.shape[1]]
            np.maximum(some, np.clip(also, 0, 1, out=also), out=some)
        return (fallen @ weight).astype(np.int64)

    return toll_of


def _gains(game: _Game, picks: int) -> tuple[CountArray, BoolArray]:
    """Each group's fractional gain, in 1/_UNIT of a text, and the rows that `picks` groups can fell.

    A row falls by rival c only if its losses add up to need = slack + 1 or more, so its groups' shares
    min(1, loss / need) add up to 1 or more. Rounded up and summed over rows, the `picks` largest gains bound
    the toll of any set of `picks` groups.
    """
    groups = game.loss[0].shape[1]
    share = np.zeros((game.rows, groups), dtype=np.int64)
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


def _greedy(game: _Game, groups: int, size: int) -> tuple[int, ...]:
    """A good set of groups: best fractional gain one by one, then swaps while they help."""
    attack: list[int] = []
    for picks in range(size, 0, -1):
        free = [j for j in range(groups) if j not in attack]
        left, fallen = game.after(attack)
        left = left.keep(~fallen, free)
        attack.append(free[int(_gains(left, picks)[0].argmax())] if left.rows else free[0])
    if not game.after(attack)[1].all():
        attack = _swap(game, groups, attack)
    return tuple(sorted(attack))


def _swap(game: _Game, groups: int, attack: list[int]) -> list[int]:
    toll_of = _toll_counter(game)
    best = int(toll_of(np.array([attack])).sum())
    length = max(1, _BLOCK_CELLS // game.rows)
    while True:
        outside = [j for j in range(groups) if j not in attack]
        moves = [[*(k for k in attack if k != out), new] for out in attack for new in outside]
        tolls = [toll_of(np.array(moves[i : i + length])).sum(axis=1) for i in range(0, len(moves), length)]
        toll = np.concatenate([[best], *tolls])
        if int(toll.max()) == best:
            return attack
        best, attack = int(toll.max()), moves[int(toll.argmax()) - 1]


class _Branch(NamedTuple):
    """Sets of groups that hold `taken` and `picks` more out of `free`; the least is the next to open."""

    rank: int  # minus a bound on the toll of any of them
    picks: int  # of equal bounds, open the deeper
    taken: tuple[int, ...]
    free: tuple[int, ...]


def _search(game: _Game, groups: int, size: int, limits: Limits) -> _Kill:
    """Best-first branch and bound for one population (a game with one column of weights)."""
    if not game.rows:
        return _Kill(0, tuple(range(size)), 0)
    attack = _greedy(game, groups, size)
    best = int(game.weight[game.after(attack)[1]].sum())
    heap = [_Branch(-int(game.weight.sum()), size, (), tuple(range(groups)))]
    opened = 0
    while heap and -heap[0].rank > best:
        if opened == limits.nodes:
            return _Kill(best, attack, -heap[0].rank)
        opened += 1
        toll, found, branches = _open(game, heapq.heappop(heap), min(limits.cells, _LEAF_CELLS))
        if toll > best:
            best, attack = toll, tuple(sorted(found))
        for branch in branches:
            if -branch.rank > best:
                heapq.heappush(heap, branch)
    return _Kill(best, attack, best)


def _open(game: _Game, branch: _Branch, leaf_cells: int) -> tuple[int, tuple[int, ...], list[_Branch]]:
    """Find a good set in the branch and its toll; unless it is the best one there, split the branch."""
    _, picks, taken, free = branch
    left, fallen = game.after(taken)
    down = int(game.weight[fallen].sum())
    left = left.keep(~fallen, free)
    if not (picks and left.rows):
        return down, taken + free[:picks], []
    gains, reach = _gains(left, picks)
    left = left.keep(reach, range(len(free)))
    if not left.rows:
        return down, taken + free[:picks], []
    if left.rows * comb(len(free), picks) <= leaf_cells:
        kill = _enumerate(left, len(free), picks)[0]
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
