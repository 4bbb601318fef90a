"""How an attack fared: accuracy on clean texts, success on poisoned ones, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textward.certificates.intervals import clopper_pearson
from textward.errors import DataError


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many texts.

    >>> Share(9, 10).value, [round(end, 2) for end in Share(9, 10).interval]
    (0.9, [0.55, 1.0])
    """

    hits: int
    n: int

    @property
    def value(self) -> float:
        """The share."""
        return self.hits / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Clopper-Pearson interval."""
        return clopper_pearson(self.hits, self.n)

    def as_dict(self) -> dict[str, Any]:
        """The share, ready for JSON."""
        return {"share": self.value, "interval": list(self.interval), "hits": self.hits, "n": self.n}


def clean_accuracy(predicted: npt.ArrayLike, labels: npt.ArrayLike) -> Share:
    """CACC: the share of clean texts that get their label.

    >>> clean_accuracy([0, 1, 1], [0, 1, 0]).hits
    2
    """
    found, wanted = np.asarray(predicted), np.asarray(labels)
    if found.shape != wanted.shape or not len(found):
        raise DataError(f"each text needs a label and a prediction: got {len(wanted)} and {len(found)}")
    return Share(int((found == wanted).sum()), len(found))


def attack_success(predicted: npt.ArrayLike, target: int | str) -> Share:
    """ASR: the share of poisoned texts of other classes that get the target.

    >>> attack_success([1, 0, 1, 1], target=1).value
    0.75
    """
    found = np.asarray(predicted)
    if not len(found):
        raise DataError(
            "an attack's success needs at least one poisoned text of another class than the target"
        )
    return Share(int((found == target).sum()), len(found))
