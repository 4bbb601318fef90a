"""A corpus cut into words, as three columns."""

from __future__ import annotations

from collections.abc import Sequence
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

    The vocabulary is distinct, sorted by code points and holds no word that does not occur, so equal corpora
    have equal columns.

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
        return self.holding().tocsr()

    def holding(self) -> sparse.csc_matrix:
        """Return the same matrix by columns: which texts hold a word.

        Turning rows to columns is a counting sort, after which equal words of a text stand side by side.
        """
        shape = (len(self), len(self.vocabulary))
        columns = sparse.csr_matrix((np.ones(len(self.ids), np.int8), self.ids, self.offsets), shape).tocsc()
        texts, bounds = columns.indices, columns.indptr
        first = np.ones(len(texts), np.bool_)
        np.not_equal(texts[1:], texts[:-1], out=first[1:])
        first[bounds[:-1]] = True  # no word is without a text
        kept = texts[first]
        return sparse.csc_matrix((np.ones(len(kept), np.int32), kept, spread(first)[bounds]), shape)


@dataclass(frozen=True, slots=True)
class Part:
    """Some consecutive texts, cut: like ``Words``, but the vocabulary is in no particular order."""

    vocabulary: pl.Series
    ids: IntArray
    lengths: IntArray


def joined(parts: Sequence[Part]) -> Words:
    """Join parts under one sorted vocabulary."""
    if len(parts) == 1:
        return _sorted(parts[0])
    union, names = pl.concat([part.vocabulary for part in parts]), pl.Categorical(pl.Categories.random())
    named = union.cast(names)  # kept: polars forgets the numbers of a category when its last column goes
    vocabulary = union.unique().sort()
    place = np.empty(len(vocabulary), np.int32)
    place[vocabulary.cast(names).to_physical().to_numpy()] = np.arange(len(vocabulary), dtype=np.int32)
    places = np.split(
        place[named.to_physical().to_numpy()], np.cumsum([len(part.vocabulary) for part in parts])[:-1]
    )
    ids = np.concatenate([place[part.ids] for place, part in zip(places, parts, strict=True)])
    return Words(vocabulary, ids, spread(np.concatenate([part.lengths for part in parts])))


def _sorted(part: Part) -> Words:
    order = part.vocabulary.arg_sort().to_numpy()
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Words(part.vocabulary.gather(order).set_sorted(), place[part.ids], spread(part.lengths))


def numbered(values: pl.Series) -> tuple[pl.Series, IntArray]:
    """Return the distinct strings, in no particular order, and the position of each value among them.

    The categories are the call's own: polars would else keep every string of the process and number by them.
    """
    codes = values.cast(pl.Categorical(pl.Categories.random())).to_physical().to_numpy()
    first = np.empty(int(codes.max(initial=0)) + 1 if len(codes) else 0, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return values.gather(first), codes


def spread(lengths: IntArray | npt.NDArray[np.bool_]) -> IntArray:
    """Return the offsets that pieces of these lengths begin and end at."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    # Marks are counted as the bytes they are: numpy takes five times as long to turn them into numbers.
    np.cumsum(lengths.view(np.int8) if lengths.dtype == np.bool_ else lengths, out=offsets[1:])
    return offsets
