"""textward train: what it writes, and what it refuses without writing anything."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from command_line import Run, rows, write_csv

from textward import TextGuard, load


def test_it_trains_what_the_library_trains(textward: Run, data: Path, tmp_path: Path) -> None:
    result = textward("train", data, "--out", "model", "--groups", "5", "--hash", "sha256", "--seed", "3")
    assert result.code == 0
    assert result.out == ""
    assert "trained on 48 rows of" in result.err
    texts, labels = zip(*rows(("negative", "positive")), strict=True)
    same = TextGuard(5, hash="sha256", seed=3).fit(list(texts), list(labels))
    found = load(tmp_path / "model")
    assert (found.votes(texts) == same.votes(texts)).all()
    assert (found.hash, found.seed, found.groups) == ("sha256", 3, 5)
    assert found.training_.digest == same.training_.digest


def test_json_says_what_was_trained(textward: Run, data: Path) -> None:
    result = textward("train", data, "--out", "model", "--json", "--quiet")
    found = json.loads(result.out)
    assert result.err == ""
    assert (found["model"], found["n"], found["classes"]) == ("model", 48, ["negative", "positive"])
    assert found["class_counts"] == {"negative": 24, "positive": 24}
    assert len(found["digest"]) == 64


@pytest.mark.parametrize("asked", [["--learner", "ballots"], ["--groups", "words"]])
def test_ballots_and_words_imply_each_other(textward: Run, data: Path, asked: list[str]) -> None:
    assert textward("train", data, "--out", "model", *asked).code == 0
    assert load("model").groups == "words"


@pytest.mark.parametrize("learner", ["linear", "ballots"])
def test_labels_are_numbers_where_all_of_them_are(textward: Run, tmp_path: Path, learner: str) -> None:
    write_csv(tmp_path / "numbers.csv", rows(("2", "10")))
    assert textward("train", "numbers.csv", "--out", "numbers", "--learner", learner).code == 0
    assert load("numbers").classes_.tolist() == [2, 10]
    write_csv(tmp_path / "mixed.csv", [*rows(("2", "10")), ("an odd one", "ten")])
    assert textward("train", "mixed.csv", "--out", "mixed", "--learner", learner).code == 0
    assert load("mixed").classes_.tolist() == ["10", "2", "ten"]


@pytest.mark.parametrize("learner", ["linear", "ballots"])
def test_every_format_gives_the_same_model(textward: Run, data: Path, tmp_path: Path, learner: str) -> None:
    table = pl.read_csv(data)
    table.write_csv(tmp_path / "rows.tsv", separator="\t")
    table.write_ndjson(tmp_path / "rows.jsonl")
    table.write_parquet(tmp_path / "rows.parquet")
    weights = set()
    for rows_file in (data, "rows.tsv", "rows.jsonl", "rows.parquet"):
        assert textward("train", rows_file, "--out", "model", "--learner", learner).code == 0
        weights.add((tmp_path / "model" / "model.safetensors").read_bytes())
    assert len(weights) == 1


def test_several_processes_give_the_same_model(textward: Run, data: Path, tmp_path: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        assert textward("train", data, "--out", name, "--jobs", jobs).code == 0
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("learner", ["linear", "ballots"])
def test_standard_input_gives_the_same_model(textward: Run, data: Path, tmp_path: Path, learner: str) -> None:
    assert textward("train", data, "--out", "file", "--learner", learner).code == 0
    assert textward("train", "-", "--out", "piped", "--learner", learner, stdin=data.read_bytes()).code == 0
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("file", "piped")]
    assert weights[0] == weights[1]


def test_other_columns_words_and_order(textward: Run, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("good\nbad\n")
    write_csv(tmp_path / "rows.csv", rows(("n", "p")), header="comment,verdict")
    options = ["--text-column", "comment", "--label-column", "verdict", "--words", "whitespace"]
    assert textward("train", "rows.csv", "--out", "model", *options, "--order", "vocab.txt").code == 0
    found = load("model")
    assert found.words == "whitespace"
    assert "vocabulary of 2 words" in found.model_.voters.order.name


BAD_DATA = {
    "missing.csv": (None, "missing.csv: there is no such file"),
    "empty.csv": (b"", "empty.csv: is empty"),
    "header.csv": (b"text,label\n", "header.csv: has a header and no rows"),
    "column.csv": (b"Text,label\na,b\n", "no column 'text'; the columns are 'Text', 'label'"),
    "one.csv": (b"text,label\na,b\nc,b\n", "one.csv: every row has the label 'b'"),
    "blank.csv": (b"text,label\na,b\nc,\n", "blank.csv, row 2 (line 3), column 'label': the label is empty"),
    "quote.csv": (b'text,label\na,b\n"c,d\n', "quote.csv, row 2 (line 3): a quote"),
    "latin.csv": (b"text,label\na,b\ncaf\xe9,c\n", "latin.csv, row 2 (line 3), byte 4 of the line: 0xe9"),
    "nul.csv": (b"text,label\na,b\nc\x00d,c\n", "nul.csv, row 2 (line 3), column 'text': holds a NUL byte"),
    "fields.csv": (b"text,label\na,b\nc,d,e\n", "fields.csv, row 2 (line 3): 3 fields"),
    "rows.xlsx": (b"PK\x03\x04", "rows.xlsx: the suffix '.xlsx' says no format"),
    "rows.jsonl": (b'{"text": "a"}\n', "rows.jsonl, row 1 (line 1)"),
    "rows.parquet": (b"PAR1", "rows.parquet: is"),
}


@pytest.mark.parametrize("learner", ["linear", "ballots"])
@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_is_named_and_nothing_is_written(
    textward: Run, tmp_path: Path, name: str, learner: str
) -> None:
    content, message = BAD_DATA[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    result = textward("train", name, "--out", "model", "--learner", learner)
    assert result.code == 2
    assert result.err.startswith("error: ")
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""
    assert sorted(tmp_path.iterdir()) == before


BAD_OPTIONS = [
    (["--groups", "0"], "--groups '0': give a whole number such as 7, or words"),
    (["--groups", "seven"], "--groups 'seven'"),
    (["--groups", "3", "--learner", "ballots"], "Leave --groups out"),
    (["--groups", "words", "--learner", "linear"], "Leave --learner out"),
    (["--learner", "forest"], "unknown learner 'forest'"),
    (["--hash", "crc32"], "crc32"),
    (["--seed", "-1"], "--seed"),
    (["--words", "nltk"], "nltk"),
    (["--influential-rows", "3"], "add --mode empirical"),
    (["--mode", "empirical", "--groups", "words"], "groups='words' makes each word a group"),
    (["--order", "nowhere.txt"], "no vocabulary at 'nowhere.txt'"),
    (["--text-column", "Text"], "Did you mean --text-column 'text'?"),
    (["--order", "."], "no vocabulary at '.'"),
    (["--text-column", "label"], "cannot be in one column"),
    (["--label-column", "verdict"], "no column 'verdict'"),
    (["--jobs", "0"], "--jobs 0: give a number of processes such as 2, or -1"),
    (["--jobs", "many"], "--jobs"),
    (["--grups", "3"], "--grups"),
    (["--help-me"], "--help-me"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS, ids=str)
def test_bad_options_end_with_2_and_nothing_is_written(
    textward: Run, data: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    result = textward("train", data, "--out", "model", *options)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not list(tmp_path.iterdir())


def test_nowhere_to_write_is_an_error_not_a_traceback(textward: Run, data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file, not a folder")
    result = textward("train", data, "--out", "file/model")
    assert result.code == 2
    assert result.err.startswith("error: ")
    assert "file" in result.err
    assert "Traceback" not in result.err
    assert (tmp_path / "file").read_text() == "a file, not a folder"


def test_a_folder_without_a_table(textward: Run, tmp_path: Path) -> None:
    result = textward("train", ".", "--out", "model")
    assert result.code == 2
    assert ".: holds no table; those read are .csv" in result.err


def test_a_place_that_holds_something_else_is_refused_before_any_work(textward: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    result = textward("train", "not-even-there.csv", "--out", "mine")
    assert result.code == 2
    assert "holds 'diary.txt'" in result.err
    assert "not-even-there" not in result.err
    assert (tmp_path / "mine" / "diary.txt").read_text() == "dear diary"
    assert textward("train", "not-even-there.csv", "--out", "mine/diary.txt").code == 2


def test_a_model_is_replaced_whole_or_not_at_all(textward: Run, data: Path, tmp_path: Path) -> None:
    assert textward("train", data, "--out", "model", "--groups", "3").code == 0
    write_csv(tmp_path / "one.csv", [("a", "b")])
    assert textward("train", "one.csv", "--out", "model").code == 2
    assert load("model").groups == 3
    assert textward("train", data, "--out", "model", "--groups", "5").code == 0
    assert load("model").groups == 5


def test_a_hostile_name_reaches_the_terminal_as_text(textward: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "evil\x1b[31m.csv", [("a", "b\x1b[2J"), ("c", "b\x1b[2J")])
    result = textward("train", "evil\x1b[31m.csv", "--out", "model")
    assert result.code == 2
    assert "\x1b" not in result.err
    assert "evil\\x1b[31m.csv" in result.err
