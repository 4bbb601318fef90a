"""The commands that measure encoders on a GPU, run dry: tiny encoders, few rows, a bare machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny_encoders import WORDS, save_tiny_encoder

HOME = Path(__file__).resolve().parents[3]
TOOL = HOME.parent / "shared" / "tools" / "models.py"
SCRIPT = str(HOME / "benchmarks" / "encoder_gpu.py")
NOT_THERE = ("polars", "sklearn", "pydantic", "plotly")

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason=f"needs {TOOL}, which packs encoders")


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `prepare` makes of tiny encoders and a few rows."""
    where = tmp_path_factory.mktemp("gpu")
    for name in ("minilm", "mpnet"):
        folder = save_tiny_encoder(where / "models" / name, name)
        (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    for name in ("sst2", "hsol", "agnews"):
        (where / "data" / name).mkdir(parents=True)
        rows = [f"{WORDS[k % 8]} {WORDS[8 + k % 5]} {WORDS[k % 19]},{k % 2}" for k in range(40)]
        for part in ("train", "test"):
            (where / "data" / name / f"{part}.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    asked = ["--models", where / "models", "--tool", TOOL, "--data", where / "data", "--out", where / "given"]
    done = subprocess.run(
        [sys.executable, SCRIPT, "prepare", *map(str, asked)], capture_output=True, text=True, check=True
    )
    assert "call 1: " in done.stdout
    assert "encoder_gpu.py speed --given" in done.stdout
    return where / "given"


def measured(verb: str, given: Path, out: Path) -> dict[str, list[dict[str, Any]]]:
    """The records of a dry run without the packages that the other machine lacks."""
    bare = out / "bare"
    bare.mkdir(parents=True)
    for name in NOT_THERE:
        (bare / f"{name}.py").write_text(f"raise ImportError({name!r})\n")
    environment = {**os.environ, "PYTHONPATH": str(bare), "OMP_NUM_THREADS": "1"}
    command = [
        sys.executable,
        SCRIPT,
        verb,
        "--given",
        str(given),
        "--out",
        str(out),
        "--rows",
        "32",
        "--jobs",
        "1",
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return {
        file.stem: [json.loads(line) for line in file.read_text().splitlines()]
        for file in out.glob("*.jsonl")
    }


def test_speed_isolation_and_prediction_are_measured(given: Path, tmp_path: Path) -> None:
    found = measured("speed", given, tmp_path)
    assert [len(record["other_bits"]) for record in found["isolation"]] == [0, 1, 1, 1, 1, 1, 1] * 2
    speed = found["encoder_speed"]
    trained = [
        (r["engine"], r["encoder"].rsplit("/")[-1], r["groups"]) for r in speed if r["what"] == "training"
    ]
    for encoder in ("mpnet", "minilm"):
        for wanted in (("fused", encoder, m) for m in (1, 9, 31)):
            assert wanted in trained
        assert ("Trainer", encoder, 9) in trained and ("Trainer", encoder, 1) in trained
    assert {r["what"] for r in speed} == {"ceilings", "training", "kernels", "prediction", "votes on a CPU"}
    assert all(r["same"] == r["texts"] * r["groups"] for r in speed if r["what"] == "votes on a CPU")


def test_both_ways_of_training_vote(given: Path, tmp_path: Path) -> None:
    found = measured("accuracy", given, tmp_path)["encoder_accuracy"]
    fused = [record for record in found if record["engine"] == "fused"]
    modules = [record for record in found if record["engine"] == "modules"]
    assert {(r["data"], r["groups"], r["seed"]) for r in fused} == {
        (data, m, seed) for data in ("sst2", "hsol") for m in (1, 3, 7) for seed in (0, 1, 2)
    }
    assert len(modules) == 3 * 2 * (3 + 7)
    assert {len(votes) for r in fused for votes in r["votes"]} == {len(r["votes"]) for r in modules} == {32}
