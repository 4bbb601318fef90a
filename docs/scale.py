"""The tables of docs/scale.md, from the records in results/scale/.

    python docs/scale.py

Rewrites what stands between `<!-- table: NAME -->` and `<!-- end of figures -->` there, and nothing else.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from figures import HOME, missing, table

Record = dict[str, Any]
BENCHMARK = "benchmarks/scale.py"
PREDICTED_ROWS = 10**9
GPUS, GROUPS, GROUP_ROWS, TOKENS, EPOCHS = 64, 1_000, 67_349, 16, 5
TRAINED, FLOPS = 85_000_000, 200e12
"""Weights of BERT-base that are in every step, and what a GPU is taken to compute a second: no record yet."""


def main() -> None:
    """Rewrite the page."""
    path = HOME / "docs" / "scale.md"
    page = with_tables(path.read_text(encoding="utf-8"), HOME / "results" / "scale")
    path.write_text(page, encoding="utf-8")


def with_tables(page: str, results: Path) -> str:
    """The page with every table made anew."""

    def made(found: re.Match[str]) -> str:
        return f"{found[1]}\n\n{TABLES[found[2]](results)}\n\n{found[3]}"

    return re.sub(r"(<!-- table: (\w+) -->).*?(<!-- end of figures -->)", made, page, flags=re.DOTALL)


def growth(results: Path) -> str:
    """Time and memory against rows, and how far each lies from a straight line."""
    found = records(results, "local")
    if not found:
        return missing(BENCHMARK)
    slope, start = line(found)
    head = ["rows", "words", "CPU s", "off the line", "s", "load", "words/s of CPU", "polars, CPU s", "ratio"]
    rows = []
    for one in found:
        fitted = start + slope * one["rows"]
        rows.append([
            f"{one['rows']:,}", f"{one['words']:,}", f"{one['cpu_seconds']:.1f}",
            f"{one['cpu_seconds'] - fitted:+.1f} s", f"{one['seconds']:.1f}", f"{one['load']:.0f}",
            f"{one['words'] / one['cpu_seconds']:,.0f}", f"{one['polars_cpu_seconds']:.1f}",
            f"{one['cpu_seconds'] / one['polars_cpu_seconds']:.1f}",
        ])  # fmt: skip
    told = (
        f"The line: {start:.2f} s + {1e6 * slope:.2f} s a million rows, of CPU; fitted by relative distances."
    )
    made = table([*head, "peak MB"], [[*row, peak(one)] for row, one in zip(rows, found, strict=True)])
    return f"{made}\n\n{told}"


def on_ray(results: Path) -> str:
    """A cluster of this machine's cores beside no cluster, and Ray Data beside tasks."""
    found = records(results, "ray")
    if not found:
        return missing(BENCHMARK)
    head = [
        "rows",
        "local, s",
        "Ray, s",
        "ratio",
        "start, s",
        "worker peak MB",
        "Ray Data, s",
        "tasks, s",
        "load",
    ]
    return table(head, [[
        f"{one['rows']:,}", f"{one['local_seconds']:.1f}", f"{one['seconds']:.1f}",
        f"{one['seconds'] / one['local_seconds']:.2f}", f"{one['start_seconds']:.1f}",
        f"{one['worker_peak_bytes'] / 2**20:,.0f}", _or_dash(one.get("through_ray_data")),
        _or_dash(one.get("through_tasks")), f"{one['load']:.0f}",
    ] for one in found])  # fmt: skip


def million(results: Path) -> str:
    """Certified accuracy of a million texts."""
    found = records(results, "certified")
    if not found:
        return missing(BENCHMARK)
    head = ["texts", "classes", "groups", "individual, s", "joint, s", "labels and radii from texts, s"]
    return table(head, [[
        f"{one['rows']:,}", str(one["classes"]), str(one["groups"] or "every word"),
        f"{one['individual']:.1f}", _or_dash(one.get("joint")), _or_dash(one.get("radius")),
    ] for one in found])  # fmt: skip


def predictions(results: Path) -> str:
    """What the measured constants say of more than was measured."""
    found = records(results, "local")
    part = next((one["fragment"] for one in found if "fragment" in one), None)
    if not found or part is None:
        return missing(BENCHMARK)
    slope, _ = line(found)
    work = slope * PREDICTED_ROWS
    parts = -(-PREDICTED_ROWS // 524_288)
    sent = parts * part["bytes"]
    merging = parts * part["merge_seconds"]
    hours = GROUPS * GROUP_ROWS * TOKENS * EPOCHS * 6 * TRAINED / (GPUS * FLOPS) / 3600
    return table(["predicted", "counts", "from"], [
        ["10^9 rows, work", f"{work / 3600:.1f} core hours; {work / 64 / 60:.0f} min on 64 cores",
         f"{1e6 * slope:.2f} CPU s a million rows"],
        ["10^9 rows, adding up on the driver", f"{merging / 60:.0f} min, beside the work",
         f"{part['merge_seconds']:.3f} s a fragment of {part['vocabulary']:,} words"],
        ["10^9 rows, bytes to the driver", f"{sent / 2**30:.1f} GiB",
         f"{part['bytes'] / 2**20:.1f} MiB a fragment of {part['rows']:,} rows"],
        ["1,000 groups on 64 GPUs", f"{-(-GROUPS // GPUS)} groups a GPU at a time; {60 * hours:.0f} min",
         f"an assumption, no record: {FLOPS / 1e12:.0f} TFLOP/s a GPU; {GROUP_ROWS:,} rows, {TOKENS} tokens, "
         f"{EPOCHS} epochs, BERT-base"],
    ])  # fmt: skip


def line(found: list[Record]) -> tuple[float, float]:
    """Slope and start of the line of CPU seconds over rows; every size weighs the same."""
    rows = np.array([one["rows"] for one in found], float)
    seconds = np.array([one["cpu_seconds"] for one in found])
    if len(found) < 2:
        return float(seconds[0] / rows[0]), 0.0
    slope, start = np.polyfit(rows, seconds, 1, w=1 / seconds)
    return float(slope), float(start)


def peak(one: Record) -> str:
    """The most memory a run held."""
    return f"{one['peak_bytes'] / 2**20:,.0f}"


def records(results: Path, name: str) -> list[Record]:
    """The records of a file, or none."""
    path = results / f"{name}.json"
    found: list[Record] = json.loads(path.read_text())["records"] if path.exists() else []
    return found


def _or_dash(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.1f}"


TABLES = {"growth": growth, "ray": on_ray, "million": million, "predictions": predictions}

if __name__ == "__main__":
    main()
