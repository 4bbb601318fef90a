"""What every row must satisfy, judged a batch at a time; the offending row is looked for only then."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from textward.data.messages import Origin, quoted
from textward.data.rows import Batch, Wanted
from textward.errors import DataError


def checked_batch(
    texts: Sequence[str] | pl.Series, labels: Sequence[str] | pl.Series | None, origin: Origin, wanted: Wanted
) -> Batch:
    """The batch, or the error that names its first bad row.

    >>> checked_batch(["a film"], [" good "], Origin("a.csv", 1), Wanted()).labels[0]
    'good'
    """
    text_series = strings(texts, origin, wanted.text_column)
    _refuse_nulls(text_series, origin, wanted)
    _refuse_nul_bytes(text_series, origin, wanted.text_column)
    _refuse_large(text_series, origin, wanted)
    if labels is None:
        return Batch(text_series, None, origin.first_row)
    label_series = strings(labels, origin, wanted.label_column).str.strip_chars()
    _refuse_blank_labels(label_series, origin, wanted)
    _refuse_nul_bytes(label_series, origin, wanted.label_column)
    return Batch(text_series, label_series, origin.first_row)


def strings(values: Sequence[str] | pl.Series, origin: Origin, column: str | None) -> pl.Series:
    """The values as a String series; a lone surrogate, which UTF-8 cannot spell, is an error.

    >>> strings(["a"], Origin("a.csv", 1), "text").dtype
    String
    """
    if isinstance(values, pl.Series):
        return values
    try:
        return pl.Series(values, dtype=pl.String)
    except UnicodeEncodeError:
        halves = ((i, c) for i, value in enumerate(values) for c in value if "\ud800" <= c <= "\udfff")
        first, bad = next(halves)
        raise DataError(
            f"{origin.at(first, column)}: holds half of a surrogate pair (\\u{ord(bad):04x}), which is no "
            "character. Write the whole pair, or remove it."
        ) from None


def further(bad: pl.Series) -> str:
    """How many more rows share the fault.

    >>> further(pl.Series([False, True, True]))
    ' (and 1 more row like it in this batch)'
    """
    more = int(bad.sum()) - 1
    return f" (and {more:,} more row{'s' * (more > 1)} like it in this batch)" if more else ""


def _first(bad: pl.Series) -> int:
    return bad.arg_max() or 0


def _refuse_nulls(texts: pl.Series, origin: Origin, wanted: Wanted) -> None:
    if texts.null_count():
        bad = texts.is_null()
        raise DataError(
            f"{origin.at(_first(bad), wanted.text_column)}: the text is missing (null){further(bad)}. "
            "Give the row a text (an empty string will do), or drop it."
        )


def _refuse_nul_bytes(values: pl.Series, origin: Origin, column: str | None) -> None:
    bad = values.str.contains("\x00", literal=True)
    if bad.any():
        raise DataError(
            f"{origin.at(_first(bad), column)}: holds a NUL byte (\\x00){further(bad)}. "
            "Remove it; a file full of them is often UTF-16, to be saved as UTF-8."
        )


def _refuse_large(texts: pl.Series, origin: Origin, wanted: Wanted) -> None:
    sizes = texts.str.len_bytes()
    bad = sizes > wanted.max_text_bytes
    if bad.any():
        raise DataError(
            f"{origin.at(_first(bad), wanted.text_column)}: the text has {sizes[_first(bad)]:,} bytes, more "
            f"than the {wanted.max_text_bytes:,} allowed{further(bad)}. Shorten or drop it, or check for a "
            "missing quote or line end before it."
        )


def _refuse_blank_labels(labels: pl.Series, origin: Origin, wanted: Wanted) -> None:
    bad = labels.is_null() | (labels == "").fill_null(True)
    if bad.any():
        raise DataError(
            f"{origin.at(_first(bad), wanted.label_column)}: the label is "
            f"{'missing (null)' if labels[_first(bad)] is None else 'empty'}{further(bad)}. "
            f"Give every row a label, or drop those without; "
            f"if {quoted(str(wanted.label_column))} is not the column of labels, use --label-column."
        )
