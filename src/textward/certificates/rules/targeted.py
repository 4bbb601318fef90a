"""Votes as ever, and a narrower question: which trigger could force one given class?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textward.certificates.rules.outcome import Outcome
from textward.certificates.rules.plurality import overtakes
from textward.certificates.rules.stand import Stand
from textward.certificates.votes import CountArray, tally


@dataclass(frozen=True, slots=True)
class Targeted:
    """A text falls only when it is answered `target`, which must get ahead of every other class.

    A text that is answered so already has nothing to lose.

    >>> outcome = Outcome.of(np.array([[0, 0, 1, 2]]), classes=3)
    >>> [len(threat) for threat in Targeted(1).stand(outcome).threats]
    [3]
    """

    target: int
    name: str = "targeted"
    needs_shares: bool = False

    def stand(self, outcome: Outcome, degree: int = 1) -> Stand:
        """The winners, and the one threat: the target overtakes the winner and everybody else."""
        counts = tally(outcome.votes, outcome.classes)
        winners: CountArray = counts.argmax(axis=1)
        others = [np.full_like(winners, d) for d in range(outcome.classes) if d != self.target]
        rivals = [winners, *others] if outcome.classes > 2 else [winners]
        threat = [overtakes(outcome, counts, self.target, other) for other in rivals]
        return Stand(winners, counts, (tuple(threat),))
