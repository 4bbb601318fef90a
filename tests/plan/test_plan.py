"""textward plan: estimates that say what they are, from a sample that is drawn once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from textward.cli.running import run
from textward.errors import TextwardError
from textward.plan import Candidate, Costs, Curve, advise, curve, draw, estimated_costs
from textward.plan.costs import TrialError, drawn_on

WORDS = {"spam": "win cash prize claim free offer now", "ham": "meet lunch notes report agenda team call"}


def rows(repeat: int = 40) -> list[tuple[str, str]]:
    rng = np.random.default_rng(0)
    return [
        (" ".join(rng.choice(words.split(), 4)), name) for name, words in WORDS.items() for _ in range(repeat)
    ]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(rows(), schema=["text", "label"], orient="row").write_csv("rows.csv")
    return "rows.csv"


def test_it_measures_and_advises(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["plan", data, "--groups", "3", "--trigger-sizes", "0-2", "--json", "--report", "plan.html"]) == 0
    )
    out, err = capfd.readouterr()
    found = json.loads(out)
    assert "report: plan.html" in err
    assert (found["rows"], found["sample_rows"], found["folds"]) == (80, 80, 3)
    assert [one["name"] for one in found["choices"]] == ["ballots", "linear, 3 groups"]
    for one in found["choices"]:
        assert one["costs_measured"]
        assert min(one["training_seconds"], one["disk_bytes"], one["memory_bytes"]) > 0
        shares = one["estimated_certified_accuracy"]
        assert shares == sorted(shares, reverse=True)
        for low, mean, high in zip(one["lowest_fold"], shares, one["highest_fold"], strict=True):
            assert low <= mean <= high
    assert found["advice"].startswith("Take ")
    assert found["advice"].count(". ") == 0
    assert found["chosen"] in {one["command"] for one in found["choices"]}
    page = Path("plan.html").read_text(encoding="utf-8")
    assert found["data"]["digest"] in page
    assert "Nothing here is a certificate" in page
    assert "What the guarantee covers" not in page
    assert "of the answers are right for certain" not in page


def test_the_table_is_for_machines_where_nobody_looks(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", data, "--learners", "ballots", "--trigger-sizes", "1", "--rows", "40"]) == 0
    out, err = capfd.readouterr()
    head, line = out.splitlines()
    assert head.split("\t") == ["choice", "training", "memory", "on disk", "answers a second", "t=1"]
    assert re.fullmatch(r"ballots\t[^\t]+\t[^\t]+\t[^\t]+\t[0-9,]+\t[01]\.[0-9]{4}", line)
    assert "Take ballots" in err


def test_a_person_sees_a_table(
    data: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textward.cli.screen.Screen.wide", property(lambda self: True))
    assert run(["plan", data, "--learners", "ballots", "--trigger-sizes", "1", "--rows", "40"]) == 0
    out, err = capfd.readouterr()
    assert "estimates, no certificate" in out
    assert "Take ballots" in out
    assert "Nothing here is a certificate" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--learners", "magic"], "'magic' is none of ballots, linear"),
        (["--groups", "3,none"], "give a list of whole numbers such as 3,5,7"),
        (["--groups", "99999"], "give at most 10,000 groups"),
        (["--at", "7"], "--at 7 is not among --trigger-sizes"),
        (["--trigger-sizes", "3-1"], "runs backwards"),
        (["--report", "no/such/folder.html"], "there is no such folder"),
        (["--rows", "1"], "--rows"),
    ],
)
def test_what_cannot_be_planned(
    data: str, options: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", data, *options]) == 2
    assert said in " ".join(capfd.readouterr().err.split())


def test_one_class_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.csv").write_text("text,label\na,x\nb,x\n")
    assert run(["plan", str(tmp_path / "one.csv")]) == 2
    assert "at least two classes" in capfd.readouterr().err
    (tmp_path / "rare.csv").write_text("text,label\na,x\nb,y\nc,x\nd,x\n")
    assert run(["plan", str(tmp_path / "rare.csv")]) == 2
    assert "'y' has 1 row, and every fold needs one" in " ".join(capfd.readouterr().err.split())


def test_the_sample_is_drawn_by_the_seed_with_every_class_in_every_fold() -> None:
    texts = pl.Series([f"t{n}" for n in range(300)])
    labels = np.array([0] * 290 + [1] * 10)

    def drawn(seed: int) -> list[str]:
        sample = draw(texts, labels, rows=60, folds=3, seed=seed, names=["a", "b"])
        for kept, out in sample.splits():
            assert set(sample.labels[out].tolist()) == set(sample.labels[kept].tolist()) == {0, 1}
            assert not set(kept.tolist()) & set(out.tolist())
        assert len(sample.texts) == 61
        return sample.texts.to_list()

    assert drawn(0) == drawn(0) != drawn(1)


def test_held_out_rows_are_judged_by_models_that_never_saw_them() -> None:
    # Labels that nothing foretells: a model that had seen the rows would know them.
    rng = np.random.default_rng(1)
    texts = pl.Series([f"only{n} word{n}" for n in range(60)])
    sample = draw(texts, rng.integers(0, 2, 60), rows=60, folds=3, seed=0, names=["a", "b"])
    assert curve(Candidate("words"), sample, [0], 0).at(0) == pytest.approx(0.5, abs=0.05)


def test_costs_grow_as_they_grew() -> None:
    half = {"rows": 50, "seconds": 1.0, "memory": 1000, "disk": 100, "answered_a_second": 9.0}
    whole = half | {"rows": 100, "seconds": 8.0, "memory": 1500, "disk": 100}
    found = drawn_on({"half": half, "whole": whole}, 200)
    assert found == Costs(pytest.approx(8 * 2**1.2), 2500, 100, 9.0, False)
    assert drawn_on({"half": half, "whole": whole}, 100) == Costs(8.0, 1500, 100, 9.0, True)
    unknown = drawn_on({"half": half | {"memory": None}, "whole": whole | {"memory": None}}, 200)
    assert unknown.memory_bytes is None


def test_a_trial_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = draw(pl.Series(["a", "b"] * 4), np.array([0, 1] * 4), rows=8, folds=2, seed=0, names=["-", "+"])
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(TrialError, match="training on the sample failed: no reason was given"):
        estimated_costs(Candidate(3), sample, 0)
    assert issubclass(TrialError, TextwardError)


def test_of_choices_that_are_alike_the_fastest_is_taken() -> None:
    def found(share: float) -> Curve:
        return Curve((0, 1), (0.9, share), (0.9, share), (0.9, share))

    curves = {Candidate("words"): found(0.505), Candidate(3): found(0.51), Candidate(5): found(0.2)}
    took = {
        one: Costs(seconds, None, 1, 1.0, True) for one, seconds in zip(curves, (0.1, 9.0, 0.01), strict=True)
    }
    advice = advise(curves, took, at=1, rows=10)
    assert advice.chosen == Candidate("words")
    assert "20.0 % with linear, 5 groups" in advice.sentence
