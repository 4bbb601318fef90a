"""Models to and from a hub on loopback, and the card that goes with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import KINDS, LABELS, TEXTS, UNSEEN, fitted, saved

from textward import MissingExtraError, ModelError, TextGuard, load
from textward.cli.running import run
from textward.persistence import Certified, read_config, write_card
from textward.persistence.card import card, code

pytest.importorskip("huggingface_hub", reason="no huggingface_hub: the hub was not tested")
from hub_server import Hub, hub


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    with hub() as found:
        yield found


def options(local: Hub, tmp_path: Path, **more: Any) -> dict[str, Any]:
    return {"endpoint": local.endpoint, "token": "hf_not_a_token", **more}


@pytest.mark.parametrize("kind", ["linear", "ballots", "scikit"])
def test_there_and_back(kind: str, local: Hub, tmp_path: Path) -> None:
    guard = fitted(kind)
    where = guard.push_to_hub("me/films", **options(local, tmp_path))
    assert where.endswith(local.commits[-1])
    assert {"README.md", "config.json", "manifest.json"} <= set(local.repositories["me/films"])
    again = TextGuard.from_pretrained(
        "me/films", revision=local.commits[-1], cache_dir=tmp_path, **options(local, tmp_path)
    )
    assert np.array_equal(again.tally(UNSEEN), guard.tally(UNSEEN))
    assert local.tokens == {"Bearer hf_not_a_token"}


def test_what_was_changed_on_the_hub_is_refused(local: Hub, tmp_path: Path) -> None:
    fitted("linear").push_to_hub("me/films", **options(local, tmp_path))
    local.repositories["me/films"]["README.md"] += b"trust me"
    with pytest.raises(ModelError, match=r"README.md was changed after it was saved"):
        TextGuard.from_pretrained("me/films", cache_dir=tmp_path, **options(local, tmp_path))


def test_only_the_files_of_a_model_are_fetched(local: Hub, tmp_path: Path) -> None:
    fitted("linear").push_to_hub("me/films", **options(local, tmp_path))
    local.repositories["me/films"]["run_me.py"] = b"print('no')"
    TextGuard.from_pretrained("me/films", cache_dir=tmp_path, **options(local, tmp_path))
    assert not list(tmp_path.rglob("run_me.py"))


def test_what_is_not_there_is_said(local: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"hub model me/none: .*Check its name"):
        TextGuard.from_pretrained("me/none", cache_dir=tmp_path, **options(local, tmp_path))
    with pytest.raises(ModelError, match="hub model not a name"):
        fitted("linear").push_to_hub("not a name", **options(local, tmp_path))


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'textward\[hub\]'"):
        TextGuard.from_pretrained("me/films")


@pytest.mark.parametrize("kind", KINDS)
def test_every_model_has_a_card_under_the_manifest(kind: str, tmp_path: Path) -> None:
    path = saved(kind, tmp_path)
    text = (path / "README.md").read_text(encoding="utf-8")
    assert text.startswith("---\nlibrary_name: textward\n")
    assert "Not certified on a test set yet" in text
    assert read_config(path).training.digest in text
    assert "README.md" in json.loads((path / "manifest.json").read_text())["sha256"]
    for sentence in read_config(path).assumptions:
        assert sentence.split("(")[0][:30] in text.replace("\\", "")


def test_a_certificate_goes_into_the_card_and_leaves_the_model(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = saved("ballots", tmp_path)
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    (tmp_path / "test.csv").write_text("text,label\n" + "".join(f"{text},{name}\n" for text, name in zip(
        ["good fun", "bad dull"], "+-", strict=True)))  # fmt: skip
    assert (
        run(["certify", str(path), str(tmp_path / "test.csv"), "--trigger-sizes", "0-2", "--card", "--json"])
        == 0
    )
    out, err = capfd.readouterr()
    found = json.loads(out)
    assert "card: " in err
    text = (path / "README.md").read_text(encoding="utf-8")
    share = found["certified_accuracy"]["joint"]["balanced"][1]
    row = next(line for line in text.splitlines() if line.startswith("| one trigger for all texts, balanced"))
    assert f"{100 * share:.1f} %" in row.split("|")[3]
    assert found["data"]["digest"] in text
    assert "`test.csv`" in text
    after = {file.name: file.read_bytes() for file in path.iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"README.md", "manifest.json"}
    assert load(path).predict(TEXTS).tolist() == LABELS


def test_hostile_class_names_are_code_and_nothing_else(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>|`x` [a](javascript:b)\n# title \u202e"
    guard = TextGuard(groups=3).fit(["good", "bad"], [evil, "fine"])
    guard.save(tmp_path / "model")
    accuracy = guard.certified_accuracy(["good"], [evil], range(2))
    write_card(tmp_path / "model", Certified(evil, "9f", [accuracy]))
    text = (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    outside = re.sub(r"(`+).*?[^`]\1(?!`)", "", text)
    assert "<script>" in text
    assert "<script>" not in outside
    assert "\u202e" not in text
    assert "\n# title" not in text.split("---\n", 2)[2].split("\n", 4)[4]
    for line in text.splitlines():
        if line.startswith("| — class"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 4


def test_code_spans_hold_whatever_they_are_given() -> None:
    assert code("plain") == "`plain`"
    assert code("") == "` `"
    assert code("``") == "``` `` ```"


def test_a_model_without_a_certificate_says_so(tmp_path: Path) -> None:
    path = saved("linear", tmp_path)
    config = read_config(path).model_copy(update={"obstacle": "its words are *not* stable."})
    assert "This model has no certificate: its words are \\*not\\* stable." in card(config)
