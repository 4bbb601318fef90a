"""What a model was trained on and with."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

_LIBRARIES = ("textward", "numpy", "scipy", "scikit-learn", "polars")


@dataclass(frozen=True, slots=True)
class Training:
    """The record of one training run.

    >>> Training(2, {"bad": 1, "good": 1}, "9f...", library_versions(), 0.1).n
    2
    """

    n: int
    """Rows."""
    class_counts: Mapping[str, int]
    """Rows of each class."""
    digest: str
    """SHA-256 of the rows, as `textward.data.Digest` computes it."""
    versions: Mapping[str, str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Skipped:
    """A block of rows that could not be used; `rows` is None where nobody can tell how many it has.

    >>> Skipped("part-3.parquet", 100, "is damaged").rows
    100
    """

    name: str
    rows: int | None
    why: str


def library_versions() -> dict[str, str]:
    """Return the versions that a model's bits may depend on.

    >>> sorted(library_versions())[:2]
    ['numpy', 'polars']
    """
    return {"python": platform.python_version()} | {name: _version(name) for name in _LIBRARIES}


_version = cache(version)  # it reads files
