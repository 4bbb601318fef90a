"""The options of `textward train` that are for cascades: what answers second, and from which lead on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.cli.encoders import EncoderWish
from textward.cli.screen import Screen
from textward.data import class_names, read_table
from textward.data.messages import visible
from textward.errors import UsageError
from textward.estimator import TextGuard


@dataclass(frozen=True, slots=True)
class CascadeWish:
    """What was asked of a cascade; None leaves it to the library.

    >>> CascadeWish("tfidf").learner(EncoderWish(), Path("model"))
    ('tfidf', 'tfidf')
    """

    name: str | None = None
    theta: float | None = None
    accuracy: float | None = None
    trusted: str | None = None

    def learner(self, encoder: EncoderWish, out: Path) -> tuple[str | None, Any]:
        """The name of the second stage, and what the estimator takes for it."""
        self._check()
        return (None, None) if self.name is None else encoder.learner(self.name, out, "--cascade")

    def choose(
        self, screen: Screen, guard: TextGuard, trained: pl.Series, text_column: str, label_column: str
    ) -> None:
        """Set theta from the trusted rows, which must not be those that are trained on."""
        assert self.trusted is not None and self.accuracy is not None
        table = read_table(self.trusted, text_column=text_column, label_column=label_column)
        assert table.labels is not None
        values = {str(name): name for name in class_names(table.labels)}
        labels = np.array([values[label] for label in table.labels])
        name = visible(self.trusted)
        shared = int(table.texts.is_in(trained.implode()).sum())
        if 2 * shared >= len(labels):  # a few short texts may stand in both by chance
            raise UsageError(
                f"--theta-from {name}: {shared:,} of its {len(labels):,} texts are trained on, too. One word "
                "planted in them would reach every answer through theta, and no certificate would hold: name "
                "trusted rows that are not among DATA."
            )
        with screen.progress(f"Choosing theta on {name}"):
            guard.set_params(theta=guard.theta_for(table.texts, labels, self.accuracy))
        screen.say(
            f"theta {guard.theta:g}: the least with which cascades of the {len(labels):,} trusted rows of "
            f"{name} alone reach {self.accuracy:g}"
        )

    def _check(self) -> None:
        given = {"--theta": self.theta, "--target-accuracy": self.accuracy, "--theta-from": self.trusted}
        asked = [name for name, value in given.items() if value is not None]
        if asked and self.name is None:
            raise UsageError(f"{asked[0]} is for a cascade: name what answers below it, --cascade tfidf")
        if self.accuracy is not None and self.theta is not None:
            raise UsageError("--theta and --target-accuracy both set theta: leave one out")
        if (self.accuracy is None) != (self.trusted is None):
            raise UsageError(
                "--target-accuracy and --theta-from go together. A theta chosen on the training rows, or "
                "with a model made of them, would be a way from one planted word to every answer, and no "
                "certificate would hold: name a file of trusted labelled rows that are not trained on."
            )
