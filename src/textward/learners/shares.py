"""Scores -> how sure a base model is of each class, in integers that its scores alone decide."""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from textward.certificates.rules import SHARE
from textward.groups import Grouped
from textward.words.columns import IntArray

UNIT = 1 << 16
"""A score of 1, which makes odds of e."""
_MOST = 40 * UNIT


@runtime_checkable
class Sharing(Protocol):
    """An ensemble that says how sure each base model is, which soft votes and run-offs need.

    >>> isinstance("linear", Sharing)
    False
    """

    def shares(self, grouped: Grouped) -> IntArray:
        """Return texts x groups x classes, in 1/2**20."""
        ...


def shares_of(scores: IntArray) -> IntArray:
    """The share of each class, 1 / sum over d of exp(score_d - score_c), of scores in 1/65536; rounded down.

    >>> shares_of(np.array([[0, 0], [0, 65536]])).tolist()
    [[524288, 524288], [282005, 766570]]
    """
    apart = np.clip(scores[..., None, :] - scores[..., :, None], -_MOST, _MOST)
    odds = _exp(apart)
    total = odds[..., 0]
    for d in range(1, odds.shape[-1]):
        total = total + odds[..., d]
    return np.asarray(SHARE / total, np.int64)


def from_floats(scores: npt.NDArray[Any]) -> IntArray:
    """Scores such as logits as integers in 1/65536.

    >>> from_floats(np.array([0.5, -1.0])).tolist()
    [32768, -65536]
    """
    return np.rint(np.clip(np.asarray(scores, np.float64), -1e6, 1e6) * UNIT).astype(np.int64)


def _exp(values: IntArray) -> npt.NDArray[np.float64]:
    # As in linear.py: numpy's function of an array may round by a value's place, math's sees the value alone.
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([math.exp(value / UNIT) for value in distinct.tolist()])[place.reshape(values.shape)]
