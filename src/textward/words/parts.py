"""Rows in a few parts, one thread each: polars and numpy run outside the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import polars as pl

T = TypeVar("T")

BYTES_WORTH_A_THREAD = 2**19


def by_parts(function: Callable[[int, int], T], rows: int, size: int) -> list[T]:
    """Call ``function(low, high)`` on parts of the rows, which hold ``size`` bytes, and keep their order.

    >>> by_parts(lambda low, high: high - low, rows=5, size=10)
    [5]
    """
    count = max(1, min(pl.thread_pool_size(), size // BYTES_WORTH_A_THREAD, rows))
    cuts = [rows * k // count for k in range(count + 1)]
    if count == 1:
        return [function(0, rows)]
    return list(_threads().map(function, cuts[:-1], cuts[1:]))


@cache
def _threads() -> ThreadPoolExecutor:
    # Kept, because memory that a new thread asks for costs more than the work saved on a small corpus.
    return ThreadPoolExecutor(pl.thread_pool_size(), "textward")
