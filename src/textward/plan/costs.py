"""What a choice costs: measured on the sample and on half of it, and drawn on to all rows by that growth."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from textward.errors import TextwardError
from textward.plan.candidates import Candidate
from textward.plan.sample import Sample


@dataclass(frozen=True, slots=True)
class Costs:
    """What training on all rows is likely to take.

    >>> Costs(1.5, 2**20, 4096, 10_000.0, False).measured
    False
    """

    seconds: float
    memory_bytes: int | None
    """The most that the whole process holds; None where the system does not say."""
    disk_bytes: int
    answers_a_second: float
    measured: bool
    """Whether the sample was all rows, so that nothing had to be estimated."""


class TrialError(TextwardError):
    """A choice could not be trained on the sample."""


def estimated_costs(candidate: Candidate, sample: Sample, seed: int) -> Costs:
    """Train in a process of its own, on half the sample and on all of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        pl.DataFrame({"text": sample.texts, "label": sample.labels}).write_parquet(file)
        command = [sys.executable, "-m", "textward.plan.trial", str(file), str(candidate.groups), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise TrialError(f"{candidate.name}: training on the sample failed: {last}. Leave it out.")
    return drawn_on(json.loads(done.stdout), sample.whole)


def drawn_on(found: Mapping[str, Any], rows: int) -> Costs:
    """Take what half and all of a sample cost on to so many rows, along the power that joins the two.

    >>> half = {"rows": 50, "seconds": 1.0, "memory": None, "disk": 100, "answered_a_second": 9.0}
    >>> drawn_on({"half": half, "whole": half | {"rows": 100, "seconds": 2.0}}, 400).seconds
    8.0
    """
    half, whole = found["half"], found["whole"]

    def at(key: str, steepest: float) -> float:
        if rows <= whole["rows"] or min(half[key], whole[key]) <= 0:
            return float(whole[key])
        power = math.log(whole[key] / half[key]) / math.log(whole["rows"] / half["rows"])
        return float(whole[key] * (rows / whole["rows"]) ** min(max(power, 0.0), steepest))

    return Costs(
        at("seconds", 1.2),
        _memory(half, whole, rows),
        round(at("disk", 1.0)),
        float(whole["answered_a_second"]),
        rows <= whole["rows"],
    )


def _memory(half: Mapping[str, Any], whole: Mapping[str, Any], rows: int) -> int | None:
    # Python and the libraries hold the greatest part, which does not grow: so along a line, not a power.
    if whole["memory"] is None:
        return None
    a_row = (whole["memory"] - half["memory"]) / (whole["rows"] - half["rows"])
    return int(whole["memory"] + a_row * max(0, rows - whole["rows"]))
