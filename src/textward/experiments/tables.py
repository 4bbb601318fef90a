"""Records -> a table: ours, with the paper's figure beside it; Markdown, CSV and HTML."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textward.data.messages import visible
from textward.experiments.grid import Cell, Experiment, Spot
from textward.experiments.metrics import Value, value
from textward.experiments.records import Record, Run, Store
from textward.experiments.sources import KNOWN


@dataclass(frozen=True, slots=True)
class Entry:
    """One place of a table.

    >>> Entry(("m=7",), "t=1", Value(0.5, 1), 0.562).text
    '0.500 (*0.562*)'
    """

    row: tuple[str, ...]
    column: str
    ours: Value | None
    paper: float | None
    error: str | None = None
    unit: str = "share"

    @property
    def text(self) -> str:
        """Ours, and the paper's in brackets."""
        shown = "failed" if self.error else "–"
        if self.ours is not None:
            spread = f" ±{self._number(self.ours.spread)}" if self.ours.spread is not None else ""
            shown = "≥ " * self.ours.lower_bound + self._number(self.ours.mean) + spread
        return shown if self.paper is None else f"{shown} (*{self._number(self.paper)}*)"

    def _number(self, number: float) -> str:
        if self.unit == "share":
            return f"{number:.3f}"
        return f"{number:.3g}" if number < 100 else f"{number:,.0f}"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of one backbone.

    >>> Table("t", "T", ("a",), (), (), Run(), ()).columns
    ()
    """

    name: str
    title: str
    headings: tuple[str, ...]
    entries: tuple[Entry, ...]
    notes: tuple[str, ...]
    run: Run
    made_of: tuple[str, ...]
    """Seeds, rows, digests and machine of the records."""
    chart: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(dict.fromkeys(entry.column for entry in self.entries))

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The names of the rows, in order."""
        return tuple(dict.fromkeys(entry.row for entry in self.entries))

    def at(self, row: tuple[str, ...], column: str) -> Entry | None:
        """One place, where there is any."""
        return next((one for one in self.entries if (one.row, one.column) == (row, column)), None)

    def lines(self) -> Iterator[tuple[str, ...]]:
        """The rows as text."""
        known = {(one.row, one.column): one.text for one in self.entries}
        for row in self.rows:
            yield (*map(titled, row), *(known.get((row, column), "") for column in self.columns))

    @property
    def errors(self) -> tuple[str, ...]:
        """What failed, each reason once."""
        return tuple(dict.fromkeys(one.error for one in self.entries if one.error))


def table_of(experiment: Experiment, store: Store, run: Run) -> Table:
    """Build an experiment's table from the records of one backbone.

    >>> from pathlib import Path
    >>> from textward.experiments.catalogue import named
    >>> next(table_of(named("table4")[0], Store(Path("nowhere")), Run()).lines())
    ('hash', 'md5', '– (*0.829*)', '– (*0.642*)', '– (*0.400*)', '– (*0.153*)')
    """
    used: dict[str, Record] = {}
    entries = tuple(_entry(spot, experiment.unit, store, run, used) for spot in experiment.spots)
    made_of = tuple(_made_of(list(used.values()), run))
    return Table(
        experiment.name, experiment.title, experiment.headings, entries, experiment.notes, run, made_of,
        experiment.chart,
    )  # fmt: skip


def records_of(cell: Cell, store: Store, run: Run) -> list[Record]:
    """The finished records of a cell, every seed.

    >>> from pathlib import Path
    >>> records_of(Cell("hsol"), Store(Path("nowhere")), Run())
    []
    """
    found = []
    for seed in range(100):
        seeded = replace(cell, seed=seed)
        if not store.done(seeded, run):
            break
        found.append(store.get(seeded, run))
    return [record for record in found if record is not None]


def _entry(spot: Spot, unit: str, store: Store, run: Run, used: dict[str, Record]) -> Entry:
    records = records_of(spot.cell, store, run)
    used |= {record["key"]: record for record in records}
    if records:
        return Entry(spot.row, spot.column, value(records, spot.metric), spot.paper, None, unit)
    failed = store.get(spot.cell, run)
    return Entry(spot.row, spot.column, None, spot.paper, failed["error"] if failed else None, unit)


