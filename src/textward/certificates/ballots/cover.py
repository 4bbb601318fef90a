"""Which few words fell the most texts: a weighted cover problem, solved by best-first branch and bound.

A *threat* is a text seen from one rival class: it is carried out when the losses of the chosen words reach
its need, and the text falls. A loss may be negative: choosing the word lifts that text. A word's share of a
threat is min(1, loss / need), or 0. The shares of a threat that is carried out add up to 1 or more, so the
largest sums of shares bound from above what any choice can fell. Shares are integers, rounded up.
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
    weight: CountArray  # of each text

    @classmethod
    def of(cls, threat: CountArray, word: CountArray, loss: CountArray, *rest: CountArray) -> Cover:
        """Losses in any order; `rest`: text and need of each threat, weight of each text."""
        some = np.flatnonzero(loss)
        most = int(loss[some].max(initial=0))
        span = most - int(loss[some].min(initial=0)) + 1
        order = some[np.argsort(threat[some] * span + (most - loss[some]), kind="stable")]
        return cls(threat[order], word[order], loss[order], *rest)

    def eased(self, push: CountArray) -> Cover:
        """The same threats when each needs `push` less."""
        return replace(self, need=self.need - push)

    def kept(self, threats: BoolArray, losses: BoolArray | None = None) -> Cover:
        """Only these threats, and of their losses only these."""
        number = np.cumsum(threats) - 1
        mine = threats.take(self.threat) if losses is None else losses & threats.take(self.threat)
        some = np.flatnonzero(mine)
        parts = number.take(self.threat.take(some)), self.word.take(some), self.loss.take(some)
        return Cover(*parts, self.text[threats], self.need[threats], self.weight)

    def toll(self, words: Sequence[int]) -> int:
        """The weight of the texts that fall to these words."""
        hit = self.word < len(words) if isinstance(words, range) else np.isin(self.word, words)
        lost = np.bincount(self.threat[hit], self.loss[hit], minlength=len(self.need))
        return self.weight_of(lost >= self.need)

    def settled(self, picks: int) -> tuple[int, Cover]:
        """The weight that falls whatever `picks` words are chosen, and the threats and losses that matter."""
        end = np.cumsum(np.bincount(self.threat, minlength=len(self.need)))
        start = end - np.diff(end, prepend=0)
        harm, help_ = (_summed(part(self.loss, 0)) for part in (np.maximum, np.minimum))
        gone = help_[end] - help_[np.maximum(end - picks, start)] >= self.need
        top = harm[np.minimum(start + picks, end)] - harm[start]
        open_ = ~self._texts(gone)[self.text] & (top >= self.need)
        # A loss matters if it and the largest others can carry its threat out; were it one of these, it can.
        others = harm[np.clip(start + picks - 1, start, end)] - harm[start]
        short = np.where(open_, self.need - others, 1 << 62).take(self.threat)
        matters = (self.loss >= short) & (self.loss > 0)
        chosen = np.zeros(int(self.word.max(initial=0)) + 1, dtype=np.bool_)
        chosen[self.word[matters]] = True
        matters |= (self.loss < 0) & chosen[self.word]
        return self.weight_of(gone), self.kept(open_, matters)

    def gains(self, words: int) -> tuple[int, CountArray]:
        """The weight already down, which words may yet lift, and each word's summed shares of the rest.

        Shares are counted in 1/2**20 of a unit of weight.
        """
        down = self._texts(self.need <= 0)
        need = np.where(down[self.text], -1, self.need)[self.threat]
        share = np.where(need > 0, -(-np.clip(self.loss, 0, need) * _ONE // need), 0)
        word, share, text = self._best_of_each_text(share)
        summed = np.bincount(word, share * self.weight[text], minlength=words).astype(np.int64)
        return int(self.weight[down].sum()), summed

    def weight_of(self, threats: BoolArray) -> int:
        """The weight of the texts these threats are to."""
        return int(self.weight[self._texts(threats)].sum())

    def _texts(self, threats: BoolArray) -> BoolArray:
        texts = np.zeros(len(self.weight), dtype=np.bool_)
        texts[self.text[threats]] = True
        return texts

    def _best_of_each_text(self, share: CountArray) -> tuple[CountArray, CountArray, CountArray]:
        """A word's largest share of each text, where several rivals threaten it: word, share, text."""
        text = self.text[self.threat]
        several = (np.bincount(self.text, minlength=1) > 1)[text]
        if not several.any():
            return self.word, share, text
        key = text[several] * (int(self.word.max()) + 1) + self.word[several]
        order = np.argsort(key)
        key = key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        lone, best = ~several, np.flatnonzero(several)[order[first]]
        most = np.maximum.reduceat(share[several][order], first)
        columns = ((self.word, self.word[best]), (share, most), (text, text[best]))
        word, share, text = (np.concatenate([every[lone], one]) for every, one in columns)
        return word, share, text


