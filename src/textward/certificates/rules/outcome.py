"""What base models said of some texts: all that a vote rule may look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textward.certificates.votes import CountArray, IntArray, check_votes
from textward.errors import UsageError

SHARE = 1 << 20
"""A model that is sure of a class gives it so many parts."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Texts x models: the class each voted for; and, where models say it, how sure they are of each class.

    >>> Outcome.of(np.array([[0, 1, 1]]), classes=2).models
    3
    """

    votes: CountArray
    classes: int
    shares: CountArray | None = None
    """Texts x models x classes, in 1/2**20 of certainty."""

    @classmethod
    def of(cls, votes: IntArray, classes: int, shares: IntArray | None = None) -> Outcome:
        """Votes and shares that were checked."""
        checked, classes = check_votes(votes, classes)
        if shares is None:
            return cls(checked, classes)
        sure = np.asarray(shares)
        if sure.shape != (*checked.shape, classes) or not np.issubdtype(sure.dtype, np.integer):
            raise UsageError(
                f"shares must be integers, texts x models x classes: {(*checked.shape, classes)}, "
                f"got {sure.dtype} of shape {sure.shape}"
            )
        if sure.size and not 0 <= sure.min() <= sure.max() <= SHARE:
            raise UsageError(f"shares must lie in 0..{SHARE}, got values from {sure.min()} to {sure.max()}")
        return cls(checked, classes, sure.astype(np.int64, copy=False))

    @property
    def models(self) -> int:
        """The number of base models."""
        return int(self.votes.shape[1])
