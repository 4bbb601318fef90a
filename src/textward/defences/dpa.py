"""DPA, deep partition aggregation (Levine and Feizi, 2021): every row in one partition, a model for each."""

from __future__ import annotations

import hashlib
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from textward.certificates.votes import check_integer, lead, tally
from textward.defences.rows import RowDefence, RowEnsemble
from textward.errors import UsageError
from textward.words.columns import IntArray

By = Literal["text", "place"]


class Dpa(RowDefence):
    """One model for each of many partitions of the rows; their votes certify against poisoned rows.

    `by="text"` puts a row by the hash of its text, as the definition has it: a row added, removed or
    relabelled touches one partition, and an edited one two. `by="place"` puts row i into partition i modulo
    their number: an edited row then touches one, and adding or removing rows is not covered.

    >>> rows = ["good fun", "dull bore", "good film", "dull film"] * 5, [1, 0, 1, 0] * 5
    >>> Dpa(partitions=5, by="place").fit(*rows).certified_accuracy(["good"], [1], rows=[0, 1, 2, 3]).all
    (1.0, 1.0, 1.0, 0.0)
    """

    def __init__(
        self, learner: Any = "linear", seed: int = 0, *, partitions: int = 200, by: By = "text"
    ) -> None:
        super().__init__(learner, seed)
        self.partitions = partitions
        self.by = by

    def train(self, texts: pl.Series, labels: IntArray, classes: int) -> RowEnsemble:
        check_integer("partitions", self.partitions, least=1)
        if self.by not in get_args(By):
            raise UsageError(f"by must be one of {', '.join(get_args(By))}, got {self.by!r}")
        of = (
            _by_text(texts, self.partitions) if self.by == "text" else np.arange(len(texts)) % self.partitions
        )
        parts = [np.flatnonzero(of == part) for part in range(self.partitions)]
        return self.ensemble(texts, labels, classes, parts)

    def certified_rows(self, votes: IntArray, edits: bool) -> tuple[IntArray, IntArray]:
        winners, radius = lead(tally(votes, len(self.classes_)))
        if self.by == "text":
            return winners, radius // 2 if edits else radius
        return winners, radius if edits else np.zeros_like(radius)


def _by_text(texts: pl.Series, partitions: int) -> IntArray:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return np.fromiter(
        (int.from_bytes(digest, "big") % partitions for digest in digests), np.int64, len(texts)
    )
