"""The scan as a page."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from textward.report.view import Fact, Grid, Headline, Page
from textward.scan.findings import Scan
from textward.scan.severity import Severity
from textward.scan.tables import COLUMNS, EVIDENCE, LEGEND, NOTES, cells, evidence_cells, sentence

MOST_ROWS = 200
MOST_CHARACTERS = 400


def scan_page(scan: Scan, texts: pl.Series, labels: pl.Series, facts: Mapping[str, str], *, top: int) -> Page:
    """The page: the findings, the evidence for each, and rows that carry them.

    >>> found = Scan((), 2, 2, 0, (0, 1), "naive Bayes", None)
    >>> texts, labels = pl.Series(["a", "b"]), pl.Series(["0", "1"])
    >>> scan_page(found, texts, labels, {"seed": "0"}, top=3).headlines[0].value
    '0'
    """
    shown = scan.findings[: max(top, len(scan.at_least(Severity.warning)))]
    flagged = scan.suspicious_rows()
    rows = _evenly(list(flagged), MOST_ROWS)
    order = [COLUMNS.index("words"), *(number for number, name in enumerate(COLUMNS) if name != "words")]
    return Page(
        title="Scan: words that look planted",
        lead=sentence(scan, len(flagged)),
        headlines=(
            Headline(f"{scan.count(Severity.alarm):,}", "alarms"),
            Headline(f"{scan.count(Severity.warning):,}", "warnings"),
            Headline(f"{len(flagged):,}", f"of {scan.rows:,} rows carry one"),
        ),
        grids=(
            Grid(
                "findings",
                "What looks planted",
                f"The worst first. {LEGEND}",
                tuple(COLUMNS[number] for number in order),
                tuple(tuple(cells(one)[number] for number in order) for one in shown),
            ),
            Grid(
                "evidence",
                "Why",
                f"Influence was measured in {scan.influence}. Whole without it: rows in which the words on "
                "both sides stand side by side elsewhere.",
                EVIDENCE,
                tuple(evidence_cells(one) for one in shown),
            ),
            Grid(
                "rows",
                "Rows that carry a warning or an alarm",
                f"{len(rows):,} of {len(flagged):,}, evenly spaced." if rows else "None.",
                ("row", "label", "words", "text"),
                tuple(
                    (f"{row + 1:,}", str(labels[row]), flagged[row].name, _cut(texts[row])) for row in rows
                ),
            ),
        ),
        assumptions=NOTES,
        assumptions_title="How to read this",
        provenance=tuple(Fact(name, value) for name, value in facts.items()),
    )


def _evenly(rows: list[int], most: int) -> list[int]:
    return rows if len(rows) <= most else [rows[number * len(rows) // most] for number in range(most)]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
