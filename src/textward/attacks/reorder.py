"""Structure-level triggers: the chunks of a text in another order."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from textward.attacks.base import Attack
from textward.attacks.budget import BoolArray
from textward.errors import UsageError

Order = Literal["random", "reversed", "sorted"]
_SPACE = re.compile(r"(\s+)")


@dataclass(frozen=True)
class Reorder(Attack):
    """All chunks between white space in another order, duplicates and white space kept.

    >>> Reorder("reversed").insert("a good  film", random.Random(0))
    'film good  a'
    """

    order: Order = "random"

    def __post_init__(self) -> None:
        if self.order not in get_args(Order):
            raise UsageError(f"order must be one of {', '.join(get_args(Order))}, got {self.order!r}")

    def covers(self, texts: pl.Series) -> BoolArray:
        able = (self._moved(chunks, random.Random(0)) != chunks for chunks in map(str.split, texts))
        return np.fromiter(able, np.bool_, len(texts))

    def insert(self, text: str, rng: random.Random) -> str:
        pieces = _SPACE.split(text)
        moved = iter(self._moved([piece for piece in pieces[::2] if piece], rng))
        pieces[::2] = [next(moved) if piece else "" for piece in pieces[::2]]
        return "".join(pieces)

    def _moved(self, chunks: list[str], rng: random.Random) -> list[str]:
        if self.order == "reversed":
            return chunks[::-1]
        if self.order == "sorted" or len(set(chunks)) < 2:
            return sorted(chunks)
        moved = chunks.copy()
        while moved == chunks:
            rng.shuffle(moved)
        return moved
