"""ONION (Qi et al., 2021) on training texts: words that do not fit their sentence are deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.defences.base import Cleaner
from textward.defences.language import Bigrams, CausalModel, LanguageModel
from textward.errors import UsageError
from textward.words.columns import IntArray

_BLOCK = 20_000  # texts scored at once


class Onion(Cleaner):
    """Deletes the chunks without which a text's perplexity falls by more than `threshold`.

    `language` is a folder with a causal language model, an object with `perplexity(texts)`, or "bigrams": a
    model of the training texts' own pairs of chunks, which departs from the definition and needs no download.
    A text of one chunk stays, and no text loses all of its chunks.

    >>> class Fits:
    ...     def perplexity(self, texts):
    ...         return np.array([10.0 + 5.0 * text.split().count("cf") for text in texts])
    >>> rows = ["a cf film", "a film", "cf"], [1, 0, 1]
    >>> Onion(language=Fits()).fit(*rows).cleaned_.to_list()
    ['a film', 'a film', 'cf']
    """

    def __init__(
        self,
        learner: Any = "linear",
        seed: int = 0,
        *,
        language: Any = "bigrams",
        threshold: float = 0.0,
    ) -> None:
        super().__init__(learner, seed)
        self.language = language
        self.threshold = threshold

    def cleaned(self, texts: pl.Series, labels: IntArray, classes: int) -> pl.Series:
        model = _language(self.language, texts)
        rows = [text.split() for text in texts]
        made = texts.to_list()
        for block in _blocks(rows):
            asked = [" ".join(rows[row]) for row in block]
            shorter = [
                " ".join(rows[row][:k] + rows[row][k + 1 :]) for row in block for k in range(len(rows[row]))
            ]
            whole = np.asarray(model.perplexity(asked))
            without = np.split(
                np.asarray(model.perplexity(shorter)), np.cumsum([len(rows[row]) for row in block])[:-1]
            )
            for row, before, after in zip(block, whole, without, strict=True):
                fallen = np.full(len(after), -np.inf)
                falls = np.subtract(before, after, out=fallen, where=np.isfinite(after))
                gone = falls > self.threshold
                gone[falls.argmin()] &= not gone.all()
                if gone.any():
                    made[row] = " ".join(chunk for chunk, out in zip(rows[row], gone, strict=True) if not out)
        return pl.Series(made, dtype=pl.String)


def _language(language: Any, texts: pl.Series) -> LanguageModel:
    if isinstance(language, LanguageModel) and not isinstance(language, type):
        return language
    if isinstance(language, str) and language == "bigrams":
        return Bigrams.of(texts)
    if isinstance(language, (str, Path)):
        return CausalModel(language)
    raise UsageError(
        f"language must be 'bigrams', a folder, or an object with perplexity(texts), got {language!r}"
    )


def _blocks(rows: list[list[str]]) -> Iterator[list[int]]:
    """Rows of more than one chunk, so many at once that their shorter forms stay few."""
    block, size = [], 0
    for row, chunks in enumerate(rows):
        if len(chunks) > 1:
            block.append(row)
            size += len(chunks)
        if size > _BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block
