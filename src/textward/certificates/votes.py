"""One text's certificate: the exact number of corrupted groups its vote withstands.

A text has one vote from each of m groups. A corrupted group may vote anything; the others do not change.
The winner is the class with the most votes, and a tie goes to the smaller class. All of it is integer
arithmetic.
"""

from __future__ import annotations

import operator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from textward.errors import UsageError

IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
CountArray: TypeAlias = npt.NDArray[np.int64]


def tally(votes: IntArray, classes: int) -> CountArray:
    """Count the votes of each text (row) for each class.

    >>> tally(np.array([[0, 2, 2], [1, 1, 1]]), classes=3).tolist()
    [[1, 0, 2], [0, 3, 0]]
    """
    votes, classes = check_votes(votes, classes)
    texts = votes.shape[0]
    cells = np.arange(texts, dtype=np.int64)[:, None] * classes + votes
    return np.bincount(cells.ravel(), minlength=texts * classes).reshape(texts, classes)


def radii(votes: IntArray, classes: int) -> tuple[CountArray, CountArray]:
    """Name each text's winner and the largest number of corrupted groups that can never change it.

    The radius is tight: one corrupted group more, well chosen, does change the winner.

    >>> labels, radius = radii(np.array([[0, 0, 0, 0, 1], [1, 1, 0, 0, 2]]), classes=3)
    >>> labels.tolist(), radius.tolist()
    ([0, 0], [1, 0])
    """
    return lead(tally(votes, classes))


def individual_certified(votes: IntArray, labels: IntArray, classes: int, size: int) -> BoolArray:
    """Mark the texts that are right and stay so under any `size` corrupted groups, chosen for each text anew.

    >>> votes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    >>> individual_certified(votes, np.array([0, 0, 0]), classes=2, size=1).tolist()
    [True, False, False]
    """
    size = check_size(size)
    winners, radius = radii(votes, classes)
    labels = check_labels(labels, len(winners), classes)
    certified: BoolArray = (winners == labels) & (radius >= size)
    return certified


def lead(counts: CountArray) -> tuple[CountArray, CountArray]:
    """Winner and radius from vote counts: floor((M_y - max over c != y of (M_c + [y > c])) / 2).

    >>> winners, radius = lead(np.array([[5, 2], [2, 5], [3, 3]]))
    >>> winners.tolist(), radius.tolist()
    ([0, 1, 0], [1, 1, 0])
    """
    winners = counts.argmax(axis=1)  # the first of equals, so a tie goes to the smaller class
    rivals = counts + (winners[:, None] > np.arange(counts.shape[1]))
    np.put_along_axis(rivals, winners[:, None], -1, axis=1)
    best = np.take_along_axis(counts, winners[:, None], axis=1)[:, 0]
    return winners, (best - rivals.max(axis=1)) // 2


def check_votes(votes: IntArray, classes: int) -> tuple[CountArray, int]:
    """Return votes as int64 and classes as int, or say what is wrong with them.

    >>> check_votes(np.array([[0, 3]]), classes=2)
    Traceback (most recent call last):
    textward.errors.UsageError: votes must lie in 0..1 for 2 classes, got values from 0 to 3
    """
    classes = check_integer("classes", classes, least=2)
    array = np.asarray(votes)
    if array.ndim != 2 or array.shape[1] < 1:
        raise UsageError(f"votes must be texts x groups with at least one group, got shape {array.shape}")
    return _check_classes("votes", array, classes), classes


def check_labels(labels: IntArray, texts: int, classes: int) -> CountArray:
    """Return labels as int64, or say what is wrong with them.

    >>> check_labels(np.array([0, 1]), texts=3, classes=2)
    Traceback (most recent call last):
    textward.errors.UsageError: labels must be one per text: 3 texts, got shape (2,)
    """
    array = np.asarray(labels)
    if array.shape != (texts,):
        raise UsageError(f"labels must be one per text: {texts} texts, got shape {array.shape}")
    return _check_classes("labels", array, classes)


def check_size(size: int) -> int:
    """Return the number of trigger words as an int >= 0, or say what is wrong with it.

    >>> check_size(-1)
    Traceback (most recent call last):
    textward.errors.UsageError: size must be an integer >= 0, got -1
    """
    return check_integer("size", size, least=0)


def check_integer(name: str, value: int, least: int) -> int:
    """Return an integer setting that is at least `least`; a bool or a float is not one.

    >>> check_integer("classes", np.int64(4), least=2)
    4
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, (bool, np.bool_)):
        raise UsageError(f"{name} must be an integer >= {least}, got {value!r}")
    return number


def _check_classes(name: str, array: npt.NDArray[Any], classes: int) -> CountArray:
    if not np.issubdtype(array.dtype, np.integer):
        raise UsageError(f"{name} must be integers, got dtype {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= classes):
        found = f"values from {array.min()} to {array.max()}"
        raise UsageError(f"{name} must lie in 0..{classes - 1} for {classes} classes, got {found}")
    return array.astype(np.int64, copy=False)
