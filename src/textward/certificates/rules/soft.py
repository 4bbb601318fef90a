"""Models say how sure they are, within bounds: a soft vote is clip(k (p - 1/2) + 1/2), in integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textward.certificates.rules.outcome import SHARE, Outcome
from textward.certificates.rules.stand import NEVER, Condition, Stand
from textward.certificates.votes import CountArray
from textward.errors import UsageError

UNIT = 1024
"""One whole soft vote."""


@dataclass(frozen=True, slots=True)
class Soft:
    """k = 1 adds up the models' own shares, a large k is a hard vote for a class with more than half.

    >>> outcome = Outcome.of(np.array([[0, 1]]), 2, np.array([[[1 << 20, 0], [524288, 524288]]]))
    >>> Soft(1).stand(outcome).tally.tolist()
    [[1536, 512]]
    """

    k: int
    needs_shares: bool = True

    @property
    def name(self) -> str:
        """Its name, with its dial."""
        return f"soft:{self.k}"

    def stand(self, outcome: Outcome, degree: int = 1) -> Stand:
        """A corrupted model gives the winner nothing and its rival a whole vote."""
        cast = self.votes(outcome)
        sums = cast.sum(axis=1)
        winners: CountArray = sums.argmax(axis=1)
        mine = np.take_along_axis(cast, winners[:, None, None], axis=2)[:, :, 0]
        best = np.take_along_axis(sums, winners[:, None], axis=1)[:, 0]
        threats = []
        for c in range(outcome.classes):
            loss = (UNIT + mine - cast[:, :, c]).astype(np.int32)
            slack = best - sums[:, c] - (winners > c)
            threats.append((Condition(loss, np.where(winners == c, NEVER, slack)),))
        return Stand(winners, sums, tuple(threats))

    def votes(self, outcome: Outcome) -> CountArray:
        """Texts x models x classes: soft votes in 1/1024, rounded down."""
        if outcome.shares is None:
            raise UsageError("soft votes are made of the models' shares, and there are none")
        # k (p - 1/2) + 1/2 = (2 k p - k + 1) / 2
        return np.clip((2 * self.k * outcome.shares - (self.k - 1) * SHARE) * UNIT // (2 * SHARE), 0, UNIT)
