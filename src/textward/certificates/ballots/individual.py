"""One text's certificate: how many trigger words its ballots withstand.

Each of t corrupted words casts a ballot that takes at most one whole `UNIT` from the winner's lead over a
class; if it stood in the text before, the support it gave is gone too. So the label stands when, for every
other class c, the lead exceeds t units and the t largest supports (theory, section 5). A trigger word that
was not in the text has no support to lose, so none counts below 0.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from textward.certificates.ballots.case import UNIT, BallotCase, losses, needs, support
from textward.certificates.votes import BoolArray, CountArray


def ballot_radii(case: BallotCase, most: int = 1_000) -> tuple[CountArray, CountArray]:
    """Each text's winner and the largest number of trigger words, up to `most`, that cannot change it.

    >>> case = BallotCase.fixed(np.array([[1, 1, 1], [1, 0, 0]]), np.array([[0, 1024], [0, 1024], [0, 1024]]))
    >>> ballot_radii(case)
    (array([1, 1]), array([1, 0]))
    """
    winners = case.winners
    radius = _ceiling(case, winners, most)
    for size in range(int(radius.max(initial=0)), 0, -1):
        some = np.flatnonzero(radius == size)
        radius[some[~_stand(case.narrowed(some), winners[some], size)]] -= 1
    return winners, radius


def _ceiling(case: BallotCase, winners: CountArray, most: int) -> CountArray:
    """At least the radii: those against one rival, if corrupting a word changed no other ballot."""
    need = needs(case, winners, 0)
    nearest = need.argmin(axis=1)
    need = np.take_along_axis(need, nearest[:, None], axis=1)[:, 0]
    own = support(case, winners, 0, nearest)
    first, last, words = own.indptr[:-1], own.indptr[1:], np.diff(own.indptr)
    summed = _summed(own)
    cost = summed[1:] + UNIT * np.arange(1, len(summed))
    within = cost < np.repeat(need + summed[first] + UNIT * first, words)
    withstood = np.concatenate([[0], np.cumsum(within)])
    ceiling: CountArray = withstood[last] - withstood[first]
    # A trigger may have more words than the text: each takes one ballot more.
    spare = (need - 1 - summed[last] + summed[first]) // UNIT
    return np.asarray(np.clip(np.where(ceiling < words, ceiling, spare), 0, most))


def ballot_stands(case: BallotCase, size: int) -> BoolArray:
    """Whether each text is one that no trigger of so many words can fell.

    >>> case = BallotCase.fixed(np.array([[1, 1, 1], [1, 0, 0]]), np.array([[0, 1024], [0, 1024], [0, 1024]]))
    >>> ballot_stands(case, 1).tolist()
    [True, False]
    """
    return _stand(case, case.winners, size)


def _stand(case: BallotCase, winners: CountArray, size: int) -> BoolArray:
    need = needs(case, winners, size) - UNIT * size
    stands: BoolArray = np.all(need > 0, axis=1)
    # No support exceeds a whole ballot: where the lead covers that as well, nothing is left to add up.
    doubtful = stands[:, None] & (need <= (UNIT * size if case.echoes is None else need))
    for rival in range(case.classes):
        some = np.flatnonzero(doubtful[:, rival] & (winners != rival))
        lost, charge = losses(case.texts(some), winners[some], size, rival)
        stands[some] &= _largest(lost, size) < need[some, rival] - size * charge
    return stands


def _largest(values: sparse.csr_array, count: int) -> CountArray:
    """The sum of the `count` largest values of each row, none of them below 0."""
    summed, first, last = _summed(values), values.indptr[:-1], values.indptr[1:]
    largest: CountArray = summed[np.minimum(first + count, last)] - summed[first]
    return largest


def _summed(values: sparse.csr_array) -> CountArray:
    """Running sums of the values, those of each row in falling order and none below 0; the first sum is 0."""
    most = max(2 * UNIT, 1 + int(values.data.max(initial=0)))
    index = np.int32 if values.shape[0] < 2**31 // most else np.int64
    rows = np.repeat(np.arange(values.shape[0], dtype=index), np.diff(values.indptr))
    keys = rows * most + (most - 1 - np.maximum(values.data, 0)).astype(index)
    keys.sort()
    summed = np.zeros(len(keys) + 1, np.int64)
    np.cumsum(most - 1 - keys % most, out=summed[1:])
    return summed
