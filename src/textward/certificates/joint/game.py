"""The texts that can still fall, and what each corrupted group costs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textward.certificates.joint.folding import Folded
from textward.certificates.votes import BoolArray, CountArray


@dataclass(frozen=True, slots=True)
class Game:
    """Rows of texts that can still fall, and what each group costs them.

    Slot k holds the k-th dangerous rival of the rows that have one; rows with more rivals come first, so each
    slot covers the first rows. `loss[k]` is rows x groups, `slack[k]` what the row can lose and still stand.

    >>> from textward.certificates.joint.folding import fold
    >>> folded = fold(np.array([[0, 1, 0]]), np.array([0]), 2, np.ones((1, 1), dtype=bool))
    >>> game = live_game(folded, size=1)
    >>> game.loss[0].tolist(), game.slack[0].tolist()
    ([[2, 0, 2]], [1])
    """

    groups: int
    loss: tuple[CountArray, ...]
    slack: tuple[CountArray, ...]
    weight: CountArray  # rows x populations

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.weight)

    def after(self, picks: Sequence[int]) -> tuple[Game, BoolArray]:
        """Spend the losses of `picks`; also mark the rows that have fallen."""
        spent = (part[:, list(picks)].sum(axis=1) for part in self.loss)
        slack = tuple(left - cost for left, cost in zip(self.slack, spent, strict=True))
        fallen = np.zeros(self.rows, dtype=np.bool_)
        for left in slack:
            fallen[: len(left)] |= left < 0
        return Game(self.groups, self.loss, slack, self.weight), fallen

    def keep(self, rows: BoolArray, groups: Sequence[int] | None = None) -> Game:
        """Only these rows and groups."""
        columns = list(range(self.groups) if groups is None else groups)
        loss, slack = [], []
        for part, left in zip(self.loss, self.slack, strict=True):
            mine = rows[: len(left)]
            if mine.any():
                loss.append(part[mine][:, columns])
                slack.append(left[mine])
        return Game(len(columns), tuple(loss), tuple(slack), self.weight[rows])

    def population(self, p: int) -> Game:
        """Only the rows and weights of one population."""
        column = Game(self.groups, self.loss, self.slack, self.weight[:, [p]])
        return column.keep(self.weight[:, p] > 0)


def live_game(folded: Folded, size: int) -> Game:
    """The rows whose radius is below `size`, with the rivals that `size` groups can bring past the winner.

    >>> from textward.certificates.joint.folding import fold
    >>> live_game(fold(np.zeros((1, 3), int), np.array([0]), 2, np.ones((1, 1), dtype=bool)), size=1).rows
    0
    """
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
    return Game(folded.groups, tuple(loss), tuple(left), folded.weight[live][order])


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
