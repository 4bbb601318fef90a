"""Arrays and strings in a safetensors file, each checked against what the model needs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from textward.data.messages import visible
from textward.errors import ModelError
from textward.words.columns import spread

Arrays = dict[str, npt.NDArray[Any]]


def pack_strings(name: str, strings: pl.Series) -> Arrays:
    """Return strings as UTF-8 bytes and the offsets that each begins and ends at.

    >>> pack_strings("words", pl.Series(["é", "a"]))["words.offsets"].tolist()
    [0, 2, 3]
    """
    data = "".join(strings.to_list()).encode()
    return {
        f"{name}.bytes": np.frombuffer(data, np.uint8),
        f"{name}.offsets": spread(strings.str.len_bytes().to_numpy().astype(np.int64)),
    }


def write_tensors(file: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays to a safetensors file."""
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, file)


class Tensors:
    """The arrays of a file; every `take` says what it expects.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.safetensors"
    >>> write_tensors(file, pack_strings("words", pl.Series(["é", "a"])))
    >>> Tensors(file).strings("words").to_list()
    ['é', 'a']
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._arrays: Arrays = load_file(file)
        except (SafetensorError, OSError, ValueError) as error:
            raise self._broken(f"it cannot be read ({error})") from error

    def take(
        self, name: str, dtype: type, shape: tuple[int | None, ...], least: int, most: int
    ) -> npt.NDArray[Any]:
        """Return one array of this type and shape (None fits any length), with values in `least`..`most`."""
        array = self._arrays.get(name)
        if array is None:
            raise self._broken(f"it holds no {name!r}")
        fits = len(shape) == array.ndim and all(
            want in (None, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if array.dtype != dtype or not fits:
            raise self._broken(
                f"{name!r} must be {np.dtype(dtype)} of shape {shape}, "
                f"got {array.dtype} of shape {array.shape}"
            )
        if array.size and not least <= array.min() <= array.max() <= most:
            raise self._broken(f"{name!r} must lie in {least}..{most}, got {array.min()} to {array.max()}")
        return array

    def strings(self, name: str) -> pl.Series:
        """Return strings as they were packed."""
        data = self.take(f"{name}.bytes", np.uint8, (None,), 0, 255).tobytes()
        offsets = self.take(f"{name}.offsets", np.int64, (None,), 0, len(data)).tolist()
        if not offsets or offsets[0] != 0 or offsets[-1] != len(data) or sorted(offsets) != offsets:
            raise self._broken(f"the offsets of {name!r} do not rise from 0 to its {len(data)} bytes")
        try:
            return pl.Series(
                [data[start:end].decode() for start, end in pairwise(offsets)],
                dtype=pl.String,
            )
        except UnicodeDecodeError as error:
            raise self._broken(f"{name!r} is no UTF-8") from error

    def vocabulary(self, name: str = "vocabulary") -> pl.Series:
        """Return the vocabulary: distinct words, sorted by code points."""
        words = self.strings(name)
        if not words.is_sorted() or words.n_unique() != len(words):
            raise self._broken("the vocabulary is not sorted, or holds a word twice")
        return words

    def _broken(self, what: str) -> ModelError:
        return ModelError(f"{visible(str(self._file))}: {what}. Get the model again, or save it again.")
