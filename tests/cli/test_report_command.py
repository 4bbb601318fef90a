"""textward report: every certificate on one page, from rows or from the votes that were kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command_line import Run

from textward import load
from textward.report.evaluation import evaluate, recalled, save_votes


def test_rows_give_every_certificate(textward: Run, ballots: Path, data: Path, tmp_path: Path) -> None:
    done = textward("report", ballots, data, "--trigger-sizes", "0-1", "--target", "positive")
    assert (done.code, done.out) == (0, "")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for said in (
        "one trigger for all texts",
        "a trigger of its own for every text",
        "the one model trained with it",
        "If only sure answers are given",
        "48 texts",
        "Over the texts of other classes than the target",
        json.loads((ballots / "config.json").read_text())["training"]["digest"],
    ):
        assert said in page, said


def test_kept_votes_will_do(textward: Run, model: Path, data: Path, tmp_path: Path) -> None:
    assert textward("certify", model, data, "--trigger-sizes", "0-1").code == 0
    assert textward("report", model, "--out", "votes.html").code == 0
    page = (tmp_path / "votes.html").read_text(encoding="utf-8")
    assert "one trigger for all texts" in page
    assert "Texts, word by word" not in page


def test_what_cannot_be_reported_is_said(
    textward: Run, model: Path, ballots: Path, data: Path, tmp_path: Path
) -> None:
    import shutil

    copy = shutil.copytree(model, tmp_path / "lonely")
    assert "no votes were kept there" in " ".join(textward("report", copy).err.split())
    assert textward("report", copy, data, "--out", "no/such/page.html").code == 2
    assert "there is no such class" in textward("report", copy, data, "--target", "nobody").err
    folder = tmp_path / "lonely.votes"
    folder.mkdir()
    (folder / "a.safetensors").write_bytes(b"no votes")
    assert "holds no votes that can be read" in " ".join(textward("report", copy).err.split())
    guard = load(ballots)
    found = evaluate(guard, pl.Series(["good film"]), np.array([1]), [0])
    about = {"data": "a.csv", "digest": "9f", "training": "of another"}
    save_votes(found, folder / "a.safetensors", about)
    assert "a model of other rows" in " ".join(textward("report", copy).err.split())


@pytest.mark.parametrize("kind", ["model", "ballots"])
def test_what_is_recalled_is_what_was_found(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    guard = load(request.getfixturevalue(kind))
    texts = pl.Series(["a good film", "a bad film", "good good bad", "", "dull"])
    found = evaluate(guard, texts, np.array([1, 0, 1, 0, 0]), [0, 1, 2], target="positive")
    again, about = recalled(save_votes(found, tmp_path / "v", {"digest": "9f"}), [0, 1, 2], target="positive")
    by_method = {one.method: one for one in found.accuracies}
    assert {one.method for one in again.accuracies} <= set(by_method)
    for one in again.accuracies:
        assert one == by_method[one.method]
    assert about["digest"] == "9f"
    assert np.array_equal(again.right, found.right)
