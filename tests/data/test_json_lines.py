from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textward.data import read_batches, read_table
from textward.data.jsonlines import read_json_lines
from textward.data.rows import Wanted
from textward.errors import DataError

GOOD = '{"text": "fine", "label": 1}\n'


@pytest.fixture
def read(tmp_path):
    """Write bytes under a name and read them back as rows."""

    def rows(content, name="a.jsonl", **settings):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        table = read_table(path, **settings)
        if table.labels is None:
            return table.texts.to_list()
        return list(zip(table.texts.to_list(), table.labels.to_list(), strict=True))

    return rows


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "A.JSONL"])
def test_json_lines_by_any_of_their_names(read, name):
    assert read(GOOD, name) == [("fine", "1")]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (GOOD.strip(), [("fine", "1")]),
        ("\n \r\n" + GOOD + "\n\n" + GOOD, [("fine", "1")] * 2),  # blank lines
        ("\ufeff" + GOOD, [("fine", "1")]),
        (GOOD.replace("\n", "\r\n"), [("fine", "1")]),
        ('{"label": " good ", "id": [1], "text": " a "}', [(" a ", "good")]),
        ('{"text": "\\ud83d\\ude00 \\u4f60", "label": -3}', [("😀 你", "-3")]),
        ('{"text": "", "label": "x"}', [("", "x")]),
        ('{"text": "a\u2028b\\nc", "label": "x"}', [("a\u2028b\nc", "x")]),
        ('{"text": "a", "label": "x"}\n{"text": "b", "label": 7}', [("a", "x"), ("b", "7")]),
    ],
)
def test_json_lines_as_they_come(read, content, rows):
    assert read(content) == rows


def test_columns_by_name(read):
    assert read('{"review": "fine"}', text_column="review", label_column=None) == ["fine"]
    assert read('{"a": "fine", "b": 1}', text_column="a", label_column="b") == [("fine", "1")]


@given(
    rows=st.lists(
        st.tuples(
            st.text(st.characters(exclude_characters="\x00", codec="utf-8")),
            st.one_of(st.integers(), st.text(st.sampled_from("ab c"), min_size=1).filter(str.strip)),
        ),
        min_size=1,
        max_size=9,
    ),
    escaped=st.booleans(),
    cut=st.integers(1, 40),
    batch=st.integers(1, 4),
)
def test_whatever_json_writes_is_read_back_however_the_bytes_arrive(rows, escaped, cut, batch):
    lines = [json.dumps({"text": t, "label": y}, ensure_ascii=escaped) for t, y in rows]
    content = "\n".join(lines).encode()
    blocks = (content[i : i + cut] for i in range(0, len(content), cut))
    found = [
        row
        for one in read_json_lines("a.jsonl", blocks, Wanted(batch_rows=batch))
        for row in zip(one.texts.to_list(), one.labels.to_list(), strict=True)
    ]
    assert found == [(text, str(label).strip()) for text, label in rows]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"text": "x", "label": 1',
            "is not valid JSON (Expecting ',' delimiter, character 25). Write one JSON object a line.",
        ),
        ("fine", "is not valid JSON (Expecting value, character 1). Write one JSON object a line."),
        ("[" * 100_000, "is not valid JSON ("),
        ('{"text": "x", "label": ' + "9" * 5_000 + "}", "is not valid JSON ("),
        (
            '[{"text": "x", "label": 1}]',
            "is a list, not an object. Write one JSON object a line; a JSON array is turned into that by: "
            "jq -c '.[]'",
        ),
        ("[", "Write one JSON object a line; a JSON array is turned into that by: jq -c '.[]'."),
        ("12.5", "is a number, not an object."),
        ('"text"', "is a string, not an object."),
        ("null", "is null, not an object."),
        ("true", "is true or false, not an object."),
        (
            '{"Text": "x", "label": 1}',
            "no column 'text'; the columns are 'Text', 'label'. Did you mean --text-column 'Text'?",
        ),
        (
            '{"text": "x"}',
            "no column 'label'; the columns are 'text'. Name the right one with --label-column.",
        ),
        ('{"text": 5}', "no column 'label'; the columns are 'text'."),
        ("{}", "no column 'text'; there are no columns at all. Add it."),
        (
            '{"text": 5, "label": 1}',
            "column 'text': the text is a number (5), not a string. Write it in quotes, or drop the row.",
        ),
        ('{"text": null, "label": 1}', "column 'text': the text is missing (null), not a string."),
        ('{"text": ["x"], "label": 1}', "column 'text': the text is a list, not a string."),
        ('{"text": {}, "label": 1}', "column 'text': the text is an object, not a string."),
        (
            '{"text": "x", "label": 1.0}',
            "column 'label': the label is a number (1.0), neither a string nor an integer. Write it as one "
            "of them, or drop the row.",
        ),
        (
            '{"text": "x", "label": true}',
            "column 'label': the label is true or false (true), neither a string",
        ),
        ('{"text": "x", "label": null}', "column 'label': the label is missing (null), neither"),
        ('{"text": "x", "label": NaN}', "column 'label': the label is a number (NaN), neither"),
        ('{"text": "x", "label": " "}', "column 'label': the label is empty. Give every row a label"),
        (
            '{"text": "a\\ud800b", "label": 1}',
            r"column 'text': holds half of a surrogate pair (\ud800), which is no character. "
            "Write the whole pair",
        ),
        ('{"text": "x", "label": "\\udfff"}', r"column 'label': holds half of a surrogate pair (\udfff)"),
        ('{"text": "a\\u0000b", "label": 1}', r"column 'text': holds a NUL byte (\x00)."),
        ('{"text": "x", "label": "1\\u0000"}', r"column 'label': holds a NUL byte (\x00)."),
        ('{"text": "a\tb", "label": 1}', "is not valid JSON (Invalid control character at, character 12)."),
    ],
)
def test_a_bad_line_is_named_with_its_row_and_line(read, line, message):
    with pytest.raises(DataError) as caught:
        read(GOOD + "\n" + GOOD + line + "\n" + GOOD)
    said = str(caught.value)
    assert re.search(r"a\.jsonl, row 3 \(line 4\)[:,]", said)
    assert message in said


