"""A cascade from the command line: trained, looked at, asked, certified, and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run, rows, write_csv

CLASSES = ("negative", "positive")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "rows.csv", rows(CLASSES, repeat=2))


def test_train_inspect_predict_certify(textward: Run, data: Path, tmp_path: Path) -> None:
    result = textward("train", data, "--out", "two", "--cascade", "tfidf", "--theta", "0.5", "--json")
    assert result.code == 0 and json.loads(result.out)["theta"] == 0.5
    assert json.loads(textward("inspect", "two", "--json").out)["cascade"] == {
        "theta": 512, "kind": "scikit", "learner": "tfidf",
    }  # fmt: skip
    assert "cascade\ttfidf answers where the ballots lead by less than 0.5" in textward("inspect", "two").out
    (tmp_path / "texts.txt").write_text("a good fine and great fun film\nnever seen\n")
    lines = [json.loads(line) for line in textward("predict", "two", "texts.txt", "--json").out.splitlines()]
    assert [line["by"] for line in lines] == ["ballots", "fallback"] and lines[1]["radius"] == 0
    table = textward("predict", "two", "texts.txt").out.splitlines()
    assert table[0].split("\t")[3] == "by" and table[2].split("\t")[3] == "fallback"
    found = json.loads(textward("certify", "two", data, "--method", "all", "--json").out)
    assert set(found["certified_accuracy"]) == {"individual", "joint", "one_model"}
    assert any("nothing is certified" in sentence for sentence in found["assumptions"])


def test_theta_from_trusted_rows(textward: Run, data: Path, tmp_path: Path) -> None:
    trusted = write_csv(tmp_path / "mine.csv", [(f"{text} indeed", label) for text, label in rows(CLASSES)])
    command = ["train", data, "--out", "two", "--cascade", "linear", "--target-accuracy", "0.95"]
    result = textward(*command, "--theta-from", trusted, "--json")
    assert result.code == 0 and json.loads(result.out)["theta"] == 0 and "alone reach 0.95" in result.err


def test_theta_is_not_chosen_on_the_rows_that_are_trained_on(
    textward: Run, data: Path, tmp_path: Path
) -> None:
    copy = write_csv(tmp_path / "copy.csv", rows(CLASSES))
    result = textward(
        "train", data, "--out", "two", "--cascade", "linear", "--target-accuracy", "0.9", "--theta-from", copy
    )
    assert result.code == 2 and "of its" in result.err and "texts are trained on, too" in result.err
    assert not Path("two").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--theta", "2"], "--theta is for a cascade"),
        (["--cascade", "tfidf", "--target-accuracy", "0.9"], "no certificate would hold"),
        (["--cascade", "tfidf", "--theta-from", "rows.csv"], "go together"),
        (["--cascade", "tfidf", "--theta", "1", "--target-accuracy", "0.9"], "leave one out"),
        (["--cascade", "nonsense"], "unknown cascade"),
        (["--cascade", "embedding"], "--cascade embedding needs --encoder"),
        (["--cascade", "tfidf", "--epochs", "3"], "is for --cascade transformer"),
        (["--cascade", "tfidf", "--groups", "5"], "begins with ballots"),
    ],
)
def test_refusals(textward: Run, data: Path, options: list[str], message: str) -> None:
    result = textward("train", data, "--out", "two", *options)
    assert result.code == 2 and message in " ".join(result.err.split())
    assert not Path("two").exists()


def test_the_page_shows_the_frontier(textward: Run, data: Path, tmp_path: Path) -> None:
    assert textward("train", data, "--out", "two", "--cascade", "linear", "--quiet").code == 0
    assert textward("certify", "two", data, "--trigger-sizes", "0-1", "--report", "page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert "With another least lead" in page and "8 ballots" in page
