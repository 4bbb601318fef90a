"""What can be chosen: ballots, or so many groups of a learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textward.estimator import TextGuard


@dataclass(frozen=True, slots=True)
class Candidate:
    """One choice of learner and groups.

    >>> Candidate("words").name, Candidate(7).name
    ('ballots', 'linear, 7 groups')
    """

    groups: int | str

    @property
    def name(self) -> str:
        """How it is called in tables."""
        if self.groups == "words":
            return "ballots"
        return f"linear, {self.groups} group{'s' * (self.groups != 1)}"

    @property
    def command(self) -> str:
        """What to type after `textward train`."""
        return "--learner ballots" if self.groups == "words" else f"--groups {self.groups}"

    def guard(self, seed: int) -> TextGuard:
        """The untrained model."""
        return TextGuard(self.groups, seed=seed)


def choices(learners: Sequence[str], groups: Sequence[int]) -> tuple[Candidate, ...]:
    """Every choice, in the order it is asked for.

    >>> [found.name for found in choices(["ballots", "linear"], [3, 7])]
    ['ballots', 'linear, 3 groups', 'linear, 7 groups']
    """
    return tuple(
        candidate
        for learner in learners
        for candidate in ([Candidate("words")] if learner == "ballots" else map(Candidate, groups))
    )
