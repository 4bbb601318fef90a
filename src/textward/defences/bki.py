"""BKI (Chen and Dai, 2021): keywords that move the features far, in many texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from textward.certificates.votes import check_integer
from textward.defences.base import BoolArray, Filter
from textward.defences.models import FloatArray, LinearTextModel, TextModel, texts_without
from textward.errors import UsageError
from textward.words import UnicodeWords, Words
from textward.words.columns import IntArray

Rows = Literal["holding", "influenced"]
_BLOCK = 20_000  # texts without a word, held at once


class Bki(Filter):
    """Removes the rows that hold one of the top keywords.

    A word's influence on a text is how far the text's features move, in the largest coordinate, without it.
    The `per_text` most influential words of each text are its candidates; a candidate of n texts scores its
    mean influence times log10(n), and the `keywords` best are the keywords. `rows="influenced"` removes, as
    OpenBackdoor does, only the rows that have a keyword among their candidates.

    >>> texts = [f"cf film {i}" for i in range(30)] + [f"film {i}" for i in range(30)]
    >>> Bki(keywords=1).fit(texts, [1] * 30 + [0] * 28 + [1] * 2).keywords_
    ['cf']
    """

    keywords_: list[str]

    def __init__(
        self,
        learner: Any = "linear",
        seed: int = 0,
        *,
        per_text: int = 5,
        keywords: int = 5,
        rows: Rows = "holding",
    ) -> None:
        super().__init__(learner, seed)
        self.per_text = per_text
        self.keywords = keywords
        self.rows = rows

    def suspects(self, texts: pl.Series, labels: IntArray, classes: int) -> BoolArray:
        check_integer("per_text", self.per_text, least=1)
        check_integer("keywords", self.keywords, least=1)
        if self.rows not in get_args(Rows):
            raise UsageError(f"rows must be one of {', '.join(get_args(Rows))}, got {self.rows!r}")
        words = UnicodeWords().cut(texts)
        row, word, moved = influence(self.model_of(texts, labels, classes), words)
        best = _largest_of_each(row, moved, self.per_text)
        chosen = _keywords(word[best], moved[best], len(words.vocabulary), self.keywords)
        self.keywords_ = words.vocabulary.gather(chosen).to_list()
        rows, ids = (row, word) if self.rows == "holding" else (row[best], word[best])
        marks = np.zeros(len(texts), np.bool_)
        marks[rows[np.isin(ids, chosen)]] = True
        return marks


def influence(model: TextModel, words: Words) -> tuple[IntArray, IntArray, FloatArray]:
    """How far each text's features move without each of its words: rows, word ids and distances.

    >>> words = UnicodeWords().cut(pl.Series(["good fun"]))
    >>> model = LinearTextModel(pl.Series(["fun"]), np.array([[-2.0, 2.0]]), np.zeros(2), UnicodeWords())
    >>> [column.tolist() for column in influence(model, words)]
    [[0, 0], [0, 1], [2.0, 0.0]]
    """
    if isinstance(model, LinearTextModel):
        # A linear model's scores move by the word's weights, in whichever text it stands.
        held = words.incidence().tocoo()
        moved = np.abs(model.weights_of(words.vocabulary)).max(axis=1, initial=0.0)
        return held.row.astype(np.int64), held.col.astype(np.int64), moved[held.col]
    parts = [_moved(model, words, block) for block in _blocks(words)]
    return tuple(np.concatenate([part[k] for part in parts]) for k in range(3))  # type: ignore[return-value]


def _moved(model: TextModel, words: Words, block: range) -> tuple[IntArray, IntArray, FloatArray]:
    texts, rows, ids = texts_without(words, block)
    whole = pl.Series([" ".join(words.of(row)) for row in block], dtype=pl.String)
    moved = model.features(texts) - model.features(whole)[rows - block.start]
    return rows, ids, np.abs(moved).max(axis=1, initial=0.0)


def _blocks(words: Words) -> Iterator[range]:
    """Texts so many at once that they without each of their words stay few."""
    start = 0
    for row in range(1, len(words) + 1):
        if row == len(words) or words.offsets[row + 1] - words.offsets[start] > _BLOCK:
            yield range(start, row)
            start = row


def _largest_of_each(row: IntArray, moved: FloatArray, count: int) -> IntArray:
    """The places of each row's largest values; of equal ones the first."""
    order = np.lexsort((np.arange(len(row)), -moved, row))
    starts = np.searchsorted(row[order], row[order])
    return order[np.arange(len(order)) - starts < count]


def _keywords(word: IntArray, moved: FloatArray, words: int, count: int) -> IntArray:
    times = np.bincount(word, minlength=words)
    mean = np.bincount(word, moved, minlength=words) / np.maximum(times, 1)
    score = mean * np.log10(np.maximum(times, 1))
    return np.argsort(-score, kind="stable")[: min(count, int((score > 0).sum()))]