def test_bytes_outside_utf_8_are_named(read):
    with pytest.raises(
        DataError, match=r"row 2 \(line 2\), byte 11 of the line: 0xe9 does not belong in UTF-8"
    ):
        read(GOOD.encode() + b'{"text": "\xe9"}\n')


@pytest.mark.parametrize("content", ["", "\n", " \n\n"])
def test_an_empty_file(read, content):
    with pytest.raises(DataError, match=r"a\.jsonl: is empty\. Give at least one row\."):
        read(content)


@pytest.mark.parametrize("batch_rows", [1, 7, 100_000])
def test_the_first_bad_row_is_the_one_named(read, batch_rows):
    bad = '{"text": 1, "label": 2}\n'
    with pytest.raises(DataError, match=r"row 201 \(line 201\), column 'text'"):
        read(GOOD * 200 + bad + GOOD * 50 + "broken\n", batch_rows=batch_rows)
    with pytest.raises(DataError, match=r"row 201 \(line 201\): is not valid"):
        read(GOOD * 200 + "broken\n" + GOOD * 50 + bad, batch_rows=batch_rows)


def test_batches_have_the_rows_asked_for(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text((GOOD + "\n") * 100)
    batches = list(read_batches(path, batch_rows=30))
    assert [(batch.first_row, len(batch.texts)) for batch in batches] == [
        (1, 30),
        (31, 30),
        (61, 30),
        (91, 10),
    ]


def test_a_text_of_ten_megabytes(read):
    text = "x" * 10 * 2**20
    line = json.dumps({"text": text, "label": 1})
    assert read(line, max_text_bytes=10 * 2**20) == [(text, "1")]
    escaped = line.replace("x", "\\u0078")
    assert read(escaped, max_text_bytes=10 * 2**20) == [(text, "1")]
    with pytest.raises(
        DataError, match=r"row 1 \(line 1\), column 'text': the text has 10,485,760 bytes, more than"
    ):
        read(line, max_text_bytes=10 * 2**20 - 1)
    with pytest.raises(
        DataError, match=r"row 1 \(line 1\): the line has no end within what a text of 1,000 bytes"
    ):
        read(line, max_text_bytes=1_000)
