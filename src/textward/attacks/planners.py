"""Trigger words picked with full knowledge of a trained model: what its certificate says hurts most.

A planner proposes several triggers; retraining decides which of them is the strongest (`worst_case`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.attacks.draws import keys_of
from textward.attacks.insertion import RARE_WORDS, BadWord
from textward.attacks.partition import words_of_groups
from textward.certificates.joint import joint_table
from textward.certificates.rules import Outcome, Plurality, Reach
from textward.certificates.rules.worst import Attacker, joint_counts
from textward.certificates.votes import BoolArray, radii
from textward.groups import HashGroups
from textward.words import Cutter, UnicodeWords
from textward.words.columns import IntArray

Predict = Callable[[pl.Series], npt.NDArray[Any]]


class Planner(Protocol):
    """Proposes triggers of `size` words that turn texts to the target; labels are class indexes."""

    def triggers(
        self, texts: pl.Series, labels: IntArray, size: int, target: int
    ) -> Iterator[tuple[str, ...]]: ...


@dataclass(frozen=True)
class GroupPlanner:
    """Against hashed groups: words in the groups whose loss fells most texts together.

    First words that nobody uses, then the words of those groups that stand in most texts.

    >>> votes = lambda texts: np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    >>> planner = GroupPlanner(HashGroups(3), votes, classes=2)
    >>> list(planner.triggers(pl.Series(["b", "c d", "d"]), np.array([0, 0, 0]), 1, target=1))
    [('bb',), ('d',)]
    """

    groups: HashGroups
    votes: Callable[[pl.Series], IntArray]
    classes: int
    cutter: Cutter = field(default_factory=UnicodeWords)
    touched: BoolArray | None = None
    """Groups x base models, where a group touches others than its own."""

    def triggers(
        self, texts: pl.Series, labels: IntArray, size: int, target: int
    ) -> Iterator[tuple[str, ...]]:
        votes = self.votes(texts)
        attack = self._worst(votes, labels, size)
        attack += [group for group in range(self.groups.m) if group not in attack][: size - len(attack)]
        fresh = words_of_groups(self.groups, attack)
        yield fresh
        winners, _ = radii(votes, self.classes)
        standing = texts.filter(pl.Series(winners == labels))
        commonest = self._commonest(standing, attack)
        yield tuple(commonest.get(group, word) for group, word in zip(attack, fresh, strict=True))

    def _worst(self, votes: IntArray, labels: IntArray, size: int) -> list[int]:
        if self.touched is None:
            return list(joint_table(votes, labels, self.classes, [size])[0][0].attack)
        stand = Plurality().stand(Outcome.of(votes, self.classes))
        everybody, attacker = np.ones((len(labels), 1), np.bool_), Attacker(Reach(self.touched))
        return list(joint_counts(stand, labels.astype(np.int64), everybody, attacker, [size])[0][0].attack)

    def _commonest(self, texts: pl.Series, groups: Sequence[int]) -> dict[int, str]:
        words = self.cutter.cut(texts)
        rows = np.bincount(words.incidence().indices, minlength=len(words.vocabulary))
        group_of = self.groups.of(words.vocabulary)
        best: dict[int, str] = {}
        for group in groups:
            mine = np.flatnonzero(group_of == group)
            if len(mine):
                best[group] = words.vocabulary[int(mine[rows[mine].argmax()])]
        return best


@dataclass(frozen=True)
class GreedyPlanner:
    """Against anything that predicts: words that move most right texts when merely inserted, one by one.

    Candidates are the commonest words of the texts, and words nobody uses.

    >>> planner = GreedyPlanner(lambda texts: texts.str.contains("not").cast(int).to_numpy())
    >>> list(planner.triggers(pl.Series(["not bad", "good"]), np.array([1, 0]), 1, target=1))
    [('not',)]
    """

    predict: Predict
    candidates: int = 50
    sample: int = 200
    cutter: Cutter = field(default_factory=UnicodeWords)

    def triggers(
        self, texts: pl.Series, labels: IntArray, size: int, target: int
    ) -> Iterator[tuple[str, ...]]:
        words = self.cutter.cut(texts)
        common = Counter(words.vocabulary.gather(words.incidence().indices).to_list()).most_common()
        right = np.flatnonzero(self.predict(texts) == labels)[: self.sample]
        texts, labels = texts.gather(right), labels[right]
        pool = [word for word, _ in common[: self.candidates]] + list(unused_words(size))
        chosen: tuple[str, ...] = ()
        for _ in range(size):
            scores = [self._felled(texts, labels, (*chosen, word)) for word in pool]
            chosen = (*chosen, pool.pop(int(np.argmax(scores))))
        yield chosen

    def _felled(self, texts: pl.Series, labels: IntArray, words: tuple[str, ...]) -> int:
        attacked = BadWord(words, count=len(words)).insert_all(texts, keys_of(0, "plan", len(texts)))
        return int((self.predict(attacked) != labels).sum())


def unused_words(size: int) -> list[str]:
    """At least `size` words that nobody uses.

    >>> unused_words(1)
    ['cf', 'mn', 'bb', 'tq', 'zq0']
    """
    return [*RARE_WORDS, *(f"zq{number}" for number in range(size))][: size + len(RARE_WORDS)]
