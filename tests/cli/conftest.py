"""Models and a way to run the command line, shared by its tests."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from command_line import Result, Run, rows, write_csv

from textward.cli.running import run


@pytest.fixture
def textward(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str | Path, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return run_command


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_csv(tmp_path_factory.mktemp("data") / "rows.csv", rows(("negative", "positive")))


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A model of five groups."""
    where = tmp_path_factory.mktemp("models") / "five"
    assert run(["train", str(data), "--out", str(where), "--groups", "5", "--quiet"]) == 0
    return where


@pytest.fixture(scope="session")
def ballots(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    where = tmp_path_factory.mktemp("models") / "ballots"
    assert run(["train", str(data), "--out", str(where), "--learner", "ballots", "--quiet"]) == 0
    return where
