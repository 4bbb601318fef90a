"""A digest of rows, so that a result can say which data it was made from."""

from __future__ import annotations

import hashlib

import polars as pl

from textward.errors import DataError

_ROWS = 65_536
# polars keeps the length of one string in 32 bits, so larger slices are not joined into one.
_JOINED_BYTES = 2**28


class Digest:
    """SHA-256 over rows, the same however they were batched and whatever file they came from.

    What is hashed, a row: the text's length in bytes, ":", the text, then the label in the same way, or "-"
    without one. The lengths make it unambiguous whatever the texts hold.

    >>> whole, parts = Digest(), Digest()
    >>> whole.update(pl.Series(["good", "bad"]), pl.Series(["1", "0"]))
    >>> parts.update(pl.Series(["good"]), pl.Series(["1"]))
    >>> parts.update(pl.Series(["bad"]), pl.Series(["0"]))
    >>> whole.hexdigest() == parts.hexdigest()
    True
    """

    __slots__ = ("_hash",)

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def update(self, texts: pl.Series, labels: pl.Series | None = None) -> None:
        """Add rows: String series of one length without nulls."""
        for series in (texts,) if labels is None else (texts, labels):
            if series.dtype != pl.String or series.null_count() or len(series) != len(texts):
                raise DataError(
                    f"a digest takes strings, one text and one label a row and no nulls; "
                    f"got {len(series)} of {series.dtype} ({series.null_count()} null) for {len(texts)} texts"
                )
        frame = pl.DataFrame({"text": texts} if labels is None else {"text": texts, "label": labels})
        for part in frame.iter_slices(_ROWS):
            self._add(part)

    def _add(self, part: pl.DataFrame) -> None:
        pieces: list[pl.Expr] = []
        for column in part.columns:
            pieces += [pl.col(column).str.len_bytes().cast(pl.String), pl.lit(":"), pl.col(column)]
        if part.width == 1:
            pieces.append(pl.lit("-"))
        rows = part.select(pl.concat_str(pieces)).to_series()
        if rows.str.len_bytes().sum() <= _JOINED_BYTES:
            self._hash.update(rows.str.join("").item().encode())
        else:
            for row in rows:
                self._hash.update(row.encode())

    def hexdigest(self) -> str:
        """The digest of the rows so far, in hexadecimal."""
        return self._hash.hexdigest()
