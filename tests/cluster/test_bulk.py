"""Many files predicted: one row for each row, whatever stops or is lost in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from many_files import some_rows, write_csv, write_parquet
from polars.testing import assert_frame_equal

from textward import DataError, TextGuard, UsageError

ROWS = some_rows()
MODELS = {
    kind: TextGuard(**settings).fit(ROWS["text"], ROWS["label"].to_list())
    for kind, settings in {
        "ballots": {"groups": "words"}, "linear": {"groups": 5},
        "empirical": {"groups": 3, "mode": "empirical"}, "cascade": {"groups": "words", "cascade": "tfidf"},
    }.items()
}  # fmt: skip


def parts(out: Path) -> pl.DataFrame:
    return pl.read_parquet(out / "*.parquet")


@pytest.mark.parametrize("kind", MODELS)
def test_what_is_written_is_what_the_model_says(tmp_path: Path, kind: str) -> None:
    guard = MODELS[kind]
    folder = write_parquet(ROWS, tmp_path / "rows", files=4)
    made = guard.predict_files(folder, tmp_path / "out", label_column="label")
    found = parts(tmp_path / "out")
    assert (made.rows, made.parts, made.found, made.skipped) == (600, 4, 0, ())
    assert found["label"].to_list() == guard.predict(ROWS["text"]).tolist()
    assert found["votes"].struct.unnest().to_numpy().tolist() == guard.tally(ROWS["text"]).tolist()
    assert found["truth"].to_list() == ROWS["label"].to_list()
    assert found["right"].to_list() == (found["label"] == ROWS["label"]).to_list()
    assert found["row"].to_list() == [*range(1, 151)] * 4
    if kind == "empirical":
        assert found["radius"].null_count() == 600
    elif kind == "cascade":
        handed = guard.certify(ROWS["text"]).handed_over
        assert handed.any() and found["radius"].is_null().to_list() == handed.tolist()
    else:
        assert found["radius"].to_list() == guard.certify(ROWS["text"]).radius.tolist()


def test_other_formats_without_labels_give_one_row_each(tmp_path: Path) -> None:
    folder = write_csv(ROWS, tmp_path / "rows", files=3)
    made = MODELS["ballots"].predict_files(folder, tmp_path / "out")
    found = parts(tmp_path / "out")
    assert made.rows == len(found) == 600 and "truth" not in found.columns
    assert len(found.select("file", "row").unique()) == 600


def test_a_run_that_stopped_does_the_rest_alone(tmp_path: Path) -> None:
    guard, folder, out = MODELS["linear"], write_parquet(ROWS, tmp_path / "rows", files=6), tmp_path / "out"

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guard.predict_files(folder, out, progress=stop)
    first = {file.name: file.stat().st_mtime_ns for file in out.glob("*.parquet")}
    assert len(first) == 3
    made = guard.predict_files(folder, out)
    assert (made.rows, made.parts, made.found) == (600, 6, 3)
    assert {name: (out / name).stat().st_mtime_ns for name in first} == first
    guard.predict_files(folder, tmp_path / "undisturbed")
    assert_frame_equal(parts(out), parts(tmp_path / "undisturbed"))
    assert json.loads((out / "_done.json").read_text())["rows"] == 600


def test_parts_of_another_run_are_refused(tmp_path: Path) -> None:
    folder, out = write_parquet(ROWS, tmp_path / "rows", files=2), tmp_path / "out"
    MODELS["linear"].predict_files(folder, out)
    with pytest.raises(UsageError, match="holds predictions of another model"):
        MODELS["ballots"].predict_files(folder, out)
    ROWS[:10].write_parquet(folder / "part-000.parquet")
    with pytest.raises(UsageError, match="files that were changed since"):
        MODELS["linear"].predict_files(folder, out)
    with pytest.raises(UsageError, match="is there and not empty"):
        MODELS["linear"].predict_files(folder, folder)


def test_a_bad_block_stops_or_is_passed_over_and_done_once_it_is_mended(tmp_path: Path) -> None:
    guard, folder, out = MODELS["ballots"], write_parquet(ROWS, tmp_path / "rows", files=3), tmp_path / "out"
    bad = folder / "part-001.parquet"
    pl.read_parquet(bad).with_columns(text=pl.lit(None, pl.String)).write_parquet(bad)
    with pytest.raises(DataError, match=r"block 2 of 3 \(.*part-001.*\) failed: .*text is missing"):
        guard.predict_files(folder, out)
    made = guard.predict_files(folder, out, on_bad_block="skip")
    assert made.rows == len(parts(out)) == 400 and [one.rows for one in made.skipped] == [200]


@pytest.mark.xdist_group("ray")
def test_a_cluster_that_loses_a_worker_and_a_node_predicts_the_same(
    tmp_path: Path, cluster: Any, trouble: Callable[[int, int], None]
) -> None:
    folder = write_parquet(some_rows(40_000, seed=5), tmp_path / "rows", files=12)
    guard = MODELS["ballots"]
    guard.predict_files(folder, tmp_path / "here")
    afar = TextGuard("words", engine=cluster.engine).fit(ROWS["text"], ROWS["label"].to_list())
    made = afar.predict_files(folder, tmp_path / "afar", progress=trouble)
    assert made.rows == 40_000 and made.parts == 12
    assert_frame_equal(parts(tmp_path / "afar"), parts(tmp_path / "here"))
    assert sorted(file.name for file in (tmp_path / "afar").iterdir() if file.name.startswith(".")) == []
