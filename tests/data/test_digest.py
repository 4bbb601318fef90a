from __future__ import annotations

import hashlib
from itertools import pairwise
from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textward.data import Digest, digest
from textward.errors import DataError

TEXT = st.text(st.characters(codec="utf-8"))


def by_hand(texts, labels):
    rows = hashlib.sha256()
    for i, text in enumerate(texts):
        for value in [text] if labels is None else [text, labels[i]]:
            rows.update(f"{len(value.encode())}:{value}".encode())
        if labels is None:
            rows.update(b"-")
    return rows.hexdigest()


def of(texts, labels=None, cuts=()):
    made = Digest()
    ends = [0, *sorted(cuts), len(texts)]
    for start, end in pairwise(ends):
        part = None if labels is None else pl.Series(labels[start:end], dtype=pl.String)
        made.update(pl.Series(texts[start:end], dtype=pl.String), part)
    return made.hexdigest()


@given(st.lists(st.tuples(TEXT, TEXT), max_size=8), st.booleans(), st.data())
def test_the_digest_is_the_one_its_words_say_however_rows_are_batched(rows, labelled, data):
    texts, labels = [text for text, _ in rows], [label for _, label in rows] if labelled else None
    cuts = data.draw(st.lists(st.integers(0, len(texts)), max_size=3))
    expected = by_hand(texts, labels)
    assert of(texts, labels, cuts) == expected
    with mock.patch.object(digest, "_JOINED_BYTES", 0), mock.patch.object(digest, "_ROWS", 2):
        assert of(texts, labels, cuts) == expected


def test_rows_that_differ_have_digests_that_differ():
    pairs = [("ab", "c"), ("a", "bc"), ("abc", ""), ("1:a", ""), ("", "1:a")]
    found = {of([text], [label]) for text, label in pairs} | {
        of(["ab"]),
        of([]),
        of(["a", "b"]),
        of(["b", "a"]),
    }
    assert len(found) == 9


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (pl.Series(["a", None]), None),
        (pl.Series([1]), None),
        (pl.Series(["a"]), pl.Series([1])),
        (pl.Series(["a"]), pl.Series(["x", "y"])),
        (pl.Series(["a"]), pl.Series([None], dtype=pl.String)),
    ],
)
def test_a_digest_takes_whole_rows_of_strings(texts, labels):
    with pytest.raises(DataError, match="a digest takes strings, one text and one label a row and no nulls"):
        Digest().update(texts, labels)
