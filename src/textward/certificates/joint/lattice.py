"""The lattice of sets of groups: with two classes, the survivors of every set at once.

Let y be a text's winner, V the groups that voted it and I the groups left intact. The text survives iff
|V & I| >= K, where K is the least majority, ceil((m + [y = 1]) / 2). By inclusion and exclusion over the sets
S within both V and I,

    [|V & I| >= K]  =  sum over S, |S| >= K, of (-1)^(|S| - K) * binomial(|S| - 1, K - 1).

So the texts are summed over the supersets of each S, multiplied, and summed over the subsets of each I. The
sums are taken modulo 2^32; the result is a number of texts, below that, hence exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np
import numpy.typing as npt

from textward.certificates.joint.counts import JointCount, Limits
from textward.certificates.joint.folding import Folded
from textward.certificates.votes import CountArray

_MOST_GROUPS = 24  # 2**24 counters of 4 bytes are 64 MiB
_Table = npt.NDArray[np.uint32]


def lattice_pays(folded: Folded, sizes: Sequence[int], limits: Limits) -> bool:
    """Whether the lattice can be used, within the limits, and costs less than enumerations.

    >>> from textward.certificates.joint.folding import fold
    >>> one = fold(np.array([[0, 1, 0]]), np.array([0]), 2, np.ones((1, 1), dtype=bool))
    >>> lattice_pays(one, [1], Limits())
    False
    """
    if folded.counts.shape[1] != 2 or folded.groups > _MOST_GROUPS or max(folded.texts, default=0) >= 1 << 32:
        return False
    cells = 3 * folded.groups * len(folded.texts) << folded.groups
    enumerated = len(folded.votes) * sum(comb(folded.groups, size) for size in sizes)
    return cells <= limits.cells and cells < enumerated


def by_lattice(folded: Folded, sizes: Sequence[int]) -> tuple[tuple[JointCount, ...], ...]:
    """Read each size's minimum (outer) of each population (inner) off the survivors of every set.

    >>> from textward.certificates.joint.folding import fold
    >>> one = fold(np.array([[0, 1, 0]]), np.array([0]), 2, np.ones((1, 1), dtype=bool))
    >>> by_lattice(one, [1])
    ((JointCount(texts=1, survivors=0, exact=True, attack=(2,), attack_survivors=0),),)
    """
    members = _set_sizes(folded.groups)
    intact = [np.flatnonzero(members == folded.groups - size) for size in sizes]
    columns = []
    for p, texts in enumerate(folded.texts):
        table = _survivor_table(folded, folded.weight[:, p], members)
        columns.append([_least(table, sets, texts, folded.groups) for sets in intact])
    return tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in sizes)


def _least(table: _Table, sets: npt.NDArray[np.intp], texts: int, groups: int) -> JointCount:
    at = int(sets[table[sets].argmin()])
    left = int(table[at])
    attack = tuple(j for j in range(groups) if not at >> j & 1)
    return JointCount(texts, left, True, attack, left)


def _survivor_table(folded: Folded, weight: CountArray, members: npt.NDArray[np.uint8]) -> _Table:
    """Count, for every set I of intact groups, the texts that survive when all groups outside I turn."""
    groups = folded.groups
    voters = (folded.votes == folded.winners[:, None]) @ np.array([1 << j for j in range(groups)])
    need = (groups + folded.winners + 1) // 2
    table = np.zeros(1 << groups, dtype=np.uint32)
    for least in np.unique(need).tolist():
        chosen = need == least
        within = np.zeros_like(table)
        np.add.at(within, voters[chosen], weight[chosen].astype(np.uint32))
        for halves in _halvings(within):
            halves[:, 0] += halves[:, 1]
        within *= _coefficients(least, groups)[members]
        table += within
    for halves in _halvings(table):
        halves[:, 1] += halves[:, 0]
    return table


def _coefficients(least: int, groups: int) -> _Table:
    exact = [(-1) ** (s - least) * comb(s - 1, least - 1) if s >= least else 0 for s in range(groups + 1)]
    return np.array([value % (1 << 32) for value in exact], dtype=np.uint32)


def _halvings(table: _Table) -> Iterator[_Table]:
    """The table seen, for each group in turn, as pairs of sets without and with it."""
    for j in range(table.size.bit_length() - 1):
        yield table.reshape(-1, 2, 1 << j)


def _set_sizes(groups: int) -> npt.NDArray[np.uint8]:
    sizes = np.zeros(1, dtype=np.uint8)
    for _ in range(groups):
        sizes = np.concatenate([sizes, sizes + np.uint8(1)])
    return sizes
