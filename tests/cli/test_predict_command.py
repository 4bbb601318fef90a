"""textward predict: an answer for every text, for machines and for people."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl
import pytest
from command_line import Run
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from textward import TextGuard, load

TEXTS = b"a good fun film\na bad dull plot\n\nzebra\n"


def test_json_lines_hold_what_the_library_says(textward: Run, model: Path) -> None:
    result = textward("predict", model, "--json", stdin=TEXTS)
    found = [json.loads(line) for line in result.out.splitlines()]
    texts = TEXTS.decode().splitlines()
    certificates = load(model).certify(texts)
    assert [one["id"] for one in found] == [1, 2, 3, 4]
    assert [one["label"] for one in found] == certificates.labels.tolist()
    assert [one["radius"] for one in found] == certificates.radius.tolist()
    assert [list(one["votes"].values()) for one in found] == certificates.tally.tolist()
    assert list(found[0]) == ["id", "label", "votes", "radius"]
    assert list(found[0]["votes"]) == ["negative", "positive"]
    assert result.err == ""


def test_texts_are_repeated_when_asked_for(textward: Run, model: Path) -> None:
    result = textward("predict", model, "-", "--json", "--with-text", stdin="a naïve “film”\n".encode())
    assert json.loads(result.out)["text"] == "a naïve “film”"
    piped = textward("predict", model, "--with-text", stdin=b"a\tfilm\x1b[2J\n")
    assert piped.out.splitlines()[1].endswith("\ta\\tfilm\\x1b[2J")
    assert "\x1b" not in piped.out


def test_a_pipe_gets_tab_separated_columns(textward: Run, model: Path) -> None:
    lines = [line.split("\t") for line in textward("predict", model, stdin=TEXTS).out.splitlines()]
    assert lines[0] == ["id", "label", "radius", "votes:negative", "votes:positive"]
    assert [len(line) for line in lines] == [5] * 5
    assert lines[1][1] == "positive"
    assert sum(map(int, lines[1][3:])) == 5


@pytest.mark.parametrize("width", [60, 100])
def test_a_terminal_gets_aligned_columns(
    textward: Run, ballots: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr("textward.cli.screen.Screen.wide", property(lambda self: True))
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    text = "一部好电影 " * 30 + "\x1b[2J"
    out = textward("predict", ballots, stdin=f"{text}\ngood\n".encode()).out
    from rich.cells import cell_len

    lines = out.splitlines()
    assert "\x1b" not in out
    shown = ["negative", "positive"] if width > 60 else []
    assert lines[0].split() == ["#", "label", "radius", *shown, "text"]
    assert max(map(cell_len, lines)) <= width
    assert lines[1].endswith("…")
    starts = [lines[0].index("text"), lines[2].index("good")]
    assert starts[0] == starts[1]


def test_a_table_needs_its_column_of_texts(textward: Run, model: Path, data: Path) -> None:
    result = textward("predict", model, data)
    assert result.code == 2
    assert "Name its column of texts, such as --text-column text" in result.err
    result = textward("predict", model, data, "--text-column", "text", "--json")
    assert result.code == 0
    assert len(result.out.splitlines()) == 48


def test_numbers_run_on_from_batch_to_batch(
    textward: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textward.cli.predict._ROWS", 7)
    whole = textward("predict", model, "--json", stdin=b"a good film\n" * 20)
    assert [json.loads(line)["id"] for line in whole.out.splitlines()] == list(range(1, 21))


def test_integer_classes_stay_integers(textward: Run, tmp_path: Path) -> None:
    TextGuard(groups=3).fit(["good", "bad"], [7, 3]).save(tmp_path / "numbers")
    found = json.loads(textward("predict", "numbers", "--json", stdin=b"good\n").out)
    assert found["label"] == 7
    assert list(found["votes"]) == ["3", "7"]


def test_a_model_that_certifies_nothing_predicts_without_a_radius(
    textward: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard = load(model)
    object.__setattr__(guard.model_, "obstacle", "the tokenizer looks at its neighbours")
    monkeypatch.setattr("textward.persistence.load", lambda *_: guard)
    result = textward("predict", model, "--json", stdin=b"a good film\n")
    assert result.code == 0
    assert json.loads(result.out)["radius"] is None
    assert json.loads(result.out)["label"] == "positive"
    assert "no radius: the tokenizer looks at its neighbours" in result.err
    piped = textward("predict", model, stdin=b"a good film\n").out
    assert piped.splitlines()[1].split("\t")[2] == ""


BAD = [
    (["nowhere", "-"], b"a\n", "there is no nowhere: give the directory"),
    (["model", "nowhere.txt"], b"", "nowhere.txt: there is no such file"),
    (["model", "-"], b"", "standard input: is empty"),
    (["model", "-"], b"a\ncaf\xe9\n", "standard input, row 2 (line 2), byte 4 of the line: 0xe9"),
    (["model", "-", "--text-column", "words"], b"text\na\n", "no column 'words'; the columns are 'text'"),
    (["model", "."], b"", ".: the answers of many files are written as Parquet"),
    (["model", "-"], b"a\x00b\n", "standard input, row 1 (line 1)"),
]


@pytest.mark.parametrize(("arguments", "stdin", "message"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input_ends_with_2(
    textward: Run, model: Path, tmp_path: Path, arguments: list[str], stdin: bytes, message: str
) -> None:
    (tmp_path / "model").symlink_to(model)
    result = textward("predict", *arguments, stdin=stdin)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


def test_a_text_of_ten_megabytes_is_a_text(textward: Run, model: Path, ballots: Path) -> None:
    for where in (model, ballots):
        result = textward("predict", where, "--json", stdin=b"good " * 2_000_000 + b"\n")
        assert json.loads(result.out)["label"] == "positive"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_of_every_format(textward: Run, model: Path, tmp_path: Path, suffix: str) -> None:
    table = pl.DataFrame({"comment": ["a good fun film", "a bad dull plot"]})
    file = tmp_path / f"texts.{suffix}"
    {
        "csv": table.write_csv,
        "tsv": lambda where: table.write_csv(where, separator="\t"),
        "jsonl": table.write_ndjson,
        "parquet": table.write_parquet,
    }[suffix](file)
    out = textward("predict", model, file, "--text-column", "comment", "--json").out
    assert [json.loads(line)["label"] for line in out.splitlines()] == ["positive", "negative"]


def test_a_user_s_own_learner_runs_only_where_its_types_are_trusted(textward: Run) -> None:
    tree = "sklearn.tree._tree.Tree"
    learner = make_pipeline(CountVectorizer(), DecisionTreeClassifier(random_state=0))
    TextGuard(groups=3, learner=learner).fit(["good film", "bad film"] * 3, ["p", "n"] * 3).save("own")
    refused = textward("predict", "own", "--json", stdin=b"good\n")
    assert refused.code == 2
    assert f"'{tree}'" in refused.err
    assert "--trust" in refused.err
    assert refused.out == ""
    trusted = textward("predict", "own", "--json", "--trust", tree, stdin=b"good\n")
    assert trusted.code == 0
    assert json.loads(trusted.out)["label"] in ("n", "p")


def test_debug_shows_the_traceback(textward: Run, model: Path) -> None:
    with pytest.raises(Exception, match="there is no such file"):
        textward("predict", model, "nowhere.txt", "--debug")


def test_a_stream_that_cannot_spell_a_character_still_gets_valid_json(
    textward: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textward.cli.screen.Screen.speaks_utf8", property(lambda self: False))
    out = textward("predict", model, "--json", "--with-text", stdin="“film”\n".encode()).out
    assert out.isascii()
    assert json.loads(out)["text"] == "“film”"
    assert sys.stdin is not None
