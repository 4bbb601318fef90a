"""Sub-texts that keep the order of their text: a word may lie in one group, or in all; needs numpy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.integer[Any]]
EVERY = -1
"""The group of a word that every group reads."""


def learned_groups(hashed: IntArray, potential: npt.NDArray[np.bool_]) -> IntArray:
    """Return each word's group: its hash group for potential trigger words, every group for the others.

    >>> learned_groups(np.array([2, 0]), np.array([True, False])).tolist()
    [2, -1]
    """
    return np.where(potential, hashed, EVERY)


def kept_by(
    group: int, group_of_word: IntArray, ids: IntArray, offsets: IntArray
) -> tuple[IntArray, IntArray]:
    """Return one group's sub-texts, as word ids and offsets, in the order of the texts.

    >>> ids, offsets = kept_by(0, np.array([0, 1, -1]), np.array([2, 1, 0]), np.array([0, 3]))
    >>> ids.tolist(), offsets.tolist()
    ([2, 0], [0, 2])
    """
    kept = np.isin(group_of_word, (EVERY, group))[ids]
    before = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return ids[kept], before[offsets]
