"""textward plan: rows -> what each choice would cost and roughly buy, before anything is trained."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textward.cli.parsing import trigger_sizes, writable_file
from textward.cli.screen import Screen
from textward.cli.stdin import standard_input
from textward.data import class_names, encode_labels, read_table
from textward.data.messages import quoted, visible
from textward.errors import DataError, UsageError
from textward.estimator.training import library_versions
from textward.plan import (
    Advice,
    Candidate,
    Costs,
    Curve,
    Sample,
    advise,
    choices,
    curve,
    draw,
    estimated_costs,
    plan_page,
)
from textward.plan.pages import COLUMNS, NOTES, rows
from textward.report import write

LEARNERS = ("ballots", "linear")
_MOST_GROUPS = 10_000


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    learners: str
    groups: str
    sizes: str
    at: int
    rows: int
    folds: int
    seed: int
    report: Path | None

    def choices(self) -> tuple[Candidate, ...]:
        """What is compared."""
        learners = [name.strip() for name in self.learners.split(",")]
        for name in learners:
            if name not in LEARNERS:
                raise UsageError(
                    f"--learners {quoted(self.learners)}: {quoted(name)} is none of {', '.join(LEARNERS)}. "
                    "Other learners are tried by training them on a sample of the rows."
                )
        if not re.fullmatch(r"\s*[1-9][0-9]{0,4}\s*(,\s*[1-9][0-9]{0,4}\s*)*", self.groups):
            raise UsageError(f"--groups {quoted(self.groups)}: give a list of whole numbers such as 3,5,7")
        groups = sorted(set(map(int, self.groups.split(","))))
        if groups[-1] > _MOST_GROUPS:
            raise UsageError(f"--groups {quoted(self.groups)}: give at most {_MOST_GROUPS:,} groups")
        return choices(list(dict.fromkeys(learners)), groups)


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that was measured."""

    advice: Advice
    curves: Mapping[Candidate, Curve]
    costs: Mapping[Candidate, Costs]
    sample: Sample
    source: str
    digest: str
    seed: int


def plan(
    screen: Screen, data: str, wish: Wish, *, text_column: str, label_column: str, as_json: bool
) -> None:
    """Measure every choice on a sample, then say what to take."""
    sizes = trigger_sizes(wish.sizes)
    compared = wish.choices()
    if wish.at not in sizes:
        raise UsageError(
            f"--at {wish.at} is not among --trigger-sizes {wish.sizes}. Add it to --trigger-sizes."
        )
    writable_file(wish.report, "--report", data)
    found = _measured(screen, data, wish, compared, sizes, (text_column, label_column))
    facts = _facts(found)
    if wish.report is not None:
        page = plan_page(found.advice, found.curves, found.costs, facts)
        screen.say(f"report: {visible(str(write(page, wish.report)))}")
    if as_json:
        screen.json(as_dict(found))
    elif screen.wide:
        screen.rich(_table(found))
        for note in NOTES:
            screen.say(note)
        screen.data(f"\n{found.advice.sentence}")
    else:
        screen.data("\t".join([*COLUMNS, *(f"t={size}" for size in sizes)]))
        for cells, one in zip(rows(found.costs), found.curves.values(), strict=True):
            screen.data("\t".join([*cells, *(f"{share:.4f}" for share in one.shares)]))
        screen.say(found.advice.sentence)


def as_dict(found: Found) -> dict[str, Any]:
    """The plan, ready for JSON."""
    return {
        "advice": found.advice.sentence,
        "chosen": found.advice.chosen.command,
        "measured_not_certified": list(NOTES),
        "rows": found.sample.whole,
        "sample_rows": len(found.sample.texts),
        "folds": found.sample.folds,
        "seed": found.seed,
        "data": {"source": found.source, "digest": found.digest},
        "choices": [
            {
                "name": one.name,
                "command": one.command,
                "trigger_sizes": list(found.curves[one].sizes),
                "estimated_certified_accuracy": list(found.curves[one].shares),
                "lowest_fold": list(found.curves[one].lowest),
                "highest_fold": list(found.curves[one].highest),
                "training_seconds": found.costs[one].seconds,
                "memory_bytes": found.costs[one].memory_bytes,
                "disk_bytes": found.costs[one].disk_bytes,
                "answers_a_second": found.costs[one].answers_a_second,
                "costs_measured": found.costs[one].measured,
            }
            for one in found.curves
        ],
    }


def _measured(
    screen: Screen,
    data: str,
    wish: Wish,
    compared: tuple[Candidate, ...],
    sizes: tuple[int, ...],
    columns: tuple[str, str],
) -> Found:
    source = "standard input" if data == "-" else data
    stdin = standard_input() if data == "-" else None
    with screen.progress(f"Reading {visible(source)}"):
        table = read_table(data, text_column=columns[0], label_column=columns[1], stdin=stdin)
    assert table.labels is not None
    names = class_names(table.labels)
    if len(names) < 2:
        raise DataError(
            f"{visible(source)}: every row has the same label. Give rows of at least two classes."
        )
    labels = encode_labels(table.labels, names, source=source)
    sample = draw(
        table.texts, labels, rows=wish.rows, folds=wish.folds, seed=wish.seed, names=list(map(str, names))
    )
    curves, took = {}, {}
    with screen.progress(f"Trying {len(compared)} choices on {len(sample.texts):,} rows") as progress:
        for number, one in enumerate(compared):
            progress(number, len(compared), one.name)
            curves[one] = curve(one, sample, sizes, wish.seed)
            took[one] = estimated_costs(one, sample, wish.seed)
    advice = advise(curves, took, at=wish.at, rows=sample.whole)
    return Found(advice, curves, took, sample, source, table.digest, wish.seed)


def _facts(found: Found) -> dict[str, str]:
    sample = found.sample
    return {
        "rows": f"{sample.whole:,} of {found.source}",
        "digest of the rows": found.digest,
        "sample": f"{len(sample.texts):,} rows in {sample.folds} folds, seed {found.seed}",
        "made with": ", ".join(f"{name} {version}" for name, version in library_versions().items()),
    }


def _table(found: Found) -> Any:
    from rich.table import Table
    from rich.text import Text

    sample = found.sample
    table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    table.title = Text(
        f"{sample.whole:,} rows, of which {len(sample.texts):,} were tried; estimates, no certificate",
        style="bold",
    )
    sizes = next(iter(found.curves.values())).sizes
    for number, name in enumerate([*COLUMNS, *(f"t={size}" for size in sizes)]):
        table.add_column(name, justify="right" if number else "left")
    for one, cells in zip(found.curves, rows(found.costs), strict=True):
        style = "bold" if one == found.advice.chosen else ""
        curve = found.curves[one]
        shares = [
            Text.assemble(f"{100 * share:.1f} %", (f"\n{100 * low:.0f}–{100 * high:.0f}", "dim"))
            for share, low, high in zip(curve.shares, curve.lowest, curve.highest, strict=True)
        ]
        table.add_row(*cells, *shares, style=style)
    return table
