"""What a reader is asked for, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from textward.errors import UsageError

LARGEST_TEXT = 2**31 - 1
"""The largest limit on a text: the csv module counts in a C long, which has 32 bits on Windows."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some consecutive rows of a table, checked.

    >>> Batch(pl.Series(["a film"]), pl.Series(["good"]), first_row=1).texts[0]
    'a film'
    """

    texts: pl.Series
    """String, no nulls."""
    labels: pl.Series | None
    """String, as spelled in the file less white space at both ends; None when no labels were asked for."""
    first_row: int
    """The number of the batch's first data row, counted from 1; a header is not counted."""


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of a table.

    >>> Table(pl.Series(["a film"]), None, digest="9f...").labels is None
    True
    """

    texts: pl.Series
    labels: pl.Series | None
    digest: str
    """SHA-256 of the rows: see `Digest`."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which columns to read and how much at a time.

    >>> Wanted(max_text_bytes=0)
    Traceback (most recent call last):
    textward.errors.UsageError: max_text_bytes must lie in [1, 2147483647], got 0
    """

    text_column: str | None = "text"
    label_column: str | None = "label"
    batch_rows: int = 65_536
    max_text_bytes: int = 64 * 2**20

    def __post_init__(self) -> None:
        if self.batch_rows < 1:
            raise UsageError(f"batch_rows must be at least 1, got {self.batch_rows!r}")
        if not 1 <= self.max_text_bytes <= LARGEST_TEXT:
            raise UsageError(f"max_text_bytes must lie in [1, {LARGEST_TEXT}], got {self.max_text_bytes!r}")
        if self.text_column is not None and self.text_column == self.label_column:
            raise UsageError(
                f"the texts and the labels cannot be in one column, got {self.text_column!r} for both. "
                "Name two with --text-column and --label-column."
            )
