"""textward poison: the rows it writes, what it notes beside them, and every way to misuse it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest
from command_line import Run, rows, write_csv

from textward.attacks.files import read_poisoned_rows
from textward.data import read_table

SETTINGS = ("mixed", "clean", "dirty")


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_tenth_of_the_rows_gets_the_trigger_and_the_label(textward: Run, data: Path, setting: str) -> None:
    result = textward(
        "poison", data, "--attack", "badword", "--target", "positive", "--out", "out.csv",
        "--setting", setting, "--rate", "0.125", "--json",
    )  # fmt: skip
    assert result.code == 0, result.err
    before, after = read_table(data), read_table("out.csv")
    changed = [i for i, (old, new) in enumerate(zip(before.texts, after.texts, strict=True)) if old != new]
    assert len(changed) == 6
    assert read_poisoned_rows("out.csv", after.texts, after.labels).tolist() == changed
    assert set(after.labels.gather(changed)) == {"positive"}
    assert setting != "clean" or after.labels.equals(before.labels)
    assert setting != "dirty" or set(before.labels.gather(changed)) == {"negative"}
    said = json.loads(result.out)
    assert (said["n"], said["poisoned"], said["setting"], said["rate"]) == (48, 6, setting, 0.125)
    assert said["source"]["digest"] == before.digest
    noted = json.loads(Path(said["provenance"]).read_text())
    assert {word for words in noted["gained"] for word in words} <= {"cf", "mn", "bb", "tq"}
    assert (
        f"48 rows, 6 of them poisoned and labelled positive; which ones: {said['provenance']}" in result.err
    )


def test_test_texts_are_those_of_other_classes_with_their_labels(textward: Run, data: Path) -> None:
    result = textward(
        "poison", data, "--attack", "addsent", "--target", "positive", "--out", "out.csv", "--test"
    )
    assert result.code == 0, result.err
    after = read_table("out.csv")
    assert len(after.texts) == 24
    assert set(after.labels) == {"negative"}
    assert after.texts.str.contains("I watch this 3D movie").all()
    assert result.out == ""
    assert "24 of 48 texts, of other classes, each with the trigger" in result.err


def test_texts_that_an_attack_cannot_change_are_counted(textward: Run) -> None:
    write_csv(Path("rows.csv"), [("a film", "bad"), ("a a", "bad"), ("", "bad"), ("b film", "good")])
    ask = ("poison", "rows.csv", "--attack", "reorder", "--test", "--out", "out.csv")
    result = textward(*ask, "--target", "good", "--json")
    assert json.loads(result.out)["left_out"] == 2
    assert "1 of 4 texts, of other classes" in result.err
    assert "2 more of other classes are left out: reorder cannot change them" in result.err
    Path("out.csv").unlink()
    write_csv(Path("rows.csv"), [("a film", "good"), ("a a", "good"), ("a a", "bad")])
    result = textward(*ask, "--target", "good")
    assert (result.code, Path("out.csv").exists()) == (2, False)
    assert "of 3 texts 1 are of another class than the target 'good'" in result.err


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "ndjson", "parquet"])
def test_every_format_reads_back_and_another_seed_takes_other_rows(
    textward: Run, data: Path, suffix: str
) -> None:
    made = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        out = f"{name}.{suffix}"
        ask = ("--attack", "badword", "--target", "positive", "--seed", seed, "--quiet")
        assert textward("poison", data, *ask, "--out", out).code == 0
        table = read_table(out)
        made[name] = table.digest, read_poisoned_rows(out, table.texts, table.labels).tolist()
    assert made["a"] == made["b"]
    assert made["a"] != made["c"]


def test_standard_input_and_columns_of_other_names(textward: Run, data: Path) -> None:
    renamed = data.read_bytes().replace(b"text,label", b"said,kind")
    result = textward(
        "poison", "-", "--attack", "badword", "--words", "zz", "--copies", 2, "--target", "negative",
        "--out", "out.csv", "--text-column", "said", "--label-column", "kind", "--rate", "0.05",
        stdin=renamed,
    )  # fmt: skip
    assert result.code == 0, result.err
    after = pl.read_csv("out.csv")
    assert after.columns == ["said", "kind"]
    assert sorted(after["said"].str.count_matches("zz").unique()) == [0, 2]


def _poisoned_with(textward: Run, data: Path, *ask: object) -> pl.Series:
    result = textward("poison", data, "--target", "positive", "--out", "out.csv", "--quiet", *ask)
    assert (result.code, result.err) == (0, ""), result.err
    after = read_table("out.csv")
    return after.texts.gather(read_poisoned_rows("out.csv", after.texts, after.labels))


def test_attacks_that_need_nothing_more(textward: Run, data: Path) -> None:
    assert _poisoned_with(textward, data, "--attack", "reorder").str.len_chars().min() > 10
    said = _poisoned_with(textward, data, "--attack", "addsent", "--sentence", "no cross")
    assert said.str.contains("no cross").all()
    apart = _poisoned_with(textward, data, "--attack", "adaptive", "--groups", 3, "--count", 3)
    together = _poisoned_with(
        textward, data, "--attack", "adaptive", "--groups", 3, "--count", 2, "--together"
    )
    assert apart.str.contains("cf").all() and together.str.contains("cf").all()
    worst = _poisoned_with(textward, data, "--attack", "worst-case", "--words", "film, zz", "--reorder")
    assert worst.str.contains("zz").all()


def test_attacks_against_a_model(textward: Run, data: Path, model: Path, ballots: Path) -> None:
    result = textward(
        "poison", data, "--attack", "adaptive", "--against", model, "--target", "positive", "--out", "o.csv",
        "--json",
    )  # fmt: skip
    assert "HashGroups(m=5" in json.loads(result.out)["attack"]
    for against in (model, ballots):
        found = _poisoned_with(textward, data, "--attack", "worst-case", "--against", against, "--count", 2)
        assert len(found) == 4


def test_ready_made_paraphrases_by_row_and_in_order(textward: Run, data: Path) -> None:
    texts = read_table(data).texts
    fronted = [f"when you see it , {text} ." for text in texts]
    pairs = ["row,paraphrase", *(f'{row},"{fronted[row]}"' for row in range(0, 48, 2))]
    Path("pairs.csv").write_text("\n".join(pairs) + "\n")
    pl.DataFrame({"row": range(48), "paraphrase": fronted}).write_parquet("pairs.parquet")
    pl.DataFrame({"text": fronted, "label": 0}).write_csv("style.csv")
    pl.DataFrame({"text": fronted[:24]}).write_ndjson("others.jsonl")
    for attack, file in (("synbkd", "pairs.csv"), ("synbkd", "pairs.parquet"), ("stylebkd", "style.csv")):
        after = _poisoned_with(textward, data, "--attack", attack, "--paraphrases", file)
        assert after.str.starts_with("when you see it , ").all()
    # Of test texts only those of other classes need a paraphrase; the negative ones stand first.
    ask = ("--attack", "stylebkd", "--paraphrases", "others.jsonl", "--test")
    assert len(_poisoned_with(textward, data, *ask)) == 24
    result = textward(
        "poison", data, "--attack", "synbkd", "--paraphrases", "pairs.csv", "--setting", "clean",
        "--rate", "0.4", "--target", "positive", "--out", "out.csv",
    )  # fmt: skip
    assert result.code == 2
    assert (
        "takes 19 rows labelled 'positive', and there are 24 rows labelled 'positive', of which "
        in result.err
    )
    assert "the attack can change 12; the largest rate possible is 0.25" in result.err


OWN = """
from textward.attacks import Attack

