"""Finding the wanted columns among those a table has."""

from __future__ import annotations

from collections.abc import Sequence

from textward.data.messages import closest, listing, place, quoted
from textward.errors import DataError


def missing_column(where: str, column: str, option: str, columns: Sequence[str]) -> DataError:
    """The error for a table without the column; `option` is the setting that names it.

    >>> str(missing_column("a.csv", "text", "text", ["Text"]))
    "a.csv: no column 'text'; the columns are 'Text'. Did you mean --text-column 'Text'?"
    """
    if not columns:
        return DataError(f"{where}: no column {quoted(column)}; there are no columns at all. Add it.")
    near = closest(column, columns)
    remedy = (
        f"Name the right one with --{option}-column."
        if near is None
        else f"Did you mean --{option}-column {quoted(near)}?"
    )
    return DataError(f"{where}: no column {quoted(column)}; the columns are {listing(columns)}. {remedy}")


def find_column(name: str, header: Sequence[str], column: str, option: str, line: int | None = None) -> int:
    """The position of the column in the header.

    >>> find_column("a.csv", ["id", "text"], "text", "text")
    1
    """
    where = place(name, 0, line)
    found = header.count(column)
    if found == 0:
        raise missing_column(where, column, option, header)
    if found > 1:
        raise DataError(
            f"{where}: {found} columns are named {quoted(column)}, so which one to read is unclear. "
            f"Rename all but one, or name another with --{option}-column."
        )
    return header.index(column)
