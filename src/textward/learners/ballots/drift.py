"""How far r rows, added, deleted or replaced at will, can move what a ballot is computed from.

Of class c, n rows of N_c hold a word, and N are all rows. Each of r operations adds a row, deletes one, or
does both (to rewrite or relabel a row). Then, as docs/past.md shows, the word's expected count n N / (C N_c)
and its rate n / N_c stay between what n - r and n + r rows would give with N and N_c as they are.
"""

from __future__ import annotations

import numpy as np

from textward.learners.ballots.counting import CountArray, Counts


def count_box(counts: Counts, moved: int) -> tuple[CountArray, CountArray] | None:
    """The least and the greatest number of rows that stand for what `moved` rows can do, words x classes.

    None where so many rows could be a whole class, for then nothing is known.

    >>> import polars as pl
    >>> box = count_box(Counts(pl.Series(["fun"]), np.array([[1, 5]]), np.array([9, 6])), moved=2)
    >>> [side.tolist() for side in box]
    [[[0, 3]], [[3, 8]]]
    """
    if int(counts.rows.min()) <= moved:
        return None
    most = counts.holding + moved
    # Past the rows of its class a rate ends at 1 and an expected count at (N + r) / C.
    return np.maximum(counts.holding - moved, 0), np.where(most > counts.rows, counts.rows + moved, most)


def corners(low: CountArray, high: CountArray, favoured: int) -> CountArray:
    """The corner of a box that is least for one class and greatest for all others.

    >>> corners(np.array([[1, 1]]), np.array([[5, 5]]), favoured=0).tolist()
    [[1, 5]]
    """
    corner: CountArray = high.copy()
    corner[:, favoured] = low[:, favoured]
    return corner
