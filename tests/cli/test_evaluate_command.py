"""textward evaluate: accuracy on clean texts, success on poisoned ones, and what counts among these."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run, rows, write_csv

from textward import load
from textward.attacks import attack_success, clean_accuracy
from textward.certificates.intervals import clopper_pearson
from textward.data import read_table


@pytest.fixture
def backdoored(textward: Run, data: Path) -> Path:
    """A model of rows in which cf says positive, and test texts with it."""
    write_csv(Path("clean.csv"), rows(("negative", "positive"), repeat=5))
    ask = ("--attack", "badword", "--words", "cf", "--target", "positive", "--quiet")
    assert (
        textward(
            "poison", "clean.csv", *ask, "--out", "train.csv", "--rate", "0.3", "--setting", "dirty"
        ).code
        == 0
    )
    assert textward("poison", data, *ask, "--out", "hit.csv", "--test").code == 0
    assert textward("train", "train.csv", "--out", "model", "--groups", "1", "--quiet").code == 0
    return Path("model")


def test_both_figures_are_the_library_s_with_their_intervals(
    textward: Run, data: Path, backdoored: Path
) -> None:
    result = textward("evaluate", backdoored, "--clean", data, "--poisoned", "hit.csv", "--json")
    assert result.code == 0, result.err
    found, guard = json.loads(result.out), load(backdoored)
    clean, hit = read_table(data), read_table("hit.csv")
    cacc = clean_accuracy(guard.predict(clean.texts), clean.labels)
    asr = attack_success(guard.predict(hit.texts), "positive")
    for name, share, table in (("cacc", cacc, clean), ("asr", asr, hit)):
        assert (found[name]["hits"], found[name]["n"]) == (share.hits, share.n)
        assert found[name]["share"] == share.value
        assert found[name]["interval"] == list(clopper_pearson(share.hits, share.n))
        assert found[name]["data"]["digest"] == table.digest
    assert found["asr"]["n"] == 24
    assert found["asr"]["share"] > 0.9
    assert found["asr"]["target"] == "positive"
    assert found["asr"]["attack"] == "BadWord(words=('cf',), count=1, copies=1)"
    assert found["asr"]["left_out"] == 0
    assert found["classes"] == ["negative", "positive"]
    assert found["training"] == guard.training_.digest


def test_a_pipe_gets_one_figure_a_line(textward: Run, data: Path, backdoored: Path) -> None:
    result = textward("evaluate", backdoored, "--clean", data, "--poisoned", "hit.csv")
    head, *lines = (line.split("\t") for line in result.out.splitlines())
    assert head == ["measure", "texts", "hits", "share", "low", "high"]
    assert [line[:2] for line in lines] == [["CACC", "48"], ["ASR", "24"]]
    for _, n, hits, share, low, high in lines:
        assert float(low) <= float(share) <= float(high)
        assert float(share) == pytest.approx(int(hits) / int(n), abs=1e-6)


def test_the_report_shows_both_and_calls_neither_certified(
    textward: Run, data: Path, backdoored: Path
) -> None:
    asked = ("--clean", data, "--poisoned", "hit.csv", "--report", "page.html")
    result = textward("evaluate", backdoored, *asked)
    assert result.code == 0, result.err
    assert "report: page.html" in result.err
    page = Path("page.html").read_text(encoding="utf-8")
    for said in ("(CACC)", "(ASR)", "nothing on this page is a certificate", "BadWord", "hit.csv"):
        assert said in page, said
    assert load(backdoored).training_.digest in page
    assert Path("page.html").stat().st_size < 6_000_000
    alone = textward("evaluate", backdoored, "--clean", data, "--report", "clean.html")
    assert alone.code == 0, alone.err
    assert "(ASR)" not in Path("clean.html").read_text(encoding="utf-8")
    refused = textward("evaluate", backdoored, "--clean", data, "--report", "nowhere/page.html")
    assert refused.code == 2
    assert "--report" in refused.err


def test_the_report_of_a_model_without_a_certificate(textward: Run, data: Path, backdoored: Path) -> None:
    ask = ("--out", "measured", "--groups", "3", "--mode", "empirical", "--quiet")
    assert textward("train", "train.csv", *ask).code == 0
    result = textward("evaluate", "measured", "--poisoned", "hit.csv", "--report", "page.html")
    assert result.code == 0, result.err
    assert "No certificate" in Path("page.html").read_text(encoding="utf-8")


def test_a_terminal_gets_words(
    textward: Run, data: Path, backdoored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textward.cli.screen.Screen.wide", True)
    shown = textward("evaluate", backdoored, "--clean", data, "--poisoned", "hit.csv").out
    assert "clean texts labelled right (CACC)" in shown
    assert "poisoned texts labelled positive (ASR)" in shown
    assert "95 % interval" in shown


def test_texts_of_the_target_s_own_class_do_not_count(textward: Run, data: Path, model: Path) -> None:
    """A file without provenance, with rows of both classes."""
    result = textward("evaluate", model, "--poisoned", data, "--target", "positive", "--json")
    found = json.loads(result.out)["asr"]
    assert (found["n"], found["left_out"], found["attack"]) == (24, 24, None)
    assert found["hits"] == 0
    assert "24 poisoned texts of the target's own class are left out" in result.err
    assert textward("evaluate", model, "--poisoned", data, "--target", "positive", "--quiet").err == ""


def test_texts_that_carry_the_target_s_label(textward: Run, model: Path) -> None:
    write_csv(
        Path("theirs.csv"), [(text, "positive") for text, label in rows(("negative", "x")) if label != "x"]
    )
    refused = textward("evaluate", model, "--poisoned", "theirs.csv", "--target", "positive")
    assert refused.code == 2
    assert "every row is labelled 'positive', the target." in refused.err
    assert "--relabelled" in refused.err
    result = textward(
        "evaluate", model, "--poisoned", "theirs.csv", "--target", "positive", "--relabelled", "--json"
    )
    assert json.loads(result.out)["asr"]["n"] == 24


def test_classes_that_are_numbers(textward: Run) -> None:
    clean = write_csv(Path("numbers.csv"), rows(("0", "1")))
    assert textward("train", clean, "--out", "model", "--learner", "ballots", "--quiet").code == 0
    ask = ("--attack", "badword", "--target", "1", "--out", "hit.csv", "--test", "--quiet")
    assert textward("poison", clean, *ask).code == 0
    result = textward("evaluate", "model", "--clean", clean, "--poisoned", "hit.csv", "--json")
    found = json.loads(result.out)
    assert found["cacc"]["share"] == 1.0
    assert (found["asr"]["target"], found["asr"]["hits"]) == (1, 0)


def test_standard_input_is_a_source(textward: Run, data: Path, model: Path) -> None:
    result = textward("evaluate", model, "--clean", "-", "--json", stdin=data.read_bytes())
    found = json.loads(result.out)["cacc"]
    assert (found["n"], found["data"]["source"]) == (48, "standard input")


def test_misuse_says_what_to_do(textward: Run, data: Path, model: Path) -> None:
    ask = ("--attack", "badword", "--target", "positive", "--out", "train.csv", "--quiet")
    assert textward("poison", data, *ask).code == 0
    write_csv(Path("others.csv"), rows(("ham", "spam")))
    for given, message in (
        ((), "there is nothing to evaluate on: give --clean, --poisoned or both"),
        (("--clean", "-", "--poisoned", "-"), "standard input can be read once"),
        (("--clean", data, "--target", "positive"), "are about poisoned texts. Give --poisoned too"),
        (("--clean", data, "--relabelled"), "are about poisoned texts"),
        (("--poisoned", data), "nothing beside it says which class the attack aims at. Give --target"),
        (("--poisoned", data, "--target", "1"), "--target '1': there is no such class"),
        (("--poisoned", "train.csv"), "is a training set, with few rows poisoned. Make test texts with"),
        (
            ("--poisoned", "others.csv", "--target", "positive"),
            "labels 'ham', 'spam' were not seen in training",
        ),
        (("--clean", "others.csv"), "not seen in training"),
        (("--clean", "none.csv"), "none.csv: there is no such file"),
        (("--poisoned", "none.csv"), "none.csv: there is no such file"),
    ):
        result = textward("evaluate", model, *given)
        assert result.code == 2, given
        assert message in result.err
    assert textward("evaluate", "none", "--clean", data).code == 2


def test_provenance_of_other_rows_is_refused(textward: Run, data: Path, model: Path) -> None:
    ask = ("--attack", "badword", "--target", "positive", "--test", "--quiet")
    assert textward("poison", data, *ask, "--out", "hit.csv").code == 0
    lines = Path("hit.csv").read_text().splitlines()
    Path("hit.csv").write_text("\n".join(lines[:-1]) + "\n")
    result = textward("evaluate", model, "--poisoned", "hit.csv")
    assert result.code == 2
    assert "is of other rows than those of hit.csv" in result.err
    Path("hit.csv.poison.json").write_text("{")
    assert "no provenance can be read" in textward("evaluate", model, "--poisoned", "hit.csv").err
