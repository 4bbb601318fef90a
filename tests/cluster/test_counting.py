"""Rows in many files make the model that they make in one: whatever their order, and whatever is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from many_files import some_rows, write_csv, write_parquet

from textward import DataError, TextGuard, UsageError
from textward.data.dataset import fragments
from textward.errors import LostWorkerError

ROWS = some_rows()
ON_RAY = pytest.mark.xdist_group("ray")
LEARNERS = {"ballots": {"groups": "words"}, "linear": {"groups": 5}, "steady": {"groups": "words", "rows": 2}}


def saved(guard: TextGuard, path: Path) -> dict[str, Any]:
    """All that is saved of a model, less the time it took."""
    guard.save(path)
    config = json.loads((path / "config.json").read_text())
    del config["training"]["seconds"]
    return {"config": config, "tensors": (path / "model.safetensors").read_bytes()}


@pytest.mark.parametrize("settings", LEARNERS.values(), ids=LEARNERS)
def test_any_order_and_any_cut_give_the_same_model(tmp_path: Path, settings: dict[str, Any]) -> None:
    folders = [
        write_parquet(ROWS, tmp_path / "one", files=1),
        write_parquet(ROWS, tmp_path / "many", files=7, seed=3),
        write_csv(ROWS, tmp_path / "csv", files=4),
    ]
    models = [
        saved(TextGuard(**settings).fit_files(folder), tmp_path / f"model-{number}")
        for number, folder in enumerate(folders)
    ]
    spread = TextGuard(n_jobs=2, **settings).fit_files(folders[1])
    assert models[0] == models[1] == models[2] == saved(spread, tmp_path / "spread")
    assert models[0]["config"]["training"]["digest"].startswith("sum-")
    plain = saved(TextGuard(**settings).fit(ROWS["text"], ROWS["label"].to_list()), tmp_path / "plain")
    assert plain["tensors"] == models[0]["tensors"]
    assert plain["config"]["training"]["class_counts"] == models[0]["config"]["training"]["class_counts"]


def test_fragments_of_one_file_are_counted_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_parquet(ROWS, tmp_path / "rows", files=2)
    whole = saved(TextGuard("words").fit_files(folder), tmp_path / "whole")
    cut = fragments(folder, rows=37)
    assert sum(one.rows or 0 for one in cut) == len(ROWS) and len(cut) == 2 * -(-300 // 37)
    monkeypatch.setattr("textward.estimator.textguard.fragments", lambda source: fragments(source, rows=37))
    assert saved(TextGuard("words").fit_files(folder), tmp_path / "cut") == whole


@ON_RAY
@pytest.mark.parametrize("settings", [LEARNERS["ballots"], LEARNERS["linear"]], ids=["ballots", "linear"])
def test_a_cluster_that_loses_a_worker_and_a_node_counts_the_same(
    tmp_path: Path, cluster: Any, trouble: Callable[[int, int], None], settings: dict[str, Any]
) -> None:
    folder = write_parquet(some_rows(60_000), tmp_path / "rows", files=12, seed=1)
    afar = TextGuard(engine=cluster.engine, **settings).fit_files(folder, progress=trouble)
    here = TextGuard(**settings).fit_files(folder)
    assert afar.training_.n == 60_000
    assert saved(afar, tmp_path / "afar") == saved(here, tmp_path / "here")


def damage(folder: Path) -> None:
    file = folder / "part-002.parquet"
    content = bytearray(file.read_bytes())
    content[8:200] = bytes(192)
    file.write_bytes(content)


@pytest.mark.parametrize("spoil", ["damaged", "cut short", "no label"])
def test_a_bad_block_is_named_and_stops_the_run_or_is_passed_over(tmp_path: Path, spoil: str) -> None:
    folder = write_parquet(ROWS, tmp_path / "rows", files=6)
    bad = folder / "part-002.parquet"
    if spoil == "damaged":
        damage(folder)
    elif spoil == "cut short":
        bad.write_bytes(bad.read_bytes()[:-10])
    else:
        pl.read_parquet(bad).with_columns(label=pl.lit(None, pl.String)).write_parquet(bad)
    with pytest.raises(
        DataError, match=r"block 3 of 6 \(.*part-002.parquet.*\) failed: .*--on-bad-block skip"
    ):
        TextGuard("words").fit_files(folder)
    guard = TextGuard("words").fit_files(folder, on_bad_block="skip")
    assert [(Path(one.name.split(",")[0]).name, one.rows) for one in guard.skipped_] == [
        (bad.name, None if spoil == "cut short" else 100)
    ]
    good = tmp_path / "good"
    folder.rename(good)
    (good / bad.name).unlink()
    without = TextGuard("words").fit_files(good)
    assert saved(guard, tmp_path / "skipped") == saved(without, tmp_path / "without")
    assert guard.training_.n == 500 and not without.skipped_


@ON_RAY
def test_a_block_that_kills_its_workers_is_passed_over_where_asked(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from textward.engine.cluster import Ray

    folder = write_parquet(ROWS, tmp_path / "rows", files=3)
    guard = TextGuard("words", engine=Ray(cluster.address, retries=1), words=deadly_words)
    poisoned = pl.read_parquet(folder / "part-001.parquet").with_columns(text=pl.lit("DIE"))
    poisoned.write_parquet(folder / "part-001.parquet")
    with pytest.raises(LostWorkerError, match=r"block 2 of 3 \(.*part-001.parquet.*its worker was lost"):
        guard.fit_files(folder)
    monkeypatch.setattr("textward.estimator.blocks.unstable", lambda *_: None)  # it would die of it here, too
    guard.fit_files(folder, on_bad_block="skip")
    assert [one.rows for one in guard.skipped_] == [200] and guard.training_.n == 400


def deadly_words(text: str) -> list[str]:
    import os

    if text == "DIE":
        os._exit(1)
    return text.split()


def test_other_learners_read_all_rows_first(tmp_path: Path) -> None:
    from sklearn.naive_bayes import MultinomialNB

    folder = write_parquet(ROWS, tmp_path / "rows", files=3)
    guard = TextGuard(3, MultinomialNB()).fit_files(folder)
    plain = TextGuard(3, MultinomialNB()).fit(ROWS["text"], ROWS["label"].to_list())
    assert guard.predict(ROWS["text"]).tolist() == plain.predict(ROWS["text"]).tolist()
    assert guard.training_.digest == plain.training_.digest


def test_an_address_is_read_through_fsspec(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="needs the extra: pip install 'textward[ray]'")
    folder = write_parquet(ROWS, tmp_path / "rows", files=3)
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/textward-rows", recursive=True)
    try:
        near = TextGuard("words").fit_files(folder)
        afar = TextGuard("words").fit_files("memory://textward-rows")
        assert saved(near, tmp_path / "near") == saved(afar, tmp_path / "afar")
    finally:
        memory.rm("/textward-rows", recursive=True)


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"empty: holds no table; those read are \.csv"):
        TextGuard("words").fit_files(tmp_path / "empty")
    with pytest.raises(DataError, match="no-such-system"):
        TextGuard("words").fit_files("no-such-system://rows")
    folder = write_parquet(ROWS, tmp_path / "rows", files=2)
    with pytest.raises(UsageError, match="on_bad_block must be 'stop' or 'skip', got 'ask'"):
        TextGuard("words").fit_files(folder, on_bad_block="ask")
    one_class = write_parquet(ROWS.with_columns(label=pl.lit("good")), tmp_path / "one", files=2)
    with pytest.raises(DataError, match="every row has the label 'good'"):
        TextGuard("words").fit_files(one_class)
    for file in folder.iterdir():
        file.write_bytes(b"no Parquet")
    with pytest.raises(DataError, match="every block was passed over"):
        TextGuard("words").fit_files(folder, on_bad_block="skip")