@dataclass(frozen=True, slots=True)
class Felled:
    """The most weight known to fall, the words that fell it, and a proven bound on any choice's toll."""

    toll: int
    words: tuple[int, ...]
    bound: int
    opened: int = 0

    @property
    def exact(self) -> bool:
        """Whether no choice fells more."""
        return self.toll == self.bound


def fell(cover: Cover, picks: int, *, floor: int = -1, nodes: int = 2_000) -> Felled:
    """Choose `picks` words that fell the most.

    A search that need only know whether more than `floor` can fall stops once it cannot, and then bounds the
    toll by `floor`. One that has opened `nodes` branches stops with the bound it has proven so far.

    >>> cover = Cover.of(*np.array([[0, 0, 1], [5, 6, 6], [2, 3, 3]]), *np.array([[0, 1], [5, 3], [1, 1]]))
    >>> fell(cover, picks=1).toll, fell(cover, picks=2).words
    (1, (6, 5))
    """
    numbers = count()
    root = _node(cover, picks, 0, (), int(cover.weight.sum()), floor)
    best, words, opened = root.toll, root.found, 1
    heap = [(-bound, picks, next(numbers), root, 0) for bound in root.bounds[:1]]
    while heap and -heap[0][0] > max(best, floor):
        if opened >= nodes:
            return Felled(best, words, -heap[0][0], opened)
        _, _, _, node, at = heapq.heappop(heap)
        child = node.child(at, max(best, floor))
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
    found: tuple[int, ...]  # a choice with that toll
    bounds: list[int]  # on the toll of each branch, falling

    def child(self, at: int, enough: int) -> _Node:
        """The branch that takes word number `at`."""
        cover = self.cover
        need = cover.need.copy()
        now, later = cover.word == at, cover.word > at
        need[cover.threat[now]] -= cover.loss[now]
        losses = (cover.threat[later], self.names[cover.word[later]], cover.loss[later])
        left = Cover(*losses, cover.text, need, cover.weight)
        taken = (*self.taken, int(self.names[at]))
        return _node(left, self.picks - 1, self.down, taken, self.bounds[at], enough)


def _node(cover: Cover, picks: int, down: int, taken: tuple[int, ...], bound: int, enough: int) -> _Node:
    """A node whose choices may have a toll above `enough`; else one without branches, and no choice made."""
    gone, cover = cover.settled(picks)
    down += gone
    names, word = _renumbered(cover.word)
    base, gains = replace(cover, word=word).gains(len(names))
    if down + base + _most(gains, picks) // _ONE <= enough:
        return _Node(cover, names, picks, down, taken, -1, taken, [])
    order = np.argsort(-gains, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    names, cover = names[order], replace(cover, word=rank[word])
    chosen = min(picks, int(np.count_nonzero(gains)))
    none, some = cover.toll(()), cover.toll(range(chosen))
    found = (*taken, *names[: chosen if some > none else 0].tolist())
    most = min(bound, down + cover.weight_of(np.ones(len(cover.need), dtype=np.bool_)))
    summed = np.concatenate([[0], np.cumsum(gains[order])])
    last = np.minimum(np.arange(len(order)) + picks, len(order))
    bounds = np.minimum(most, down + base + (summed[last] - summed[:-1]) // _ONE) if picks else order[:0]
    return _Node(cover, names, picks, down, taken, down + max(none, some), found, bounds.tolist())


def _most(values: CountArray, count: int) -> int:
    """The sum of the `count` largest values."""
    largest = np.partition(values, -count)[-count:] if 0 < count < len(values) else values[:count]
    return int(largest.sum())


def _summed(values: CountArray) -> CountArray:
    """Running sums, the first of nothing."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def _renumbered(words: CountArray) -> tuple[CountArray, CountArray]:
    """The words that occur, in rising order, and the place of each among them."""
    occurs = np.zeros(int(words.max(initial=-1)) + 1, dtype=np.bool_)
    occurs[words] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[words]
