"""One text's certificate: how many trigger words its ballots withstand.

Each of t corrupted words casts a ballot that takes at most one whole `UNIT` from the winner's lead over a
class; if it stood in the text before, the support it gave is gone too. So the label stands when, for every
other class c, the lead exceeds t units and the t largest supports (theory, section 5). A trigger word that
was not in the text has no support to lose, so none counts below 0.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from textward.certificates.ballots.case import UNIT, BallotCase, losses, needs
from textward.certificates.votes import BoolArray, CountArray


def ballot_radii(case: BallotCase, most: int = 1_000) -> tuple[CountArray, CountArray]:
    """Each text's winner and the largest number of trigger words, up to `most`, that cannot change it.

    >>> case = BallotCase.fixed(np.array([[1, 1, 1], [1, 0, 0]]), np.array([[0, 1024], [0, 1024], [0, 1024]]))
    >>> ballot_radii(case)
    (array([1, 1]), array([1, 0]))
    """
    winners = case.winners
    radius = np.zeros(len(winners), dtype=np.int64)
    standing = np.arange(len(winners))
    for size in range(1, most + 1):
        standing = standing[_stand(case.texts(standing), winners[standing], size)]
        if not standing.size:
            break
        radius[standing] = size
    return winners, radius


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
    open_ = stands if case.echoes else stands & np.any(need <= UNIT * size, axis=1)
    doubtful = np.flatnonzero(open_)
    case, winners, need = case.texts(doubtful), winners[doubtful], need[doubtful]
    for rival in range(case.classes):
        lost, charge = losses(case, winners, size, rival)
        stands[doubtful] &= _largest(lost, size) < need[:, rival] - size * charge
    return stands


def _largest(values: sparse.csr_array, count: int) -> CountArray:
    """The sum of the `count` largest values of each row, none of them below 0."""
    most = max(2 * UNIT, 1 + int(values.data.max(initial=0)))
    index = np.int32 if values.shape[0] < 2**31 // most else np.int64
    rows = np.repeat(np.arange(values.shape[0], dtype=index), np.diff(values.indptr))
    keys = rows * most + (most - 1 - np.maximum(values.data, 0)).astype(index)
    keys.sort()
    summed = np.concatenate([[0], np.cumsum(most - 1 - keys % most, dtype=np.int64)])
    first, last = values.indptr[:-1], values.indptr[1:]
    largest: CountArray = summed[np.minimum(first + count, last)] - summed[first]
    return largest
