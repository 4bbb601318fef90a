"""A trained ballot model: every word it saw has an integer ballot, and every other word a neutral one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from textward.certificates.ballots import BallotCase
from textward.errors import DataError
from textward.learners.ballots.counting import CountArray, Counts, IntArray, WordCounter
from textward.learners.ballots.formula import Centre, Dials, Strengths, ballot_bounds, ballots
from textward.words import Words


@dataclass(frozen=True)
class BallotModel:
    """Counts, the ballots made of them, and the dials they were made with.

    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["good fun", "bad", "fun", "bad dull"]))
    >>> model = train_ballots(words, np.array([1, 0, 1, 0]), classes=2)
    >>> model.tally(UnicodeWords().cut(pl.Series(["fun", "unheard of"]))).tolist()
    [[358, 665], [0, 0]]
    """

    counts: Counts
    dials: Dials

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.counts.rows)

    @cached_property
    def ballots(self) -> CountArray:
        """Words x classes, in 1/1024 of a whole ballot."""
        return ballots(self._strengths, self.dials, self._centre.median)

    def tally(self, words: Words) -> CountArray:
        """Texts x classes: the summed ballots of the distinct words; words never seen count for no class."""
        incidence, places = self._known(words)
        return np.asarray(incidence @ self.ballots[places])

    def case(self, words: Words) -> BallotCase:
        """What the certificates need to know of these texts."""
        incidence, places = self._known(words)
        return BallotCase(incidence, self.ballots[places], lru_cache(maxsize=16)(self.bounds_of(places)))

    def bounds_of(self, words: IntArray) -> Callable[[int], tuple[CountArray, CountArray]]:
        """The least and the greatest that the ballots of these words can be once so many others changed."""
        strengths, ballots = self._strengths.of_words(words), self.ballots[words]

        def bounds(size: int) -> tuple[CountArray, CountArray]:
            if size == 0:
                return ballots, ballots
            return ballot_bounds(strengths, self.dials, *self._centre.within(size))

        return bounds

    def arrays(self) -> dict[str, npt.NDArray[np.int64]]:
        """The integers a saved model consists of, beside its vocabulary."""
        return {"holding": self.counts.holding, "rows": self.counts.rows, "ballots": self.ballots}

    @classmethod
    def from_arrays(
        cls, vocabulary: pl.Series, arrays: Mapping[str, npt.NDArray[np.int64]], dials: Dials
    ) -> BallotModel:
        """The model that `arrays` came from; its ballots are those that were saved, to the bit."""
        model = cls(Counts(vocabulary, arrays["holding"], arrays["rows"]), dials)
        model.__dict__["ballots"] = arrays["ballots"]
        return model

    @cached_property
    def _strengths(self) -> Strengths:
        return Strengths.of(self.counts, self.dials.cap)

    @cached_property
    def _centre(self) -> Centre:
        return Centre.of(self._strengths.leaning[self._strengths.common])

    def places(self, vocabulary: pl.Series) -> pl.Series:
        """The place of each word in this model's own vocabulary; null for a word never seen."""
        frame = vocabulary.to_frame("word").join(self._places, on="word", how="left", maintain_order="left")
        return frame["place"]

    @cached_property
    def _places(self) -> pl.DataFrame:
        return self.counts.vocabulary.to_frame("word").with_row_index("place")

    def _known(self, words: Words) -> tuple[sparse.csr_array, IntArray]:
        """Texts x words that the model knows, 0 or 1, and the places of those words in its vocabulary."""
        found = self.places(words.vocabulary)
        known = found.is_not_null().arg_true().to_numpy()
        incidence = sparse.csr_array(words.holding()[:, known].tocsr(), dtype=np.int64)
        return incidence, found.drop_nulls().to_numpy().astype(np.int64)


def train_ballots(words: Words, labels: IntArray, classes: int, dials: Dials | None = None) -> BallotModel:
    """Train on the words of all rows and their class indexes.

    >>> from textward.words import UnicodeWords
    >>> train_ballots(UnicodeWords().cut(pl.Series(["good", "bad"])), np.array([1, 0]), classes=2).classes
    2
    """
    counter = WordCounter(classes)
    counter.add(words, labels)
    return from_counts(counter.counts(), dials)


def from_counts(counts: Counts, dials: Dials | None = None) -> BallotModel:
    """Train on counts; every class needs at least one row, or its ballots would mean nothing.

    >>> from_counts(Counts(pl.Series(["fun"]), np.array([[0, 3]]), np.array([3, 0])))
    Traceback (most recent call last):
    textward.errors.DataError: class number 1 has no rows. Give at least one row of every class.
    """
    if not counts.rows.all():
        raise DataError(
            f"class number {int(counts.rows.argmin())} has no rows. Give at least one row of every class."
        )
    return BallotModel(counts, dials or Dials.for_classes(len(counts.rows)))
