"""Cells -> records: finished ones are skipped, failed ones are recorded, and the rest go on."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

from textward.errors import TextwardError
from textward.experiments.costs import machine, measured
from textward.experiments.grid import ENCODER_ONLY, Cell, Experiment
from textward.experiments.records import DONE, FAILED, LINEAR, Run, Store

LIBRARIES = ("textward", "numpy", "scipy", "scikit-learn", "polars", "torch", "transformers")
Heard = Callable[[int, int, str], None]


class Worker(Protocol):
    """Makes a cell's rows ready, then trains and counts; only the second is timed."""

    def ready(self, cell: Cell) -> Any: ...
    def facts(self, cell: Cell, rows: Any) -> dict[str, Any]: ...
    def answered(self, cell: Cell, rows: Any) -> dict[str, Any]: ...


@dataclass(slots=True)
class Tally:
    """What a run came to.

    >>> Tally(ran=2, failed=[("table1", "certified/hsol", "why")]).clean
    False
    """

    ran: int = 0
    skipped: int = 0
    left: int = 0
    """Cells that there was no time for."""
    failed: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing failed."""
        return not self.failed


def run_all(
    experiments: list[Experiment],
    store: Store,
    run: Run,
    worker: Worker,
    *,
    seeds: int | None = None,
    seconds: float | None = None,
    heard: Heard | None = None,
) -> Tally:
    """Run what is missing, in order; no cell is begun after so many seconds."""
    tally, began = Tally(), time.monotonic()
    todo = wanted(experiments, store, run, seeds, tally)
    for number, (name, cell) in enumerate(todo):
        if seconds is not None and time.monotonic() - began > seconds:
            tally.left = len(todo) - number
            break
        if heard is not None:
            heard(number, len(todo), cell.key)
        facts = one(cell, worker)
        store.add(name, run, cell, facts)
        if facts["status"] == FAILED:
            tally.failed.append((name, cell.key, facts["error"]))
        else:
            tally.ran += 1
    return tally


def wanted(
    experiments: list[Experiment], store: Store, run: Run, seeds: int | None, tally: Tally
) -> list[tuple[str, Cell]]:
    """The cells that are not done yet, each once, with the experiment that keeps its record.

    >>> from pathlib import Path
    >>> from textward.experiments.catalogue import named
    >>> cells = wanted(named("table4"), Store(Path("nowhere")), Run(), 1, Tally())
    >>> cells[0][1].hash
    'md5'
    """
    todo: dict[Cell, str] = {}
    for experiment in experiments:
        for cell in experiment.cells(seeds):
            if run.backbone == LINEAR and cell.defence in ENCODER_ONLY:
                continue
            if store.done(cell, run):
                tally.skipped += 1
            else:
                todo.setdefault(cell, experiment.name)
    # First seeds of everything come before second ones, and what takes long comes last. Cells on the same
    # rows stand together, for an encoder's plain classifier serves them all.
    place: dict[tuple[Any, ...], int] = {}
    for cell in todo:
        place.setdefault(cell.rows, len(place))
    return sorted(
        ((name, cell) for cell, name in todo.items()),
        key=lambda one: (one[1].seed, one[1].slow, place[one[1].rows]),
    )


def one(cell: Cell, worker: Worker) -> dict[str, Any]:
    """The record of one cell, done or failed."""
    costs: dict[str, Any] = {}
    try:
        rows = worker.ready(cell)
        facts = worker.facts(cell, rows)
        with measured(costs):
            result = worker.answered(cell, rows)
    except KeyboardInterrupt:
        raise
    except Exception as error:  # whatever a plug-in or a library does, the other cells go on
        known = isinstance(error, TextwardError)
        why = str(error) if known else f"{type(error).__name__}: {error}"
        return {"status": FAILED, "error": why, "versions": versions(), "machine": machine()}
    record = {"status": DONE, **facts, "result": result, "cost": costs}
    return record | {"versions": versions(), "machine": machine()}


def versions() -> dict[str, str]:
    """Of Python and of the libraries that are there.

    >>> "numpy" in versions()
    True
    """
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # noqa: PERF203
            continue
    return found
