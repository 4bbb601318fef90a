"""Words put at random places between the chunks of texts, for a whole column at once."""

from __future__ import annotations

from itertools import chain

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.attacks.draws import Keys, below
from textward.words.columns import IntArray, spread

_ROWS = 1 << 16  # bounds the memory of one pass
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])  # as the word cutters see it


def at_random_gaps(texts: pl.Series, inserted: pl.Series, drawn: Keys) -> pl.Series:
    """Each text with a chunk put before one of its own or at its end, each gap as likely; no other moves.

    >>> drawn = np.array([1 << 63, 0], np.uint64)
    >>> at_random_gaps(pl.Series(["a  b", ""]), pl.Series(["cf", "mn"]), drawn).to_list()
    ['a  cf b', 'mn']
    """
    parts = (slice(start, start + _ROWS) for start in range(0, len(texts), _ROWS))
    done = (_inserted(texts[part].to_list(), inserted[part].to_list(), drawn[part]) for part in parts)
    return pl.Series(list(chain.from_iterable(done)), dtype=pl.String)


def _inserted(texts: list[str], inserted: list[str], drawn: Keys) -> list[str]:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    places = _places("".join(texts), spread(lengths), drawn)
    return [
        f"{text[:at]}{chunk} {text[at:]}" if at < len(text) else f"{text}{_joint(text)}{chunk}"
        for text, chunk, at in zip(texts, inserted, places.tolist(), strict=True)
    ]


def _joint(text: str) -> str:
    return "" if not text or text[-1].isspace() else " "


def _places(joined: str, bounds: IntArray, drawn: Keys) -> npt.NDArray[np.int64]:
    """Where each text's chosen chunk begins, or its length for the gap at its end."""
    codes = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    solid = ~_IS_SPACE[np.minimum(codes, len(_IS_SPACE) - 1)]
    begins = solid.copy()
    begins[1:] &= ~solid[:-1]
    first_of_text = bounds[:-1][bounds[:-1] < len(codes)]
    begins[first_of_text] = solid[first_of_text]
    starts = np.append(np.flatnonzero(begins), len(codes))
    first, last = np.searchsorted(starts[:-1], bounds[:-1]), np.searchsorted(starts[:-1], bounds[1:])
    gap = below(drawn, last - first + 1)
    chosen = np.where(gap < last - first, starts[np.minimum(first + gap, len(starts) - 1)], bounds[1:])
    return np.asarray(chosen - bounds[:-1], np.int64)
