"""Every way a directory can be no model, or a damaged one, has its own message."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from models import KINDS, change_config, saved, sign
from safetensors.numpy import load_file, save_file

from textward import ModelError, load


def test_no_such_directory(tmp_path: Path):
    with pytest.raises(ModelError, match=r"there is no .*nowhere"):
        load(tmp_path / "nowhere")


def test_a_file(tmp_path: Path):
    (tmp_path / "model").touch()
    with pytest.raises(ModelError, match="is a file, and a model is a directory"):
        load(tmp_path / "model")


def test_a_directory_without_a_model(tmp_path: Path):
    with pytest.raises(ModelError, match=r"no textward model.*no manifest\.json"):
        load(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_file(kind, tmp_path: Path):
    path = saved(kind, tmp_path)
    for name in [file.name for file in path.iterdir() if file.name not in ("manifest.json", "README.md")]:
        content = (path / name).read_bytes()
        (path / name).unlink()
        with pytest.raises(ModelError, match=f"{name} is missing"):
            load(path)
        (path / name).write_bytes(content)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_the_manifest_leaves_out(kind, tmp_path: Path):
    path = saved(kind, tmp_path)
    for name in [file.name for file in path.iterdir() if file.name not in ("manifest.json", "README.md")]:
        content = (path / name).read_bytes()
        (path / name).unlink()
        sign(path)
        (path / name).write_bytes(content)
        with pytest.raises(ModelError, match=f"names no {name}"):
            load(path)
        sign(path)


@pytest.mark.parametrize("kind", KINDS)
def test_one_changed_byte(kind, tmp_path: Path):
    path = saved(kind, tmp_path)
    for file in path.iterdir():
        whole = file.read_bytes()
        middle = len(whole) // 2
        file.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
        with pytest.raises(ModelError, match=r"was changed after it was saved|manifest"):
            load(path)
        file.write_bytes(whole)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"sha256": {"config.json": 3}}', '{"sha256": {}, "more": 1}', "\xff"]
)
def test_a_manifest_that_is_none(text, tmp_path: Path):
    path = saved("linear", tmp_path)
    (path / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ModelError, match=r"manifest\.json cannot be read"):
        load(path)


@pytest.mark.parametrize(
    "name", ["../x", "/etc/passwd", "a/b", "..", "", "x.py", "model.pkl", "config.json\n", ".env"]
)
def test_a_manifest_that_names_other_files(name, tmp_path: Path):
    path = saved("linear", tmp_path)
    (tmp_path / "x").touch()
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["sha256"][name] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    (path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match=r"which no model of this version has"):
        load(path)


def test_a_newer_format(tmp_path: Path):
    path = saved("linear", tmp_path)
    change_config(path, format=2, something_new=True)
    (path / "heads.new").touch()
    sign(path)
    with pytest.raises(ModelError, match=r"has format 2, .* up to 1\. Upgrade it: pip install"):
        load(path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "{}", '{"format": "1"}', '{"format": 1}', "\xff", "[" * 200_000]
)
def test_a_config_that_is_none(text, tmp_path: Path):
    path = saved("linear", tmp_path)
    (path / "config.json").write_bytes(text.encode("latin-1"))
    sign(path)
    with pytest.raises(ModelError, match=r"config\.json"):
        load(path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"more": 1}, "field 'more'"),
        ({"kind": "pickle"}, "field 'kind'"),
        ({"settings__seed": "0"}, "field 'settings.seed'"),
        ({"settings__groups": 0}, "groups must be a whole number of 1 to 65,536"),
        ({"settings__groups": "words"}, "kind 'linear' has no groups='words'"),
        ({"settings__groups": 4}, r"'wordless' must be int32 of shape \(4,\)"),
        ({"settings__hash": "crc"}, "unknown hash 'crc'"),
        ({"settings__words": "letters"}, "words must be"),
        ({"classes": ["+"]}, "not at least two distinct values"),
        ({"classes": ["-", "+"]}, "not at least two distinct values in order"),
        ({"classes": ["+", "+"]}, "not at least two distinct values"),
        ({"classes": [1, 2]}, "not at least two distinct values"),
        ({"classes": ["+", "-", "."]}, r"'weights' must be int32 of shape \(\d+, 3\)"),
        ({"class_dtype": "nonsense"}, "not at least two distinct values"),
        ({"class_dtype": "V4"}, "not at least two distinct values"),
        ({"order": "other"}, "it holds no 'order.bytes'"),
        ({"kind": "ballots"}, "kind 'ballots' has no groups=3"),
        ({"kind": "scikit"}, r"names no learner\.skops"),
        ({"format": -3}, "field 'format'"),
    ],
    ids=str,
)
def test_a_config_that_does_not_fit(fields, message, tmp_path: Path):
    path = saved("linear", tmp_path)
    change_config(path, **fields)
    with pytest.raises(ModelError, match=message):
        load(path)


def test_ballots_without_dials(tmp_path: Path):
    path = saved("ballots", tmp_path)
    change_config(path, dials=None)
    with pytest.raises(ModelError, match="ballots need dials"):
        load(path)


def test_a_truncated_tensor_file(tmp_path: Path):
    path = saved("linear", tmp_path)
    for length in (0, 7, 100, -1):
        whole = (path / "model.safetensors").read_bytes()
        (path / "model.safetensors").write_bytes(whole[:length])
        sign(path)
        with pytest.raises(ModelError, match=r"model\.safetensors: it cannot be read"):
            load(path)
        (path / "model.safetensors").write_bytes(whole)


def change(path: Path, name: str, array: np.ndarray | None) -> None:
    arrays = load_file(path / "model.safetensors")
    if array is None:
        del arrays[name]
    else:
        arrays[name] = array
    save_file(arrays, path / "model.safetensors")
    sign(path)


@pytest.mark.parametrize(
    ("kind", "name", "array", "message"),
    [
        ("linear", "weights", None, "it holds no 'weights'"),
        ("linear", "weights", np.zeros((10, 2)), "'weights' must be int32"),
        ("linear", "weights", np.zeros(20, np.int32), "'weights' must be int32"),
        ("linear", "weights", np.zeros((3, 2), np.int32), "'weights' must be int32"),
        ("linear", "wordless", np.array([0, 2, 0], np.int32), r"'wordless' must lie in 0\.\.1, got 0 to 2"),
        ("linear", "vocabulary.offsets", np.array([0, 5, 3, 39]), "the offsets of 'vocabulary' do not rise"),
        ("linear", "vocabulary.offsets", np.array([], np.int64), "the offsets of 'vocabulary' do not rise"),
        ("linear", "vocabulary.offsets", np.array([0, 999]), r"must lie in 0\.\."),
        ("linear", "vocabulary.bytes", np.full(45, 255, np.uint8), "'vocabulary'"),
        ("ballots", "ballots", np.full((10, 2), 2000), "'ballots' must"),
        ("ballots", "rows", np.array([0, 6]), r"'rows' must lie in 1\.\."),
    ],
    ids=str,
)
def test_arrays_that_do_not_fit(kind, name, array, message, tmp_path: Path):
    path = saved(kind, tmp_path)
    change(path, name, array)
    with pytest.raises(ModelError, match=message):
        load(path)


def test_a_vocabulary_out_of_order(tmp_path: Path):
    path = saved("linear", tmp_path)
    data = load_file(path / "model.safetensors")["vocabulary.bytes"].copy()
    data[0] = ord("z")
    change(path, "vocabulary.bytes", data)
    with pytest.raises(ModelError, match="the vocabulary is not sorted, or holds a word twice"):
        load(path)


def test_bytes_that_are_no_text(tmp_path: Path):
    path = saved("linear", tmp_path)
    data = load_file(path / "model.safetensors")["vocabulary.bytes"].copy()
    data[-1] = 255
    change(path, "vocabulary.bytes", data)
    with pytest.raises(ModelError, match="'vocabulary' is no UTF-8"):
        load(path)


def test_a_learner_of_other_types_than_the_config_says(tmp_path: Path):
    path = saved("scikit", tmp_path)
    change_config(path, learner_types=["builtins.dict"])
    with pytest.raises(ModelError, match=r"holds other types than config\.json says"):
        load(path)


def test_a_learner_file_that_is_none(tmp_path: Path):
    path = saved("scikit", tmp_path)
    (path / "learner.skops").write_bytes(b"PK no zip")
    sign(path)
    with pytest.raises(ModelError, match=r"learner\.skops cannot be read"):
        load(path)


def test_a_learner_for_another_number_of_groups(tmp_path: Path):
    path = saved("scikit", tmp_path)
    change_config(path, settings__groups=4)
    with pytest.raises(ModelError, match="holds 3 base models for 4 groups"):
        load(path)


@pytest.mark.parametrize("dials", [{"sharpness": 1e9, "cap": 0.1}, {"sharpness": 8.0, "cap": -5.0}, None])
def test_dials_that_no_ballot_was_made_with(dials, tmp_path: Path):
    path = saved("ballots", tmp_path)
    change_config(path, dials=dials)
    with pytest.raises(ModelError, match=r"config\.json.*dials"):
        load(path)


@pytest.mark.parametrize(("name", "value"), [("ballots", 1024), ("holding", 1_000_000)])
def test_words_that_hold_more_than_there_is(name, value, tmp_path: Path):
    path = saved("ballots", tmp_path)
    arrays = load_file(path / "model.safetensors")
    arrays[name] = np.full_like(arrays[name], value)
    save_file(arrays, path / "model.safetensors")
    sign(path)
    with pytest.raises(ModelError, match="more than one ballot, or stands in more rows"):
        load(path)
