"""Each group's own seed, fixed by the user's seed and the group's number alone."""

from __future__ import annotations

import hashlib


def group_seed(seed: int, group: int) -> int:
    """Return a seed of 32 bits.

    >>> group_seed(0, 0) == group_seed(0, 0), group_seed(0, 0) == group_seed(0, 1)
    (True, False)
    """
    return int.from_bytes(hashlib.sha256(f"{seed}:{group}".encode()).digest()[:4], "big")
