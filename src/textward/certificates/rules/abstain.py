"""Votes as ever, and no answer where the lead is too small for an asked-for radius."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from textward.certificates.rules.outcome import Outcome
from textward.certificates.rules.plurality import Plurality
from textward.certificates.rules.stand import NEVER, Condition, Stand


@dataclass(frozen=True, slots=True)
class Abstain:
    """Answers where so many words cannot change the winner; an answer falls when it is changed or withheld.

    A text without an answer falls without any corruption.

    >>> stand = Abstain(1).stand(Outcome.of(np.array([[0, 0, 0], [0, 0, 1]]), classes=2))
    >>> stand.fallen(np.zeros((1, 3), dtype=bool)).tolist()
    [[False, True]]
    """

    radius: int
    needs_shares: bool = False

    @property
    def name(self) -> str:
        """Its name, with its dial."""
        return f"abstain:{self.radius}"

    def stand(self, outcome: Outcome, degree: int = 1) -> Stand:
        """Plurality's threats with less slack: `radius` words more must not change the winner."""
        stand = Plurality().stand(outcome)
        spare = 2 * self.radius * degree
        threats = tuple(tuple(_sooner(one, spare) for one in threat) for threat in stand.threats)
        return replace(stand, threats=threats)


def _sooner(condition: Condition, by: int) -> Condition:
    slack = condition.slack
    return Condition(condition.loss, np.where(slack == NEVER, NEVER, slack - by))
