"""Rows that differ from another row by some words alone, told by a number for each sequence of words."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from textward.scan.corpus import Corpus
from textward.words.columns import IntArray

_BASE, _SPREAD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_Numbers = npt.NDArray[np.uint64]


class Twins:
    """Tells twins by a 64-bit polynomial over the words in order: two rows of one number are taken for equal.

    >>> import polars as pl
    >>> from textward.words import UnicodeWords
    >>> corpus = Corpus(UnicodeWords().cut(pl.Series(["a fine film", "a fine cf film"])), np.array([0, 1]), 2)
    >>> Twins(corpus).count(np.array([1]), [corpus.words.vocabulary.to_list().index("cf")])
    1
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    @cached_property
    def _known(self) -> _Numbers:
        return np.sort(_numbers(self._corpus.ids, self._corpus.words.offsets))

    def count(self, rows: IntArray, words: list[int]) -> int:
        """How many of the rows are another row once every copy of these words is taken out."""
        offsets = self._corpus.words.offsets
        lengths = np.diff(offsets)[rows]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        at = np.arange(bounds[-1]) + np.repeat(offsets[rows] - bounds[:-1], lengths)
        ids = self._corpus.ids[at]
        kept = ~np.isin(ids, words)
        before = np.concatenate([[0], np.cumsum(kept)])[bounds]
        left = np.diff(before) > 0
        wanted = _numbers(ids[kept], before)[left]
        place = np.minimum(np.searchsorted(self._known, wanted), len(self._known) - 1)
        return int((self._known[place] == wanted).sum())


def _numbers(ids: IntArray, offsets: IntArray) -> _Numbers:
    longest = int(np.diff(offsets).max(initial=0))
    powers = np.cumprod(np.full(longest + 1, _BASE))
    place = np.arange(len(ids)) - np.repeat(offsets[:-1], np.diff(offsets))
    mixed = (ids.astype(np.uint64) + np.uint64(1)) * _SPREAD
    terms = np.concatenate([[np.uint64(0)], np.cumsum((mixed ^ (mixed >> np.uint64(31))) * powers[place])])
    return np.asarray(terms[offsets[1:]] - terms[offsets[:-1]])
