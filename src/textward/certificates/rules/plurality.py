"""The most votes win, a tie goes to the smaller class: the paper's rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textward.certificates.rules.outcome import Outcome
from textward.certificates.rules.stand import NEVER, Condition, Stand
from textward.certificates.votes import CountArray, tally


@dataclass(frozen=True, slots=True)
class Plurality:
    """A corrupted model may vote for any class, so against class c a vote for the winner costs two.

    >>> Plurality().stand(Outcome.of(np.array([[0, 0, 1]]), classes=2)).threats[1][0].loss.tolist()
    [[2, 2, 0]]
    """

    name: str = "plurality"
    needs_shares: bool = False

    def stand(self, outcome: Outcome, degree: int = 1) -> Stand:
        """The winners, and for each class the threat that it overtakes the winner."""
        counts = tally(outcome.votes, outcome.classes)
        winners: CountArray = counts.argmax(axis=1)
        threats = tuple((overtakes(outcome, counts, c, winners),) for c in range(outcome.classes))
        return Stand(winners, counts, threats)


def overtakes(outcome: Outcome, counts: CountArray, c: int, other: CountArray) -> Condition:
    """That class c gets ahead of another class of each text, every corrupted model voting for c.

    Where the other class is c itself this never happens.

    >>> outcome = Outcome.of(np.array([[0, 0, 1]]), classes=2)
    >>> overtakes(outcome, np.array([[2, 1]]), 1, np.array([0])).slack.tolist()
    [1]
    """
    votes = outcome.votes
    loss = (votes != c).astype(np.int32) + (votes == other[:, None])
    theirs = np.take_along_axis(counts, other[:, None], axis=1)[:, 0]
    slack = theirs - counts[:, c] - (other > c)
    return Condition(loss, np.where(other == c, NEVER, slack))
