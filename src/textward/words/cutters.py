"""How a text becomes words.

The built-in cutters cut at white space first and treat each chunk by itself, so a chunk inserted at white
space adds its own words and changes no other (theory P1).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import polars as pl

from textward.data.messages import quoted
from textward.errors import UsageError
from textward.words.characters import ascii_words, words_of_characters
from textward.words.chunks import cut_by_chunks
from textward.words.columns import IntArray, Part, Words, joined, numbered


class Cutter(Protocol):
    """Cuts texts into words; ``stable`` says whether insertion stability holds by construction."""

    @property
    def name(self) -> str: ...
    @property
    def stable(self) -> bool: ...
    def cut(self, texts: pl.Series) -> Words: ...


class _OneText:
    __slots__ = ()

    def cut(self, texts: pl.Series) -> Words:
        raise NotImplementedError

    def split(self, text: str) -> list[str]:
        """Return the words of one text."""
        return self.cut(series_of([text])).of(0)


@dataclass(frozen=True, slots=True)
class UnicodeWords(_OneText):
    """Runs of letters and digits; each other sign, and each character of a script without spaces, alone.

    A character is what a reader sees as one: it keeps the marks on it, and an emoji sequence is whole.

    >>> UnicodeWords().split("Don't panic: 你好 ที่!")
    ['don', "'", 't', 'panic', ':', '你', '好', 'ที่', '!']
    """

    name: ClassVar[str] = "unicode"
    stable: ClassVar[bool] = True

    def cut(self, texts: pl.Series) -> Words:
        return cut_by_chunks(_strings(texts), ascii_words, words_of_characters)


@dataclass(frozen=True, slots=True)
class WhitespaceWords(_OneText):
    """Every chunk between white space is one word: for texts that are tokenised already.

    >>> WhitespaceWords().split("It 's  FINE .")
    ['it', "'s", 'fine', '.']
    """

    name: ClassVar[str] = "whitespace"
    stable: ClassVar[bool] = True

    def cut(self, texts: pl.Series) -> Words:
        return cut_by_chunks(_strings(texts), _whole, _whole)


@dataclass(frozen=True, slots=True)
class WholeTexts(_OneText):
    """The whole text as it stands, one word: for one encoder that reads it in order, without a certificate.

    >>> WholeTexts().split("It 's  FINE .")
    ["It 's  FINE ."]
    """

    name: ClassVar[str] = "whole"
    stable: ClassVar[bool] = True

    def cut(self, texts: pl.Series) -> Words:
        return joined([Part(*numbered(_strings(texts)), np.ones(len(texts), np.int64))])


@dataclass(frozen=True, slots=True)
class CustomWords(_OneText):
    """A user's own function from a text to its words; each word is normalised and lower-cased by itself.

    Empty words are dropped.

    >>> CustomWords(str.split).split("One two")
    ['one', 'two']
    """

    function: Callable[[str], Iterable[str]]
    stable: ClassVar[bool] = False

    @property
    def name(self) -> str:
        where = getattr(self.function, "__module__", None) or "?"
        return f"{where}:{getattr(self.function, '__qualname__', type(self.function).__name__)}"

    def cut(self, texts: pl.Series) -> Words:
        lists = [self._words(text) for text in _strings(texts)]
        flat = series_of([word for words in lists for word in words])
        return joined([Part(*numbered(flat), np.fromiter(map(len, lists), np.int64, len(lists)))])

    def _words(self, text: str) -> list[str]:
        try:
            found = self.function(text)
            words = [] if isinstance(found, (str, bytes)) else list(found)
        except Exception as error:
            raise UsageError(f"the tokenizer {self.name} failed on {quoted(text)}: {error!r}") from error
        if isinstance(found, (str, bytes)) or not all(isinstance(word, str) for word in words):
            shown = quoted(repr(found))
            raise UsageError(f"the tokenizer {self.name} must return a list of strings, got {shown}")
        return [normal_word(word) for word in words if word]


def _whole(chunks: pl.Series) -> tuple[pl.Series, IntArray]:
    some = chunks != ""
    return chunks.filter(some), some.cast(pl.Int64).to_numpy()


def normal_word(word: str) -> str:
    """Return one word in lower case and in NFC.

    >>> normal_word("E\\u0301T\\u00c9")
    'été'
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).lower())


def series_of(strings: list[str]) -> pl.Series:
    """Return a String series; a lone surrogate, which UTF-8 has no bytes for, is an error.

    >>> series_of(["a"]).dtype
    String
    """
    try:
        return pl.Series(strings, dtype=pl.String)
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{quoted(str(error.object))} is no valid Unicode: it holds half of a surrogate pair; "
            "read the text as UTF-8, or replace such halves with errors='replace'"
        ) from error


def _strings(texts: pl.Series) -> pl.Series:
    if len(texts) and texts.dtype != pl.String:
        raise UsageError(f"texts must be strings, got a series of {texts.dtype}")
    if nulls := texts.null_count():
        raise UsageError(f"{nulls} of {len(texts)} texts are null; drop them or make them empty strings")
    return texts if len(texts) else pl.Series([], dtype=pl.String)
