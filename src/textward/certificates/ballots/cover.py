"""Which few words fell the most texts: a weighted cover problem, solved by best-first branch and bound.

A *threat* is a text seen from one rival class: it is carried out when the losses of the chosen words reach
its need, and the text falls. A word's share of a threat is min(1, loss / need). The shares of a threat that
is carried out add up to 1 or more, so the largest sums of shares bound from above what any choice can fell.
Shares are integers, rounded up.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from textward.certificates.votes import BoolArray, CountArray

_ONE = 1 << 20  # a whole share
MOST_WEIGHT = 1 << 32  # of all texts: sums of weighted shares stay below 2**53, which float64 counts exactly


@dataclass(frozen=True, slots=True)
class Cover:
    """Threats and the losses words inflict on them, sorted by threat, the largest loss first."""

    threat: CountArray  # of each loss
    word: CountArray
    loss: CountArray
    text: CountArray  # of each threat
    need: CountArray
    weight: CountArray  # of the threat's text

    @classmethod
    def of(cls, threat: CountArray, word: CountArray, loss: CountArray, *of_threat: CountArray) -> Cover:
        """Losses in any order; `of_threat` are the text, the need and the weight of each threat."""
        some = np.flatnonzero(loss > 0)
        order = some[np.lexsort((-loss[some], threat[some]))]
        return cls(threat[order], word[order], loss[order], *of_threat)

    def eased(self, push: CountArray) -> Cover:
        """The same threats when each needs `push` less."""
        return replace(self, need=self.need - push)

    def kept(self, threats: BoolArray) -> Cover:
        """Only these threats."""
        losses = threats[self.threat]
        number = np.cumsum(threats) - 1
        return Cover(
            number[self.threat[losses]],
            self.word[losses],
            self.loss[losses],
            self.text[threats],
            self.need[threats],
            self.weight[threats],
        )

    def toll(self, words: Sequence[int]) -> int:
        """The weight of the texts that fall to these words."""
        hit = np.isin(self.word, words)
        lost = np.bincount(self.threat[hit], self.loss[hit], minlength=len(self.need))
        return self._weight_of(lost >= self.need)

    def settled(self, picks: int) -> tuple[int, Cover]:
        """The weight fallen already, and what `picks` words can still change: every loss left can matter."""
        fallen = self.need <= 0
        open_ = ~np.isin(self.text, self.text[fallen]) if fallen.any() else ~fallen
        start, end = self._spans()
        summed = np.concatenate([[0], np.cumsum(self.loss)])
        top = summed[np.minimum(start + picks, end)] - summed[start]
        rest = self.kept(open_ & (top >= self.need))
        return self._weight_of(fallen), rest._useful(picks)

    def gains(self, words: int) -> CountArray:
        """Each word's summed shares, in 1/2**20 of a unit of weight."""
        need = self.need[self.threat]
        share = -(-np.minimum(self.loss, need) * _ONE // need)
        word, share, weight = self._best_of_each_text(share)
        return np.bincount(word, share * weight, minlength=words).astype(np.int64)

    def total(self) -> int:
        """The weight of all texts."""
        return self._weight_of(np.ones(len(self.need), dtype=np.bool_))

    def _useful(self, picks: int) -> Cover:
        """Without the losses that no `picks` words make matter."""
        start, end = self._spans()
        summed = np.concatenate([[0], np.cumsum(self.loss)])
        others = summed[np.minimum(start + picks - 1, end)] - summed[start]
        among = np.arange(len(self.loss)) - start[self.threat] < picks - 1
        last = np.minimum(start + picks, end) - 1
        best = others[self.threat] + np.where(among, self.loss[last][self.threat], self.loss)
        useful = best >= self.need[self.threat]
        return replace(self, threat=self.threat[useful], word=self.word[useful], loss=self.loss[useful])

    def _spans(self) -> tuple[CountArray, CountArray]:
        end = np.cumsum(np.bincount(self.threat, minlength=len(self.need)))
        return np.concatenate([[0], end[:-1]]).astype(np.int64), end

    def _weight_of(self, threats: BoolArray) -> int:
        _, first = np.unique(self.text[threats], return_index=True)
        return int(self.weight[threats][first].sum())

    def _best_of_each_text(self, share: CountArray) -> tuple[CountArray, CountArray, CountArray]:
        """A word's largest share of each text, where several rivals threaten it."""
        text, weight = self.text[self.threat], self.weight[self.threat]
        if len(np.unique(self.text)) == len(self.text):
            return self.word, share, weight
        order = np.lexsort((self.word, text))
        text, word = text[order], self.word[order]
        first = np.flatnonzero(np.diff(text, prepend=-1) | np.diff(word, prepend=-1))
        return word[first], np.maximum.reduceat(share[order], first), weight[order][first]


@dataclass(frozen=True, slots=True)
class Felled:
    """The most weight known to fall, the words that fell it, and a proven bound on any choice's toll."""

    toll: int
    words: tuple[int, ...]
    bound: int
    opened: int = 0


def fell(cover: Cover, picks: int, *, floor: int = -1, nodes: int = 2_000) -> Felled:
    """Choose `picks` words that fell the most.

    A search that need only know whether more than `floor` can fall stops once it cannot, and then bounds the
    toll by `floor`. One that has opened `nodes` branches stops with the bound it has proven so far.

    >>> cover = Cover.of(*np.array([[0, 0, 1], [5, 6, 6], [2, 3, 3]]), *np.array([[0, 1], [5, 3], [1, 1]]))
    >>> fell(cover, picks=1).toll, fell(cover, picks=2).words
    (1, (6, 5))
    """
    numbers = count()
    root = _node(cover, picks, 0, (), cover.total())
    best, words, opened = root.toll, root.found, 1
    heap = [(-bound, picks, next(numbers), root, 0) for bound in root.bounds[:1]]
    while heap and -heap[0][0] > max(best, floor):
        if opened >= nodes:
            return Felled(best, words, -heap[0][0], opened)
        _, _, _, node, at = heapq.heappop(heap)
        child = node.child(at)
        opened += 1
        if child.toll > best:
            best, words = child.toll, child.found
        for branch, i in ((node, at + 1), (child, 0)):
            if i < len(branch.bounds) and branch.bounds[i] > max(best, floor):
                heapq.heappush(heap, (-branch.bounds[i], branch.picks, next(numbers), branch, i))
    return Felled(best, words, max(best, floor), opened)


@dataclass(frozen=True, slots=True)
class _Node:
    """Choices that hold `taken` and `picks` more words; branch i takes word i next and none before it."""

    cover: Cover  # what can still fall, its words numbered by falling gain
    names: CountArray  # of those words, as the caller numbers them
    picks: int
    down: int
    taken: tuple[int, ...]
    toll: int
    bounds: list[int]  # on the toll of each branch, falling

    @property
    def found(self) -> tuple[int, ...]:
        """A choice in this node with the toll given."""
        return (*self.taken, *self.names[: self.picks].tolist())

    def child(self, at: int) -> _Node:
        """The branch that takes word number `at`."""
        cover = self.cover
        need = cover.need.copy()
        now, later = cover.word == at, cover.word > at
        need[cover.threat[now]] -= cover.loss[now]
        losses = (cover.threat[later], self.names[cover.word[later]], cover.loss[later])
        left = Cover(*losses, cover.text, need, cover.weight)
        taken = (*self.taken, int(self.names[at]))
        return _node(left, self.picks - 1, self.down, taken, self.bounds[at])


def _node(cover: Cover, picks: int, down: int, taken: tuple[int, ...], bound: int) -> _Node:
    fallen, cover = cover.settled(picks)
    down += fallen
    names, word = np.unique(cover.word, return_inverse=True)
    gains = replace(cover, word=word).gains(len(names))
    order = np.argsort(-gains, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    cover = replace(cover, word=rank[word])
    toll = down + cover.toll(range(picks)) if picks else down
    most = min(bound, down + cover.total())
    summed = np.concatenate([[0], np.cumsum(gains[order])])
    last = np.minimum(np.arange(len(order)) + picks, len(order))
    bounds = np.minimum(most, down + (summed[last] - summed[:-1]) // _ONE) if picks > 1 else np.empty(0, int)
    return _Node(cover, names[order], picks, down, taken, toll, bounds.tolist())
