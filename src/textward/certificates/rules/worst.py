"""The worst that trigger words and rows can do to a rule's answers: one text at a time, or all at once.

A text is first bounded: so many buckets cannot fell it, however their losses overlap. What is left is tried
out, set by set, while that is affordable; beyond, the bound stands and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

import numpy as np

from textward.certificates.ballots.cover import Cover, fell
from textward.certificates.joint import DEFAULT_LIMITS, JointCount, Limits
from textward.certificates.rules.reach import Reach
from textward.certificates.rules.stand import Condition, Stand
from textward.certificates.votes import BoolArray, CountArray

_BLOCK_CELLS = 1 << 22  # sets x texts held at once
_TRIED_CELLS = 1 << 22  # sets x models that one text's certificate may visit; other texts play no part in it


@dataclass(frozen=True, slots=True)
class Attacker:
    """What an attacker can touch, and how many rows it has written.

    >>> Attacker(Reach.plain(3)).rows
    0
    """

    reach: Reach
    rows: int = 0

    def hits(self, sets: CountArray) -> BoolArray:
        """Sets x models: what the words of these buckets (sets x size) touch."""
        if not sets.shape[1]:
            return np.zeros((len(sets), self.reach.words.shape[1]), np.bool_)
        return np.asarray(self.reach.words[sets].any(axis=1))

    def fallen(self, stand: Stand, sets: CountArray) -> BoolArray:
        """Sets x texts: who falls to these buckets, and to the rows that are worst for each text."""
        hits = self.hits(sets)
        if not self.rows:
            return stand.fallen(hits)
        rows = [Attacker._after_rows(stand, hit, self.reach, self.rows) for hit in hits]
        return np.stack(rows) if rows else np.zeros((0, len(stand.winners)), np.bool_)

    def least(self, stand: Stand) -> CountArray:
        """A number of buckets that no fewer can fell each text; 0 where rows alone may, or nothing need."""
        least = np.full(len(stand.winners), self.reach.buckets + 1)
        for threat in stand.threats:
            each = [one.least(self.reach.words, self._by_rows(one)) for one in threat]
            least = np.minimum(least, np.max(each, axis=0))
        return least

    def _by_rows(self, condition: Condition) -> CountArray | int:
        if not self.rows or self.reach.rows is None:
            return 0
        return self.reach.rows.most(condition.loss.astype(np.int64), self.rows)

    @staticmethod
    def _after_rows(stand: Stand, hit: BoolArray, reach: Reach, rows: int) -> BoolArray:
        assert reach.rows is not None
        fallen = np.zeros(len(stand.winners), np.bool_)
        for threat in stand.threats:
            met = np.ones_like(fallen)
            for condition in threat:
                loss = condition.loss.astype(np.int64)
                spent = loss[:, hit].sum(axis=1) + reach.rows.most(np.where(hit, 0, loss), rows)
                met &= spent > condition.slack
            fallen |= met
        return fallen


def least_buckets(stand: Stand, attacker: Attacker, *, cells: int = _TRIED_CELLS) -> CountArray:
    """Each text's least number of buckets that fell it, or a number proven to be no greater.

    >>> from textward.certificates.rules import Outcome, Plurality
    >>> stand = Plurality().stand(Outcome.of(np.array([[0, 0, 0], [0, 0, 1]]), classes=2))
    >>> least_buckets(stand, Attacker(Reach.plain(3))).tolist()
    [2, 1]
    """
    least = attacker.least(stand)
    single = all(len(threat) == 1 for threat in stand.threats)
    reach = attacker.reach
    if single and reach.disjoint and not attacker.rows:
        return least
    models = reach.words.shape[1] * max(1, stand.conditions)
    for size in range(reach.buckets + 1):
        if comb(reach.buckets, size) * models > cells:
            break  # what is bounded by `size` so far stays there: it is proven
        open_ = least == size
        if not open_.any():
            continue
        some = stand.texts(open_)
        down = np.zeros(len(some.winners), np.bool_)
        for sets in _blocks(reach.buckets, size, len(down)):
            down |= attacker.fallen(some, sets).any(axis=0)
        least[np.flatnonzero(open_)[~down]] = size + 1
    return least


def radii(stand: Stand, attacker: Attacker) -> tuple[CountArray, BoolArray]:
    """The largest number of trigger words that cannot fell each text, and whether none is needed to.

    >>> from textward.certificates.rules import Outcome, Plurality
    >>> stand = Plurality().stand(Outcome.of(np.array([[0, 0, 0], [0, 0, 1]]), classes=2))
    >>> radii(stand, Attacker(Reach.plain(3)))[0].tolist()
    [1, 0]
    """
    least = least_buckets(stand, attacker)
    return np.maximum(least - 1, 0), np.asarray(least > 0)


def joint_counts(
    stand: Stand,
    labels: CountArray,
    members: BoolArray,
    attacker: Attacker,
    sizes: Sequence[int],
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[tuple[JointCount, ...], ...]:
    """Count the right texts that survive the worst buckets, by size (outer) and population (inner).

    The buckets are the same for all texts; rows, where there are some, are each text's own worst.

    >>> from textward.certificates.rules import Outcome, Plurality
    >>> stand = Plurality().stand(Outcome.of(np.array([[0, 0, 0], [0, 0, 1]]), classes=2))
    >>> everybody = np.ones((2, 1), dtype=bool)
    >>> found = joint_counts(stand, np.array([0, 0]), everybody, Attacker(Reach.plain(3)), [0, 1])
    >>> [row[0].survivors for row in found]
    [2, 1]
    """
    least = attacker.least(stand)
    weight = (members & (stand.winners == labels)[:, None]).astype(np.int64)
    found = []
    for size in (min(size, attacker.reach.buckets) for size in sizes):
        safe = weight[least > size].sum(axis=0).tolist()
        live = (least <= size) & weight.any(axis=1)
        game = _Game(stand.texts(live), weight[live], attacker, size)
        columns = zip(members.sum(axis=0).tolist(), safe, game.counts(limits), strict=True)
        found.append(
            tuple(
                JointCount(texts, sure + low, exact, attack, sure + high)
                for texts, sure, (low, exact, attack, high) in columns
            )
        )
    return tuple(found)


_Left = tuple[int, bool, tuple[int, ...], int]
"""Survivors that are proven, whether that is the minimum, the worst buckets found and what they leave."""


@dataclass(frozen=True, slots=True)
class _Game:
    stand: Stand
    weight: CountArray  # texts x populations
    attacker: Attacker
    size: int

    def counts(self, limits: Limits) -> list[_Left]:
        """For each population."""
        everybody = self.weight.sum(axis=0).tolist()
        if not len(self.weight):
            return [(0, True, tuple(range(self.size)), 0) for _ in everybody]
        reach, stand = self.attacker.reach, self.stand
        cells = comb(reach.buckets, self.size) * len(self.weight) * max(1, stand.conditions)
        if cells <= limits.cells:
            return self._tried(everybody)
        return [self._bounded(p, limits.nodes) for p in range(len(everybody))]

    def _tried(self, everybody: list[int]) -> list[_Left]:
        worst = np.full(len(everybody), -1, np.int64)
        attack = np.zeros((len(worst), self.size), np.int64)
        for sets in _blocks(self.attacker.reach.buckets, self.size, len(self.weight)):
            toll = self.attacker.fallen(self.stand, sets).astype(np.float64) @ self.weight
            at = toll.argmax(axis=0)
            most = toll[at, np.arange(len(worst))].astype(np.int64)
            better = most > worst
            worst[better], attack[better] = most[better], sets[at[better]]
        exact = self.stand.exact and not self.attacker.rows
        found = worst if exact else self._for_certain(attack)
        columns = zip(everybody, worst.tolist(), attack.tolist(), found.tolist(), strict=True)
        return [(all_ - toll, toll == sure, tuple(own), all_ - sure) for all_, toll, own, sure in columns]

    def _for_certain(self, attack: CountArray) -> CountArray:
        """What the words of an attack do by themselves."""
        if not self.stand.exact:
            return np.zeros(len(attack), np.int64)
        fallen = self.stand.fallen(self.attacker.hits(attack))
        return np.asarray((fallen.T * self.weight).sum(axis=0), np.int64)

    def _bounded(self, p: int, nodes: int) -> _Left:
        """One condition of each threat, overlapping losses counted twice: a cover problem bounds the toll."""
        mine = self.weight[:, p] > 0
        stand, reach = self.stand.texts(mine), self.attacker.reach
        texts = np.arange(len(stand.winners))
        columns: list[tuple[CountArray, CountArray, CountArray, CountArray, CountArray]] = []
        for number, threat in enumerate(stand.threats):
            condition = threat[0]
            loss = condition.loss @ reach.words.T.astype(np.int64)
            need = condition.slack + 1 - self.attacker._by_rows(condition)
            text, bucket = np.nonzero(loss)
            columns.append((text + number * len(texts), bucket, loss[text, bucket], texts, need))
        threats, buckets, losses, of, need = (np.concatenate(part) for part in zip(*columns, strict=True))
        weight = self.weight[mine, p]
        felled = fell(Cover.of(threats, buckets, losses, of, need, weight), self.size, nodes=nodes)
        everybody = int(weight.sum())
        attack = tuple(sorted(felled.words))
        sure = 0
        if stand.exact:
            sure = int(weight[stand.fallen(self.attacker.hits(np.array([attack], np.int64)))[0]].sum())
        return everybody - felled.bound, felled.bound == sure, attack, everybody - sure


def _blocks(buckets: int, size: int, texts: int) -> Iterator[CountArray]:
    sets = combinations(range(buckets), size)
    length = max(1, min(4096, _BLOCK_CELLS // max(1, texts)))
    while block := list(islice(sets, length)):
        yield np.array(block, np.int64).reshape(len(block), size)
