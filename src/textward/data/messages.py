"""The words of an error: file names, columns and labels are hostile input and are shown with escapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

SHOWN_NAMES = 20
SHOWN_CHARACTERS = 80


def visible(text: str) -> str:
    r"""The text with every character that does not print shown as its escape.

    >>> visible("a\x1b[31m.csv")
    'a\\x1b[31m.csv'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(text: str) -> str:
    r"""The text in quotes, escaped, and cut where it is long.

    >>> quoted("two\nlines")
    "'two\\nlines'"
    """
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…")


def listing(names: Sequence[str]) -> str:
    """The names in quotes, at most twenty of them.

    >>> listing(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(quoted(name) for name in names[:SHOWN_NAMES])
    more = len(names) - SHOWN_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate whose beginning is spelled most like that of `name`, whatever its case; None without one.

    >>> closest("label", ["Labels", "text"])
    'Labels'
    """
    # Cut, and no more than a thousand, because the search takes time that grows with the square of both.
    begins = {candidate[:SHOWN_CHARACTERS].lower(): candidate for candidate in islice(candidates, 1_000)}
    near = get_close_matches(name[:SHOWN_CHARACTERS].lower(), begins, n=1)
    return begins[near[0]] if near else None


def place(name: str, row: int | None = None, line: int | None = None, column: str | None = None) -> str:
    """Where something is; row 0 is the header.

    >>> place("a.csv", 3, 5, "text")
    "a.csv, row 3 (line 5), column 'text'"
    """
    where = name
    if row is not None:
        where += ", header" if row == 0 else f", row {row:,}"
    if line is not None:
        where += f" (line {line:,})"
    return where if column is None else f"{where}, column {quoted(column)}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the rows of one batch come from.

    >>> Origin("a.csv", first_row=11, lines_before=[11, 13]).at(1, "text")
    "a.csv, row 12 (line 14), column 'text'"
    """

    name: str
    first_row: int
    lines_before: Sequence[int] | None = None

    def at(self, index: int, column: str | None = None) -> str:
        """The place of the batch's row number `index`, counted from 0."""
        line = None if self.lines_before is None else self.lines_before[index] + 1
        return place(self.name, self.first_row + index, line, column)