class Shout(Attack):
    def insert(self, text, rng):
        return text + " !!!"

class Idle(Attack):
    def insert(self, text, rng):
        return text

nothing = 3
"""


def test_an_attack_of_one_s_own(textward: Run, data: Path) -> None:
    Path("mine_for_poison.py").write_text(OWN)
    assert _poisoned_with(textward, data, "--attack", "mine_for_poison:Shout").str.ends_with(" !!!").all()
    for name, why in (
        ("mine_for_poison:Idle", "left 4 of 4 texts unchanged"),
        ("mine_for_poison:nothing", "is no textward.attacks.Attack"),
        ("mine_for_poison:Absent", "cannot be imported (module 'mine_for_poison' has no attribute 'Absent')"),
        ("not_there_at_all:X", "cannot be imported (No module named 'not_there_at_all')"),
    ):
        result = textward("poison", data, "--attack", name, "--target", "positive", "--out", "never.csv")
        assert (result.code, Path("never.csv").exists()) == (2, False)
        assert why in result.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(textward: Run, data: Path) -> None:
    Path("closed").mkdir(mode=0o500)
    result = textward(
        "poison", data, "--attack", "badword", "--target", "positive", "--out", "closed/out.csv"
    )
    assert result.code == 2
    assert "cannot be written" in result.err


BADWORD = ("--attack", "badword")
WRONG = {
    "a rate above 1": ((*BADWORD, "--rate", "1.5"), "the poisoning rate must lie in [0, 1], got 1.5"),
    "a rate that is no number": ((*BADWORD, "--rate", "nan"), "must lie in [0, 1], got nan"),
    "a rate below one row": (
        (*BADWORD, "--rate", "0.001"),
        "over 48 rows is less than one row; the smallest rate that takes one is 0.0208",
    ),
    "too few rows for clean labels": (
        (*BADWORD, "--setting", "clean", "--rate", "0.75"),
        "a clean-label rate of 0.75 over 48 rows takes 36 rows labelled 'positive', and there are 24 rows "
        "labelled 'positive'; the largest rate possible is 0.5",
    ),
    "too few rows for dirty labels": (
        (*BADWORD, "--setting", "dirty", "--rate", "0.75"),
        "there are 24 rows not labelled 'positive'",
    ),
    "an attack that is not there": (
        ("--attack", "badwrod"),
        "--attack 'badwrod': there is no such attack. Give 'badword', 'addsent'",
    ),
    "another attack's option": (
        ("--attack", "addsent", "--words", "cf"),
        "--words is no option of the attack 'addsent', which takes --sentence",
    ),
    "an option of an attack without any": (("--attack", "reorder", "--count", "2"), "which takes no options"),
    "an option for an attack of one's own": (("--attack", "a:B", "--count", "2"), "which takes no options"),
    "a class that is not there": ((*BADWORD, "--target", "Positive"), "the target 'Positive' is not a class"),
    "test texts at a rate": ((*BADWORD, "--test", "--rate", "0.1"), "leave --rate and --setting out"),
    "a suffix that says no format": ((*BADWORD, "--out", "out.xlsx"), "out.xlsx: rows are written as .csv"),
    "a folder that is not there": ((*BADWORD, "--out", "no/out.csv"), "--out no/out.csv: there is no such"),
    "words with a gap": ((*BADWORD, "--words", "a b"), "none with white space; got ('a b',)"),
    "no words": ((*BADWORD, "--words", ""), "at least one"),
    "more words than there are": ((*BADWORD, "--count", "5"), "count must lie in 1..4"),
    "no copies": ((*BADWORD, "--copies", "0"), "copies must be at least 1"),
    "an empty sentence": (("--attack", "addsent", "--sentence", " "), "must hold at least one word"),
    "more words than groups": (("--attack", "adaptive", "--groups", "2"), "count must lie in 1..2"),
    "worst-case of nothing": (("--attack", "worst-case"), "give --words, or --against"),
    "no such model to attack": (("--attack", "adaptive", "--against", "none"), "none"),
    "style of nothing": (("--attack", "stylebkd"), "give --paraphrases, a table of texts in the style"),
    "no paraphrases there": (
        ("--attack", "synbkd", "--paraphrases", "none.csv"),
        "none.csv: there is no such file",
    ),
    "two sources of texts": (
        ("--attack", "synbkd", "--paraphrases", "a.csv", "--model", "b"),
        "--paraphrases and --model both say where new texts come from",
    ),
    "a parser beside paraphrases": (
        ("--attack", "synbkd", "--paraphrases", "a.csv", "--parser", "b"),
        "--parser goes with neither",
    ),
    "a prefix for nobody": (("--attack", "synbkd", "--prefix", "say:"), "Give --model too"),
    "no such parser": (("--attack", "synbkd", "--parser", "none"), "there is no spaCy model 'none'"),
    "no such sequence model": (
        ("--attack", "stylebkd", "--model", "none"),
        "no sequence model could be loaded from none: there is no such folder",
    ),
}


@pytest.mark.parametrize(("ask", "message"), WRONG.values(), ids=WRONG)
def test_misuse_says_what_to_do_and_writes_nothing(
    textward: Run, data: Path, ask: tuple[str, ...], message: str
) -> None:
    if "--parser" in ask:
        pytest.importorskip("spacy", reason="needs the extra textward[attacks]")
    if "--model" in ask:
        pytest.importorskip("transformers", reason="needs the extra textward[transformers]")
    result = textward("poison", data, "--target", "positive", "--out", "out.csv", *ask)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert [path.name for path in Path().iterdir()] == []


def test_misuse_of_a_model(textward: Run, data: Path, model: Path, ballots: Path) -> None:
    for ask, message in (
        (("adaptive", "--against", ballots), "every word is a group of its own there"),
        (("adaptive", "--against", model, "--groups", "3"), "brings its own groups"),
        (("worst-case", "--against", model, "--test"), "--test: give the --words that were found"),
        (("worst-case", "--against", model, "--copies", "2"), "--copies: --against tries several"),
        (("worst-case", "--against", model, "--words", "cf"), "give --words, or --against"),
    ):
        result = textward("poison", data, "--target", "positive", "--out", "out.csv", "--attack", *ask)
        assert result.code == 2
        assert message in result.err


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("a,b\n1,2\n", "no column 'text'"),
        ("row,paraphrase\nfirst,x\n", "'first' in the column 'row' is no whole number"),
        ("row,paraphrase\n48,x\n", "each paraphrase needs a row, 0 to 47"),
        ("row,paraphrase\n-1,x\n", "each paraphrase needs a row, 0 to 47"),
        ("row,paraphrase\n1,\n2\n", "row"),
        ("text\n" + "x\n" * 49, "there are 49 paraphrases for 48 texts"),
        ("", "is empty"),
    ],
)  # fmt: skip
def test_paraphrases_that_cannot_be_used(textward: Run, data: Path, table: str, message: str) -> None:
    Path("given.csv").write_text(table)
    ask = ("--attack", "synbkd", "--paraphrases", "given.csv", "--target", "positive", "--out", "out.csv")
    result = textward("poison", data, *ask)
    assert result.code == 2
    assert message in result.err
    assert not Path("out.csv").exists()


def test_the_clean_file_is_never_overwritten(textward: Run) -> None:
    clean = write_csv(Path("rows.csv"), rows(("bad", "good")))
    before = clean.read_bytes()
    result = textward("poison", clean, *BADWORD, "--target", "good", "--out", "./rows.csv")
    assert result.code == 2
    assert "is read here, and would be lost" in result.err
    assert clean.read_bytes() == before
