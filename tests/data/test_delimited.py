from __future__ import annotations

import csv
import io
import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.data import read_batches, read_table
from textward.data.delimited import read_delimited
from textward.data.rows import Wanted
from textward.errors import DataError


@pytest.fixture
def read(tmp_path):
    """Write bytes under a name and read them back as rows."""

    def rows(content, name="a.csv", **settings):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        table = read_table(path, **settings)
        if table.labels is None:
            return table.texts.to_list()
        return list(zip(table.texts.to_list(), table.labels.to_list(), strict=True))

    return rows


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("text,label\nfine,1\nbad,0\n", [("fine", "1"), ("bad", "0")]),
        ("text,label\nfine,1", [("fine", "1")]),  # no last line end
        ("text,label\r\nfine,1\r\nbad,0\r\n", [("fine", "1"), ("bad", "0")]),
        ("text,label\rfine,1\rbad,0\r", [("fine", "1"), ("bad", "0")]),
        ("\n  \ntext,label\n\nfine,1\n\n\nbad,0\n\n", [("fine", "1"), ("bad", "0")]),  # blank lines
        ("\ufefftext,label\nfine,1\n", [("fine", "1")]),  # a byte-order mark
        ('text,label\n"one, ""two""\nthree",1\n', [('one, "two"\nthree', "1")]),
        ('text,label\n"one\r\ntwo\rthree",1\n', [("one\r\ntwo\rthree", "1")]),
        ("id,label,text,more\n7,1,fine,x\n", [("fine", "1")]),
        ("text,label\n,1\n", [("", "1")]),  # an empty text is a text
        ("text,label\n fine ,\t1 \n", [(" fine ", "1")]),  # a label's white space is not
        ('text,label\n5" tall,1\n', [('5" tall', "1")]),
        ("text,label\n你好 👩‍👩‍👧 \u202eabc,1\n", [("你好 👩‍👩‍👧 \u202eabc", "1")]),
        ("text,label\na\u2028b\x85c\x0bd,1\n", [("a\u2028b\x85c\x0bd", "1")]),  # no line ends in a CSV file
    ],
)
def test_csv_as_it_comes(read, content, rows):
    assert read(content) == rows


def test_tsv(read):
    assert read("text\tlabel\none, two\t1\n", "a.tsv") == [("one, two", "1")]
    assert read('text\tlabel\n"a\tb"\t1\n', "A.TSV") == [("a\tb", "1")]


def test_columns_by_name(read):
    content = "review,stars,text\nfine,5,x\n"
    assert read(content, text_column="review", label_column="stars") == [("fine", "5")]
    assert read(content, text_column="review", label_column=None) == ["fine"]


@given(
    rows=st.lists(
        st.tuples(
            st.text(st.characters(exclude_characters="\x00", codec="utf-8")),
            st.text(st.sampled_from("01ab,\"'\n "), min_size=1).filter(str.strip),
        ),
        min_size=1,
        max_size=9,
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    cut=st.integers(1, 40),
    batch=st.integers(1, 4),
    delimiter=st.sampled_from(",\t"),
)
@settings(deadline=None)
def test_whatever_the_csv_module_writes_is_read_back_however_the_bytes_arrive(
    rows, end, cut, batch, delimiter
):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "label"), *rows])
    content = buffer.getvalue().encode()
    blocks = (content[i : i + cut] for i in range(0, len(content), cut))
    batches = list(read_delimited("a.csv", blocks, delimiter, Wanted(batch_rows=batch)))
    texts = [text for found in batches for text in found.texts]
    labels = [label for found in batches for label in found.labels]
    assert list(zip(texts, labels, strict=True)) == [(text, label.strip()) for text, label in rows]
    assert [found.first_row for found in batches] == list(range(1, len(rows) + 1, batch))


