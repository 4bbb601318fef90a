"""A digest of rows, so that a result can say which data it was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
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
        for rows in _spelled(texts, labels):
            self._add(rows)

    def _add(self, rows: pl.Series) -> None:
        if rows.str.len_bytes().sum() <= _JOINED_BYTES:
            self._hash.update(rows.str.join("").cast(pl.Binary).item())
        else:
            for row in rows:
                self._hash.update(row.encode())

    def hexdigest(self) -> str:
        """The digest of the rows so far, in hexadecimal."""
        return self._hash.hexdigest()


class SumDigest:
    """The sum of every row's SHA-256, modulo 2^256: the same in any order and however rows are spread.

    It tells apart sets of rows that differ by chance or mistake; two sets made to collide are not ruled out.

    >>> whole, parts = SumDigest(), SumDigest()
    >>> whole.update(pl.Series(["good", "bad"]), pl.Series(["1", "0"]))
    >>> parts.update(pl.Series(["bad"]), pl.Series(["0"]))
    >>> parts.update(pl.Series(["good"]), pl.Series(["1"]))
    >>> whole.hexdigest() == parts.hexdigest(), whole.hexdigest()[:8]
    (True, 'sum-c0ca')
    """

    __slots__ = ("total",)

    def __init__(self, total: int = 0) -> None:
        self.total = total

    def update(self, texts: pl.Series, labels: pl.Series | None = None) -> None:
        """Add rows: String series of one length without nulls."""
        for rows in _spelled(texts, labels):
            new = hashlib.sha256
            digests = b"".join([new(row).digest() for row in rows.cast(pl.Binary).to_list()])
            limbs = np.frombuffer(digests, ">u4").reshape(-1, 8).sum(axis=0, dtype=np.uint64)
            for place, limb in enumerate(limbs.tolist()):
                self.total += limb << 32 * (7 - place)
        self.total %= 1 << 256

    def hexdigest(self) -> str:
        """The digest in hexadecimal, marked as one that knows no order."""
        return f"sum-{self.total % (1 << 256):064x}"


def _spelled(texts: pl.Series, labels: pl.Series | None) -> Iterator[pl.Series]:
    """What is hashed of each row, some rows at a time."""
    for series in (texts,) if labels is None else (texts, labels):
        if series.dtype != pl.String or series.null_count() or len(series) != len(texts):
            raise DataError(
                f"a digest takes strings, one text and one label a row and no nulls; "
                f"got {len(series)} of {series.dtype} ({series.null_count()} null) for {len(texts)} texts"
            )
    frame = pl.DataFrame({"text": texts} if labels is None else {"text": texts, "label": labels})
    pieces: list[pl.Expr] = []
    for column in frame.columns:
        pieces += [pl.col(column).str.len_bytes().cast(pl.String), pl.lit(":"), pl.col(column)]
    if frame.width == 1:
        pieces.append(pl.lit("-"))
    for part in frame.iter_slices(_ROWS):
        yield part.select(pl.concat_str(pieces)).to_series()
