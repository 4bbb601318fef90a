"""Triggers against ballots, with full knowledge of the counts they were made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.attacks.planners import unused_words
from textward.certificates.ballots import UNIT, ballot_joint_table
from textward.learners.ballots import BallotModel, Counts
from textward.words import Cutter, UnicodeWords
from textward.words.columns import IntArray

_CANDIDATES = 400
_ROUNDS = 5
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BallotPlanner:
    """The words of the joint certificate's best attack, words nobody uses, and a greedy choice of words.

    The greedy choice weighs the support that a word gives now, and loses, with the ballot that it would cast
    if it were planted in a share of the target's rows.

    >>> from textward.learners.ballots import train_ballots
    >>> cut = UnicodeWords().cut
    >>> model = train_ballots(cut(pl.Series(["fun", "dull", "a", "a"] * 9)), np.array([1, 0] * 18), classes=2)
    >>> next(BallotPlanner(model).triggers(pl.Series(["a fun"]), np.array([1]), 1, target=0))
    ('cf',)
    """

    model: BallotModel
    shares: tuple[float, ...] = (0.02, 0.1, 0.3)
    cutter: Cutter = field(default_factory=UnicodeWords)
    theta: int = 0
    """The lead below which a cascade's ballots hand a text over; an attacker may aim at that."""

    def triggers(
        self, texts: pl.Series, labels: IntArray, size: int, target: int
    ) -> Iterator[tuple[str, ...]]:
        words = self.cutter.cut(texts)
        case = replace(self.model.case(words), theta=self.theta)
        known = words.vocabulary.filter(words.vocabulary.is_in(self.model.counts.vocabulary.implode()))
        names = known.to_list()
        attack = ballot_joint_table(case.without_echoes(), labels, [size])[0][0].attack
        for taken in ([names[word] for word in attack], []):
            yield _filled(taken, size)
        scores = case.scores
        right = np.flatnonzero((scores.argmax(axis=1) == labels) & case.answered)
        if len(right):
            margin = scores[right, labels[right]] - scores[right, target] - self.theta
            # Words that only lend to those of the texts have a column after theirs.
            held = np.asarray(case.incidence[right][:, : len(names)].todense(), np.float64)
            now = case.ballots[: len(names)]
            names += [word for word in unused_words(size) if word not in names][:size]
            game = _Game(held, margin.astype(np.float64), labels[right], target)
            for share in self.shares:
                chosen = game.greedy(now, self._planted(names, share, target), size)
                yield tuple(names[word] for word in chosen)

    def _planted(self, names: list[str], share: float, target: int) -> IntArray:
        """The ballots that these words would cast, each planted in a share of the target's rows."""
        counts = self.model.counts
        places = dict(zip(counts.vocabulary, range(len(counts.vocabulary)), strict=True))
        unseen = np.zeros(len(counts.rows), np.int64)
        holding = np.stack([counts.holding[places[w]] if w in places else unseen for w in names])
        room = counts.rows[target] - holding[:, target]
        holding[:, target] += np.floor(share * room).astype(np.int64)
        return self.model.formula.would_cast(Counts(pl.Series(names), holding, counts.rows))


@dataclass(frozen=True, slots=True)
class _Game:
    """Right texts: the words they hold, their lead over the target, and their labels."""

    held: FloatArray
    margin: FloatArray
    labels: IntArray
    target: int

    def greedy(self, ballots_now: IntArray, planted: IntArray, size: int) -> list[int]:
        """The words, one by one, that bring most texts down; then exchanged while it helps."""
        loss = self._losses(ballots_now, planted)
        left = np.maximum(self.margin, 1.0)
        rough = (loss / np.maximum(left, UNIT / 2)[:, None]).sum(axis=0)
        pool = np.argsort(-rough, kind="stable")[:_CANDIDATES]
        loss = loss[:, pool]
        chosen: list[int] = []
        for _ in range(size):
            gain = np.clip(loss / np.maximum(left, 1e-9)[:, None], -1, 1)[left > 0].sum(axis=0)
            gain[chosen] = -np.inf
            chosen.append(int(gain.argmax()))
            left = left - loss[:, chosen[-1]]
        return [int(pool[place]) for place in self._exchanged(loss, chosen)]

    def _exchanged(self, loss: FloatArray, chosen: list[int]) -> list[int]:
        """The words with one after another replaced by the one that fells most texts in its company."""
        most = -1
        for _ in range(_ROUNDS):
            for place in range(len(chosen)):
                others = chosen[:place] + chosen[place + 1 :]
                fallen = loss[:, others].sum(axis=1)[:, None] + loss >= self.margin[:, None]
                felled = fallen.sum(axis=0)
                felled[others] = -1
                if felled.max() > felled[chosen[place]]:
                    chosen = [*chosen[:place], int(felled.argmax()), *chosen[place + 1 :]]
            if felled.max() <= most:
                break
            most = int(felled.max())
        return chosen

    def _losses(self, ballots_now: IntArray, planted: IntArray) -> FloatArray:
        """Texts x words: what the lead loses by the support that goes and the ballot that comes."""
        fresh = len(planted) - self.held.shape[1]
        lead = ballots_now[:, self.labels].T - ballots_now[:, [self.target]].T
        support = np.pad(self.held * lead, ((0, 0), (0, fresh)))
        pushed: FloatArray = support + planted[:, [self.target]].T - planted[:, self.labels].T
        return pushed


def _filled(words: list[str], size: int) -> tuple[str, ...]:
    spare = [word for word in unused_words(size) if word not in words]
    return tuple((words + spare)[:size])
