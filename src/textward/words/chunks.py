"""Texts cut at white space, each distinct chunk normalised and cut into words once."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from textward.words.columns import IntArray, Part, Words, joined, numbered, spread
from textward.words.parts import by_parts

# White space is what Python's str.isspace() says; the regular expressions' \s lacks the four separators.
SPACE = r"[\s\x1c-\x1f]"


def cut_by_chunks(texts: pl.Series, pattern: str) -> Words:
    """Cut texts at white space; of each chunk, normalised and in lower case, the matches are the words."""
    size = int(texts.str.len_bytes().sum())
    return joined(by_parts(lambda low, high: _cut_part(texts[low:high], pattern), len(texts), size))


def _cut_part(texts: pl.Series, pattern: str) -> Part:
    lists = texts.str.split(" ")
    chunks, codes = numbered(lists.list.explode(empty_as_null=False))
    if chunks.str.contains(SPACE).any():
        return _cut_part(texts.str.replace_all(SPACE, " "), pattern)
    place, pieces = _by_alphabet(chunks)
    found = pl.concat([piece.str.extract_all(pattern) for piece in pieces])
    vocabulary, ids = numbered(found.list.explode(empty_as_null=False))
    shape = (len(chunks), len(vocabulary))
    of_chunk = sparse.csr_array((np.ones(len(ids), np.int8), ids, spread(found.list.len().to_numpy())), shape)
    of_texts = of_chunk[place[codes]]
    return Part(vocabulary, of_texts.indices, np.diff(of_texts.indptr[spread(lists.list.len().to_numpy())]))


def _by_alphabet(chunks: pl.Series) -> tuple[IntArray, list[pl.Series]]:
    """The normalised chunks, those of ASCII first, and the place of each chunk among them.

    A regular expression is several times slower where letters of both kinds come in turn.
    """
    wide = (chunks.str.len_bytes() != chunks.str.len_chars()).to_numpy()
    order = np.argsort(wide, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    split, sorted_chunks = len(order) - int(wide.sum()), chunks.gather(order)
    return place, [sorted_chunks[:split].str.to_lowercase(), normal(sorted_chunks[split:])]


def normal(words: pl.Series) -> pl.Series:
    """Return words in lower case and in NFC."""
    return words.str.normalize("NFC").str.to_lowercase().str.normalize("NFC")
