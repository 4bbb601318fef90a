"""Poisoned rows on disk: what is written is what is read, and provenance belongs to its rows."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textward.attacks import BadWord
from textward.attacks.files import (
    provenance,
    provenance_path,
    read_poisoned_rows,
    write_provenance,
    write_rows,
)
from textward.data import read_table
from textward.errors import DataError, UsageError

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)
LABEL = st.text(
    st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=5
).filter(lambda label: label.strip() == label and label)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(rows=st.lists(st.tuples(TEXT, LABEL), min_size=1, max_size=4))
def test_what_is_written_is_what_is_read(tmp_path, suffix, rows):
    texts, labels = map(list, zip(*rows, strict=True))
    path = write_rows(tmp_path / f"rows{suffix}", pl.Series(texts), labels)
    table = read_table(path)
    assert table.texts.to_list() == texts
    assert table.labels.to_list() == labels
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_provenance_names_rows_and_words_and_belongs_to_them(tmp_path):
    texts = pl.Series([f"film {i}" for i in range(20)])
    poisoned = BadWord().poison(texts, ["0", "1"] * 10, rate=0.2, target="1", seed=4)
    path = write_rows(tmp_path / "rows.csv", poisoned.texts, poisoned.labels)
    write_provenance(path, poisoned, rate=0.2, setting="mixed")
    table = read_table(path)
    assert read_poisoned_rows(path, table.texts, table.labels).tolist() == poisoned.rows.tolist()
    found = provenance(poisoned, rate=0.2)
    assert found["attack"] == repr(BadWord())
    assert found["rate"] == 0.2
    assert found["gained"] == [poisoned.inserted(row) for row in poisoned.rows.tolist()]
    with pytest.raises(DataError, match=r"rows\.csv\.poison\.json: is of other rows"):
        read_poisoned_rows(path, table.texts, table.labels.reverse())
    provenance_path(path).write_text("{}")
    with pytest.raises(DataError, match="no provenance can be read"):
        read_poisoned_rows(path, table.texts, table.labels)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_rows(tmp_path / "nowhere" / "rows.csv", pl.Series(["a"]), ["b"])
    with pytest.raises(UsageError, match=r"rows are written as \.csv"):
        write_rows(tmp_path / "rows", pl.Series(["a"]), ["b"])


def test_a_failure_half_way_leaves_what_was_there(tmp_path):
    path = write_rows(tmp_path / "rows.csv", pl.Series(["a"]), ["b"])
    with pytest.raises(pl.exceptions.PolarsError):
        write_rows(path, pl.Series(["a", "c"]), ["b", "b", "b"])
    assert path.read_text() == "text,label\na,b\n"
    assert [file.name for file in tmp_path.iterdir()] == ["rows.csv"]
