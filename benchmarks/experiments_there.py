"""Carried cells of the paper's tables on a machine with a GPU that has numpy, torch and transformers alone.

    textward experiment run all --backbone mpnet --seeds 1 --carry carried     (here: cut, group, write)
    python benchmarks/experiments_there.py carried --encoder DIR --out DIR --seconds 540
    textward experiment table all --write                                      (here, with the records)

Cells come in the order in which they tell most; each is on disk as soon as it is done, and none begins after
--seconds. A second call with the same --out goes on. Records lie in OUT/EXPERIMENT/ENCODER.jsonl, as in
results/.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import encoder_data  # noqa: F401  (where the other rooms cannot be imported, it stands in for them)
from textward.experiments.encoders import Engine, settings_of
from textward.experiments.grid import Cell
from textward.experiments.jobs import Job, read_jobs
from textward.experiments.records import FAILED, Run, Store
from textward.experiments.running import one


class Carried:
    """Cells whose rows were made ready elsewhere."""

    def __init__(self, engine: Engine, job: Job) -> None:
        self.engine, self.job = engine, job

    def ready(self, cell: Cell) -> Job:
        """The rows of the cell."""
        return self.job

    def facts(self, cell: Cell, rows: Job) -> dict[str, Any]:
        """What the record says of them."""
        settings = self.engine.settings
        told = {"epochs": settings.epochs, "batch": settings.batch, "learning_rate": settings.rate}
        return rows.facts | {"learner": Path(self.engine.encoder).name, "settings": told}

    def answered(self, cell: Cell, rows: Job) -> dict[str, Any]:
        """Train, answer and count."""
        return self.engine.answered(rows)


def todo(folder: Path, store: Store, run: Run) -> Iterator[tuple[str, Job]]:
    """The cells that have no record yet."""
    for name, job in read_jobs(folder):
        if not store.done(job.cell, run):
            yield name, job


def main() -> int:
    """Run until the time is up; the exit code says whether a cell failed."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("folder", type=Path)
    cli.add_argument("--encoder", required=True)
    cli.add_argument("--out", type=Path, required=True)
    cli.add_argument("--device", default="auto")
    cli.add_argument("--seconds", type=float, default=540.0)
    cli.add_argument("--quick", action="store_true", help="one epoch, for a trial")
    told = cli.parse_args()
    run = Run(Path(told.encoder).name, told.quick, told.device)
    store, engine = Store(told.out), Engine(told.encoder, settings_of(told.device, told.quick))
    began, failed = time.monotonic(), 0
    for name, job in todo(told.folder, store, run):
        if time.monotonic() - began > told.seconds:
            print("out of time", flush=True)
            break
        facts = one(job.cell, Carried(engine, job))
        store.add(name, run, job.cell, facts)
        failed += facts["status"] == FAILED
        seconds = facts.get("cost", {}).get("seconds")
        print(job.cell.key, facts["status"], facts.get("error", ""), seconds, flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
