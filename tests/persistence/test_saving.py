"""Saving is all or nothing, and overwrites models alone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from models import LABELS, TEXTS, UNSEEN, fitted, saved

from textward import ModelError, TextGuard, load
from textward.persistence import atomic, directory

BOTH_WAYS = pytest.mark.parametrize("at_once", [True, False])


def slow_exchange(monkeypatch, at_once: bool) -> None:
    if not at_once:
        monkeypatch.setattr(atomic, "_renameat2", lambda: None)


@BOTH_WAYS
def test_a_model_takes_the_place_of_another(at_once, monkeypatch, tmp_path: Path):
    slow_exchange(monkeypatch, at_once)
    path = saved("linear", tmp_path)
    new = TextGuard("words").fit(TEXTS, LABELS)
    new.save(path)
    assert np.array_equal(load(path).tally(UNSEEN), new.tally(UNSEEN))
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@BOTH_WAYS
def test_a_save_that_fails_leaves_the_old_model(error, at_once, monkeypatch, tmp_path: Path):
    slow_exchange(monkeypatch, at_once)
    path = saved("linear", tmp_path)

    def fails(directory: Path) -> None:
        raise error

    monkeypatch.setattr(directory.manifest, "write_manifest", fails)
    with pytest.raises(error):
        fitted("ballots").save(path)
    assert np.array_equal(load(path).tally(UNSEEN), fitted("linear").tally(UNSEEN))
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


def test_an_exchange_that_fails_half_way_is_undone(monkeypatch, tmp_path: Path):
    slow_exchange(monkeypatch, False)
    path = saved("linear", tmp_path)
    rename = Path.rename

    def fails_on_the_new(self: Path, target: Path) -> Path:
        if target == path and (self / "config.json").read_text() != (old / "config.json").read_text():
            raise OSError("disk gone")
        return rename(self, target)

    old = tmp_path / "copy"
    fitted("linear").save(old)
    (old / "config.json").write_text((path / "config.json").read_text())
    monkeypatch.setattr(Path, "rename", fails_on_the_new)
    with pytest.raises(OSError, match="disk gone"):
        fitted("ballots").save(path)
    assert np.array_equal(load(path).tally(UNSEEN), fitted("linear").tally(UNSEEN))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copy", "model"]


def test_a_first_save_that_fails_leaves_nothing(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(directory.manifest, "write_manifest", lambda directory: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fitted("linear").save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_missing_folders_are_made_and_an_empty_one_is_used(tmp_path: Path):
    fitted("linear").save(tmp_path / "a" / "b")
    (tmp_path / "empty").mkdir()
    fitted("linear").save(tmp_path / "empty")
    assert load(tmp_path / "a" / "b").seed == load(str(tmp_path / "empty")).seed == 2


@pytest.mark.parametrize(
    "names", [["notes.txt"], ["manifest.json", "config.json", "notes.txt"], ["config.json"]]
)
def test_a_directory_that_is_no_model_is_left_alone(names, tmp_path: Path):
    for name in names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(ModelError, match=r"not just a textward model: it holds '(notes\.txt|config\.json)'"):
        fitted("linear").save(tmp_path)
    assert sorted(f.name for f in tmp_path.iterdir()) == sorted(names)


def test_a_file_is_left_alone(tmp_path: Path):
    (tmp_path / "model").write_text("mine")
    with pytest.raises(ModelError, match="is a file, and a model is a directory"):
        fitted("linear").save(tmp_path / "model")
    assert (tmp_path / "model").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="file modes are a matter of Unix")
def test_who_may_read_the_folder_may_read_its_files(tmp_path: Path):
    path = saved("linear", tmp_path)
    readers = path.stat().st_mode & 0o666
    assert {file.stat().st_mode & 0o666 for file in path.iterdir()} == {readers}
