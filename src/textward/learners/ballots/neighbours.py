"""A fixed public list of words and the words nearest to each: a constant that no training row can change."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from polars.exceptions import PolarsError

from textward.certificates.votes import CountArray
from textward.data.messages import visible
from textward.errors import DataError, UsageError
from textward.learners.ballots.counting import Counts

WHOLE = 1024
"""The weight of the nearest neighbour there can be."""
MOST = 256
"""So many neighbours a word may have."""
_BLOCK = 1024
_COLUMNS: dict[str, Any] = {"word": pl.String, "neighbours": pl.List(pl.Int64), "weights": pl.List(pl.Int64)}


@dataclass(frozen=True, eq=False)
class Neighbours:
    """For each word of the list the places of its neighbours in the list, and integer weights up to 1024.

    A weight of 0 is no neighbour. The list must not depend on the training rows: one that does is a way from
    one word to every other, and no certificate of its ballots would hold.

    >>> near = Neighbours(pl.Series(["fine", "good"]), np.array([[1], [0]]), np.array([[512], [1024]]))
    >>> near.nearest.tolist(), near.digest[:8]
    ([[1], [0]], 'e035aa03')
    """

    words: pl.Series
    nearest: CountArray
    weights: CountArray

    def __post_init__(self) -> None:
        problem = _problem(self.words, self.nearest, self.weights)
        if problem:
            raise DataError(f"the list of neighbours {problem}. Make it again.")

    @classmethod
    def of_vectors(
        cls, words: pl.Series, vectors: npt.NDArray[np.floating], nearest: int = 20, least: float = 0.3
    ) -> Neighbours:
        """The `nearest` words by the cosine of public vectors, weighted from 0 at `least` up to 1024 at 1.

        >>> vectors = np.array([[1, 0.1], [1, 0], [0, 1]])
        >>> Neighbours.of_vectors(pl.Series(["good", "fine", "door"]), vectors, nearest=1).weights.tolist()
        [[1016], [1016], [0]]
        """
        if not 1 <= nearest <= min(MOST, len(words) - 1):
            raise UsageError(f"nearest must lie in 1..{min(MOST, len(words) - 1)}, got {nearest!r}")
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.where(length > 0, length, 1)).astype(np.float32)
        places, cosines = np.empty((2, len(words), nearest))
        for start in range(0, len(words), _BLOCK):
            block = slice(start, start + _BLOCK)
            cosine = unit[block] @ unit.T
            cosine[np.arange(len(cosine)), np.arange(start, start + len(cosine))] = -2
            found = np.argpartition(-cosine, nearest - 1, axis=1)[:, :nearest]
            places[block], cosines[block] = found, np.take_along_axis(cosine, found, axis=1)
        weights = np.floor(WHOLE * np.clip((cosines - least) / (1 - least), 0, 1))
        return cls(words, places.astype(np.int64), weights.astype(np.int64))

    @classmethod
    def read(cls, file: str | Path) -> Neighbours:
        """Read a list that `write` wrote."""
        path = Path(file)
        try:
            frame = pl.read_parquet(path).select(pl.col(name).cast(kind) for name, kind in _COLUMNS.items())
            columns = [np.array(frame[name].to_list(), np.int64) for name in ("neighbours", "weights")]
        except (OSError, PolarsError, ValueError) as error:
            raise DataError(
                f"{visible(str(path))} is no list of neighbours ({visible(str(error))}). Give a Parquet file "
                "with the columns word, neighbours and weights, as Neighbours.write makes it."
            ) from error
        return cls(frame["word"], *columns)

    def write(self, file: str | Path) -> None:
        """Write the list as Parquet: word, neighbours (places in the list), weights."""
        lists = {"neighbours": self.nearest.tolist(), "weights": self.weights.tolist()}
        pl.DataFrame({"word": self.words, **lists}, schema=_COLUMNS).write_parquet(Path(file))

    @property
    def digest(self) -> str:
        """SHA-256 of the words and numbers, to tell lists apart by."""
        found = sha256("\0".join(self.words.to_list()).encode())
        for numbers in (self.nearest, self.weights):
            found.update(numbers.astype("<i8").tobytes())
        return found.hexdigest()

    def extended(self, counts: Counts) -> Counts:
        """The counts with every word of the list among them, if in no row."""
        mine = pl.DataFrame({"word": counts.vocabulary, "place": np.arange(len(counts.vocabulary))})
        every = mine.join(self.words.to_frame("word"), on="word", how="full", coalesce=True).sort("word")
        places = every["place"].fill_null(-1).to_numpy()
        return Counts(every["word"], counts.of_words(places).holding, counts.rows)


def _problem(words: pl.Series, nearest: CountArray, weights: CountArray) -> str | None:
    if nearest.ndim != 2 or nearest.shape != weights.shape or len(nearest) != len(words):
        return "has not as many neighbours and weights for every word"
    near = weights > 0
    # Those of no weight each get a number of their own.
    ranked = np.sort(np.where(near, nearest, -1 - np.arange(nearest.shape[1])), axis=1)
    itself = near & (nearest == np.arange(len(words))[:, None])
    problems = {
        f"has words with more than {MOST} neighbours": nearest.shape[1] > MOST,
        "has a word twice, or none": words.null_count() > 0 or words.n_unique() != len(words),
        "names a neighbour that is not in it": ((nearest < 0) | (nearest >= len(words))).any(),
        f"has weights outside 0..{WHOLE}": ((weights < 0) | (weights > WHOLE)).any(),
        "names a neighbour twice": (np.diff(ranked, axis=1) == 0).any(),
        "names a word as its own neighbour": itself.any(),
    }
    return next((problem for problem, there in problems.items() if there), None)
