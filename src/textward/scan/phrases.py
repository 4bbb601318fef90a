"""Words and runs of words that are frequent, and lean to one class: what a trigger must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from textward.scan.corpus import Corpus, FloatArray
from textward.words.columns import IntArray

LONGEST = 32
"""Words of the longest run that is looked for."""
PURITY = 0.8
"""The least share of a phrase's rows that carry the class it leans to."""
LEAST_ROWS = 5
"""The fewest rows of one class that make a phrase a candidate; a 20,000th of all rows where that is more."""


def least_rows(rows: int) -> int:
    """How many rows a trigger has to lie in to be looked at.

    >>> least_rows(7_000), least_rows(1_000_000)
    (5, 50)
    """
    return max(LEAST_ROWS, rows // 20_000)


@dataclass(frozen=True)
class Phrases:
    """Candidates of one length: how many rows of each class hold them, and where, once a row.

    >>> import polars as pl
    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["cf film", "fun cf", "film", "fun"]))
    >>> found = next(candidates(Corpus(words, np.array([1, 1, 0, 0]), 2), least=2))
    >>> found.length, found.counts.tolist(), found.target.tolist(), found.place.tolist()
    (1, [[0, 2]], [1], [0, 3])
    """

    length: int
    counts: IntArray
    """Rows that hold the phrase: phrases x classes."""
    target: IntArray
    """The class that each phrase leans to, measured against the share of the class in all rows."""
    phrase: IntArray
    """Columns phrase and place: the first place of the phrase in each row that holds it."""
    place: IntArray


def candidates(corpus: Corpus, least: int) -> Iterator[Phrases]:
    """Words, then runs of two, of three and so on; a run is frequent only where its two parts are."""
    frequent = corpus.holding.max(axis=1, initial=0) >= least
    kept = frequent[corpus.ids]
    code: IntArray = corpus.ids[kept]
    places: IntArray = np.flatnonzero(kept)
    ends = corpus.words.offsets[1:][corpus.row] if len(places) else corpus.row
    for length in range(1, LONGEST + 1):
        if not len(places):
            return
        yield _leaning(corpus, length, code, places, least)
        at = np.full(len(corpus.ids) + 1, -1)
        at[places] = code
        places = places[places + length < ends[places]]
        places = places[at[places + 1] >= 0]
        code, places = _frequent(at[places] * (int(code.max(initial=0)) + 1) + at[places + 1], places, least)


def _frequent(code: IntArray, places: IntArray, least: int) -> tuple[IntArray, IntArray]:
    _, number, count = np.unique(code, return_inverse=True, return_counts=True)
    kept = count[number] >= least
    return np.unique(number[kept], return_inverse=True)[1].reshape(-1), places[kept]


def _leaning(corpus: Corpus, length: int, code: IntArray, places: IntArray, least: int) -> Phrases:
    if length > 1:
        code, places = _once_a_row(corpus, code, places)
        size = int(code.max(initial=0)) + 1
        cell = code * corpus.classes + corpus.labels[corpus.row[places]]
        counts: IntArray = np.bincount(cell, minlength=size * corpus.classes).reshape(size, -1)
    else:
        counts = corpus.holding
    target, share = leaning(counts, corpus.rows_of_class)
    chosen = (counts.max(axis=1, initial=0) >= least) & (share >= PURITY)
    kept = chosen[code]
    code, places = code[kept], places[kept]
    if length == 1:
        code, places = _once_a_row(corpus, code, places)
    number = np.cumsum(chosen) - 1
    return Phrases(length, counts[chosen], target[chosen], number[code], places)


def _once_a_row(corpus: Corpus, code: IntArray, places: IntArray) -> tuple[IntArray, IntArray]:
    """Only the first place of a phrase in a row counts, sorted by phrase."""
    _, first = np.unique(code * len(corpus.words) + corpus.row[places], return_index=True)
    return code[first], places[first]


def leaning(counts: IntArray, rows: IntArray) -> tuple[IntArray, FloatArray]:
    """The class whose share among a phrase's rows is most above its share in all, and the former share.

    >>> target, share = leaning(np.array([[2, 1]]), np.array([90, 10]))
    >>> target.tolist(), share.round(2).tolist()
    ([1], [0.33])
    """
    total = np.maximum(counts.sum(axis=1), 1)
    target = (counts / np.maximum(rows, 1)).argmax(axis=1)
    return target, counts[np.arange(len(counts)), target] / total
