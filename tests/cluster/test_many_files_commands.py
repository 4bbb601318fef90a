"""train, predict and certify on folders, from the command line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from many_files import some_rows, write_parquet

ROWS = some_rows()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """The command line in this process: exit code, data, notes."""
    from textward.cli.running import run

    def told(*arguments: object) -> tuple[int, str, str]:
        code = run([str(argument) for argument in arguments])
        seen = capsys.readouterr()
        return code, seen.out, seen.err

    return told


def test_a_folder_is_trained_on_predicted_and_certified(tmp_path: Path, run: Callable[..., Any]) -> None:
    folder, model, out = write_parquet(ROWS, tmp_path / "rows", files=3), tmp_path / "model", tmp_path / "out"
    code, data, _ = run("train", folder, "--out", model, "--learner", "ballots", "--json")
    assert (code, json.loads(data)["n"], json.loads(data)["class_counts"].keys()) == (0, 600, {"bad", "good"})
    code, data, notes = run("predict", model, folder, "--out", out, "--json")
    assert (code, json.loads(data)) == (0, {"out": str(out), "rows": 600, "parts": 3, "skipped": []})
    assert "600 rows in 3 parts" in notes
    assert "3 of them from before" in run("predict", model, folder, "--out", out)[2]
    code, data, _ = run(
        "certify", model, folder, "--out", tmp_path / "rows-certified", "--json", "--method", "individual",
        "--trigger-sizes", "0,1", "--save-votes", tmp_path / "votes.safetensors",
    )  # fmt: skip
    share = json.loads(data)["certified_accuracy"]["individual"]["all"]
    rows = pl.read_parquet(tmp_path / "rows-certified" / "*.parquet")
    held = [(rows["right"] & (rows["radius"] >= size)).mean() for size in (0, 1)]
    assert code == 0 and share == pytest.approx(held)


def test_bad_blocks_stop_the_command_or_are_passed_over(tmp_path: Path, run: Callable[..., Any]) -> None:
    folder = write_parquet(ROWS, tmp_path / "rows", files=3)
    (folder / "part-001.parquet").write_bytes(b"no Parquet")
    code, _, notes = run("train", folder, "--out", tmp_path / "model", "--learner", "ballots")
    assert code == 2 and "part-001.parquet" in notes and not (tmp_path / "model").exists()
    code, data, notes = run(
        "train", folder, "--out", tmp_path / "model", "--groups", "3", "--on-bad-block", "skip", "--json"
    )
    assert code == 0 and json.loads(data)["n"] == 400 and "an unknown number of rows" in notes
    assert [one["rows"] for one in json.loads(data)["skipped"]] == [None]


@pytest.mark.xdist_group("ray")
def test_the_same_commands_on_a_cluster(tmp_path: Path, run: Callable[..., Any], cluster: Any) -> None:
    folder = write_parquet(ROWS, tmp_path / "rows", files=3)
    on_ray = ("--engine", "ray", "--address", cluster.address)
    assert run("train", folder, "--out", tmp_path / "afar", "--groups", "3", *on_ray)[0] == 0
    assert run("train", folder, "--out", tmp_path / "here", "--groups", "3")[0] == 0
    tensors = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("afar", "here")]
    assert tensors[0] == tensors[1]
    one = folder / "part-000.parquet"
    assert run("predict", tmp_path / "afar", one, "--out", tmp_path / "out", *on_ray)[0] == 0
    assert len(pl.read_parquet(tmp_path / "out" / "*.parquet")) == 200


@pytest.mark.parametrize(("arguments", "said"), [
    (("train", "rows", "--out", "m", "--engine", "spark"), "unknown engine 'spark': give 'local' or 'ray'"),
    (("train", "-", "--out", "m", "--engine", "ray"), "--engine ray reads files"),
    (("train", "rows", "--out", "m", "--address", "auto"), "is for a cluster: add --engine ray"),
    (("train", "rows", "--out", "m", "--engine", "ray", "--jobs", "2"), "jobs=2 is for local processes"),
    (("predict", "model", "rows"), "name a folder for them with --out"),
    (("predict", "model", "-", "--out", "o"), "--out is for files"),
    (("certify", "model", "rows", "--engine", "ray"), "name a folder for them with --out"),
])  # fmt: skip
def test_what_is_refused(
    tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str], said: str
) -> None:
    write_parquet(ROWS, tmp_path / "rows", files=1)
    monkeypatch.chdir(tmp_path)
    code, _, notes = run(*arguments)
    assert code == 2 and said in " ".join(notes.split())
    shutil.rmtree(tmp_path / "rows")
