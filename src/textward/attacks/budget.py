"""Which rows an attacker may take, how many, and what becomes of their labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.attacks.draws import keys_of
from textward.data.messages import listing
from textward.errors import DataError, UsageError

Setting = Literal["mixed", "clean", "dirty"]
LabelArray: TypeAlias = npt.NDArray[Any]
"""Integers or strings, as the user gave them."""
BoolArray: TypeAlias = npt.NDArray[np.bool_]
RowArray: TypeAlias = npt.NDArray[np.int64]


def relabelled(
    labels: Sequence[int] | Sequence[str] | LabelArray | pl.Series,
    *,
    rate: float,
    target: int | str,
    setting: Setting = "mixed",
    seed: int = 0,
) -> LabelArray:
    """The labels of the training set without its triggers, D(∅): the rows that `poison` takes, relabelled.

    >>> relabelled(["bad", "good"] * 5, rate=0.5, target="good", setting="dirty", seed=1).tolist()
    ['good', 'good', 'good', 'good', 'good', 'good', 'good', 'good', 'good', 'good']
    """
    array = label_array(labels, target)
    changed: LabelArray = array.copy()
    changed[chosen_rows(array, rate=rate, target=target, setting=setting, seed=seed)] = target
    return changed


def chosen_rows(
    labels: LabelArray,
    *,
    rate: float,
    target: int | str,
    setting: Setting,
    seed: int,
    able: BoolArray | None = None,
) -> RowArray:
    """The rows to poison, in order: drawn from all rows (mixed), the target's (clean) or the others' (dirty).

    The rows of a lower rate are among those of a higher one. `able` marks the rows the attack can change.

    >>> chosen_rows(np.array([0, 1, 0, 1]), rate=0.5, target=1, setting="clean", seed=0).tolist()
    [1, 3]
    """
    count = budget(rate, len(labels))
    allowed = _of_setting(labels, target, setting)
    candidates = np.flatnonzero(allowed if able is None else allowed & able)
    if count > len(candidates):
        raise _too_few(count, rate, len(labels), int(allowed.sum()), len(candidates), target, setting)
    keys = keys_of(seed, "rows", len(labels))[candidates]
    lowest = np.argpartition(keys, count - 1)[:count] if count else np.arange(0)
    return np.sort(candidates[lowest])


def budget(rate: float, rows: int) -> int:
    """The number of rows a rate allows, over all rows: the largest whole number that does not exceed it.

    >>> budget(0.29, 100)
    29
    """
    if not 0 <= rate <= 1:
        raise UsageError(f"the poisoning rate must lie in [0, 1], got {rate!r}")
    count = math.floor(round(rate * rows, 6))  # 0.29 * 100 is just under 29 in binary, and 29 is meant
    if rate and not count:
        raise UsageError(
            f"a poisoning rate of {rate!r} over {rows:,} rows is less than one row; "
            f"the smallest rate that takes one is {1 / max(rows, 1):.12g}"
        )
    return count


def label_array(
    labels: Sequence[int] | Sequence[str] | LabelArray | pl.Series, target: int | str
) -> LabelArray:
    """The labels as an array, or the error for labels that are no integers or strings, or lack the target.

    >>> label_array(["a", "b"], "c")
    Traceback (most recent call last):
    textward.errors.UsageError: the target 'c' is not a class; the classes are 'a', 'b'
    """
    values = labels.to_list() if isinstance(labels, pl.Series) else labels
    array = values if isinstance(values, np.ndarray) else np.array(values)
    kinds = (
        {type(value) for value in values}
        if array.dtype.kind == "O" or not isinstance(values, np.ndarray)
        else set()
    )
    strings = array.dtype.kind == "U" or kinds == {str}
    mixed = len({issubclass(kind, str) for kind in kinds}) > 1
    if array.ndim != 1 or mixed or not (strings or array.dtype.kind in "iub"):
        raise DataError(
            f"labels must be one integer or one string a row, none missing; got {array.dtype} "
            f"of shape {array.shape}{' with strings and other values mixed' * mixed}"
        )
    classes = np.unique(array).tolist()
    if target not in classes or isinstance(target, str) != strings:
        shown = listing(classes) if strings else ", ".join(map(str, classes[:20]))
        raise UsageError(f"the target {target!r} is not a class; the classes are {shown}")
    return array


def _of_setting(labels: LabelArray, target: int | str, setting: Setting) -> BoolArray:
    if setting not in get_args(Setting):
        raise UsageError(f"setting must be one of {', '.join(get_args(Setting))}, got {setting!r}")
    if setting == "mixed":
        return np.ones(len(labels), np.bool_)
    of_target: BoolArray = np.asarray(labels == target, np.bool_)
    return of_target if setting == "clean" else ~of_target


def _too_few(
    count: int, rate: float, rows: int, allowed: int, able: int, target: int | str, setting: Setting
) -> UsageError:
    whose = {"mixed": "", "clean": f" labelled {target!r}", "dirty": f" not labelled {target!r}"}[setting]
    there = f"{allowed:,} rows{whose}"
    if able < allowed:
        there += f", of which the attack can change {able:,}"
    return UsageError(
        f"a {setting}-label rate of {rate!r} over {rows:,} rows takes {count:,} rows{whose}, and there are "
        f"{there}; the largest rate possible is {able / max(rows, 1):.12g}"
    )
