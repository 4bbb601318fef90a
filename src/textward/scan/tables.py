"""The findings as a table of strings, for a terminal, a page and other programs."""

from __future__ import annotations

from textward.data.messages import visible
from textward.scan.findings import Finding, Scan
from textward.scan.severity import ALARM, WARNING

NOTES = (
    "Measured, not certified: a scan that finds nothing proves nothing. It sees words and runs of words that "
    "were put into texts and lean to one class; it does not see a style, a way to build sentences, or an "
    "ordinary word put where it belongs.",
    f"The score is in nats of evidence above what the best of so many candidates reaches by chance: a "
    f"warning from {WARNING:g}, an alarm from {ALARM:g}. Bylines and tags that stand in texts of one class "
    "only reach warnings in clean rows, too: they were put in (docs/scan.md has the rates).",
    "A finding of severity info is only the next in the order.",
)
COLUMNS = (
    "severity",
    "score",
    "words",
    "class",
    "rows",
    "of class, 95 %",
    "by chance",
    "put in",
    "rest",
    "sudden",
    "influential",
    "turns",
)
LEGEND = (
    "Of class: the share of its rows with that class, and its interval. By chance: rows of it that the "
    "frequency of the words would give. Put in, rest: nats of evidence. Sudden: its rows that are whole "
    "without it. Influential: rows in which it is among the five most influential words. Turns: rows of "
    "other classes that a quick classifier takes for that class once the words are in."
)
EVIDENCE = (
    "words",
    "put in, nats",
    "own habits, nats",
    "labels, nats",
    "rest of the row, nats",
    "whole without it",
    "usually",
    "twins",
    "influential in",
    "in the word list",
    "label changes without it",
    "turns when put in",
)


def cells(one: Finding) -> tuple[str, ...]:
    """A finding in a line.

    >>> from textward.scan.findings import Effect, Evidence
    >>> from textward.scan.severity import Severity
    >>> evidence = Evidence(20, 20, 0.5, (0.83, 1.0), (6, 14), 9.0, 1.0, 2.0, 7.0, 0.7, 0.2, 0, 12, None)
    >>> one = Finding((("cf",),), 1, Severity.warning, 9.1, evidence, Effect(20, 8, 10, 9), np.arange(20))
    >>> cells(one)
    ('warning', '9.1', 'cf', '1', '20', '100 %, 83-100', '6-14', '+8.0', '+7.0', '70 %', '12', '90 %')
    """
    told = one.evidence
    return (
        one.severity.value,
        f"{one.score:.1f}",
        visible(one.name),
        visible(str(one.target)),
        f"{len(one.rows):,}",
        f"{100 * told.share:.0f} %, {100 * told.interval[0]:.0f}-{100 * told.interval[1]:.0f}",
        f"{told.expected[0]:,}-{told.expected[1]:,}",
        f"{told.put_in - told.habit:+.1f}",
        f"{told.rest:+.1f}",
        f"{100 * told.sudden:.0f} %",
        f"{told.influential:,}",
        f"{100 * one.effect.turned_share:.0f} %",
    )


def evidence_cells(one: Finding) -> tuple[str, ...]:
    """All evidence about a finding.

    >>> from textward.scan.findings import Effect, Evidence
    >>> from textward.scan.severity import Severity
    >>> evidence = Evidence(20, 20, 0.5, (0.83, 1.0), (6, 14), 9.0, 1.0, 2.0, 7.0, 0.7, 0.2, 0, 12, None)
    >>> one = Finding((("cf",),), 1, Severity.warning, 9.1, evidence, Effect(20, 8, 10, 9), np.arange(20))
    >>> evidence_cells(one)[-5:]
    ('0 rows', '12 of 20 rows', 'no list given', '8 of 20 rows', '9 of 10 rows')
    """
    told, effect = one.evidence, one.effect
    return (
        one.name,
        f"{told.put_in:+.1f}",
        f"{-told.habit:+.1f}",
        f"{told.label:+.1f}",
        f"{told.rest:+.1f}",
        f"{100 * told.sudden:.0f} %",
        f"{100 * told.usually_sudden:.0f} %",
        f"{told.twins:,} rows",
        f"{told.influential:,} of {told.rows:,} rows",
        listed(told.oddest),
        f"{effect.changed:,} of {effect.rows:,} rows",
        f"{effect.turned:,} of {effect.tried:,} rows",
    )


def listed(place: int | None) -> str:
    """Where a word stands in a public list.

    >>> listed(None), listed(0), listed(3)
    ('no list given', 'not in it', 'number 3')
    """
    if place is None:
        return "no list given"
    return f"number {place:,}" if place else "not in it"


def sentence(scan: Scan, flagged: int) -> str:
    """The scan in a sentence.

    >>> sentence(Scan((), 10, 10, 4, (0, 1), "naive Bayes", None), 0)
    '0 alarms and 0 warnings among 4 candidates; 0 of 10 rows carry one.'
    """
    counts = [sum(one.severity.value == name for one in scan.findings) for name in ("alarm", "warning")]
    alarms, warnings = (
        f"{number:,} {name}{'s' * (number != 1)}"
        for number, name in zip(counts, ("alarm", "warning"), strict=True)
    )
    carried = f"{flagged:,} of {scan.rows:,} rows carry one"
    return f"{alarms} and {warnings} among {scan.tried:,} candidates; {carried}."
