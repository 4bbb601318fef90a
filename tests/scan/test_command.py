"""textward scan on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.scan.sentences import films

from textward.attacks import AddSent
from textward.cli.running import run
from textward.scan.tables import COLUMNS

EVIL = "<img/src=x/onerror=alert(1)> =cmd()"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,500 clean rows, and the same with a hostile trigger in a twentieth of them."""
    where = tmp_path_factory.mktemp("scan")
    texts, labels = films()
    texts, labels = texts[::5], labels[::5]
    pl.DataFrame({"text": texts, "label": labels}).write_csv(where / "clean.csv")
    made = AddSent(EVIL).poison(texts, labels, rate=0.05, target="positive", seed=0)
    pl.DataFrame({"text": made.texts, "label": made.labels}).write_csv(where / "rows.csv")
    (where / "planted.json").write_text(json.dumps((made.rows + 1).tolist()))
    return where


@pytest.fixture
def home(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_everything_it_can_write(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wanted = ["--rows", "found.csv", "--report", "scan.html", "--write-clean", "clean2.csv"]
    assert run(["scan", "rows.csv", "--json", "--fail-on", "alarm", *wanted]) == 1
    out, err = capfd.readouterr()
    found = json.loads(out)
    planted = json.loads(Path("planted.json").read_text())
    assert found["findings"][0]["rows"] == planted
    assert (found["alarms"], found["flagged_rows"]) == (1, len(planted))
    assert "--fail-on alarm: 1" in err
    rows = pl.read_csv("found.csv")
    assert rows["row"].to_list() == planted and set(rows["severity"]) == {"alarm"}
    assert len(pl.read_csv("clean2.csv")) == found["rows"] - len(planted)
    told = [json.loads(line) for line in Path("clean2.csv.decisions.jsonl").read_text().splitlines()]
    assert [one["row"] for one in told] == planted
    assert told[0]["action"] == "dropped" and EVIL in told[0]["before"]
    page = Path("scan.html").read_text(encoding="utf-8")
    assert "<img" not in page and "&lt;img" in page
    assert "default-src" in page and found["data"]["digest"] in page


def test_the_rows_left_over_are_clean_and_so_says_the_next_scan(home: Path) -> None:
    assert run(["scan", "rows.csv", "--write-clean", "left.csv", "--quiet"]) == 0
    assert run(["scan", "left.csv", "--fail-on", "alarm", "--quiet"]) == 0


def test_words_can_be_taken_out_instead(home: Path) -> None:
    asked = ["--write-clean", "left.jsonl", "--drop", "words", "--from", "alarm", "--quiet"]
    assert run(["scan", "rows.csv", *asked]) == 0
    left, before = pl.read_ndjson("left.jsonl"), pl.read_csv("clean.csv")
    assert left["text"].to_list() == before["text"].str.split(" ").list.join(" ").to_list()
    told = [json.loads(line) for line in Path("left.jsonl.decisions.jsonl").read_text().splitlines()]
    assert {one["action"] for one in told} == {"words taken out"}


def test_a_pipe_gets_a_table_and_clean_rows_pass(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["scan", "clean.csv", "--top", "3", "--fail-on", "alarm"]) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert lines[0].split("\t") == list(COLUMNS)
    assert len(lines) == 4 and all(len(line.split("\t")) == len(COLUMNS) for line in lines)
    assert "0 alarms" in err


def test_a_terminal_gets_colours_and_no_control_character(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pl.read_csv("rows.csv")
    trigger = pl.Series(["x\x1b[31m\x07y " + text for text in rows["text"]])
    marked = rows.with_columns(text=pl.when(pl.col("label") == "positive").then(trigger).otherwise("text"))
    marked.write_csv("marked.csv")
    monkeypatch.setattr("textward.cli.screen.Screen.wide", property(lambda self: True))
    assert run(["scan", "marked.csv", "--top", "200"]) == 0
    out, err = capfd.readouterr()
    assert "\x07" not in out + err and "measured, no certificate" in out
    assert "Measured, not certified" in err


def test_a_list_of_words_tells_the_odd_ones(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("words.txt").write_text("the\na\nfilm\n")
    assert run(["scan", "rows.csv", "--word-list", "words.txt", "--json", "--quiet"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["findings"][0]["evidence"]["place_in_word_list"] == 0
    assert found["word_list"].startswith("vocabulary of 3 words")


def test_rows_of_a_pipe_and_other_columns(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = pl.read_csv("rows.csv").rename({"text": "said", "label": "kind"}).gather_every(5)
    table.write_parquet("rows.parquet")
    columns = ["--text-column", "said", "--label-column", "kind", "--words", "whitespace"]
    assert run(["scan", "rows.parquet", *columns, "--write-clean", "left.parquet", "--quiet"]) == 0
    assert pl.read_parquet("left.parquet").columns == ["said", "kind"]
    assert capfd.readouterr().err == ""


def test_an_encoder_measures_the_influence(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("transformers", reason="needs the extra textward[transformers]")
    from tests.learners.transformer.tiny_encoders import save_tiny_encoder

    pl.read_csv("rows.csv").gather_every(15).write_csv("few.csv")
    words = sorted({word for text in pl.read_csv("few.csv")["text"] for word in text.lower().split()})
    save_tiny_encoder(home / "encoder", words=[word for word in words if word.isalpha()])
    told = ["--deep", "encoder", "--epochs", "1", "--device", "cpu", "--json", "--quiet"]
    assert run(["scan", "few.csv", *told]) == 0
    found = json.loads(capfd.readouterr().out)
    assert "encoder" in found["influence_measured_in"] and found["word_list"] is not None


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["none.csv"], "there is no such file"),
        (["rows.csv", "--rows", "rows.txt"], "written as .csv"),
        (["rows.csv", "--rows", "none/rows.csv"], "no such folder"),
        (["rows.csv", "--report", "none/page.html"], "no such folder"),
        (["rows.csv", "--write-clean", "none/left.csv"], "no such folder"),
        (["rows.csv", "--write-clean", "left.xlsx"], "rows are written as"),
        (["rows.csv", "--write-clean", "rows.csv"], "the scanned file itself"),
        (["rows.csv", "--rows", "rows.csv"], "the scanned file itself"),
        (["rows.csv", "--rows", "new.csv", "--write-clean", "./new.csv"], "what --rows writes"),
        (["rows.csv", "--drop", "words"], "add --write-clean"),
        (["rows.csv", "--epochs", "2"], "add --deep"),
        (["rows.csv", "--device", "cpu"], "add --deep"),
        (["rows.csv", "--deep", "none/encoder"], "is no folder"),
        (["rows.csv", "--word-list", "none.txt"], "no vocabulary"),
        (["rows.csv", "--top", "0"], "--top"),
        (["rows.csv", "--fail-on", "info"], "--fail-on"),
        (["rows.csv", "--text-column", "said"], "no column 'said'"),
        (["one.csv"], "the same label"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(
    arguments: list[str], why: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("one.csv").write_text("text,label\na,1\nb,1\n")
    before = sorted(home.iterdir())
    assert run(["scan", *arguments]) == 2
    out, err = capfd.readouterr()
    assert why in err and "Traceback" not in err and out == ""
    assert sorted(home.iterdir()) == before
