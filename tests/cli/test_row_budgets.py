"""Two budgets from the command line: ballots made for an attacker's rows, and what they certify."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from command_line import Run, rows, write_csv

from textward import load

CLASSES = ("negative", "positive")


@pytest.fixture
def steady(textward: Run, tmp_path: Path) -> Path:
    """Ballots that withstand two rows, of rows enough for them."""
    write_csv(tmp_path / "rows.csv", rows(CLASSES, repeat=10))
    command = ["train", "rows.csv", "--out", "steady", "--learner", "ballots", "--rows", "2", "--quiet"]
    assert textward(*command).code == 0
    return write_csv(tmp_path / "test.csv", rows(CLASSES))


def test_the_surface_falls_with_words_and_with_rows(textward: Run, steady: Path) -> None:
    result = textward("certify", "steady", steady, "--trigger-sizes", "0-2", "--rows", "0,2,20", "--json")
    assert result.code == 0
    found = json.loads(result.out)
    assert [(one["method"], one["rows"]) for one in found["surface"]] == [
        (method, moved) for method in ("individual", "joint") for moved in (2, 20)
    ]
    joint = [found["certified_accuracy"]["joint"], *found["surface"][2:]]
    assert joint[1]["balanced"][0] == 1.0
    for now, then in pairwise(joint):
        assert all(less <= more for less, more in zip(then["balanced"], now["balanced"], strict=True))
    for one in joint:
        assert one["balanced"] == sorted(one["balanced"], reverse=True)
    assert joint[2]["balanced"][0] < joint[0]["balanced"][0]
    guard = load("steady")
    lines = [line.rsplit(",", 1) for line in steady.read_text().splitlines()[1:]]
    same = guard.certified_accuracy([a for a, _ in lines], [b for _, b in lines], range(3), "joint", rows=2)
    assert list(same.balanced) == joint[1]["balanced"] and same.rows == 2


def test_a_pipe_and_a_page_hold_the_surface(textward: Run, steady: Path, tmp_path: Path) -> None:
    result = textward(
        "certify", "steady", steady, "--trigger-sizes", "0-1", "--rows", "2", "--report", "page.html"
    )
    lines = [line.split("\t") for line in result.out.splitlines()]
    assert {line[9] for line in lines[1:]} == {"0", "2"}
    page = (tmp_path / "page.html").read_text()
    assert "With an attacker&#39;s rows" in page or "With an attacker's rows" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["certify", "MODEL", "DATA", "--rows", "2"],
            "here one added row changes all of them",
        ),
        (["certify", "BALLOTS", "DATA", "--rows", "2-4"], "--rows '2-4': give a list of numbers such as 0,1"),
        (["train", "DATA", "--out", "x", "--rows", "3"], "rows=3 is for ballots: give it groups='words'"),
        (["train", "DATA", "--out", "x", "--learner", "ballots", "--rows", "2000000"], "1,000,000 at most"),
    ],
)
def test_rows_that_mean_nothing_are_refused(
    textward: Run, arguments: list[str], message: str, model: Path, ballots: Path, data: Path
) -> None:
    places = {"MODEL": model, "BALLOTS": ballots, "DATA": data}
    result = textward(*(places.get(argument, argument) for argument in arguments))
    assert result.code == 2
    assert message in result.err.replace("\n", " ")
