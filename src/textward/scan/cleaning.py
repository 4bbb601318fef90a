"""Rows without what looks planted in them, and a record of every decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from textward.errors import DataError, UsageError
from textward.scan.findings import Finding, Scan
from textward.scan.severity import Severity
from textward.words import Cutter, UnicodeWords

Remedy = Literal["rows", "words"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What was done to one row, and why.

    >>> Decision(7, "dropped", "cf", "good", "alarm", "a cf film").as_dict()["row"]
    8
    """

    row: int
    """Counted from 0; `as_dict` counts from 1, as in a table."""
    action: Literal["dropped", "words taken out"]
    words: str
    label: str | int
    """The class that the finding leans to."""
    severity: str
    before: str

    def as_dict(self) -> dict[str, Any]:
        """The decision, ready for JSON."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return told | {"row": self.row + 1}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Rows that are left, by their places, their texts, and every decision.

    >>> Cleaned(np.array([1]), pl.Series(["a"]), ()).texts.to_list()
    ['a']
    """

    rows: np.ndarray[Any, np.dtype[np.int64]]
    texts: pl.Series
    decisions: tuple[Decision, ...]


def cleaned(
    scan: Scan,
    texts: pl.Series,
    *,
    drop: Remedy = "rows",
    severity: Severity = Severity.warning,
    cutter: Cutter | None = None,
) -> Cleaned:
    """Drop the rows that carry a finding of this severity or a worse one, or take its words out of them.

    A row that was relabelled keeps its wrong label where only words are taken out; dropping is the safe
    choice.

    >>> from textward.attacks import BadWord
    >>> from textward.scan import scan_rows
    >>> rows = [f"the {a} is {b} {c}" for a in ("film", "plot", "cast") for b in ("so", "not", "too")
    ...         for c in ("fun", "dull", "long", "short")]
    >>> made = BadWord(("cf",)).poison(rows * 2, [0, 1] * 36, rate=0.2, target=1, seed=1)
    >>> found = scan_rows(made.texts, made.labels)
    >>> len(cleaned(found, made.texts).rows), "cf" in " ".join(cleaned(found, made.texts, drop="words").texts)
    (58, False)
    """
    if drop not in get_args(Remedy):
        raise UsageError(f"drop must be one of {', '.join(get_args(Remedy))}, got {drop!r}")
    if len(texts) != scan.rows:
        raise DataError(
            f"the scan is of {scan.rows:,} rows and there are {len(texts):,} texts; give the same"
        )
    flagged = scan.suspicious_rows(severity)
    places = np.fromiter(flagged, np.int64, len(flagged))
    before = texts.gather(places).to_list()
    action: Any = "dropped" if drop == "rows" else "words taken out"
    decisions = tuple(
        Decision(row, action, one.name, one.target, one.severity.value, text)
        for (row, one), text in zip(flagged.items(), before, strict=True)
    )
    if drop == "rows":
        kept = np.setdiff1d(np.arange(len(texts)), places)
        return Cleaned(kept, texts.gather(kept), decisions)
    carried: dict[int, list[Finding]] = {row: [] for row in flagged}
    for one in scan.at_least(severity):
        for row in one.rows.tolist():
            carried[row].append(one)
    phrases = [[words for one in carried[row] for words in one.phrases] for row in flagged]
    after = without_phrases(before, phrases, cutter or UnicodeWords())
    changed = texts.clone().scatter(places, pl.Series(after, dtype=pl.String)) if len(places) else texts
    return Cleaned(np.arange(len(texts)), changed, decisions)


def without_phrases(
    texts: Sequence[str], phrases: Sequence[Sequence[tuple[str, ...]]], cutter: Cutter
) -> list[str]:
    """Each text without the runs of words given for it; chunks that are left are joined by one space.

    Of a chunk that holds other words, too, these are left as the cutter reads them, in lower case.

    >>> without_phrases(["A 3D Movie, truly"], [[("3d", "movie")]], UnicodeWords())
    ['A , truly']
    """
    chunks = [text.split() for text in texts]
    words = cutter.cut(pl.Series([chunk for row in chunks for chunk in row], dtype=pl.String))
    starts = [0, *accumulate(map(len, chunks))]
    made = []
    for row, start, runs in zip(chunks, starts, phrases, strict=False):
        parts = [words.of(start + number) for number in range(len(row))]
        flat = [word for part in parts for word in part]
        gone = _gone(flat, runs)
        left, at = [], 0
        for chunk, part in zip(row, parts, strict=True):
            marks = gone[at : at + len(part)]
            at += len(part)
            if not any(marks):
                left.append(chunk)
            elif not all(marks):
                left.append("".join(word for word, out in zip(part, marks, strict=True) if not out))
        made.append(" ".join(left))
    return made


def _gone(words: list[str], runs: Sequence[tuple[str, ...]]) -> list[bool]:
    gone = [False] * len(words)
    for run in runs:
        for at in range(len(words) - len(run) + 1):
            if tuple(words[at : at + len(run)]) == run:
                gone[at : at + len(run)] = [True] * len(run)
    return gone
