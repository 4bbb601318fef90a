"""Which words move their texts most, and which do so in many texts (Algorithm 2); needs numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.integer[Any]]
FloatArray = npt.NDArray[np.floating[Any]]

PER_TEXT, LEAST_ROWS = 5, 20


@dataclass(frozen=True, slots=True)
class Influence:
    """How far each text's features move without each of its distinct words, as three columns.

    >>> moved = Influence(np.array([0, 0, 1]), np.array([3, 5, 5]), np.array([0.1, 0.9, 0.4]))
    >>> moved.counts(words=6, per_text=1).tolist()
    [0, 0, 0, 0, 0, 2]
    """

    rows: IntArray
    words: IntArray
    distance: FloatArray

    def counts(self, words: int, per_text: int = PER_TEXT) -> IntArray:
        """Count for each word the texts in which it is among the most influential ones."""
        return np.bincount(self.words[self.top(per_text)], minlength=words)

    def top(self, per_text: int = PER_TEXT) -> IntArray:
        """Return the places of each text's most influential words; of equal ones the smaller word ids."""
        order = np.lexsort((self.words, -self.distance, self.rows))
        first = np.searchsorted(self.rows[order], self.rows[order])
        return order[np.arange(len(order)) - first < per_text]


def potential_triggers(counts: IntArray, least_rows: int = LEAST_ROWS) -> IntArray:
    """Return the words that are influential in enough texts: omega, as word ids.

    >>> potential_triggers(np.array([3, 20, 25])).tolist()
    [1, 2]
    """
    return np.flatnonzero(counts >= least_rows)
