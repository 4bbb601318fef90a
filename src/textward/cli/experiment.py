"""textward experiment: cells -> records -> tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from textward.cli.running import MISSED
from textward.cli.screen import Screen
from textward.data.messages import visible
from textward.errors import UsageError
from textward.experiments.catalogue import EVERY, experiments, named
from textward.experiments.pages import as_html, as_svg
from textward.experiments.poisoning import Workshop
from textward.experiments.records import Run, Store
from textward.experiments.running import Tally, Worker, run_all
from textward.experiments.sources import Sources
from textward.experiments.tables import as_csv, markdown
from textward.experiments.workers import LinearWorker
from textward.experiments.writing import tables_of, write_tables

LINEAR = "linear"


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    name: str
    backbone: str
    device: str
    seeds: int | None
    quick: bool
    data_dir: Path | None
    other_rows: bool
    parser: str
    seconds: float | None
    carry: Path | None
    out: Path


def list_all(screen: Screen, out: Path, *, as_json: bool) -> None:
    """Print every experiment."""
    store = Store(out)
    lines = []
    for one in experiments().values():
        cells = one.cells(seeds=1)
        done = {run.name: sum(store.done(cell, run) for cell in cells) for run in store.runs()}
        lines.append({"name": one.name, "title": one.title, "cells": len(cells), "done": done})
        if not as_json:
            shown = ", ".join(f"{count} {name}" for name, count in done.items() if count) or "0"
            screen.data(f"{one.name}\t{one.title}\t{len(cells)} cells a seed\tdone: {shown}")
    if as_json:
        screen.json(lines)


def run(screen: Screen, wish: Wish, *, as_json: bool) -> None:
    """Run what is missing and write the tables; exit code 1 where a cell failed."""
    chosen = named(wish.name)
    store = Store(wish.out)
    how = Run(wish.backbone)
    worker: Worker = LinearWorker(
        Workshop(Sources.of(wish.data_dir, other_rows=wish.other_rows), wish.parser)
    )
    seeds = 1 if wish.quick and wish.seeds is None else wish.seeds
    with screen.progress("Running the cells", alone=False) as bar:
        tally = run_all(
            chosen, store, how, worker, seeds=seeds, seconds=wish.seconds,
            heard=bar,
        )  # fmt: skip
    for one in chosen:
        write_tables(one, store)
    _told(screen, tally, wish.out, as_json)
    if tally.failed:
        raise typer.Exit(MISSED)


def table(screen: Screen, name: str, out: Path, format: str, *, write: bool) -> None:
    """Print one table, or write all of them."""
    store, chosen = Store(out), named(name)
    if write:
        for one in chosen:
            for path in write_tables(one, store):
                screen.say(visible(str(path)))
        return
    if name == EVERY and format != "markdown":
        raise UsageError(f"--format {format} is for one table: name it, or give --write")
    for one in chosen:
        tables = tables_of(one, store)
        if format == "html":
            screen.data(as_html(tables))
        elif format == "csv":
            screen.data(as_csv(tables).rstrip("\n"))
        elif format == "svg":
            screen.data(as_svg(tables[0]).rstrip("\n"))
        else:
            screen.data(one.page(store) if one.page is not None else markdown(tables))


def _told(screen: Screen, tally: Tally, out: Path, as_json: bool) -> None:
    if as_json:
        failed = [{"experiment": name, "cell": key, "error": why} for name, key, why in tally.failed]
        screen.json({"ran": tally.ran, "skipped": tally.skipped, "left": tally.left, "failed": failed})
    for name, key, why in tally.failed:
        screen.say(f"{name}: {key} failed: {why}")
    more = f", {tally.left:,} left for the next run" if tally.left else ""
    screen.say(
        f"{visible(str(out))}: {tally.ran:,} cells run, {tally.skipped:,} done before, {len(tally.failed):,} "
        f"failed{more}"
    )
