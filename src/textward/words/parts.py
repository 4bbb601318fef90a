"""Rows in a few parts, one thread each: polars and numpy run outside the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import polars as pl

T = TypeVar("T")

BYTES_WORTH_A_THREAD = 2**20


def by_parts(function: Callable[[int, int], T], rows: int, size: int) -> list[T]:
    """Call ``function(low, high)`` on parts of the rows, which hold ``size`` bytes, and keep their order.

    >>> by_parts(lambda low, high: high - low, rows=5, size=10)
    [5]
    """
    count = max(1, min(pl.thread_pool_size(), size // BYTES_WORTH_A_THREAD, rows))
    cuts = [rows * k // count for k in range(count + 1)]
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(function, cuts[:-1], cuts[1:]))
