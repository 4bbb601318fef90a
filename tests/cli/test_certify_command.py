"""textward certify: the figures, their file of votes, the page, and the thresholds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import Run, rows, write_csv

from textward import load
from textward.certificates import votes_accuracy
from textward.report.evaluation import read_votes


@pytest.fixture
def test_rows(tmp_path: Path) -> Path:
    """Rows some of which no model of the training rows gets right."""
    wrong = [("a good fun film", "negative"), ("a zebra", "positive")]
    return write_csv(tmp_path / "test.csv", [*rows(("negative", "positive")), *wrong])


def test_json_has_the_promised_shape_and_the_library_s_figures(
    textward: Run, model: Path, test_rows: Path
) -> None:
    result = textward("certify", model, test_rows, "--trigger-sizes", "0-2", "--target", "positive", "--json")
    assert result.code == 0
    found = json.loads(result.out)
    assert {"n", "classes", "target", "trigger_sizes", "certified_accuracy", "assumptions"} <= set(found)
    assert (found["n"], found["classes"], found["target"]) == (50, ["negative", "positive"], "positive")
    assert found["trigger_sizes"] == [0, 1, 2]
    assert list(found["certified_accuracy"]) == ["individual", "joint"]
    guard = load(model)
    lines = [line.rsplit(",", 1) for line in test_rows.read_text().splitlines()[1:]]
    for method, figures in found["certified_accuracy"].items():
        same = guard.certified_accuracy(
            [text for text, _ in lines], [label for _, label in lines], range(3), method, "positive"
        )
        assert figures == json.loads(json.dumps(same.as_dict()))
        assert set(figures["per_class"]) == {"negative", "positive"}
        assert len(figures["intervals"]["all"]) == 3
    assert all(isinstance(sentence, str) for sentence in found["assumptions"])
    assert len(found["data"]["digest"]) == 64


def test_the_votes_are_kept_beside_the_model_and_give_the_figures_again(
    textward: Run, model: Path, test_rows: Path
) -> None:
    found = json.loads(textward("certify", model, test_rows, "--trigger-sizes", "0,2", "--json").out)
    kept = Path(found["votes"])
    assert kept.parent == model.parent / "five.votes"
    assert kept.name == f"{found['data']['digest'][:16]}.safetensors"
    arrays, about = read_votes(kept)
    assert about["digest"] == found["data"]["digest"]
    again = votes_accuracy(arrays["votes"], arrays["truth"], about["classes"], [0, 2], "joint")
    assert list(again.balanced) == found["certified_accuracy"]["joint"]["balanced"]
    assert load(model).groups == 5


def test_the_votes_go_where_they_are_sent(
    textward: Run, ballots: Path, test_rows: Path, tmp_path: Path
) -> None:
    result = textward("certify", ballots, test_rows, "--save-votes", "votes", "--json", "--quiet")
    assert json.loads(result.out)["votes"] == "votes"
    arrays, _ = read_votes(tmp_path / "votes")
    assert set(arrays) == {"truth", "winners", "radius", "tally"}
    assert arrays["tally"].argmax(axis=1).tolist() == arrays["winners"].tolist()
    refused = textward("certify", ballots, test_rows, "--save-votes", "nowhere/votes")
    assert refused.code == 2
    assert "--save-votes nowhere/votes: there is no such folder" in refused.err


def test_votes_that_cannot_be_kept_are_a_note_where_nobody_asked(
    textward: Run, model: Path, test_rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr(Path, "mkdir", refuse)
    result = textward("certify", model, test_rows, "--json")
    assert result.code == 0
    assert json.loads(result.out)["votes"] is None
    assert "the votes were not kept" in result.err
    assert "--save-votes" in result.err


@pytest.mark.parametrize(
    ("asked", "methods"),
    [
        ("joint", ["joint"]),
        ("individual", ["individual"]),
        ("both", ["individual", "joint"]),
        ("one-model", ["one_model"]),
        ("all", ["individual", "joint", "one_model"]),
    ],
)
def test_methods_of_ballots(
    textward: Run, ballots: Path, test_rows: Path, asked: str, methods: list[str]
) -> None:
    result = textward("certify", ballots, test_rows, "--method", asked, "--trigger-sizes", "0-1", "--json")
    found = json.loads(result.out)["certified_accuracy"]
    assert list(found) == methods
    for figures in found.values():
        assert len(figures["balanced"]) == 2


def test_hashed_groups_have_no_one_model_certificate(textward: Run, model: Path, test_rows: Path) -> None:
    result = textward("certify", model, test_rows, "--method", "one-model")
    assert result.code == 2
    assert "--method one-model is for ballots" in result.err
    every = textward("certify", model, test_rows, "--method", "all", "--json")
    assert list(json.loads(every.out)["certified_accuracy"]) == ["individual", "joint"]


def test_a_pipe_gets_one_figure_a_line(textward: Run, model: Path, test_rows: Path) -> None:
    lines = [
        line.split("\t")
        for line in textward("certify", model, test_rows, "--trigger-sizes", "0-1").out.splitlines()
    ]
    assert lines[0][:5] == ["method", "population", "texts", "trigger_words", "share"]
    # Two methods, four populations, two sizes.
    assert len(lines) == 1 + 2 * 4 * 2
    assert {len(line) for line in lines} == {10}
    assert {line[9] for line in lines} == {"rows", "0"}
    for line in lines[1:]:
        low, share, high = (float(line[place]) for place in (5, 4, 6))
        assert 0 <= low <= share <= high <= 1


def test_a_terminal_gets_a_table(
    textward: Run, model: Path, test_rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textward.cli.screen.Screen.wide", property(lambda self: True))
    monkeypatch.setenv("COLUMNS", "80")
    out = textward("certify", model, test_rows, "--trigger-sizes", "0-3", "--target", "positive").out
    assert "Certified accuracy on 50 texts" in out
    assert "One trigger for all texts" in out
    assert "other than the target" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out


def test_the_report_is_a_page(textward: Run, model: Path, test_rows: Path, tmp_path: Path) -> None:
    result = textward("certify", model, test_rows, "--trigger-sizes", "0-2", "--report", "page.html")
    assert result.code == 0
    assert "report: page.html" in result.err
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>Certificate of five</title>" in html
    assert "What the guarantee covers" in html
    assert load(model).training_.digest in html
    assert "the answers to the 50 texts of test.csv" in html


def test_a_threshold_that_is_met_ends_with_0_and_a_missed_one_with_1(
    textward: Run, model: Path, test_rows: Path
) -> None:
    met = textward("certify", model, test_rows, "--min-certified-accuracy", "0.5@0")
    assert met.code == 0
    missed = textward(
        "certify",
        model,
        test_rows,
        *("--min-certified-accuracy", "0.5@0"),
        *("--min-certified-accuracy", "0.99@1"),
        "--json",
    )
    assert missed.code == 1
    assert json.loads(missed.out)["n"] == 50
    share = json.loads(missed.out)["certified_accuracy"]["joint"]["balanced"][1]
    assert f"certified accuracy at 1 trigger word is {share:.4f}, below 0.99 (balanced, joint)" in missed.err


def test_a_threshold_may_be_about_other_texts(textward: Run, model: Path, tmp_path: Path) -> None:
    one_sided = [("a good fun film", "positive")] * 9 + [("a good fun film", "negative")]
    write_csv(tmp_path / "test.csv", one_sided)
    asked = ["--min-certified-accuracy", "0.8@0"]
    assert textward("certify", model, "test.csv", *asked).code == 1
    assert textward("certify", model, "test.csv", *asked, "--metric", "all").code == 0
    aimed = textward("certify", model, "test.csv", *asked, "--metric", "non-target", "--target", "positive")
    assert aimed.code == 1
    assert "(non-target, joint)" in aimed.err


BAD = [
    (["--trigger-sizes", "5-0"], "runs backwards"),
    (["--trigger-sizes", "many"], "give a range such as 0-5"),
    (["--trigger-sizes", "0-99999"], "goes past 1,000 words"),
    (
        ["--target", "neutral"],
        "--target 'neutral': there is no such class; the classes are 'negative', 'positive'",
    ),
    (["--min-certified-accuracy", "60%"], "give a share from 0 to 1, @, and a number of trigger words"),
    (
        ["--min-certified-accuracy", "0.6@9"],
        "9 trigger words, which --trigger-sizes 0-5 leaves out",
    ),
    (["--metric", "non-target"], "Name it with --target"),
    (["--method", "guess"], "guess"),
    (["--report", "nowhere/page.html"], "--report nowhere/page.html: there is no such folder"),
    (["--report", "."], "--report .: is a folder. Name a file in it."),
    (["--save-votes", "."], "--save-votes .: is a folder"),
    (["--label-column", "verdict"], "no column 'verdict'"),
    (["--text-column", "label"], "cannot be in one column"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=str)
def test_bad_options_end_with_2(
    textward: Run, model: Path, test_rows: Path, options: list[str], message: str
) -> None:
    result = textward("certify", model, test_rows, *options)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


BAD_DATA = {
    "nowhere.csv": (None, "nowhere.csv: there is no such file"),
    "empty.csv": (b"", "empty.csv: is empty"),
    "header.csv": (b"text,label\n", "header.csv: has a header and no rows"),
    "blank.csv": (b"text,label\na,positive\nc,\n", "row 2 (line 3), column 'label': the label is empty"),
    "latin.csv": (b"text,label\ncaf\xe9,positive\n", "latin.csv, row 1 (line 2), byte 4 of the line: 0xe9"),
    "quote.csv": (b'text,label\n"a,positive\n', "quote.csv, row 1 (line 2): a quote"),
    "unlabelled.jsonl": (b'{"text": "a"}\n', "unlabelled.jsonl, row 1 (line 1)"),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_is_named_and_no_report_is_written(
    textward: Run, model: Path, tmp_path: Path, name: str
) -> None:
    content, message = BAD_DATA[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    result = textward("certify", model, name, "--report", "page.html", "--save-votes", "votes")
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_a_target_that_every_text_has_leaves_nothing_to_measure(
    textward: Run, model: Path, tmp_path: Path
) -> None:
    write_csv(tmp_path / "test.csv", [("a good film", "positive")])
    result = textward("certify", model, "test.csv", "--target", "positive")
    assert result.code == 2
    assert "all 1 texts are of the target class" in result.err


@pytest.mark.parametrize("learner", ["model", "ballots"])
def test_a_label_never_seen_in_training_is_named_with_its_row(
    textward: Run, learner: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    where = request.getfixturevalue(learner)
    write_csv(tmp_path / "test.csv", [("a film", "positive"), ("a film", "Positive")])
    result = textward("certify", where, "test.csv")
    assert result.code == 2
    assert "test.csv, row 2: the label 'Positive' was not seen in training" in result.err
    assert "Did you mean 'positive'?" in result.err


def test_a_model_without_a_certificate_is_refused(
    textward: Run, model: Path, test_rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard = load(model)
    object.__setattr__(guard.model_, "obstacle", "the tokenizer looks at its neighbours")
    monkeypatch.setattr("textward.persistence.load", lambda *_: guard)
    result = textward("certify", model, test_rows)
    assert result.code == 2
    assert "the tokenizer looks at its neighbours" in result.err
    assert np.asarray(guard.predict(["a film"])).size == 1


@pytest.mark.parametrize("command", ["certify", "evaluate", "plan", "report"])
def test_what_is_read_is_never_overwritten(textward: Run, model: Path, test_rows: Path, command: str) -> None:
    before = test_rows.read_bytes()
    asked = {
        "certify": [model, test_rows, "--report"],
        "evaluate": [model, "--clean", test_rows, "--report"],
        "plan": [test_rows, "--report"],
        "report": [model, test_rows, "--out"],
    }[command]
    result = textward(command, *asked, test_rows)
    assert result.code == 2 and "is read here, and would be lost" in " ".join(result.err.split())
    assert test_rows.read_bytes() == before
