"""Rows split into parts, so that one row teaches few base models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from textward.certificates.votes import check_integer
from textward.errors import UsageError
from textward.groups.hashing import hashed
from textward.groups.split import SubTexts
from textward.words.columns import IntArray

By = Literal["text", "place"]
MOST_PARTS = 4096


@dataclass(frozen=True, slots=True)
class RowGroups:
    """Parts of the rows, for each group of words by itself.

    By "text" a row's part is a hash of its words *of that group*: words of other groups cannot move it, nor
    can other rows. By "place" it is the row's number modulo the number of parts, the same for every group.

    >>> texts = SubTexts(pl.Series(["bad", "film"]), np.array([0, 1, 0]), np.array([0, 1, 2, 3]))
    >>> RowGroups(5).of(texts).tolist(), RowGroups(2, "place").of(texts).tolist()
    ([3, 0, 3], [0, 1, 0])
    """

    parts: int
    by: By = "text"

    def __post_init__(self) -> None:
        if check_integer("row_groups", self.parts, least=1) > MOST_PARTS:
            raise UsageError(f"row_groups must be a whole number of 1 to {MOST_PARTS:,}, got {self.parts!r}")
        if self.by not in get_args(By):
            raise UsageError(f"rows_by must be one of {', '.join(get_args(By))}, got {self.by!r}")

    def of(self, texts: SubTexts) -> IntArray:
        """Return the part, 0 to parts - 1, of each row."""
        if self.by == "place":
            return np.arange(len(texts)) % self.parts
        # Salted, for the words of a group agree in their own hash.
        return hashed((b"row\0" + text.encode() for text in texts.texts()), self.parts, "sha256")
