from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from unittest import mock

import pytest

from textward.data import read_batches, read_lines, read_table
from textward.errors import DataError, UsageError

CSV = b"text,label\nfine,1\n"
JSON = b'{"text": "fine", "label": 1}\n'


def packed(content):
    return gzip.compress(content, mtime=0)  # the time would make two test runs' names differ


def piped(content, **settings):
    table = read_table("-", stdin=io.BytesIO(content), **settings)
    return list(zip(table.texts.to_list(), table.labels.to_list(), strict=True))


def refusal(source, kind=DataError, read=read_table, **settings):
    with pytest.raises(kind) as caught:
        list(read(source, **settings)) if read is not read_table else read(source, **settings)
    return str(caught.value)


# ---- standard input ----


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        b"\xef\xbb\xbf" + CSV,
        b"\n\n" + CSV,
        CSV.replace(b"\n", b"\r"),
        CSV.replace(b",", b"\t"),
        JSON,
        b"\xef\xbb\xbf\n  " + JSON,
        JSON.replace(b" ", b"\t"),
    ],
)
def test_standard_input_is_looked_at(content):
    assert piped(content) == [("fine", "1")]


def test_a_header_with_tabs_and_commas_is_csv():
    assert piped(b'"te\txt",label\nfine,1\n', text_column="te\txt") == [("fine", "1")]


def test_standard_input_arrives_in_drops():
    class Drops(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 1))

    for content in (CSV, JSON, b"\xef\xbb\xbf" + CSV):
        table = read_table("-", stdin=Drops(content))
        assert (table.texts.to_list(), table.labels.to_list()) == (["fine"], ["1"])


def test_standard_input_itself_is_read_where_none_is_given():
    with mock.patch.object(sys, "stdin", mock.Mock(buffer=io.BytesIO(CSV))):
        assert read_table("-").texts.to_list() == ["fine"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "standard input: is empty. Give at least one row."),
        (b"\n\n", "standard input: is empty."),
        (b"fine\n", "standard input, header (line 1): no column 'text'; the columns are 'fine'."),
        (b"text,label\n", "standard input: has a header and no rows."),
        (b"text,label\nfine,\n", "standard input, row 1 (line 2), column 'label': the label is empty"),
        (b'[\n{"text": "a", "label": 1}]', "standard input, row 1 (line 1): is not valid JSON"),
        (b'[{"text": "a", "label": 1}]', "a JSON array is turned into that by: jq -c '.[]'"),
        (packed(CSV), "standard input: is gzip, and only UTF-8 text can be read in this way."),
        (
            b"PAR1rest",
            "standard input: is Parquet, and only UTF-8 text can be read in this way. Give it as a file",
        ),
        (b"PK\x03\x04rest", "is a ZIP archive, or a spreadsheet, and only UTF-8 text"),
        (CSV.decode().encode("utf-16"), "standard input: is UTF-16 (little-endian byte-order mark)"),
        (b"x" * 6_000_000, "standard input, header (line 1): no column 'text'; the columns are 'xxxx"),
    ],
)
def test_what_standard_input_may_not_be(content, message):
    assert message in refusal("-", stdin=io.BytesIO(content))


