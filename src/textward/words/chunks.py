"""Texts cut at white space, each distinct chunk normalised and cut into words once."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from textward.words.columns import Part, Words, joined, numbered, spread
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
    found = normal(chunks).str.extract_all(pattern)
    vocabulary, ids = numbered(found.list.explode(empty_as_null=False))
    shape = (len(chunks), len(vocabulary))
    of_chunk = sparse.csr_array((np.ones(len(ids), np.int8), ids, spread(found.list.len().to_numpy())), shape)
    of_texts = of_chunk[codes]
    return Part(vocabulary, of_texts.indices, np.diff(of_texts.indptr[spread(lists.list.len().to_numpy())]))


def normal(words: pl.Series) -> pl.Series:
    """Return words in lower case and in NFC."""
    lower: pl.Series = words.str.to_lowercase()
    rest = (words.str.len_bytes() != words.str.len_chars()).arg_true()
    if not len(rest):
        return lower
    composed = words.gather(rest).str.normalize("NFC")
    return lower.scatter(rest, composed.str.to_lowercase().str.normalize("NFC"))
