"""The columnar cutter against the same rules written plainly, one character at a time."""

from __future__ import annotations

import unicodedata

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile_text import CHARACTERS, texts
from textward.words import UnicodeWords, WhitespaceWords
from textward.words.characters import words_of_characters

ALONE = (
    "CJK UNIFIED", "IDEOGRAPHIC", "HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR", "KATAKANA LETTER",
    "HALFWIDTH KATAKANA LETTER", "KATAKANA-HIRAGANA PROLONGED", "HALFWIDTH KATAKANA-HIRAGANA PROLONGED",
)  # fmt: skip
known = texts(st.sampled_from(CHARACTERS))


def alone(character: str) -> bool:
    return unicodedata.name(character, "").startswith(ALONE)


def mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in "\u200cﾞﾟ🏽"


def letter(character: str) -> bool:
    category = unicodedata.category(character)
    word = category[0] in "LM" or category in ("Nd", "Nl", "Pc") or character in "\u200c\u200d"
    return word and not alone(character)


def sign(character: str) -> bool:
    return not letter(character) and not alone(character)


def plain(chunk: str) -> list[str]:
    words, at = [], 0

    def skip(test) -> None:  # type: ignore[no-untyped-def]
        nonlocal at
        while at < len(chunk) and test(chunk[at]):
            at += 1

    while at < len(chunk):
        start = at
        at += 1
        if alone(chunk[start]):
            skip(mark)
            skip("\u200d".__eq__)
        elif letter(chunk[start]):
            skip(letter)
        elif chunk[start] in "🇩🇪" and chunk[at : at + 1] in tuple("🇩🇪"):
            at += 1
        else:
            skip(mark)
            while chunk[at : at + 1] == "\u200d" and at + 1 < len(chunk) and sign(chunk[at + 1]):
                at += 2
                skip(mark)
            skip("\u200d".__eq__)
        words.append(chunk[start:at])
    return words


@settings(deadline=None)
@given(corpus=st.lists(known, max_size=4))
def test_words(corpus: list[str]) -> None:
    expected = []
    for text in corpus:
        chunks = [unicodedata.normalize("NFC", chunk).lower() for chunk in text.split()]
        expected.append([unicodedata.normalize("NFC", chunk) for chunk in chunks])
    for cutter, lists in (
        (WhitespaceWords(), expected),
        (UnicodeWords(), [[word for chunk in chunks for word in plain(chunk)] for chunks in expected]),
    ):
        words = cutter.cut(pl.Series(corpus, dtype=pl.String))
        vocabulary = sorted({word for text in lists for word in text})
        assert words.vocabulary.to_list() == vocabulary
        assert words.ids.tolist() == [vocabulary.index(word) for text in lists for word in text]
        assert words.offsets.tolist() == [sum(map(len, lists[:n])) for n in range(len(lists) + 1)]


ALONE_CLASS = r"\p{Han}\p{Hiragana}\p{Katakana}ーｰ\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
MARKS = r"[\p{M}\p{Emoji_Modifier}\u200cﾞﾟ]*"
SIGN = rf"[^\w\s]{MARKS}"
ONE_EXPRESSION = (
    rf"[{ALONE_CLASS}]{MARKS}\u200d*|[\w--[{ALONE_CLASS}]]+"
    rf"|\p{{Regional_Indicator}}{{2}}|{SIGN}(?:\u200d{SIGN})*\u200d*"
)


@settings(deadline=None)
@given(
    chunks=st.lists(
        st.text(st.one_of(st.sampled_from(CHARACTERS), st.characters(exclude_categories=["Cs"])), max_size=8)
    )
)
def test_kinds_of_characters_say_what_one_regular_expression_does(chunks: list[str]) -> None:
    series = pl.Series([chunk for chunk in chunks if chunk.split() == [chunk]], dtype=pl.String)
    words, counts = words_of_characters(series)
    expected = series.str.extract_all(ONE_EXPRESSION)
    assert words.to_list() == expected.list.explode(empty_as_null=False).to_list()
    assert counts.tolist() == expected.list.len().to_list()


def test_every_character_has_the_kind_that_the_regular_expression_gives_it() -> None:
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    series = pl.Series([f"a{c}b" for c in every if not c.isspace()])
    words, counts = words_of_characters(series)
    expected = series.str.extract_all(ONE_EXPRESSION)
    assert words.equals(expected.list.explode(empty_as_null=False))
    assert (counts == expected.list.len().to_numpy()).all()
