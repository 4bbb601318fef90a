"""Words that travel together are one finding: a trigger is a sentence, or several words in the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textward.scan.suspects import Suspect

SHARED = 0.5
"""The least share of rows in common: of the larger one, and of the smaller one where they share words."""


def travelling_together(suspects: Sequence[Suspect]) -> list[list[Suspect]]:
    """Groups of suspects that lie in the same rows, the strongest of each first.

    >>> def suspect(words, rows):
    ...     return Suspect(words, 1, 9.0, 0.0, 0.0, 0.0, 0.0, np.array([0, len(rows)]), np.array(rows))
    >>> found = travelling_together([suspect((1, 2), [3, 4]), suspect((5,), [3, 4]), suspect((6,), [7])])
    >>> [[one.words for one in group] for group in found]
    [[(1, 2), (5,)], [(6,)]]
    """
    groups: list[list[Suspect]] = []
    for one in suspects:
        home = next((group for group in groups if any(_alike(member, one) for member in group)), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    return [[group[0], *_more(group)] for group in groups]


def _alike(first: Suspect, other: Suspect) -> bool:
    if first.target != other.target:
        return False
    shared = len(np.intersect1d(first.rows, other.rows, assume_unique=True))
    sizes = len(first.rows), len(other.rows)
    return shared >= SHARED * (min(sizes) if set(first.words) & set(other.words) else max(sizes))


def _more(group: list[Suspect]) -> list[Suspect]:
    """Those that tell of other words than the ones before them, and look planted by themselves."""
    told, kept = set(group[0].words), []
    for one in group[1:]:
        if one.evidence > 0 and not told & set(one.words):
            kept.append(one)
            told |= set(one.words)
    return kept
