"""The rows that a scan counts: each once, cut into words, every word with its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.words import Cutter, Words
from textward.words.columns import IntArray

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Corpus:
    """Distinct rows and their class indexes; text i holds the words at ``offsets[i]`` to ``offsets[i + 1]``.

    >>> from textward.words import UnicodeWords
    >>> corpus = Corpus(UnicodeWords().cut(pl.Series(["a film", "fun"])), np.array([0, 1]), 2)
    >>> corpus.left.tolist(), corpus.right.tolist(), corpus.edge
    ([3, 0, 3], [1, 3, 3], 3)
    """

    words: Words
    labels: IntArray
    classes: int

    @property
    def edge(self) -> int:
        """The word id that stands for the beginning and for the end of a text."""
        return len(self.words.vocabulary)

    @cached_property
    def ids(self) -> IntArray:
        """The word at each place of the corpus."""
        return self.words.ids.astype(np.int64)

    @cached_property
    def row(self) -> IntArray:
        """The row of each place."""
        return np.repeat(np.arange(len(self.words)), np.diff(self.words.offsets))

    @cached_property
    def left(self) -> IntArray:
        """The word before each place."""
        left = np.full(len(self.ids), self.edge)
        left[1:] = self.ids[:-1]
        left[self._of_texts_with_words(self.words.offsets[:-1])] = self.edge
        return left

    @cached_property
    def right(self) -> IntArray:
        """The word after each place."""
        right = np.full(len(self.ids), self.edge)
        right[:-1] = self.ids[1:]
        right[self._of_texts_with_words(self.words.offsets[1:]) - 1] = self.edge
        return right

    @cached_property
    def rows_of_class(self) -> IntArray:
        """The number of rows of each class."""
        return np.bincount(self.labels, minlength=self.classes)

    @cached_property
    def holding(self) -> IntArray:
        """The rows of each class that hold a word: words x classes."""
        held = self.words.holding()
        word = np.repeat(np.arange(self.edge), np.diff(held.indptr))
        cell = word * self.classes + self.labels[held.indices]
        return np.bincount(cell, minlength=self.edge * self.classes).reshape(-1, self.classes)

    def _of_texts_with_words(self, bounds: IntArray) -> IntArray:
        return bounds[np.diff(self.words.offsets) > 0]


@dataclass(frozen=True, slots=True)
class Distinct:
    """Rows of the same text and label counted once, for a copy is no evidence of its own.

    >>> found = Distinct.of(pl.Series(["a", "b", "a"]), np.array([0, 1, 0]))
    >>> found.texts.to_list(), found.place.tolist()
    (['a', 'b'], [0, 1, 0])
    """

    texts: pl.Series
    labels: IntArray
    place: IntArray
    """Where each of the rows stands among the distinct ones."""

    @classmethod
    def of(cls, texts: pl.Series, labels: IntArray) -> Distinct:
        """Of all rows, in order."""
        frame = pl.DataFrame({"text": texts, "label": pl.Series(labels)})
        once = frame.unique(maintain_order=True)
        if len(once) == len(frame):
            return cls(texts, labels, np.arange(len(labels)))
        numbered = once.with_row_index("place")
        joined = frame.join(numbered, on=["text", "label"], how="left", maintain_order="left")
        return cls(once["text"], once["label"].to_numpy(), joined["place"].to_numpy().astype(np.int64))

    def cut(self, cutter: Cutter, classes: int) -> Corpus:
        """The distinct rows as words."""
        return Corpus(cutter.cut(self.texts), self.labels, classes)
