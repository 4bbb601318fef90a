"""textward experiment: cells -> records -> tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import typer

from textward.cli.running import MISSED
from textward.cli.screen import Screen
from textward.data.messages import visible
from textward.errors import TextwardError, UsageError
from textward.experiments.catalogue import EVERY, experiments, named
from textward.experiments.encoders import Engine, settings_of
from textward.experiments.grid import Cell
from textward.experiments.jobs import Job, JobWriter
from textward.experiments.pages import as_html, as_svg
from textward.experiments.poisoning import Workshop
from textward.experiments.records import LINEAR, Run, Store
from textward.experiments.running import Tally, Worker, run_all, wanted
from textward.experiments.sources import Sources
from textward.experiments.summary import CLAIMS, verdicts, write_summary
from textward.experiments.tables import as_csv, markdown
from textward.experiments.workers import EncoderWorker, LinearWorker
from textward.experiments.writing import tables_of, write_tables
from textward.groups.assign import CODE_POINTS
from textward.learners.transformer.extra import require_extra
from textward.words import VocabularyOrder

ENCODERS = "TEXTWARD_ENCODERS"
QUICK_ROWS = 1_000
HALF_WAY = 3


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
    """Run what is missing and write the tables; exit code 1 where a cell failed, 3 where cells are left."""
    chosen = named(wish.name)
    store = Store(wish.out)
    how, worker = _means(wish)
    seeds = 1 if wish.quick and wish.seeds is None else wish.seeds
    if wish.carry is not None:
        _carried(screen, wish.carry, wanted(chosen, store, how, seeds, Tally()), worker)
        return
    with screen.progress("Running the cells", alone=False) as bar:
        tally = run_all(
            chosen, store, how, worker, seeds=seeds, seconds=wish.seconds,
            heard=bar,
        )  # fmt: skip
    for one in chosen:
        write_tables(one, store)
    if wish.name == EVERY:
        write_summary(store)
    _told(screen, tally, wish.out, as_json)
    if tally.failed:
        raise typer.Exit(MISSED)
    if tally.left:
        raise typer.Exit(HALF_WAY)


def _means(wish: Wish) -> tuple[Run, Worker]:
    """What the records are called, and what does the work."""
    sources = Sources.of(wish.data_dir, other_rows=wish.other_rows)
    if wish.backbone == LINEAR:
        return Run(), LinearWorker(Workshop(sources, wish.parser))
    if wish.carry is None:
        _there(wish.device)
    folder = _encoder(wish.backbone)
    workshop = Workshop(sources, wish.parser, QUICK_ROWS if wish.quick else None)
    engine = Engine(str(folder), settings_of(wish.device, wish.quick))
    order = VocabularyOrder.read(folder) if Path(folder).is_dir() else CODE_POINTS
    return Run(Path(folder).name, wish.quick, wish.device), EncoderWorker(workshop, engine, order)


def _there(device: str) -> None:
    """Refuse a device that is not there before the first cell, rather than at each."""
    require_extra("an encoder as backbone")
    from textward.learners.transformer.memory import device_of

    device_of(device)


def _encoder(name: str) -> str | Path:
    """The folder of an encoder: as given, or of this name among those at hand; else a name for the hub."""
    at_hand = os.environ.get(ENCODERS)
    places = [Path(name), *([Path(at_hand) / name] if at_hand else [])]
    return next((place for place in places if place.is_dir()), name)


def _carried(screen: Screen, folder: Path, todo: list[tuple[str, Cell]], worker: Worker) -> None:
    """Write the rows of every cell that an encoder works on."""
    if not isinstance(worker, EncoderWorker):
        raise UsageError("--carry is for encoders: name one with --backbone")
    writer, failed, count = JobWriter(folder), [], 0
    with screen.progress("Cutting the rows") as bar:
        for number, (name, cell) in enumerate(todo):
            bar(number, len(todo), cell.key)
            try:
                job = worker.ready(cell)
            except TextwardError as error:
                failed.append(f"{name}: {cell.key} failed: {error}")
                continue
            if isinstance(job, Job):
                writer.add(name, job)
                count += 1
    for line in failed:
        screen.say(line)
    size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
    screen.say(
        f"{visible(str(folder))}: {count:,} cells, {size:.1f} MiB; benchmarks/experiments_there.py runs them"
    )
    if failed:
        raise typer.Exit(MISSED)


def table(screen: Screen, name: str, out: Path, format: str, *, write: bool) -> None:
    """Print one table, or write all of them."""
    store, chosen = Store(out), [] if name == CLAIMS else named(name)
    if write:
        for one in chosen:
            for path in write_tables(one, store):
                screen.say(visible(str(path)))
        if name == EVERY:
            screen.say(visible(str(write_summary(store))))
        return
    if name == CLAIMS:
        screen.data(verdicts(store))
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
