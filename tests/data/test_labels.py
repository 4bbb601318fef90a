from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textward.data import class_names, encode_labels
from textward.errors import DataError


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        (["1", "0", "1"], [0, 1]),
        (["10", "9", "-3"], [-3, 9, 10]),
        (["01", "1"], ["01", "1"]),
        (["+1", "2"], ["+1", "2"]),
        (["-0", "0"], ["-0", "0"]),
        (["1.0", "2"], ["1.0", "2"]),
        (["1_0", "2"], ["1_0", "2"]),
        (["٣", "4"], ["4", "٣"]),
        (["b", "a", "B", "é"], ["B", "a", "b", "é"]),
        (["good"], ["good"]),
        ([str(2**80), "1"], [1, 2**80]),
        (["9" * 5_000, "1"], ["1", "9" * 5_000]),
        ([], []),
    ],
)
def test_names_are_integers_where_all_are_spelled_so(raw, names):
    found = class_names(raw)
    assert found == names
    assert [type(name) for name in found] == [type(name) for name in names]
    assert class_names(pl.Series(raw, dtype=pl.String)) == names


@given(st.lists(st.one_of(st.integers().map(str), st.text(st.characters(codec="utf-8"))), min_size=1))
def test_every_label_has_the_index_of_its_name(raw):
    names = class_names(raw)
    indexes = encode_labels(pl.Series(raw, dtype=pl.String), names)
    assert indexes.dtype == np.int64
    assert indexes.flags.writeable
    assert [str(names[i]) for i in indexes] == raw


@pytest.mark.parametrize(
    ("raw", "names", "message"),
    [
        (
            ["good", "Bad", "x"],
            ["bad", "good"],
            "test.csv, row 12: the label 'Bad' was not seen in training (and 1 more row like it in this "
            "batch); the classes are 'bad', 'good'. Did you mean 'bad'? Correct or drop such rows, or train "
            "with every class.",
        ),
        (
            ["7"],
            [0, 1],
            "test.csv, row 11: the label '7' was not seen in training; the classes are '0', '1'. Correct",
        ),
        (["01"], [0, 1], "the label '01' was not seen"),
        (["\x1b[2J\u202e"], ["a", "b"], r"the label '\x1b[2J\u202e' was not seen"),
        (["a" * 10_000], ["b", "c"], "the label '" + "a" * 79 + "…' was not seen"),
        (["x"], [f"class {i}" for i in range(5_000)], "'class 19' and 4,980 more."),
    ],
)
def test_a_label_never_seen_in_training(raw, names, message):
    with pytest.raises(DataError) as caught:
        encode_labels(pl.Series(raw), names, first_row=11, source="test.csv")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_texts_taken_for_labels_are_told_off_in_no_time():
    words = np.random.default_rng(0).integers(97, 123, (1_001, 20_000), dtype=np.uint8)
    texts = [row.tobytes().decode() for row in words]
    with pytest.raises(DataError, match="was not seen in training"):
        encode_labels(pl.Series(texts[:1]), texts[1:])
