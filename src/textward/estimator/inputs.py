"""Texts and labels as users hold them -> a column of strings and class indexes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from textward.data.checks import strings
from textward.data.messages import Origin, listing, quoted
from textward.errors import DataError, UsageError
from textward.words.columns import IntArray

BLOCK_TEXTS = 65_536
BLOCK_BYTES = 32 * 2**20
_COLUMN = "Give one column of texts: a list, a numpy array of one dimension, or a pandas or polars Series."


def text_series(texts: Any) -> pl.Series:
    """Return texts as a String series, or say what is wrong with them.

    >>> text_series(np.array(["a film", ""])).to_list()
    ['a film', '']
    >>> text_series("a film")
    Traceback (most recent call last):
    textward.errors.UsageError: got one string where several texts belong. Put it in a list: ['a film'].
    """
    if isinstance(texts, (str, bytes)):
        raise UsageError(
            f"got one string where several texts belong. Put it in a list: [{quoted(str(texts))}]."
        )
    if isinstance(texts, pl.Series) and texts.dtype == pl.String and not texts.null_count():
        return texts
    _check_one_column(texts)
    values = list(texts)
    _check_strings(values)
    return strings(list(map(str, values)), Origin("texts", 1), None)


def blocks(texts: pl.Series) -> Iterator[slice]:
    """Cut a column into blocks of bounded size, so that only one block's words are held at a time.

    >>> list(blocks(pl.Series(["a"] * 100_000)))
    [slice(0, 65536, None), slice(65536, 100000, None)]
    """
    ends = np.cumsum(texts.str.len_bytes().to_numpy(), dtype=np.int64)
    start = 0
    if not len(texts):
        yield slice(0, 0)
    while start < len(texts):
        limit = (ends[start - 1] if start else 0) + BLOCK_BYTES
        stop = min(start + BLOCK_TEXTS, int(np.searchsorted(ends, limit, side="right")))
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop


def label_array(labels: Any, texts: int) -> npt.NDArray[Any]:
    """Return labels as an array of one value a text, or say what is wrong with them.

    >>> label_array(["bad", "good"], texts=2).tolist()
    ['bad', 'good']
    """
    try:
        array: npt.NDArray[Any] = column_or_1d(labels, warn=True)
    except (ValueError, TypeError) as error:
        raise DataError(f"labels: {error} Give one label a text.") from error
    if len(array) != texts:
        raise DataError(f"there are {texts:,} texts and {len(array):,} labels. Give one label a text.")
    _check_present(array)
    return array


def target_array(labels: Any, texts: int) -> npt.NDArray[Any]:
    """Return labels to train on: those of classes, not measurements.

    >>> target_array([1, 0], texts=2).tolist()
    [1, 0]
    """
    if labels is None:
        raise UsageError("requires y to be passed, but the target y is None: give one label a text")
    array = label_array(labels, texts)
    try:
        check_classification_targets(array)
    except TypeError as error:
        raise mixed_types(array.tolist()) from error
    except ValueError as error:
        raise DataError(f"labels: {error} Give strings or whole numbers.") from error
    return array


def class_values(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the classes in order; one alone is an error, for nothing could be learned.

    >>> class_values(np.array(["b", "a", "b"])).tolist()
    ['a', 'b']
    """
    classes = np.unique(labels)
    if len(classes) < 2:
        raise DataError(
            f"every row has the same label, {quoted(str(classes[0]))}: one class cannot be told "
            "from another. Give rows of at least two classes."
        )
    return classes


def mixed_types(labels: Iterable[Any]) -> DataError:
    """Return the error for labels that no order holds for.

    >>> print(mixed_types(["a", 1]))
    the labels mix int and str. Give labels of one type.
    """
    kinds = sorted({type(label).__name__ for label in labels})
    return DataError(f"the labels mix {' and '.join(kinds)}. Give labels of one type.")


def class_indexes(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> IntArray:
    """Return the index of each label's class; a label not seen in training is an error.

    >>> class_indexes(np.array(["b", "a"]), np.array(["a", "b"])).tolist()
    [1, 0]
    """
    index = {value: number for number, value in enumerate(classes.tolist())}
    try:
        return np.fromiter((index[label] for label in labels.tolist()), np.int64, len(labels))
    except KeyError as error:
        raise DataError(
            f"the label {quoted(str(error.args[0]))} was not seen in training; the classes are "
            f"{listing([str(value) for value in classes])}. Correct or drop such rows, or train with every "
            "class."
        ) from None


def _check_one_column(texts: Any) -> None:
    shape = getattr(texts, "shape", None)
    if shape is not None and len(shape) != 1:
        raise UsageError(
            f"texts must have one dimension, got shape {tuple(shape)}. Reshape your data. {_COLUMN}"
        )
    if isinstance(texts, dict) or not (isinstance(texts, Sequence) or hasattr(texts, "__array__")):
        raise UsageError(f"texts must be a sequence of strings, got {type(texts).__name__}. {_COLUMN}")


def _check_strings(values: Any) -> None:
    for row, value in enumerate(values, 1):
        if isinstance(value, str):
            continue
        if value is None or (isinstance(value, float) and math.isnan(value)):
            raise DataError(
                f"texts, row {row:,}: the text is missing ({value}). "
                "Give the row a text (an empty string will do), or drop it."
            )
        raise UsageError(
            f"texts, row {row:,}: must be a string, got {quoted(repr(value))} ({type(value).__name__}). "
            f"{_COLUMN}"
        )


def _check_present(labels: npt.NDArray[Any]) -> None:
    if labels.dtype.kind in "biuU":
        return
    for row, value in enumerate(labels.tolist(), 1):
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            raise DataError(
                f"labels, row {row:,}: the label is missing or no class ({value}; Input y contains NaN or "
                "infinity). Give every row a label, or drop those without."
            )
