"""What does the work of a cell on this machine: the CPU's own learners, or an encoder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.experiments import linear, special
from textward.experiments.cutting import job_of
from textward.experiments.encoders import Engine
from textward.experiments.grid import Cell
from textward.experiments.jobs import Job
from textward.experiments.poisoning import Poisoned, Workshop
from textward.experiments.records import NO_BACKBONE
from textward.groups.assign import CODE_POINTS
from textward.words import WordOrder

NOTHING = Poisoned(*(pl.Series([], dtype=pl.String), np.zeros(0, np.int64)) * 3, 2, ("", ""))
"""The rows of a cell that needs none."""


@dataclass
class LinearWorker:
    """Naive Bayes, logistic regression and ballots."""

    workshop: Workshop

    def ready(self, cell: Cell) -> Poisoned:
        """The rows of a cell."""
        return NOTHING if cell.what == "partition" else self.workshop.poisoned(cell)

    def facts(self, cell: Cell, rows: Poisoned) -> dict[str, Any]:
        """What the record says of them."""
        return facts_of(rows) | {"learner": learner_name(cell)}

    def answered(self, cell: Cell, rows: Poisoned) -> dict[str, Any]:
        """Train, answer and count."""
        if cell.what in special.KINDS:
            return special.partition() if cell.what == "partition" else special.case(cell, rows)
        return linear.answered(cell, rows)


@dataclass
class EncoderWorker:
    """Fine-tuned encoders; what has no backbone is done as ever."""

    workshop: Workshop
    engine: Engine
    order: WordOrder = CODE_POINTS

    def ready(self, cell: Cell) -> Any:
        """The rows of a cell, cut for an encoder."""
        if cell.what == "partition":
            return NOTHING
        rows = self.workshop.poisoned(cell)
        if cell.defence in NO_BACKBONE:
            return rows
        return job_of(cell, rows, self.order)

    def facts(self, cell: Cell, rows: Any) -> dict[str, Any]:
        """What the record says of them."""
        name = Path(self.engine.encoder).name
        if isinstance(rows, Job):
            return rows.facts | {"learner": name, "settings": settings_told(self.engine.settings)}
        return facts_of(rows) | {"learner": learner_name(cell)}

    def answered(self, cell: Cell, rows: Any) -> dict[str, Any]:
        """Train, answer and count."""
        if isinstance(rows, Job):
            return self.engine.answered(rows)
        return special.partition() if cell.what == "partition" else linear.answered(cell, rows)


def settings_told(settings: Any) -> dict[str, Any]:
    """Epochs, batch and rate, as a record tells them.

    >>> from textward.learners.transformer.settings import Settings
    >>> settings_told(Settings())["epochs"]
    5
    """
    return {"epochs": settings.epochs, "batch": settings.batch, "learning_rate": settings.rate}


def learner_name(cell: Cell) -> str:
    """What a cell is learned by, without an encoder.

    >>> learner_name(Cell("hsol")), learner_name(Cell("hsol", defence="BKI"))
    ('naive Bayes', 'logistic regression')
    """
    if cell.what == "partition":
        return "nothing is trained"
    return {"TextGuard": "naive Bayes", "ballots": "ballots"}.get(cell.defence, "logistic regression")


def facts_of(rows: Poisoned) -> dict[str, Any]:
    """How many rows there are, and of which digest.

    >>> facts_of(Poisoned(*([0],) * 6, 2, ("a", "b")))["train"]
    {'n': 1, 'digest': 'a'}
    """
    return {
        "train": {"n": len(rows.train), "digest": rows.digests[0]},
        "test": {"n": len(rows.test), "digest": rows.digests[1]},
    }
