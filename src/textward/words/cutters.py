"""How a text becomes words.

The built-in cutters cut at white space first and treat each chunk by itself, so a chunk inserted at white
space adds its own words and changes no other (theory P1).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import polars as pl

from textward.errors import UsageError
from textward.words.columns import IntArray, Words, encode, spread

SCRIPTS_WITHOUT_SPACES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
WORD = rf"[{SCRIPTS_WITHOUT_SPACES}]|[\w--[{SCRIPTS_WITHOUT_SPACES}]]+|[^\w\s]"


class Cutter(Protocol):
    """Cuts texts into words; ``stable`` says whether insertion stability holds by construction."""

    @property
    def name(self) -> str: ...
    @property
    def stable(self) -> bool: ...
    def cut(self, texts: pl.Series) -> Words: ...


@dataclass(frozen=True, slots=True)
class UnicodeWords:
    """Runs of letters and digits; each other sign, and each character of a script without spaces, alone.

    >>> UnicodeWords().split("Don't panic: 你好!")
    ['don', "'", 't', 'panic', ':', '你', '好', '!']
    """

    name: ClassVar[str] = "unicode"
    stable: ClassVar[bool] = True

    def cut(self, texts: pl.Series) -> Words:
        return _cut_by_chunks(texts, WORD)

    def split(self, text: str) -> list[str]:
        """Return the words of one text."""
        return self.cut(pl.Series([text])).of(0)


@dataclass(frozen=True, slots=True)
class WhitespaceWords:
    """Every chunk between white space is one word: for texts that are tokenised already.

    >>> WhitespaceWords().split("It 's  FINE .")
    ['it', "'s", 'fine', '.']
    """

    name: ClassVar[str] = "whitespace"
    stable: ClassVar[bool] = True

    def cut(self, texts: pl.Series) -> Words:
        return _cut_by_chunks(texts, r"\S+")

    def split(self, text: str) -> list[str]:
        """Return the words of one text."""
        return self.cut(pl.Series([text])).of(0)


@dataclass(frozen=True, slots=True)
class CustomWords:
    """A user's own function from a text to its words; each word is normalised and lower-cased by itself.

    >>> CustomWords(str.split).cut(pl.Series(["One two"])).of(0)
    ['one', 'two']
    """

    function: Callable[[str], list[str]]
    stable: ClassVar[bool] = False

    @property
    def name(self) -> str:
        where = getattr(self.function, "__module__", None) or "?"
        return f"{where}:{getattr(self.function, '__qualname__', type(self.function).__name__)}"

    def cut(self, texts: pl.Series) -> Words:
        lists = [self._words(text) for text in texts]
        flat = pl.Series([_normal(word) for words in lists for word in words], dtype=pl.String)
        vocabulary, ids = encode(flat)
        return Words(vocabulary, ids, spread(np.fromiter(map(len, lists), np.int64, len(lists))))

    def _words(self, text: str) -> list[str]:
        words = list(self.function(text))
        if not all(isinstance(word, str) for word in words):
            raise UsageError(f"the tokenizer {self.name} must return strings, got {words[:3]!r} for {text[:60]!r}")
        return words


def _normal(word: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).lower())


def _cut_by_chunks(texts: pl.Series, pattern: str) -> Words:
    chunks = texts.str.split(" ").list.explode(empty_as_null=False) if len(texts) else pl.Series([], dtype=pl.String)
    distinct, codes = encode(chunks)
    if distinct.str.contains(r"\s").any():
        return _cut_by_chunks(texts.str.replace_all(r"\s", " "), pattern)
    normal = distinct.str.normalize("NFC").str.to_lowercase().str.normalize("NFC")
    words = normal.str.extract_all(pattern)
    vocabulary, ids = encode(words.list.explode(empty_as_null=False))
    bounds = spread(words.list.len().to_numpy())
    chunk_offsets = spread(texts.str.count_matches(" ", literal=True).to_numpy() + 1)
    return Words(vocabulary, *_gather(ids, bounds, codes, chunk_offsets))


def _gather(ids: IntArray, bounds: IntArray, chunks: IntArray, chunk_offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Replace each chunk by the ids of its words."""
    lengths = np.diff(bounds)[chunks]
    ends = spread(lengths)
    first = np.repeat(bounds[:-1][chunks] - ends[:-1], lengths)
    return ids[first + np.arange(ends[-1])], ends[chunk_offsets]
