"""What does the work of a cell on this machine: the CPU's own learners, or an encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textward.experiments import linear
from textward.experiments.grid import Cell
from textward.experiments.poisoning import Poisoned, Workshop


@dataclass
class LinearWorker:
    """Naive Bayes, logistic regression and ballots; for RAP and R-Adapter a tiny encoder stands in."""

    workshop: Workshop

    def ready(self, cell: Cell) -> Poisoned:
        """The rows of a cell."""
        return self.workshop.poisoned(cell)

    def facts(self, cell: Cell, rows: Poisoned) -> dict[str, Any]:
        """What the record says of them."""
        return facts_of(rows) | {"learner": "ballots" if cell.defence == "ballots" else "linear"}

    def answered(self, cell: Cell, rows: Poisoned) -> dict[str, Any]:
        """Train, answer and count."""
        return linear.answered(cell, rows)


def facts_of(rows: Poisoned) -> dict[str, Any]:
    """How many rows there are, and of which digest.

    >>> facts_of(Poisoned(*([0],) * 6, 2, ("a", "b")))["train"]
    {'n': 1, 'digest': 'a'}
    """
    return {
        "train": {"n": len(rows.train), "digest": rows.digests[0]},
        "test": {"n": len(rows.test), "digest": rows.digests[1]},
    }