# ---- files ----


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv.gz", CSV), ("A.CSV.GZ", CSV), ("a.b.tsv.gz", CSV.replace(b",", b"\t")), ("a.jsonl.gz", JSON)],
)
def test_gzip_is_unpacked(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(packed(content))
    assert read_table(path).texts.to_list() == ["fine"]
    assert read_table(str(path)).texts.to_list() == ["fine"]


def test_gzip_of_several_members(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(packed(CSV) + packed(b"bad,0\n"))
    assert read_table(path).texts.to_list() == ["fine", "bad"]


@pytest.mark.parametrize(
    "content",
    [
        packed(CSV * 1_000)[:-12],
        CSV,
        packed(CSV)[:10] + b"\xff" * 40,
        packed(CSV) + b"junk",
    ],
)
def test_gzip_that_is_not_whole(tmp_path, content):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(content)
    assert "a.csv.gz: is not whole gzip (" in refusal(path)


def test_gzip_in_a_file_that_does_not_say_so(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(packed(CSV))
    assert (
        "a.csv: is gzip, and only UTF-8 text can be read in this way. Add .gz to the file's name"
        in refusal(path)
    )


def test_a_file_that_is_not_there(tmp_path):
    said = refusal(tmp_path / "none.csv")
    assert said.endswith("none.csv: there is no such file. Check the path, or give - to read standard input.")


def test_a_directory(tmp_path):
    assert refusal(tmp_path).endswith("is a directory, not a file. Name one file in it.")
    assert refusal("") == "'': is a directory, not a file. Name one file in it."


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_file_the_system_will_not_open(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(CSV)
    with mock.patch.object(Path, "open", side_effect=PermissionError(13, "Permission denied")):
        said = refusal(path)
    assert said.endswith(f"{name}: cannot be read (Permission denied). Check the path and its permissions.")


def test_a_file_that_breaks_off_while_it_is_read():
    class Broken(io.BytesIO):
        def read(self, size=-1):
            if self.tell():
                raise OSError(5, "Input/output error")
            return super().read(5)

    said = refusal("-", stdin=Broken(CSV))
    assert said == "standard input: cannot be read (Input/output error). Check the path and its permissions."


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.xlsx", "the suffix '.xlsx' says no format that is read here; those read are .csv, .tsv, .jsonl"),
        ("a.txt", "the suffix '.txt' says no format"),
        ("a.gz", "the suffix '.gz' says no format"),
        ("a.parquet.gz", "the suffix '.parquet.gz' says no format"),
        ("a.csv.bz2", "the suffix '.bz2' says no format"),
        ("data", "a name without a suffix says no format"),
        (".csv", "a name without a suffix says no format"),
    ],
)
def test_a_suffix_that_says_no_format(tmp_path, name, message):
    path = tmp_path / name
    path.write_bytes(CSV)
    said = refusal(path, UsageError)
    assert message in said
    assert said.endswith("Rename or convert the file, or pipe CSV or JSON lines into -.")


def test_names_are_judged_before_anything_is_read(tmp_path):
    with pytest.raises(DataError):
        read_batches(tmp_path / "none.csv")
    with pytest.raises(DataError):
        read_lines(tmp_path / "none.txt")


def test_hostile_file_names_are_shown_escaped(tmp_path):
    path = tmp_path / "a\x1b[31m\u202e\n.csv"
    assert r"a\x1b[31m\u202e\n.csv: there is no such file." in refusal(path)
    path.write_bytes(b"text,label\nfine,\n")
    said = refusal(path)
    assert r"a\x1b[31m\u202e\n.csv, row 1 (line 2)" in said
    assert said.isprintable()
    assert "no such file" in refusal("a\x00b.csv")
    assert r"\udcff.csv: there is no such file" in refusal(os.fsdecode(b"\xff.csv"))
    assert "x" * 300 in refusal("x" * 300 + ".csv")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_rows": 0}, "batch_rows must be at least 1, got 0"),
        ({"max_text_bytes": 0}, r"max_text_bytes must lie in [1, 2147483647], got 0"),
        ({"max_text_bytes": 2**31}, "got 2147483648"),
        ({"text_column": "a", "label_column": "a"}, "cannot be in one column, got 'a' for both"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    assert message in refusal("-", UsageError, stdin=io.BytesIO(CSV), **settings)


# ---- plain lines ----


def lines(content, **settings):
    return [text for batch in read_lines("-", stdin=io.BytesIO(content), **settings) for text in batch.texts]


def test_each_line_is_a_text_and_blank_ones_are_kept():
    assert lines(b"fine\r\n\n bad \nlast") == ["fine", "", " bad ", "last"]
    assert lines(b"\xef\xbb\xbfone\rtwo\n") == ["one\rtwo"]
    assert lines(b"a,b\n{}\n", batch_rows=1) == ["a,b", "{}"]


def test_lines_of_a_file_of_any_suffix(tmp_path):
    (tmp_path / "a.log").write_bytes(b"fine\n")
    (tmp_path / "a.txt.gz").write_bytes(packed(b"fine\n"))
    for name in ("a.log", "a.txt.gz"):
        assert next(read_lines(tmp_path / name)).texts.to_list() == ["fine"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "standard input: is empty. Give at least one row."),
        (b"a\nb\x00\n", r"standard input, row 2 (line 2): holds a NUL byte (\x00)."),
        (b"a\n\xff\n", "standard input, row 2 (line 2), byte 1 of the line: 0xff does not belong in UTF-8."),
        (b"a\n" + b"b" * 2_000, "row 2 (line 2): the text has 2,000 bytes, more than the 1,999 allowed."),
        (
            b"a\n" + b"b" * 2_002,
            "row 2 (line 2): the line has no end within what a text of 1,999 bytes may need.",
        ),
    ],
)
def test_lines_that_cannot_be(content, message):
    said = refusal("-", read=read_lines, stdin=io.BytesIO(content), max_text_bytes=1_999)
    assert message in said
