"""Texts cut at white space, each distinct chunk normalised and cut into words once."""

from __future__ import annotations

import numpy as np
import polars as pl

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
    found = normal(chunks).str.extract_all(pattern)
    vocabulary, ids = numbered(found.list.explode(empty_as_null=False))
    ids, ends = _gather(ids, spread(found.list.len().to_numpy()), codes)
    return Part(vocabulary, ids, np.diff(ends[spread(lists.list.len().to_numpy())]))


def normal(words: pl.Series) -> pl.Series:
    """Return words in lower case and in NFC."""
    lower: pl.Series = words.str.to_lowercase()
    rest = (words.str.len_bytes() != words.str.len_chars()).arg_true()
    if not len(rest):
        return lower
    composed = words.gather(rest).str.normalize("NFC")
    return lower.scatter(rest, composed.str.to_lowercase().str.normalize("NFC"))


def _gather(ids: IntArray, bounds: IntArray, chunks: IntArray) -> tuple[IntArray, IntArray]:
    """Replace each chunk by the ids of its words; return them and where each chunk's begin and end."""
    lengths = np.diff(bounds)[chunks]
    ends = spread(lengths)
    index = np.int32 if ends[-1] <= np.iinfo(np.int32).max else np.int64
    first = np.repeat(bounds[:-1].astype(index)[chunks] - ends[:-1].astype(index), lengths)
    first += np.arange(len(first), dtype=index)
    return ids[first], ends
