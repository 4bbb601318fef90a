"""Poisoning a million rows beside copying them: the attack's own share of the time.

    python benchmarks/poison.py [--rows N] [--rate P] [--repeat N] [--out results/poison.json]

Contestants in turn, the shortest of several rounds of each. The plain copy reads as every command does, each
row checked, and writes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl

from textward.attacks import BadWord, Poisoned
from textward.attacks.files import write_provenance, write_rows
from textward.data import read_table

TARGET = "1"


def main() -> None:
    """Time each step, and print it as a share of the plain copy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "results" / "poison.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "rows.csv"), Path(folder, "out.csv")
        write_rows(source, *made_rows(options.rows))
        size = source.stat().st_size
        print(f"{options.rows:,} rows, {size / 1e6:.0f} MB, BadWord at rate {options.rate}")
        jobs: dict[str, Callable[[], object]] = {
            "bytes copied by the system": lambda: shutil.copyfile(source, target),
            "read": lambda: read_table(source),
            "plain copy (read, write)": lambda: copy(source, target),
            "poisoned copy (read, poison, write)": lambda: poisoned_copy(source, target, options.rate),
            "the same, with provenance": lambda: write_provenance(
                target, poisoned_copy(source, target, options.rate)
            ),
        }
        times: dict[str, list[float]] = {what: [] for what in jobs}
        cpu: dict[str, list[float]] = {what: [] for what in jobs}
        for _ in range(options.repeat):
            for what, job in jobs.items():
                start, busy = time.perf_counter(), time.process_time()
                job()
                cpu[what].append(round(time.process_time() - busy, 3))
                times[what].append(round(time.perf_counter() - start, 3))
    plain = min(times["plain copy (read, write)"])
    for what, took in times.items():
        print(f"{what:40s} {min(took):6.2f} s   {min(took) / plain:5.2f} of the plain copy")
    record = {
        "rows": options.rows, "bytes": size, "rate": options.rate, "attack": repr(BadWord()),
        "seconds": times, "cpu_seconds": cpu,
        "machine": {"processors": os.cpu_count(), "python": platform.python_version()},
        "versions": {package: version(package) for package in ("numpy", "polars")},
    }  # fmt: skip
    options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def made_rows(rows: int) -> tuple[pl.Series, pl.Series]:
    """Texts of 5 to 30 made-up words, and two classes."""
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 5)) for _ in range(5_000)])
    lines = [" ".join(words[rng.integers(0, 5_000, size)]) for size in rng.integers(5, 30, 10_000)]
    drawn = rng.integers(0, len(lines), rows)
    return pl.Series(lines).gather(drawn), pl.Series((drawn % 2).astype(str))


def copy(source: Path, target: Path) -> None:
    """Read and write."""
    table = read_table(source)
    write_rows(target, table.texts, table.labels)


def poisoned_copy(source: Path, target: Path, rate: float) -> Poisoned:
    """Read, poison and write."""
    table = read_table(source)
    assert table.labels is not None
    poisoned = BadWord().poison(table.texts, table.labels, rate=rate, target=TARGET, seed=1)
    write_rows(target, poisoned.texts, poisoned.labels)
    return poisoned


if __name__ == "__main__":
    main()
