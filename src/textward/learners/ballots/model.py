"""A trained ballot model: every word it saw has an integer ballot, and every other word a neutral one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from textward.certificates.ballots import BallotCase
from textward.certificates.ballots.case import Bounds
from textward.errors import DataError
from textward.learners.ballots.counting import CountArray, Counts, IntArray, WordCounter, with_unseen
from textward.learners.ballots.formula import Dials
from textward.learners.ballots.lending import LendingDials, LendingFormula
from textward.learners.ballots.power import PowerFormula
from textward.learners.ballots.steady import SteadyDials, SteadyFormula
from textward.words import Words

AnyDials = Dials | SteadyDials | LendingDials
AnyFormula = PowerFormula | SteadyFormula | LendingFormula


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
    dials: AnyDials

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.counts.rows)

    @cached_property
    def ballots(self) -> CountArray:
        """Words x classes, in 1/1024 of a whole ballot."""
        return self.formula.ballots

    def tally(self, words: Words) -> CountArray:
        """Texts x classes: the summed ballots of the distinct words; words never seen count for no class."""
        incidence, places = self._known(words)
        return np.asarray(incidence @ self.ballots[places])

    def case(self, words: Words, rows: int = 0) -> BallotCase:
        """What the certificates need to know of these texts, where somebody may have written `rows` rows.

        An attacker's rows may hold words that no other row does, so these have a column as well then. Words
        that lend to words of the texts have one, whether or not they stand in a text, after those that do.
        """
        incidence, places = self._known(words) if rows == 0 else self._every(words)
        echoes = None
        if isinstance(self.formula, LendingFormula):
            places = self.formula.with_lenders(places)
            incidence.resize(incidence.shape[0], len(places))
            echoes = partial(self.formula.echoes, places)
        ballots = with_unseen(self.ballots)[places]
        return BallotCase(incidence, ballots, self.bounds_of(places, rows), rows, echoes=echoes)

    def bounds_of(self, words: IntArray, rows: int = 0) -> Bounds:
        """The least and the greatest ballots of these words once so many others changed, and `rows` rows."""
        every = lru_cache(maxsize=16)(self._bounds_of(words, rows))

        def bounds(size: int, some: IntArray | None = None) -> tuple[CountArray, CountArray]:
            return every(size) if some is None else self._bounds_of(words[some], rows)(size)

        return bounds

    def _bounds_of(self, words: IntArray, rows: int) -> Callable[[int], tuple[CountArray, CountArray]]:
        bounds, ballots = self.formula.bounds_of(words, rows), with_unseen(self.ballots)[words]
        return lambda size: (ballots, ballots) if size == rows == 0 else bounds(size)

    def arrays(self) -> dict[str, npt.NDArray[np.int64]]:
        """The integers a saved model consists of, beside its vocabulary."""
        return {"holding": self.counts.holding, "rows": self.counts.rows, "ballots": self.ballots}

    @classmethod
    def from_arrays(
        cls, vocabulary: pl.Series, arrays: Mapping[str, npt.NDArray[np.int64]], dials: AnyDials
    ) -> BallotModel:
        """The model that `arrays` came from; its ballots are those that were saved, to the bit."""
        model = cls(Counts(vocabulary, arrays["holding"], arrays["rows"]), dials)
        model.__dict__["ballots"] = arrays["ballots"]
        return model

    @cached_property
    def formula(self) -> AnyFormula:
        """What makes ballots of the counts."""
        return (
            PowerFormula(self.counts, self.dials)
            if isinstance(self.dials, Dials)
            else self.dials.formula(self.counts)
        )

    def places(self, vocabulary: pl.Series) -> pl.Series:
        """The place of each word in this model's own vocabulary; null for a word never seen."""
        frame = vocabulary.to_frame("word").join(self._places, on="word", how="left", maintain_order="left")
        return frame["place"]

    @cached_property
    def _places(self) -> pl.DataFrame:
        return self.counts.vocabulary.to_frame("word").with_row_index("place")

    def _known(self, words: Words) -> tuple[sparse.csr_array, IntArray]:
        """Texts x words that the model knows, 0 or 1, and the places of those words in its vocabulary."""
        places = self._places_or_none(words)
        known = np.flatnonzero(places >= 0)
        return sparse.csr_array(words.holding()[:, known].tocsr(), dtype=np.int64), places[known]

    def _every(self, words: Words) -> tuple[sparse.csr_array, IntArray]:
        """Texts x words, 0 or 1, and the places of those words, -1 for one the model does not know."""
        return sparse.csr_array(words.holding().tocsr(), dtype=np.int64), self._places_or_none(words)

    def _places_or_none(self, words: Words) -> IntArray:
        return np.asarray(self.places(words.vocabulary).cast(pl.Int64).fill_null(-1).to_numpy())


def train_ballots(words: Words, labels: IntArray, classes: int, dials: AnyDials | None = None) -> BallotModel:
    """Train on the words of all rows and their class indexes.

    >>> from textward.words import UnicodeWords
    >>> train_ballots(UnicodeWords().cut(pl.Series(["good", "bad"])), np.array([1, 0]), classes=2).classes
    2
    """
    counter = WordCounter(classes)
    counter.add(words, labels)
    return from_counts(counter.counts(), dials)


def from_counts(counts: Counts, dials: AnyDials | None = None) -> BallotModel:
    """Train on counts; every class needs at least one row, or its ballots would mean nothing.

    >>> from_counts(Counts(pl.Series(["fun"]), np.array([[0, 3]]), np.array([3, 0])))
    Traceback (most recent call last):
    textward.errors.DataError: class number 1 has no rows. Give at least one row of every class.
    """
    if not counts.rows.all():
        raise DataError(
            f"class number {int(counts.rows.argmin())} has no rows. Give at least one row of every class."
        )
    if isinstance(dials, LendingDials):
        counts = dials.neighbours.extended(counts)
    return BallotModel(counts, dials or Dials.for_classes(len(counts.rows)))
