"""Texts cut at white space, each distinct chunk normalised and cut into words once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from scipy import sparse

from textward.words.columns import IntArray, Part, Words, joined, numbered, spread
from textward.words.parts import by_parts

# White space is what Python's str.isspace() says; the regular expressions' \s lacks the four separators.
SPACE = r"[\s\x1c-\x1f]"

WordsOf = Callable[[pl.Series], tuple[pl.Series, IntArray]]
"""Takes chunks without white space; gives their words, one after another, and how many each chunk has."""


def cut_by_chunks(texts: pl.Series, of_ascii: WordsOf, of_others: WordsOf) -> Words:
    """Cut texts at white space, and each distinct chunk, normalised and in lower case, into words."""

    def part(low: int, high: int) -> Part:
        return _cut_part(texts[low:high], of_ascii, of_others)

    return joined(by_parts(part, len(texts), int(texts.str.len_bytes().sum())))


def _cut_part(texts: pl.Series, of_ascii: WordsOf, of_others: WordsOf) -> Part:
    lists = texts.str.split(" ")
    chunks, codes = numbered(lists.list.explode(empty_as_null=False))
    if chunks.str.contains(SPACE).any():
        return _cut_part(texts.str.replace_all(SPACE, " "), of_ascii, of_others)
    place, ascii_chunks, others = _by_alphabet(chunks)
    (some, some_counts), (more, more_counts) = of_ascii(ascii_chunks), of_others(others)
    vocabulary, ids = numbered(pl.concat([some, more]))
    ends = spread(np.concatenate([some_counts, more_counts]))
    of_chunk = sparse.csr_array((np.ones(len(ids), np.int8), ids, ends), (len(chunks), len(vocabulary)))
    of_texts = of_chunk[place[codes]]
    return Part(vocabulary, of_texts.indices, np.diff(of_texts.indptr[spread(lists.list.len().to_numpy())]))


def _by_alphabet(chunks: pl.Series) -> tuple[IntArray, pl.Series, pl.Series]:
    """The place of each chunk among the normalised ones, first those of ASCII, then the others; and both."""
    wide = (chunks.str.len_bytes() != chunks.str.len_chars()).to_numpy()
    first, last = np.flatnonzero(~wide), np.flatnonzero(wide)
    place = np.empty(len(wide), np.int32)
    place[first] = np.arange(len(first), dtype=np.int32)
    place[last] = np.arange(len(first), len(wide), dtype=np.int32)
    return place, chunks.gather(first).str.to_lowercase(), normal(chunks.gather(last))


def normal(words: pl.Series) -> pl.Series:
    """Return words in lower case and in NFC."""
    return words.str.normalize("NFC").str.to_lowercase().str.normalize("NFC")
