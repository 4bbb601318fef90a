from __future__ import annotations

import polars as pl
import pytest

from textward.data import read_batches, read_table
from textward.errors import DataError

FRAME = pl.DataFrame({"id": [1, 2, 3], "text": ["fine", "", "你好\x1b"], "label": ["good", " bad", "good"]})


@pytest.fixture
def write(tmp_path):
    """Write columns as a Parquet file and give its path."""

    def path_of(frame, name="a.parquet"):
        path = tmp_path / name
        pl.DataFrame(frame).write_parquet(path)
        return path

    return path_of


def test_strings(write):
    table = read_table(write(FRAME))
    assert table.texts.to_list() == ["fine", "", "你好\x1b"]
    assert table.labels.to_list() == ["good", "bad", "good"]
    assert table.texts.dtype == table.labels.dtype == pl.String


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["good", "bad"])])
def test_categories_are_read_as_their_strings(write, kind):
    frame = FRAME.with_columns(
        pl.col("label").str.strip_chars().cast(kind), pl.col("text").cast(pl.Categorical)
    )
    table = read_table(write(frame))
    assert table.labels.to_list() == ["good", "bad", "good"]
    assert table.texts.to_list() == FRAME["text"].to_list()


@pytest.mark.parametrize("kind", [pl.Int8, pl.UInt64, pl.Int64])
def test_integers_are_labels(write, kind):
    labels = read_table(write({"text": ["a", "b"], "label": pl.Series([7, 0], dtype=kind)})).labels
    assert labels.to_list() == ["7", "0"]


def test_columns_by_name_and_without_labels(write):
    path = write(FRAME)
    assert read_table(path, text_column="label", label_column="id").labels.to_list() == ["1", "2", "3"]
    assert read_table(path, label_column=None).labels is None


def test_the_same_rows_from_csv_have_the_same_digest(write, tmp_path):
    as_csv = tmp_path / "a.csv"
    FRAME.write_csv(as_csv)
    assert read_table(write(FRAME)).digest == read_table(as_csv).digest


@pytest.mark.parametrize("group", [1, 40, 1_000])
def test_batches_have_the_rows_asked_for_whatever_the_row_groups(tmp_path, group):
    path = tmp_path / "a.parquet"
    texts = [f"text {i}" for i in range(100)]
    pl.DataFrame({"text": texts, "label": ["x"] * 100}).write_parquet(path, row_group_size=group)
    batches = list(read_batches(path, batch_rows=30))
    assert [(batch.first_row, len(batch.texts)) for batch in batches] == [
        (1, 30),
        (31, 30),
        (61, 30),
        (91, 10),
    ]
    assert [text for batch in batches for text in batch.texts] == texts


def test_a_name_with_signs_of_a_pattern_means_just_that_file(write):
    write(FRAME, "b.parquet")
    for name in ("[ab].parquet", "*.parquet", "~a.parquet", "k=v.parquet"):
        assert len(read_table(write(FRAME.head(2), name)).texts) == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"Text": ["a"], "label": ["x"]},
            r"a\.parquet, header: no column 'text'; the columns are 'Text', 'label'\. Did you mean --text-",
        ),
        ({"text": ["a"]}, r"a\.parquet, header: no column 'label'; the columns are 'text'"),
        (
            {"text": [1.5], "label": ["x"]},
            r"column 'text': holds Float64, not strings\. Cast it to strings, or name",
        ),
        ({"text": [b"a"], "label": ["x"]}, "column 'text': holds Binary, not strings"),
        ({"text": [["a"]], "label": ["x"]}, r"column 'text': holds List\(String\), not strings"),
        (
            {"text": ["a"], "label": [1.0]},
            "column 'label': holds Float64; labels are strings or integers. Cast it",
        ),
        ({"text": ["a"], "label": [True]}, "column 'label': holds Boolean; labels are strings or integers"),
        ({"text": ["a"], "label": [None]}, "column 'label': holds Null; labels are"),
        (
            {"text": ["a", None, None], "label": ["x"] * 3},
            r"row 2, column 'text': the text is missing \(null\) \(and 1 more row like it in this batch\)",
        ),
        (
            {"text": ["a", "b"], "label": ["x", None]},
            r"row 2, column 'label': the label is missing \(null\)\. Give",
        ),
        ({"text": ["a", "b"], "label": [None, 1]}, r"row 1, column 'label': the label is missing \(null\)"),
        ({"text": ["a", "b"], "label": ["x", "\t"]}, "row 2, column 'label': the label is empty"),
        ({"text": ["a", "\x00"], "label": ["x", "y"]}, r"row 2, column 'text': holds a NUL byte \(\\x00\)"),
        ({"text": [], "label": []}, r"column 'text': holds Null, not strings"),
        (FRAME.clear(), r"a\.parquet: has columns and no rows\. Give at least one row\."),
        ({}, r"a\.parquet, header: no column 'text'; there are no columns"),
    ],
)
def test_what_a_file_must_hold(write, columns, message):
    with pytest.raises(DataError, match=message):
        read_table(write(columns))


def test_rows_are_numbered_through_the_batches(write):
    frame = {"text": [*"abcdefg", None], "label": ["x"] * 8}
    with pytest.raises(DataError, match="row 8, column 'text': the text is missing"):
        list(read_batches(write(frame), batch_rows=3))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda _: b"", "is empty. Give at least one row."),
        (
            lambda whole: whole[:-20],
            "is cut short. Write or fetch it again, or give it the suffix of its format.",
        ),
        (lambda _: b"text,label\nfine,1\n", "is not a Parquet file. Write or fetch it again, or give it"),
        (lambda _: b"PAR1", "is a damaged Parquet file ("),
        (lambda whole: whole[:-8] + b"\xff\xff\xff\x7f" + b"PAR1", "is a damaged Parquet file ("),
        (lambda whole: whole[:-300] + b"\x00" * 292 + whole[-8:], "is a damaged Parquet file ("),
        (
            lambda whole: whole[:4] + b"\xff" * (len(whole) // 3) + whole[4 + len(whole) // 3 :],
            "is a damaged Parquet",
        ),
    ],
)
def test_damage_is_said_in_one_line(write, damage, message):
    path = write({"text": ["some text"] * 500, "label": ["a"] * 500})
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_large_text_is_refused_past_the_limit(write):
    with pytest.raises(
        DataError, match=r"row 2, column 'text': the text has 3,000 bytes, more than the 2,000 allowed"
    ):
        read_table(write({"text": ["a", "b" * 3_000], "label": ["x", "y"]}), max_text_bytes=2_000)
