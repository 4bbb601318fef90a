"""The word order is a public constant, read from a file and named by its digest."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from textward.errors import UsageError
from textward.words import CodePointOrder, VocabularyOrder, WordOrder

WORDS = ["film", "bad", "[PAD]", "the"]


def in_order(order: WordOrder, words: list[str]) -> list[str]:
    vocabulary = sorted(words)
    rank = order.rank(pl.Series(vocabulary, dtype=pl.String)).tolist()
    assert len(set(rank)) == len(vocabulary)
    return [word for _, word in sorted(zip(rank, vocabulary, strict=True))]


def test_known_words_come_first_in_the_vocabulary_s_order_then_the_rest_by_code_points() -> None:
    words = ["zzz", "bad", "é", "the", "a", "film", "\U0001f600", "\uffff"]
    expected = ["film", "bad", "the", "a", "zzz", "é", "\uffff", "\U0001f600"]
    assert in_order(VocabularyOrder(WORDS), words) == expected
    assert in_order(CodePointOrder(), words) == sorted(words)


def test_the_order_of_two_words_does_not_depend_on_the_others() -> None:
    order = VocabularyOrder(WORDS)
    for pair in (["x", "y"], ["film", "bad"], ["x", "film"]):
        alone = in_order(order, pair)
        among = [word for word in in_order(order, [*pair, "a", "the", "xx", "zz", "[PAD]"]) if word in pair]
        assert alone == among


def test_a_word_listed_twice_keeps_its_first_place() -> None:
    assert in_order(VocabularyOrder(["a", "b", "a"]), ["a", "b"]) == ["a", "b"]


def test_no_words() -> None:
    assert in_order(VocabularyOrder(WORDS), []) == []


def vocab_txt(folder: Path) -> Path:
    (folder / "vocab.txt").write_bytes("\n".join(WORDS).encode() + b"\n")
    return folder / "vocab.txt"


def tokenizer_json(folder: Path, vocabulary: object) -> Path:
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}), encoding="utf-8")
    return folder / "tokenizer.json"


def test_read_a_word_list(tmp_path: Path) -> None:
    assert VocabularyOrder.read(vocab_txt(tmp_path)) == VocabularyOrder(WORDS)
    assert VocabularyOrder.read(str(tmp_path)) == VocabularyOrder(WORDS)


def test_read_a_word_list_with_windows_line_ends_and_without_the_last_one(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(b"film\r\nbad\r\n[PAD]\r\nthe")
    assert VocabularyOrder.read(tmp_path) == VocabularyOrder(WORDS)


def test_a_line_separator_may_be_a_word(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("a\n\u2028\n\x85\nb\n", encoding="utf-8")
    assert VocabularyOrder.read(tmp_path).words == ["a", "\u2028", "\x85", "b"]


@pytest.mark.parametrize(
    "vocabulary",
    [{"bad": 1, "the": 3, "film": 0, "[PAD]": 2}, [[word, -number / 2] for number, word in enumerate(WORDS)]],
    ids=["dict", "list"],
)
def test_read_a_tokenizer(tmp_path: Path, vocabulary: object) -> None:
    assert VocabularyOrder.read(tokenizer_json(tmp_path, vocabulary)) == VocabularyOrder(WORDS)
    assert VocabularyOrder.read(tmp_path) == VocabularyOrder(WORDS)


def test_a_folder_s_word_list_goes_before_its_tokenizer(tmp_path: Path) -> None:
    tokenizer_json(tmp_path, {"other": 0})
    vocab_txt(tmp_path)
    assert VocabularyOrder.read(tmp_path).words == WORDS


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"{}",
        b'{"model": {}}',
        b'{"model": {"vocab": null}}',
        b'{"model": {"vocab": {}}}',
        b'{"model": {"vocab": []}}',
        b'{"model": {"vocab": [[]]}}',
        b'{"model": {"vocab": [[1, 2]]}}',
        b'{"model": {"vocab": "abc"}}',
        b'{"model": {"vocab": {"a": 1, "b": "x"}}}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_tokenizer_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"tokenizer\.json.*give a vocab\.txt with one word a line"):
        VocabularyOrder.read(tmp_path)


@pytest.mark.parametrize("content", [b"", b"caf\xe9\n"], ids=["empty", "Latin-1"])
def test_a_word_list_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vocab.txt").write_bytes(content)
    with pytest.raises(UsageError, match=r"vocab\.txt.*give a vocab\.txt with one word a line"):
        VocabularyOrder.read(tmp_path)


@pytest.mark.parametrize("name", ["", "absent", "absent.json", "a\nb"])
def test_no_vocabulary_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"no vocabulary at .* looked for") as raised:
        VocabularyOrder.read(tmp_path / name)
    assert str(raised.value).isprintable()


def test_the_name_tells_vocabularies_apart() -> None:
    names = {
        VocabularyOrder(words).name
        for words in (WORDS, WORDS[::-1], ["fil", "mbad", "[PAD]", "the"], ["\ud800"])
    }
    assert len(names) == 4
    assert VocabularyOrder(tuple(WORDS)).name == VocabularyOrder(list(WORDS)).name
    assert all("then code points" in name for name in names)