def _made_of(records: Sequence[Record], run: Run) -> Iterator[str]:
    if not records:
        yield f"No records of {run.backbone} yet."
        return
    learners = sorted({record.get("learner", run.backbone) for record in records})
    yield f"Learner: {', '.join(learners)}{' (part of the rows)' * run.quick}."
    seeds = sorted({sum(r["key"].rsplit("/s", 1)[0] == key for r in records) for key in _stems(records)})
    yield f"Seeds a cell: {', '.join(map(str, seeds))}; mean ± standard deviation where there are several."
    for data in dict.fromkeys(record["cell"]["data"] for record in records):
        own = [record for record in records if record["cell"]["data"] == data and "train" in record]
        sizes = sorted({(record["train"]["n"], record["train"]["digest"]) for record in own})
        tests = sorted({(record["test"]["n"], record["test"]["digest"]) for record in own})
        if own and data in KNOWN:
            known = KNOWN[data]
            rows = " and ".join(f"{n:,} training rows ({_short(digest)})" for n, digest in sizes)
            held = " and ".join(f"{n:,} test texts ({_short(digest)})" for n, digest in tests)
            yield f"{known.title}: {rows}, {held}{f'; {known.note}' if known.note else ''}."
    yield f"Measured on: {', '.join(sorted({_machine(record) for record in records}))}."


def _stems(records: Sequence[Record]) -> set[str]:
    return {record["key"].rsplit("/s", 1)[0] for record in records}


def _short(digest: str) -> str:
    return digest if " " in digest else "+".join(part[:8] for part in digest.split("+"))


def _machine(record: dict[str, Any]) -> str:
    device, own = record["cost"]["device"], record["machine"]
    return f"{own['cores']} CPU cores ({own['processor']})" if device == "cpu" else str(device)


def titled(name: str) -> str:
    """A dataset's title for its name; other names as they are.

    >>> titled("sst2"), titled("t=1")
    ('SST-2', 't=1')
    """
    return KNOWN[name].title if name in KNOWN else name


def markdown(tables: Sequence[Table]) -> str:
    """Several tables of one experiment, one a backbone, as Markdown.

    >>> from pathlib import Path
    >>> from textward.experiments.catalogue import named
    >>> empty = table_of(named("table6")[0], Store(Path("nowhere")), Run())
    >>> markdown([empty]).splitlines()[0]
    '# Table 6: accuracy without any attack'
    """
    first = tables[0]
    parts = [
        f"# {first.title}\n",
        "Ours, and in brackets the paper's.\n",
        *(f"{note}\n" for note in first.notes),
    ]
    parts.append(
        f"Made by `textward experiment run {first.name}` and `textward experiment table {first.name}`.\n"
    )
    for table in tables:
        head = (*table.headings, *map(titled, table.columns))
        parts.append(f"## {table.run.backbone}{', part of the rows' * table.run.quick}\n")
        parts += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
        parts += ["| " + " | ".join(line) + " |" for line in table.lines()]
        parts += ["", *(f"- {line}" for line in table.made_of)]
        parts += [f"- Failed: {visible(error)}" for error in table.errors]
        parts.append("")
    return "\n".join(parts)


def as_csv(tables: Sequence[Table]) -> str:
    """One line a figure, with what is known of it.

    >>> from pathlib import Path
    >>> from textward.experiments.catalogue import named
    >>> as_csv([table_of(named("table6")[0], Store(Path("nowhere")), Run())]).splitlines()[1]
    'table6,linear,TextGuard,sst2,,,,,,,0.8929,'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ("backbone", *tables[0].headings, "column")
    writer.writerow(("experiment", *head, "ours", "spread", "low", "high", "n", "seeds", "paper", "error"))
    for table in tables:
        for one in table.entries:
            own = one.ours
            known = (own.mean, own.spread, own.low, own.high, own.n, own.seeds) if own else (None,) * 6
            shown = (None if part is None else round(part, 6) for part in known)
            writer.writerow((table.name, table.run.name, *one.row, one.column, *shown, one.paper, one.error))
    return out.getvalue()
