"""Texts without one of their words, all of them at once and in blocks; needs numpy alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from textward.influence.ranking import FloatArray, Influence

IntArray = npt.NDArray[np.integer[Any]]
Features = Callable[[IntArray, IntArray], FloatArray]
"""Texts as word ids and offsets -> one vector each."""
Progress = Callable[[int, int], None]

BLOCK = 1 << 22
"""Words of all the variants that are made at a time."""


def distinct(ids: IntArray, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Return every pair of a text and a word that it holds, in order.

    >>> [column.tolist() for column in distinct(np.array([2, 1, 2, 1]), np.array([0, 3, 4]))]
    [[0, 0, 1], [1, 2, 1]]
    """
    width = int(ids.max(initial=0)) + 1
    text = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    pairs = np.sort(text * width + ids)  # np.unique would hash, which is slower for many
    first = np.ones(len(pairs), np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
    return np.divmod(pairs[first], width)


def without_each(
    ids: IntArray, offsets: IntArray, rows: IntArray, words: IntArray
) -> tuple[IntArray, IntArray]:
    """Return, for each pair, its text without every copy of its word, as word ids and offsets.

    >>> found = without_each(np.array([2, 1, 2]), np.array([0, 3]), np.array([0, 0]), np.array([1, 2]))
    >>> [column.tolist() for column in found]
    [[2, 2, 1], [0, 2, 3]]
    """
    lengths = np.diff(offsets)[rows]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    at = np.arange(starts[-1]) + np.repeat(offsets[rows] - starts[:-1], lengths)
    copied = ids[at]
    kept = copied != np.repeat(words, lengths)
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return copied[kept], before[starts]


def leaving_one_out(
    features: Features, ids: IntArray, offsets: IntArray, progress: Progress | None = None
) -> Influence:
    """Measure every word of every text by the largest change of any feature without it.

    >>> def length(ids, offsets):
    ...     return np.diff(offsets)[:, None].astype(float)
    >>> leaving_one_out(length, np.array([2, 1, 2]), np.array([0, 3])).distance.tolist()
    [1.0, 2.0]
    """
    rows, words = distinct(ids, offsets)
    distance = np.zeros(len(rows))
    if len(rows):
        whole = features(ids, offsets)
        for low, high in _blocks(np.diff(offsets)[rows]):
            part = rows[low:high], words[low:high]
            without = features(*without_each(ids, offsets, *part))
            distance[low:high] = np.abs(whole[part[0]] - without).max(axis=1, initial=0.0)
            if progress is not None:
                progress(high, len(rows))
    return Influence(rows, words, distance)


def strings(vocabulary: Sequence[str], ids: IntArray, offsets: IntArray) -> list[str]:
    """Return texts of word ids as strings, the words joined by one space.

    >>> strings(["a", "film"], np.array([0, 1, 1]), np.array([0, 2, 3]))
    ['a film', 'film']
    """
    words = np.asarray(vocabulary, dtype=object)[ids].tolist()
    bounds = offsets.tolist()
    return [" ".join(words[low:high]) for low, high in pairwise(bounds)]


def _blocks(lengths: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the variants where a block holds enough words."""
    ends = np.cumsum(lengths)
    low = 0
    while low < len(lengths):
        before = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        yield low, high
        low = high
