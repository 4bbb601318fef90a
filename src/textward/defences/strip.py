"""STRIP (Gao et al., 2019) on training rows: with a trigger, the prediction survives any perturbation."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from textward.attacks.draws import keys_of
from textward.certificates.votes import check_integer
from textward.defences.base import BoolArray, Filter
from textward.defences.models import FloatArray, TextModel
from textward.errors import UsageError
from textward.estimator.inputs import text_series
from textward.words import WhitespaceWords
from textward.words.columns import IntArray

Averaged = Literal["example", "interleaved"]
_BLOCK = 20_000  # perturbed texts held at once


class Strip(Filter):
    """Removes the rows whose prediction is surest under perturbation.

    Of each text, `copies` are made in which a share `swapped` of the chunks, at least one, gives way at
    random places to the chunks of highest tf-idf of a random clean text. The text's entropy is the mean of
    its own copies'; a row is removed when it lies below the share `false_rejections` of the clean texts'
    entropies. Without `clean` texts the training texts stand in for them, and at most that share of all rows
    is removed.

    `averaged="interleaved"` is OpenBackdoor's reading, in which a text's entropy is the mean over copies of
    different texts.

    >>> Strip(copies=5, false_rejections=0.1).fit(["good fun", "dull"] * 20, [1, 0] * 20).flagged_.sum() <= 4
    np.True_
    """

    def __init__(
        self,
        learner: Any = "linear",
        seed: int = 0,
        *,
        copies: int = 20,
        swapped: float = 0.5,
        false_rejections: float = 0.01,
        clean: Sequence[str] | None = None,
        averaged: Averaged = "example",
    ) -> None:
        super().__init__(learner, seed)
        self.copies = copies
        self.swapped = swapped
        self.false_rejections = false_rejections
        self.clean = clean
        self.averaged = averaged

    def suspects(self, texts: pl.Series, labels: IntArray, classes: int) -> BoolArray:
        check_integer("copies", self.copies, least=1)
        if not (0 < self.swapped <= 1 and 0 <= self.false_rejections < 1):
            raise UsageError(
                "swapped must lie in (0, 1] and false_rejections in [0, 1), got "
                f"{self.swapped!r} and {self.false_rejections!r}"
            )
        if self.averaged not in get_args(Averaged):
            raise UsageError(
                f"averaged must be one of {', '.join(get_args(Averaged))}, got {self.averaged!r}"
            )
        clean = texts if self.clean is None else text_series(self.clean)
        if not len(clean):
            raise UsageError("clean must hold at least one text; leave it out to use the training texts")
        model, spare = self.model_of(texts, labels, classes), _telling_chunks(clean)
        entropies = np.sort(self._entropies(model, clean, spare, "clean"))
        threshold = entropies[int(len(entropies) * self.false_rejections)]
        found = self._entropies(model, texts, spare, "clean" if self.clean is None else "rows")
        return np.asarray(found < threshold)

    def _entropies(
        self, model: TextModel, texts: pl.Series, spare: list[list[str]], purpose: str
    ) -> FloatArray:
        """Each text's mean entropy; its copies are drawn from its own place and the seed."""
        keys = keys_of(self.seed, f"strip {purpose}", len(texts)).tolist()
        made = (
            copy
            for text, key in zip(texts, keys, strict=True)
            for copy in perturbed(text, self.copies, self.swapped, spare, random.Random(key))
        )
        entropy = np.concatenate([_entropy(model.probabilities(block)) for block in _blocks(made)])
        if self.averaged == "interleaved":
            return np.asarray(entropy.reshape(self.copies, len(texts)).mean(axis=0))
        return np.asarray(entropy.reshape(len(texts), self.copies).mean(axis=1))


def perturbed(
    text: str, copies: int, swapped: float, spare: list[list[str]], rng: random.Random
) -> Iterator[str]:
    """Copies of a text with some chunks, at different places, replaced by those of other texts.

    >>> list(perturbed("a dull film", 1, 0.4, [["fun"]], random.Random(1)))
    ['a dull fun']
    """
    chunks = text.split()
    for _ in range(copies):
        copy, others = chunks.copy(), spare[rng.randrange(len(spare))]
        places = rng.sample(range(len(chunks)), max(min(1, len(chunks)), int(len(chunks) * swapped)))
        for place, other in zip(places, others, strict=False):
            copy[place] = other
        yield " ".join(copy)


def _telling_chunks(texts: pl.Series) -> list[list[str]]:
    """The distinct chunks of each text, those of highest tf-idf first."""
    words = WhitespaceWords().cut(texts)
    rows = np.bincount(words.incidence().indices, minlength=len(words.vocabulary))
    rarity = np.log((1 + len(texts)) / (1 + rows)) + 1
    names = words.vocabulary.to_list()
    telling = []
    for row in range(len(words)):
        ids, times = np.unique(words.ids[words.offsets[row] : words.offsets[row + 1]], return_counts=True)
        order = np.argsort(-times * rarity[ids], kind="stable")
        telling.append([names[word] for word in ids[order]])
    return [chunks for chunks in telling if chunks] or [[]]


def _entropy(probabilities: FloatArray) -> FloatArray:
    logs = np.log2(np.where(probabilities > 0, probabilities, 1.0))
    entropy: FloatArray = -(probabilities * logs).sum(axis=1)
    return entropy


def _blocks(texts: Iterator[str]) -> Iterator[pl.Series]:
    block: list[str] = []
    for text in texts:
        block.append(text)
        if len(block) == _BLOCK:
            yield pl.Series(block, dtype=pl.String)
            block = []
    if block:
        yield pl.Series(block, dtype=pl.String)
