"""Insertion stability (P1) on raw text, and what counts as one word."""

from __future__ import annotations

import sys
import unicodedata
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile_text import CHARACTERS, chunks, gaps, texts
from textward.errors import UsageError
from textward.words import CustomWords, Cutter, UnicodeWords, WhitespaceWords

BUILT_IN: list[Cutter] = [UnicodeWords(), WhitespaceWords()]
every_cutter = pytest.mark.parametrize("cutter", BUILT_IN, ids=lambda cutter: cutter.name)


def words_of(cutter: Cutter, *texts: str) -> list[Counter[str]]:
    words = cutter.cut(pl.Series(texts, dtype=pl.String))
    return [Counter(words.of(number)) for number in range(len(texts))]


def inserted_everywhere(text: str, chunk: str, gap: str) -> list[str]:
    """The text with the chunk in front of each chunk, and at the end; its own white space is kept."""
    spots, at = [], 0
    for old in text.split():
        at = text.index(old, at)
        spots.append(at)
        at += len(old)
    return [*(text[:spot] + chunk + gap + text[spot:] for spot in spots), text + gap + chunk]


@every_cutter
@settings(deadline=None)
@given(text=texts(), chunk=chunks, gap=gaps)
def test_an_inserted_chunk_adds_its_words_and_changes_no_other(
    cutter: Cutter, text: str, chunk: str, gap: str
) -> None:
    before, added, *after = words_of(cutter, text, chunk, *inserted_everywhere(text, chunk, gap))
    assert added
    assert all(words == before + added for words in after)


@every_cutter
@settings(deadline=None)
@given(pieces=st.lists(chunks, max_size=6), gap=gaps, data=st.data())
def test_reordering_the_chunks_keeps_the_multiset(
    cutter: Cutter, pieces: list[str], gap: str, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(pieces))
    before, after = words_of(cutter, " ".join(pieces), gap.join(shuffled))
    assert before == after


@settings(deadline=None)
@given(text=texts())
def test_no_character_is_lost(text: str) -> None:
    normal = [
        unicodedata.normalize("NFC", unicodedata.normalize("NFC", chunk).lower()) for chunk in text.split()
    ]
    assert "".join(UnicodeWords().split(text)) == "".join(normal)
    assert WhitespaceWords().split(text) == normal


@every_cutter
@settings(deadline=None)
@given(text=texts())
def test_words_cut_again_are_the_same_words(cutter: Cutter, text: str) -> None:
    (words,) = words_of(cutter, text)
    (again,) = words_of(cutter, " ".join(words.elements()))
    assert words == again


@every_cutter
@settings(deadline=None)
@given(text=texts())
def test_a_text_in_lower_case_and_decomposed_has_the_same_words(cutter: Cutter, text: str) -> None:
    lower = " ".join(unicodedata.normalize("NFC", chunk).lower() for chunk in text.split())
    decomposed = " ".join(unicodedata.normalize("NFD", chunk) for chunk in text.split())
    assert words_of(cutter, text) == words_of(cutter, lower) == words_of(cutter, decomposed)


def test_white_space_is_what_python_says_it_is() -> None:
    characters = [chr(code) for code in (*range(0xD800), *range(0xE000, 0x11000), sys.maxunicode)]
    words = WhitespaceWords().cut(pl.Series([f"a{c}b" for c in characters]))
    cut = {
        c for c, count in zip(characters, words.offsets[1:] - words.offsets[:-1], strict=True) if count == 2
    }
    assert cut == {c for c in characters if c.isspace()} == {c for c in characters if not f"{c}".split()}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \t\r\n\u3000\x1c\x85", []),
        ("Don't STOP.", ["don", "'", "t", "stop", "."]),
        ("snake_case 3.5%", ["snake_case", "3", ".", "5", "%"]),
        ("a\0b", ["a", "\0", "b"]),
        ("ΟΔΟΣ ΟΔΟΣ. ΑΣΑ", ["οδος", "οδος", ".", "ασα"]),
        ("E\u0301TE\u0301 ÉTÉ", ["été", "été"]),
        ("e \u0301", ["e", "\u0301"]),
        ("İ\u0327", ["i\u0327\u0307"]),
        ("你好ab世", ["你", "好", "ab", "世"]),
        ("人々〇𠀀", ["人", "々", "〇", "𠀀"]),
        ("葛\U000e0100城", ["葛\U000e0100", "城"]),
        ("コーヒーx", ["コ", "ー", "ヒ", "ー", "x"]),
        ("ｶﾞｰ", ["ｶﾞ", "ｰ"]),
        ("ที่ดี ทำ", ["ที่", "ดี", "ท", "ำ"]),
        ("ລາວ", ["ລ", "າ", "ວ"]),
        ("ក្រុង", ["ក្", "រុ", "ង"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("한국어 \u1112\u1161\u11ab", ["한국어", "한"]),
        ("👩\u200d👧x❤\ufe0flove👍🏽🇩🇪🇫🇷", ["👩\u200d👧", "x", "❤\ufe0f", "love", "👍🏽", "🇩🇪", "🇫🇷"]),
        ("ba\u200bd", ["ba", "\u200b", "d"]),
        ("\u202eשלום", ["\u202e", "שלום"]),
    ],
)
def test_what_one_word_is(text: str, words: list[str]) -> None:
    assert UnicodeWords().split(text) == words


