"""The path of a machine with a GPU, on the CPU with a tiny random encoder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from textward.cli.running import run
from textward.experiments.grid import Cell, Experiment, Spot
from textward.experiments.measured_tables import measured
from textward.experiments.poisoning import Workshop
from textward.experiments.records import Run, Store
from textward.experiments.running import run_all, wanted
from textward.experiments.sources import Sources

pytest.importorskip("transformers", reason="needs the extra textward[transformers]")

HOME = Path(__file__).resolve().parents[2]
CELLS = [
    Cell("hsol", m=3, setting="mixed", rate=0.1),
    measured("hsol", "badword", "mixed", 0.1, m=3, K=5),
    measured("hsol", "badword", "mixed", 0.1, "DT"),
    measured("hsol", "badword", "mixed", 0.1, m=3, K=None),
]
OTHERS = [measured("hsol", "badword", "mixed", 0.1, name) for name in ("BKI", "RAP", "R-Adapter")]
CASE = Cell("hsol", "case", attack="addsent", setting="mixed", rate=0.1, m=3, K=5)


def experiment(cells: list[Cell]) -> Experiment:
    spots = tuple(Spot((str(number),), "c", cell, "cacc") for number, cell in enumerate(cells))
    return Experiment("tiny", "Tiny", ("cell",), "share", spots)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.learners.transformer.tiny_encoders import save_tiny_encoder

    words = [f"c{label}x{number}" for label in range(2) for number in range(12)]
    words += [f"n{number}" for number in range(40)] + ["cf", "mn", "bb", "tq", "mb"]
    return save_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny", words=words)


@pytest.fixture
def worker(datasets, encoder):
    from textward.experiments.encoders import Engine
    from textward.experiments.workers import EncoderWorker
    from textward.learners.transformer.settings import Settings

    settings = Settings(epochs=2, batch=32, learning_rate=1e-2, max_length=16, device="cpu")
    return EncoderWorker(Workshop(Sources(datasets, other_rows=True)), Engine(str(encoder), settings))


def test_every_kind_of_cell_runs_with_an_encoder(worker, tmp_path):
    tally = run_all([experiment([*CELLS, *OTHERS, CASE])], Store(tmp_path), Run("tiny"), worker, seeds=1)
    assert tally.failed == []
    store = Store(tmp_path)
    results = {cell.key: store.result(cell, Run("tiny")) for cell in [*CELLS, *OTHERS]}
    assert sum(results[CELLS[0].key]["votes"].values()) == 40
    guarded, plain = (results[cell.key] for cell in CELLS[1:3])
    assert guarded["omega"] > 0
    # Plain training is the first step of the empirical mode: it is done once, and its time counts twice.
    assert guarded["reused_seconds"] == 0.0 and plain["reused_seconds"] > 0.0
    assert plain["right"] > 24


def test_what_is_carried_gives_the_same(worker, tmp_path):
    from textward.experiments.jobs import JobWriter, read_jobs

    writer = JobWriter(tmp_path)
    jobs = [worker.ready(cell) for cell in CELLS]
    for job in jobs:
        writer.add("tiny", job)
    for (name, read), job in zip(read_jobs(tmp_path), jobs, strict=True):
        assert name == "tiny"
        assert (read.cell, read.train, read.test, read.attacked) == (
            job.cell,
            job.train,
            job.test,
            job.attacked,
        )
        assert read.labels.tolist() == job.labels.tolist()
        assert worker.engine.answered(read).get("votes") == worker.engine.answered(job).get("votes")


def test_carried_cells_run_without_polars_and_scikit_learn(datasets, encoder, tmp_path):
    carried, out = tmp_path / "carried", tmp_path / "out"
    asked = ["experiment", "run", "table16", "--quick", "--backbone", str(encoder), "--carry", str(carried)]
    assert run([*asked, "--data-dir", str(datasets), "--other-rows", "--out", str(out)]) == 0
    absent = ("polars", "sklearn", "scipy", "pydantic", "plotly", "joblib", "skops")
    code = (
        f"import sys, runpy; sys.modules.update(dict.fromkeys({absent!r})); "
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    script = HOME / "benchmarks" / "experiments_there.py"
    told = [str(carried), "--encoder", str(encoder), "--out", str(out), "--device", "cpu", "--quick"]
    environment = {**os.environ, "PYTHONPATH": str(script.parent), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(script), *told],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    from textward.experiments.catalogue import named

    left: list[Any] = wanted(named("table16"), Store(out), Run("tiny", quick=True), 1, _tally())
    assert left == []
    assert run(["experiment", "table", "table16", "--out", str(out)]) == 0


def _tally() -> Any:
    from textward.experiments.running import Tally

    return Tally()