HEAD = "text,label\nfine,1\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "a.csv: is empty. Give at least one row."),
        ("\n \n\n", "a.csv: is empty. Give at least one row."),
        ("text,label\n", "a.csv: has a header and no rows. Give at least one row."),
        ("text,label\n\n\n", "a.csv: has a header and no rows."),
        (
            "Text,label\nfine,1\n",
            "a.csv, header (line 1): no column 'text'; the columns are 'Text', 'label'. Did you mean "
            "--text-column 'Text'?",
        ),
        (
            "\ntext,stars\nfine,1\n",
            "a.csv, header (line 2): no column 'label'; the columns are 'text', 'stars'. Name the right one "
            "with --label-column.",
        ),
        (
            "text,label,text\nfine,1,x\n",
            "a.csv, header (line 1): 2 columns are named 'text', so which one to read is unclear. Rename all "
            "but one, or name another with --text-column.",
        ),
        ("fine,1\nbad,0\n", "no column 'text'; the columns are 'fine', '1'."),
        ("\x1b[2Jx,label\nfine,1\n", r"the columns are '\x1b[2Jx', 'label'."),
        (
            HEAD + "good,\n",
            "a.csv, row 2 (line 3), column 'label': the label is empty. Give every row a label, or drop "
            "those without; if 'label' is not the column of labels, use --label-column.",
        ),
        (
            HEAD + "good, \nx,1\ny,\t\n",
            "row 2 (line 3), column 'label': the label is empty (and 1 more row like it",
        ),
        (HEAD + "a,\nb,\nc,\n", "(and 2 more rows like it in this batch)"),
        (
            HEAD + "one, two,1\n",
            "a.csv, row 2 (line 3): 3 fields where the header has 2 ('text', 'label'). Put quotes (\") "
            "around a text that holds a comma or a line end.",
        ),
        (HEAD + "\n\nalone\n", "a.csv, row 2 (line 5): 1 field where the header has 2"),
        (
            HEAD + '"never\nclosed,1\nx,0\n',
            'a.csv, row 2 (line 3): a quote (") that opens in the row starting here is never closed. '
            'Close it, or write it "".',
        ),
        (
            'text,label\n"two\nlines",1\n\n"a" quote,1\n',
            'a.csv, row 2 (line 5): text follows a closing quote (") in line 5. Write a quote as "".',
        ),
        (HEAD + '"a\nb" c,1\n', 'row 2 (line 3): text follows a closing quote (") in line 4.'),
        ('text,"label\nx,1\n', 'a.csv, header (line 1): a quote (") that opens'),
        (
            (HEAD + "caf").encode() + b"\xe9,1\n",
            "a.csv, row 2 (line 3), byte 4 of the line: 0xe9 does not belong in UTF-8. Save the file as "
            "UTF-8.",
        ),
        (b"te\xffxt,label\n", "a.csv, header (line 1), byte 3 of the line: 0xff does not belong in UTF-8."),
        (b'text,label\n"one\ntw\xc3",1\n', "a.csv, row 1 (line 3), byte 3 of the line: 0xc3 does not belong"),
        (
            HEAD + "a\x00b,1\n",
            r"a.csv, row 2 (line 3), column 'text': holds a NUL byte (\x00). Remove it; a file full of them "
            "is often UTF-16, to be saved as UTF-8.",
        ),
        (HEAD + "ab,1\x00\n", r"a.csv, row 2 (line 3), column 'label': holds a NUL byte (\x00)."),
        (
            HEAD.encode("utf-16"),
            "a.csv: is UTF-16 (little-endian byte-order mark), and only UTF-8 text can be read",
        ),
        (b"\xfe\xff" + HEAD.encode("utf-16-be"), "a.csv: is UTF-16 (big-endian byte-order mark)"),
        (HEAD.encode("utf-32"), "a.csv: is UTF-32 (little-endian byte-order mark)"),
        (
            HEAD.encode("utf-16-le"),
            "a.csv, header (line 1): no column 'text'; the columns are 't\\x00e\\x00x\\x00t",
        ),
    ],
)
def test_what_is_no_table_is_refused_where_it_goes_wrong(read, content, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read(content)


def test_rows_and_lines_are_counted_through_quoted_line_ends_and_blank_lines(read):
    content = 'text,label\n"1\n\n1",a\n\r\n2,b\n\n"3\r\n3",\n'
    with pytest.raises(DataError, match=r"row 3 \(line 8\), column 'label': the label is empty"):
        read(content)
    with pytest.raises(DataError, match=r"row 3 \(line 8\), column 'label': the label is empty"):
        read(content, batch_rows=1)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_line_end_of_two_bytes_is_one_even_where_blocks_part_it(size):
    content = b"text,label\r\nfine,1\r\n\r\nbad,\r\n"
    blocks = (content[i : i + size] for i in range(0, len(content), size))
    with pytest.raises(DataError, match=r"row 2 \(line 4\), column 'label': the label is empty"):
        list(read_delimited("a.csv", blocks, ",", Wanted()))


def test_a_row_too_long_is_named_before_a_quote_left_open(read):
    with pytest.raises(DataError, match=r"row 2 \(line 3\): 3 fields"):
        read(HEAD + 'a,b,c\nd,e\n"f,g\n')


@pytest.mark.parametrize("batch_rows", [7, 256, 300, 70_000])
def test_the_first_bad_row_is_the_one_named(read, batch_rows):
    many = "".join(f"text {i},{i % 2}\n" for i in range(1, 601))
    with pytest.raises(DataError, match=r"row 601 \(line 602\), column 'label': the label is empty"):
        read(f"text,label\n{many}bad,\n{many}worse,1,1\n", batch_rows=batch_rows)
    with pytest.raises(DataError, match=r"row 601 \(line 602\): 3 fields"):
        read(f"text,label\n{many}worse,1,1\n{many}bad,\n", batch_rows=batch_rows)
    with pytest.raises(DataError, match=r"row 601 \(line 602\): a quote"):
        read(f'text,label\n{many}"bad,1\n{many}', batch_rows=batch_rows)
    with pytest.raises(DataError, match=r"row 601 \(line 602\), byte 1"):
        read(f"text,label\n{many}".encode() + b"\xff,1\n", batch_rows=batch_rows)


def test_batches_have_the_rows_asked_for(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "".join(f"text {i},{i}\n\n" for i in range(1_000)))
    batches = list(read_batches(path, batch_rows=300))
    assert [len(batch.texts) for batch in batches] == [300, 300, 300, 100]
    assert [batch.first_row for batch in batches] == [1, 301, 601, 901]
    assert [label for batch in batches for label in batch.labels] == [str(i) for i in range(1_000)]


def test_a_text_of_ten_megabytes_is_read_and_one_past_the_limit_is_refused(read):
    text = "naïve " * (10 * 2**20 // 7)
    assert read(f'text,label\n"{text}",1\n') == [(text, "1")]
    assert len(read(f"text,label\n{text},1\n", max_text_bytes=len(text.encode()))) == 1
    with pytest.raises(DataError) as caught:
        read(f"text,label\nfine,1\n{text},1\n", max_text_bytes=len(text))
    assert str(caught.value).endswith(
        f"a.csv, row 2 (line 3), column 'text': the text has {len(text.encode()):,} bytes, more than the "
        f"{len(text):,} allowed. Shorten or drop it, or check for a missing quote or line end before it."
    )
    with pytest.raises(
        DataError, match=r"row 2 \(line 3\): a field has more than the 3,000,000 characters allowed"
    ):
        read(f"text,label\nfine,1\n{text},1\n", max_text_bytes=3_000_000)


def test_a_quote_left_open_in_a_large_file_is_found_where_it_opens(read):
    rest = "x,1\n" * 400_000
    with pytest.raises(DataError, match=r"row 2 \(line 3\): a field has more than .* or close the quote"):
        read(f'text,label\nfine,1\n"open,1\n{rest}', max_text_bytes=200_000)


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(read):
    with pytest.raises(
        DataError, match=r"row 1 \(line 2\): the line has no end within what a text of 1,000 bytes"
    ):
        read(b"text,label\n" + b"x" * 4_000_000, max_text_bytes=1_000)


def test_the_csv_module_s_limit_is_put_back(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"text,label\n{'x' * 500_000},1\n")
    before = csv.field_size_limit()
    outer = read_batches(path)
    next(outer)
    assert csv.field_size_limit() == before
    with pytest.raises(DataError):
        list(read_batches(path, max_text_bytes=200_000))
    assert csv.field_size_limit() == before


def test_several_files_may_be_read_at_once(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + f"{'x' * 200_000},1\n" * 40)
    lengths: list[int] = []
    work = [threading.Thread(target=lambda: lengths.append(len(read_table(path).texts))) for _ in range(4)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert lengths == [40] * 4


def test_messages_name_many_columns_briefly_and_escape_them(read):
    header = ",".join([f"column {i}" for i in range(5_000)] + ["\x9b31m", "y" * 500])
    with pytest.raises(DataError) as caught:
        read(f"{header}\n1\n")
    assert len(str(caught.value)) < 600
    assert "'column 19' and 4,982 more" in str(caught.value)
