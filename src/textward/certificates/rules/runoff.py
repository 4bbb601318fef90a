"""A run-off election: the two classes with the most votes meet again, each model for the one it likes better.

arXiv 2302.00300 has the idea; the count is our own. With y the winner and S the corrupted models, y falls
exactly when one of two things can be brought about (docs/votes.md has the proof):

- some c is among the first two and beats y head to head, all of S voting for c; c is among the first two when
  it is ahead of all classes but one;
- two classes c and d are both ahead of y, S being split between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from textward.certificates.rules.outcome import Outcome
from textward.certificates.rules.plurality import overtakes
from textward.certificates.rules.stand import NEVER, Condition, Stand, Threat
from textward.certificates.votes import BoolArray, CountArray, tally
from textward.errors import UsageError

_MOST_CLASSES = 5  # with more the conditions would be too many: some are left out, which promises less


@dataclass(frozen=True, slots=True)
class Runoff:
    """Two rounds; in both a tie goes to the smaller class.

    >>> shares = np.array([[[9, 0, 5], [9, 0, 5], [0, 9, 5], [0, 9, 5], [0, 5, 9]]])
    >>> Runoff().stand(Outcome.of(shares.argmax(axis=2), 3, shares)).tally.tolist()
    [[2, 3, 0]]
    """

    name: str = "runoff"
    needs_shares: bool = True

    def stand(self, outcome: Outcome, degree: int = 1) -> Stand:
        """The winner of the second round, and every threat to it."""
        likes = preferences(outcome)
        counts = tally(outcome.votes, outcome.classes)
        second = _second_round(counts, likes)
        winners: CountArray = second.argmax(axis=1)
        whole = outcome.classes <= _MOST_CLASSES
        threats = [*self._beaten(outcome, counts, winners, likes, whole=whole)]
        threats += [*self._left_behind(outcome, counts, winners, whole=whole)]
        return Stand(winners, second, tuple(threats), exact=whole)

    def _beaten(
        self, outcome: Outcome, counts: CountArray, winners: CountArray, likes: BoolArray, *, whole: bool
    ) -> list[Threat]:
        found: list[Threat] = []
        classes = range(outcome.classes)
        for c in classes:
            duel = _duel(likes, winners, c)
            if not whole or outcome.classes == 2:
                found.append((duel,))
                continue
            ahead = [overtakes(outcome, counts, c, np.full_like(winners, e)) for e in classes]
            rest = [[ahead[e] for e in classes if e not in (c, above)] for above in classes if above != c]
            found += [(duel, *behind) for behind in rest]
        return found

    def _left_behind(
        self, outcome: Outcome, counts: CountArray, winners: CountArray, *, whole: bool
    ) -> list[Threat]:
        found: list[Threat] = []
        for c, d in combinations(range(outcome.classes), 2):
            both = _both_ahead(outcome, counts, winners, c, d)
            each = [overtakes(outcome, counts, one, winners) for one in (c, d)] if whole else []
            found.append((both, *each))
        return found


def preferences(outcome: Outcome) -> BoolArray:
    """Texts x models x classes x classes: whether the model likes the first class better than the second.

    A model likes its own vote best, then goes by its shares, then by the smaller class.

    >>> likes = preferences(Outcome.of(np.array([[1]]), 3, np.array([[[4, 9, 4]]])))
    >>> likes[0, 0].astype(int).tolist()
    [[0, 0, 1], [1, 0, 1], [0, 0, 0]]
    """
    if outcome.shares is None:
        raise UsageError("a run-off needs the models' shares, and there are none")
    classes = np.arange(outcome.classes)
    rank = 2 * outcome.shares + (outcome.votes[:, :, None] == classes) * (4 << 20)
    better = rank[:, :, :, None] - rank[:, :, None, :]
    return np.asarray((better > 0) | ((better == 0) & (classes[:, None] < classes)))


def _second_round(counts: CountArray, likes: BoolArray) -> CountArray:
    """Texts x classes: the votes of the two finalists against each other, 0 for everybody else."""
    texts, first = np.arange(len(counts)), counts.argmax(axis=1)
    rest = counts.copy()
    rest[texts, first] = -1
    other = rest.argmax(axis=1)
    second = np.zeros_like(counts)
    pair = likes[texts, :, first, other]  # texts x models
    second[texts, first], second[texts, other] = pair.sum(axis=1), (~pair).sum(axis=1)
    return second


def _duel(likes: BoolArray, winners: CountArray, c: int) -> Condition:
    """That c beats the winner head to head."""
    pair = likes[np.arange(len(winners)), :, winners, c]
    mine = pair.sum(axis=1)
    slack = 2 * mine - pair.shape[1] - (winners > c)
    return Condition(2 * pair.astype(np.int32), np.where(winners == c, NEVER, slack))


def _both_ahead(outcome: Outcome, counts: CountArray, winners: CountArray, c: int, d: int) -> Condition:
    """That the corrupted models suffice for c and d together to get ahead of the winner."""
    votes = outcome.votes
    mine, theirs = votes == winners[:, None], (votes == c) | (votes == d)
    loss = 1 + 2 * mine.astype(np.int32) - theirs
    best = np.take_along_axis(counts, winners[:, None], axis=1)[:, 0]
    gap = 2 * best - counts[:, c] - counts[:, d] + (winners < c) + (winners < d)
    final = (winners == c) | (winners == d)
    return Condition(loss.astype(np.int32), np.where(final, NEVER, gap - 1))
