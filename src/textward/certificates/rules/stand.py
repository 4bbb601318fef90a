"""What a text's answer can lose before it falls: the common form of every vote rule's worst case.

A rule says who wins, and what would have to happen for the winner to fall. Each way to fall is a *threat*, a
set of conditions that must all be met; a condition is met when the losses of the corrupted models, added up,
exceed its slack. So the text falls to a set of models exactly when one of its threats is carried out (or, of
a rule that is not `exact`, at most then).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textward.certificates.votes import BoolArray, CountArray

Losses = npt.NDArray[np.int32]
NEVER = 1 << 40
"""A slack that no losses exceed."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Met when the corrupted models' losses exceed the slack; losses are at least 0.

    >>> Condition(np.array([[2, 0]], np.int32), np.array([1])).least(np.eye(2, dtype=bool)).tolist()
    [1]
    """

    loss: Losses  # texts x models
    slack: CountArray  # of each text

    def texts(self, chosen: BoolArray) -> Condition:
        """The same condition of some of the texts."""
        return Condition(self.loss[chosen], self.slack[chosen])

    def least(self, reach: BoolArray, spent: CountArray | int = 0) -> CountArray:
        """How many buckets it takes at least; one more than there are, where all of them do not suffice.

        The losses of two buckets that share a model are counted twice, so it may take more. `spent` is what
        is lost already.
        """
        each = -np.sort(-(self.loss @ reach.T.astype(np.int64)), axis=1)
        left = np.cumsum(each, axis=1) <= (self.slack - spent)[:, None]
        number: CountArray = left.sum(axis=1) + 1
        return np.where(self.slack < spent, 0, number)


Threat = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Stand:
    """The answers of one rule to some texts, and every threat to them.

    >>> one = Condition(np.array([[2, 0]], np.int32), np.array([1]))
    >>> stand = Stand(np.array([0]), np.array([[1, 0]]), ((one,),))
    >>> stand.fallen(np.array([[True, False], [False, True]])).tolist()
    [[True], [False]]
    """

    winners: CountArray
    tally: CountArray
    """Texts x classes: what the answer was decided by; the first of the largest is the winner."""
    threats: tuple[Threat, ...]
    exact: bool = True
    """Whether a threat that is carried out does fell its text."""

    def texts(self, chosen: BoolArray) -> Stand:
        """The same of some of the texts."""
        threats = tuple(tuple(one.texts(chosen) for one in threat) for threat in self.threats)
        return Stand(self.winners[chosen], self.tally[chosen], threats, self.exact)

    @property
    def conditions(self) -> int:
        """The number of conditions of all threats."""
        return sum(map(len, self.threats))

    def fallen(self, hits: BoolArray) -> BoolArray:
        """Sets x texts: the texts that fall when the models of each set (sets x models) are corrupted."""
        fallen = np.zeros((len(hits), len(self.winners)), np.bool_)
        for threat in self.threats:
            met = np.ones_like(fallen)
            for condition in threat:
                met &= _sums(hits, condition.loss) > condition.slack
            fallen |= met
        return fallen


def _sums(hits: BoolArray, loss: Losses) -> npt.NDArray[Any]:
    """Sets x texts: the losses of each set, exact in the floats that multiply fastest."""
    top = int(loss.max(initial=0)) * loss.shape[1]
    kind = np.float32 if top < 1 << 24 else np.float64
    return np.asarray(hits.astype(kind) @ loss.T.astype(kind))
