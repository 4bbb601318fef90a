"""Each group's own seed, fixed by the user's seed and the group's number alone."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


def group_seed(seed: int, group: int) -> int:
    """Return a seed of 32 bits.

    >>> group_seed(0, 0) == group_seed(0, 0), group_seed(0, 0) == group_seed(0, 1)
    (True, False)
    """
    return int.from_bytes(hashlib.sha256(f"{seed}:{group}".encode()).digest()[:4], "big")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let Python's and numpy's global random numbers follow from a seed, then from what they did before.

    A learner that draws from them would else depend on every group trained before its own.

    >>> with seeded(7):
    ...     first = np.random.random()
    >>> with seeded(7):
    ...     first == np.random.random()
    True
    """
    before, numpy_before = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numpy_before)
