"""Labels as spelled in a file <-> classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.data.checks import further
from textward.data.messages import Origin, closest, listing, quoted, visible
from textward.errors import DataError

# The spellings for which str(int(s)) == s, as far as Python turns digits into an int at all.
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,4299}")


def class_names(raw: Iterable[str]) -> list[str] | list[int]:
    """The distinct labels in order: integers by value when every one is spelled as an integer, else strings.

    >>> class_names(["10", "9", "10"])
    [9, 10]
    >>> class_names(["10", "09"])
    ['09', '10']
    """
    distinct = set(raw.unique() if isinstance(raw, pl.Series) else raw)
    if all(_INTEGER.fullmatch(label) for label in distinct):
        return sorted(map(int, distinct))
    return sorted(distinct)


def encode_labels(
    raw: pl.Series, names: Sequence[str] | Sequence[int], *, first_row: int = 1, source: str = "labels"
) -> npt.NDArray[np.int64]:
    """The index of each label's class in `names`; a label that is not among them is an error.

    >>> encode_labels(pl.Series(["good", "bad"]), ["bad", "good"])
    array([1, 0])
    """
    known = [str(name) for name in names]
    indexes = raw.replace_strict(known, range(len(known)), default=None, return_dtype=pl.Int64)
    if indexes.null_count():
        raise _unseen(raw, indexes, known, Origin(visible(source), first_row))
    # A copy: the array polars shares cannot be written to.
    return np.array(indexes, dtype=np.int64)


def _unseen(raw: pl.Series, indexes: pl.Series, known: Sequence[str], origin: Origin) -> DataError:
    first = indexes.is_null().arg_max() or 0
    label = str(raw[first])
    near = closest(label, known)
    hint = "" if near is None else f" Did you mean {quoted(near)}?"
    more = further(indexes.is_null())
    return DataError(
        f"{origin.at(first)}: the label {quoted(label)} was not seen in training{more}; "
        f"the classes are {listing(known)}.{hint} Correct or drop such rows, or train with every class."
    )