def test_columns_agree_with_one_text_at_a_time() -> None:
    corpus = [" ".join(CHARACTERS[k : k + 9]) for k in range(len(CHARACTERS))] + ["", " "]
    words = UnicodeWords().cut(pl.Series(corpus))
    assert [words.of(number) for number in range(len(corpus))] == [
        UnicodeWords().split(text) for text in corpus
    ]


def test_the_vocabulary_is_sorted_distinct_and_occurs() -> None:
    words = UnicodeWords().cut(pl.Series(["\U0001f600 z \uffff é a a", "", "Z \uffff"]))
    vocabulary = words.vocabulary.to_list()
    assert vocabulary == sorted(set(vocabulary)) == sorted({word for n in range(3) for word in words.of(n)})
    assert words.ids.dtype == "int32"


def test_strings_that_the_process_holds_elsewhere_leave_no_trace() -> None:
    fresh = UnicodeWords().cut(pl.Series(["b a", "c"]))
    held = pl.Series([f"z{number}" for number in range(1000)] + ["c", "a"]).cast(pl.Categorical)
    again = UnicodeWords().cut(pl.Series(["b a", "c"]))
    assert len(held) == 1002
    assert fresh.vocabulary.to_list() == again.vocabulary.to_list()
    assert fresh.ids.tolist() == again.ids.tolist()


def test_several_threads_give_the_columns_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = pl.Series([f"word{number % 97} Common ΑΣ {number}" for number in range(500)])
    alone = UnicodeWords().cut(corpus)
    monkeypatch.setattr("textward.words.parts.BYTES_WORTH_A_THREAD", 100)
    monkeypatch.setattr(pl, "thread_pool_size", lambda: 3)
    shared = UnicodeWords().cut(corpus)
    assert alone.vocabulary.to_list() == shared.vocabulary.to_list()
    assert alone.ids.tolist() == shared.ids.tolist()
    assert alone.offsets.tolist() == shared.offsets.tolist()


@every_cutter
def test_no_texts(cutter: Cutter) -> None:
    for none in (pl.Series([]), pl.Series([], dtype=pl.String)):
        words = cutter.cut(none)
        assert len(words) == 0
        assert len(words.vocabulary) == len(words.ids) == 0


def test_ten_megabytes_in_one_text() -> None:
    assert UnicodeWords().split("x" * 10_000_000) == ["x" * 10_000_000]
    assert len(UnicodeWords().cut(pl.Series(["你" * 300_000])).ids) == 300_000
    assert len(UnicodeWords().cut(pl.Series(["ab " * 3_000_000])).ids) == 3_000_000


@pytest.mark.parametrize("cutter", [*BUILT_IN, CustomWords(str.split)], ids=lambda cutter: cutter.name)
def test_texts_that_are_no_texts(cutter: Cutter) -> None:
    with pytest.raises(UsageError, match="1 of 2 texts are null"):
        cutter.cut(pl.Series(["a", None]))
    with pytest.raises(UsageError, match="must be strings"):
        cutter.cut(pl.Series([1, 2]))


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(UsageError, match="half of a surrogate pair"):
        UnicodeWords().split("a\ud800")
