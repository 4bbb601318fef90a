"""Ballots that borrow, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
from command_line import Run, rows, write_csv

from textward.learners.ballots import Neighbours

CLASSES = ("negative", "positive")


def test_a_model_that_borrows_is_trained_and_certified(textward: Run, tmp_path: Path) -> None:
    near = Neighbours(pl.Series(["splendid", "fun"]), np.array([[1], [0]]), np.array([[1024], [1024]]))
    near.write(tmp_path / "near.parquet")
    write_csv(tmp_path / "rows.csv", rows(CLASSES, repeat=3))
    train = ["train", "rows.csv", "--out", "model", "--learner", "ballots", "--quiet", "--neighbours"]
    assert textward(*train, "near.parquet").code == 0
    found = json.loads(textward("inspect", "model", "--json").out)
    assert found["dials"]["neighbours"] == near.digest
    result = textward("certify", "model", "rows.csv", "--trigger-sizes", "0-1", "--json")
    assert result.code == 0
    refused = textward("certify", "model", "rows.csv", "--trigger-sizes", "0-1", "--rows", "1")
    assert refused.code == 2
    assert "train without neighbours" in refused.err
    missing = textward(*train, "rows.csv")
    assert missing.code == 2
    assert "is no list of neighbours" in missing.err
