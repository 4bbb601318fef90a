"""Equal texts, folded: the certificate needs each distinct row of votes once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textward.certificates.votes import BoolArray, CountArray, lead, tally


@dataclass(frozen=True, slots=True)
class Folded:
    """Distinct rows of votes, and how many right texts of each population cast each of them.

    >>> votes, labels = np.array([[0, 1], [0, 1], [1, 1]]), np.array([0, 0, 0])
    >>> fold(votes, labels, 2, np.ones((3, 1), dtype=bool)).weight.tolist()
    [[2]]
    """

    votes: CountArray  # rows x groups
    counts: CountArray  # rows x classes
    winners: CountArray
    radius: CountArray
    weight: CountArray  # rows x populations
    texts: tuple[int, ...]  # of each population, right or wrong

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.votes.shape[1])


def fold(votes: CountArray, labels: CountArray, classes: int, members: BoolArray) -> Folded:
    """Fold the texts that are right and in some population.

    >>> fold(np.array([[0, 1], [1, 1]]), np.array([0, 0]), 2, np.ones((2, 1), dtype=bool)).votes.tolist()
    [[0, 1]]
    """
    first, row_of = _distinct(votes, classes)
    votes = votes[first]
    counts = tally(votes, classes)
    winners, radius = lead(counts)
    right = members & (labels == winners[row_of])[:, None]
    weight = np.empty((len(first), members.shape[1]), dtype=np.int64)
    for p in range(members.shape[1]):
        weight[:, p] = np.bincount(row_of[right[:, p]], minlength=len(first))
    texts = tuple(int(k) for k in members.sum(axis=0))
    keep = weight.any(axis=1)
    return Folded(votes[keep], counts[keep], winners[keep], radius[keep], weight[keep], texts)


def _distinct(votes: CountArray, classes: int) -> tuple[CountArray, CountArray]:
    """Index of the first of each distinct row, and each row's place among them."""
    groups = votes.shape[1]
    if classes**groups < 1 << 62:
        key = votes @ np.array([classes**j for j in range(groups)], dtype=np.int64)
        _, first, row_of = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, row_of = np.unique(votes, axis=0, return_index=True, return_inverse=True)
    return first, row_of.reshape(-1)  # numpy 2.0 alone shapes the inverse otherwise
