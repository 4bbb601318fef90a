"""A corpus cut into words, as three columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

IntArray = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of n texts: text i holds ``vocabulary[ids[offsets[i]:offsets[i + 1]]]``.

    The vocabulary is distinct and sorted by code points, so equal corpora have equal columns.

    >>> import polars as pl
    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["b a b", ""]))
    >>> words.vocabulary.to_list(), words.ids.tolist(), words.offsets.tolist()
    (['a', 'b'], [1, 0, 1], [0, 3, 3])
    """

    vocabulary: pl.Series
    ids: IntArray
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, text: int) -> list[str]:
        """Return the words of one text, in order."""
        return self.vocabulary.gather(self.ids[self.offsets[text] : self.offsets[text + 1]]).to_list()

    def incidence(self) -> sparse.csr_matrix:
        """Return the 0/1 matrix texts x vocabulary: which words a text holds at least once."""
        matrix = sparse.csr_matrix(
            (np.ones(len(self.ids), np.int32), self.ids, self.offsets), shape=(len(self), len(self.vocabulary))
        )
        matrix.sum_duplicates()
        matrix.data[:] = 1
        return matrix


def encode(values: pl.Series) -> tuple[pl.Series, IntArray]:
    """Return the distinct strings, sorted by code points, and the position of each value among them."""
    distinct = values.unique().sort()
    return distinct, values.cast(pl.Enum(distinct)).to_physical().to_numpy()


def spread(lengths: IntArray) -> IntArray:
    """Return the offsets that pieces of these lengths begin and end at."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
