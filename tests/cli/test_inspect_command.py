"""textward inspect: what a model is, for people and machines."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from command_line import Run


def test_json_says_what_a_model_is(textward: Run, model: Path) -> None:
    found = json.loads(textward("inspect", model, "--json").out)
    assert (found["kind"], found["groups"], found["hash"], found["seed"]) == ("linear", 5, "md5", 0)
    assert found["certified"] is True
    assert found["classes"] == ["negative", "positive"]
    assert found["training"]["n"] == 48
    assert found["training"]["class_counts"] == {"negative": 24, "positive": 24}
    assert found["size_bytes"] == sum(file.stat().st_size for file in model.iterdir())
    assert any("not covered" in sentence for sentence in found["assumptions"])


@pytest.mark.parametrize("wide", [False, True])
def test_a_person_reads_the_same(
    textward: Run, ballots: Path, monkeypatch: pytest.MonkeyPatch, wide: bool
) -> None:
    monkeypatch.setattr("textward.cli.screen.Screen.wide", property(lambda self: wide))
    out = textward("inspect", ballots).out
    for said in ("an integer ballot for every word", "every word its own", "48 (negative 24, positive 24)"):
        assert said in out
    assert "not covered" in " ".join(out.split())


def test_a_changed_byte_is_refused(textward: Run, model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(model, tmp_path / "copy")
    tensors = copy / "model.safetensors"
    changed = bytearray(tensors.read_bytes())
    changed[-1] ^= 1
    tensors.write_bytes(changed)
    for command in (["inspect", copy], ["predict", copy, "-"], ["certify", copy, "rows.csv"]):
        result = textward(*command, stdin=b"a film\n")
        assert result.code == 2
        assert "was changed after it was saved" in result.err


def test_a_missing_file_and_what_is_no_model_are_refused(textward: Run, model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(model, tmp_path / "copy")
    (copy / "model.safetensors").unlink()
    assert "is missing" in textward("inspect", copy).err
    (tmp_path / "empty").mkdir()
    assert "holds no textward model" in textward("inspect", "empty").err
    assert textward("inspect", "nowhere").code == 2
    (tmp_path / "file").write_text("no folder")
    assert "is a file, and a model is a directory" in textward("inspect", "file").err


def test_a_newer_format_is_refused(textward: Run, model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(model, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text())
    config["format"] += 1
    (copy / "config.json").write_text(json.dumps(config))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["sha256"]["config.json"] = sha256((copy / "config.json").read_bytes()).hexdigest()
    (copy / "manifest.json").write_text(json.dumps(manifest))
    for command in ("inspect", "predict"):
        result = textward(command, copy, stdin=b"a\n")
        assert result.code == 2
        assert "newer" in result.err
        assert "Traceback" not in result.err
