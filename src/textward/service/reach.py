"""What one named trigger can reach in one text's vote, at worst; integers only.

A radius speaks of every trigger of a size. Of a trigger whose words are named more can be said: which groups
they fall in, and whether the label stands whatever those groups do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textward.certificates.ballots import UNIT, BallotCase
from textward.certificates.ballots.case import needs, support
from textward.certificates.votes import IntArray


@dataclass(frozen=True, slots=True)
class Reach:
    """The label's closest rival once the trigger did its worst.

    >>> Reach(stands=True, rival=1, label_votes=4, rival_votes=3).stands
    True
    """

    stands: bool
    rival: int
    label_votes: int
    rival_votes: int


def votes_reach(votes: IntArray, winner: int, classes: int, captured: Collection[int]) -> Reach:
    """What captured groups can do to a vote: each takes its own vote away and gives it to the rival.

    >>> votes_reach(np.array([0, 0, 0, 1]), 0, 2, captured=[0])
    Reach(stands=True, rival=1, label_votes=2, rival_votes=2)
    """
    inside = np.isin(np.arange(len(votes)), list(captured))
    counts = np.bincount(votes, minlength=classes)
    mine = int(counts[winner] - (inside & (votes == winner)).sum())
    theirs = [int(counts[c] + (inside & (votes != c)).sum()) for c in range(classes)]
    return _closest(mine, theirs, winner)


def votes_to_capture(votes: IntArray, winner: int, size: int) -> list[int]:
    """Groups whose capture does the most harm: those that vote for the winner first.

    >>> votes_to_capture(np.array([1, 0, 0]), 0, size=2)
    [1, 2]
    """
    return sorted(np.argsort(votes != winner, kind="stable")[:size].tolist())


def ballots_reach(case: BallotCase, row: int, erased: Collection[int], size: int) -> Reach:
    """What `size` trigger words can do to a text's ballots, of which those in `erased` stand in it already.

    >>> case = BallotCase.fixed(np.array([[1, 1, 1]]), np.array([[0, 1024]] * 3))
    >>> ballots_reach(case, 0, erased=[], size=2)
    Reach(stands=True, rival=0, label_votes=3072, rival_votes=2048)
    """
    one = case.texts(np.array([row]))
    lost = [
        int(np.maximum(held.data[np.isin(held.indices, list(erased))], 0).sum())
        for held in _supports(one, size)
    ]
    return _left(one, size, lost)


def ballots_fall(case: BallotCase, row: int, size: int) -> tuple[list[int], Reach]:
    """The words of a text whose erasure serves a trigger of `size` words best, and what is left then.

    >>> case = BallotCase.fixed(np.array([[1, 1]]), np.array([[0, 1024], [1024, 0]]))
    >>> ballots_fall(case, 0, size=1)
    ([1], Reach(stands=False, rival=1, label_votes=1024, rival_votes=3072))
    """
    one = case.texts(np.array([row]))
    best = [_greatest(held.indices, held.data, size) for held in _supports(one, size)]
    reach = _left(one, size, [sum(words.values()) for words in best])
    return list(best[reach.rival]), reach


def _supports(one: BallotCase, size: int) -> list[Any]:
    return [support(one, one.winners, size, rival) for rival in range(one.classes)]


def _greatest(words: IntArray, owed: IntArray, count: int) -> dict[int, int]:
    """The words that the lead owes most to, where it owes them anything."""
    order = np.argsort(-owed, kind="stable")[:count]
    chosen = order[owed[order] > 0]
    return dict(zip(words[chosen].tolist(), owed[chosen].tolist(), strict=True))


def _left(one: BallotCase, size: int, lost: Sequence[int]) -> Reach:
    """What remains of one text's lead over the rival that comes closest."""
    winner = int(one.winners[0])
    need = needs(one, one.winners, size)[0] - UNIT * size
    margins = [int(left) - gone for left, gone in zip(need, lost, strict=True)]
    margins[winner] = 1 << 62
    rival = int(np.argmin(margins))
    # `needs` counts what a cascade asks for, and one more where the label wins a tie; what is shown is the
    # score at its worst.
    score = int(one.scores[0, winner])
    lead = margins[rival] + one.theta - (1 if one.theta else int(winner < rival))
    return Reach(margins[rival] > 0, rival, score, score - lead)


def _closest(mine: int, theirs: Sequence[int], winner: int) -> Reach:
    # At a tie the smaller class wins.
    leads = [mine - votes - (winner > c) for c, votes in enumerate(theirs)]
    leads[winner] = 1 << 62
    rival = int(np.argmin(leads))
    return Reach(leads[rival] >= 0, rival, mine, theirs[rival])
