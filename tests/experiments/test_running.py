"""Cells become records once; what fails is recorded, and the rest go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textward.cli.running import run
from textward.experiments import linear
from textward.experiments.catalogue import named
from textward.experiments.grid import Cell, Experiment, Spot
from textward.experiments.poisoning import Workshop
from textward.experiments.records import Run, Store
from textward.experiments.running import run_all
from textward.experiments.sources import Sources
from textward.experiments.tables import markdown, table_of
from textward.experiments.workers import LinearWorker


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in out.glob("*/*.jsonl") for line in file.read_text().splitlines()]


@pytest.fixture(autouse=True)
def few_bags(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand models take seconds whatever the rows."""
    monkeypatch.setattr(linear, "BAGS", 20)


def test_table_1_is_run_once_and_shown_beside_the_papers(datasets, tmp_path, capfd):
    asked = ["experiment", "run", "table1", "--quick", "--data-dir", str(datasets), "--out", str(tmp_path)]
    assert run([*asked, "--other-rows"]) == 0
    records = lines(tmp_path)
    assert {record["status"] for record in records} == {"done"}
    assert len({record["key"] for record in records}) == len(records) == 24
    assert run([*asked, "--other-rows", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["ran"] == 0
    assert lines(tmp_path) == records
    assert run(["experiment", "table", "table1", "--out", str(tmp_path)]) == 0
    shown = capfd.readouterr().out
    assert "| p = 0.1 | TextGuard |" in shown
    assert "(*0.362*)" in shown
    for format in ("csv", "html"):
        assert run(["experiment", "table", "table1", "--out", str(tmp_path), "--format", format]) == 0
        assert "TextGuard" in capfd.readouterr().out


def test_records_hold_no_text(datasets, tmp_path):
    workshop = Workshop(Sources(datasets, other_rows=True))
    chosen = [one for one in named("all") if one.name in ("table4", "table12")]
    assert run_all(chosen, Store(tmp_path), Run(), LinearWorker(workshop), seeds=1).clean
    held = "".join(file.read_text() for file in tmp_path.glob("*/*.jsonl"))
    assert "c0x" not in held and "verily" not in held


class Broken:
    """Fails on one cell."""

    def __init__(self) -> None:
        self.broken = True

    def ready(self, cell: Cell) -> None:
        if cell.data == "hsol" and self.broken:
            raise RuntimeError("out of luck")

    def facts(self, cell: Cell, rows: None) -> dict[str, Any]:
        return {"train": {"n": 1, "digest": "a"}, "test": {"n": 4, "digest": "b"}}

    def answered(self, cell: Cell, rows: None) -> dict[str, Any]:
        return {"right": 3, "clean": 4}


def one_row() -> Experiment:
    spots = tuple(
        Spot(("a",), data, Cell(data, "measured", "DT"), "cacc", 0.5) for data in ("sst2", "hsol", "agnews")
    )
    return Experiment("t", "T", ("name",), "share", spots)


def test_a_failed_cell_is_recorded_and_tried_again(tmp_path):
    worker, experiment = Broken(), one_row()
    first = run_all([experiment], Store(tmp_path), Run(), worker, seeds=1)
    assert (first.ran, len(first.failed)) == (2, 1)
    table = table_of(experiment, Store(tmp_path), Run())
    assert [entry.text for entry in table.entries] == [
        "0.750 (*0.500*)",
        "failed (*0.500*)",
        "0.750 (*0.500*)",
    ]
    assert "Failed: RuntimeError: out of luck" in markdown([table])
    run_all([experiment], Store(tmp_path), Run(), worker, seeds=1)
    assert len(lines(tmp_path)) == 3
    worker.broken = False
    again = run_all([experiment], Store(tmp_path), Run(), worker, seeds=1)
    assert (again.ran, again.skipped, again.failed) == (1, 2, [])


def test_a_torn_record_is_run_again_and_spoils_no_other(tmp_path):
    experiment, worker = one_row(), Broken()
    worker.broken = False
    run_all([experiment], Store(tmp_path), Run(), worker, seeds=1)
    file = tmp_path / "t" / "linear.jsonl"
    file.write_text(file.read_text()[:-20])
    again = run_all([experiment], Store(tmp_path), Run(), worker, seeds=1)
    assert (again.ran, again.skipped) == (1, 2)
    assert run_all([experiment], Store(tmp_path), Run(), worker, seeds=1).skipped == 3


def test_no_cell_begins_after_the_time(tmp_path):
    tally = run_all([one_row()], Store(tmp_path), Run(), Broken(), seeds=1, seconds=-1.0)
    assert (tally.ran, tally.left) == (0, 3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "tabel1"], "did you mean 'table1'"),
        (["table", "all", "--format", "csv"], "name it, or give --write"),
        (["run", "table4", "--backbone", "none", "--device", "tpux"], "unknown device"),
        (["run", "table4", "--carry", "there"], "--carry is for encoders"),
    ],
)
def test_wrong_use_says_what_to_do(arguments, says, tmp_path, capfd):
    assert run(["experiment", *arguments, "--out", str(tmp_path)]) == 2
    assert says in capfd.readouterr().err


def test_other_rows_are_refused_unless_asked_for(datasets, tmp_path, capfd):
    asked = ["experiment", "run", "table4", "--quick", "--data-dir", str(datasets), "--out", str(tmp_path)]
    assert run(asked) == 1
    assert "Give --other-rows" in capfd.readouterr().err
