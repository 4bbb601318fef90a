"""Answers given only where the radius is large enough: how many are left, and how many of those are right."""

from __future__ import annotations

import numpy as np

from textward.certificates.intervals import clopper_pearson
from textward.certificates.votes import IntArray
from textward.report.view import Cover

_MOST = 40
_FEWEST = 20
"""Texts below which a share says little; of a small test set, a tenth."""


def covers(radius: IntArray, right: IntArray) -> tuple[Cover, ...]:
    """For each least radius, what is answered and what share of that is right.

    >>> [(one.least, one.n, one.share) for one in covers(np.array([0, 0, 2]), np.array([True, False, True]))]
    [(0, 3, 0.6666666666666666), (1, 1, 1.0), (2, 1, 1.0)]
    """
    marks = np.asarray(right, dtype=np.bool_)
    found = []
    for least in range(min(_MOST, int(np.max(radius, initial=0))) + 1):
        kept = radius >= least
        n, hits = int(kept.sum()), int((kept & marks).sum())
        if n >= min(_FEWEST, len(marks) / 10):
            found.append(Cover(least, n, n / len(marks), hits / n, *clopper_pearson(hits, n)))
    return tuple(found)
