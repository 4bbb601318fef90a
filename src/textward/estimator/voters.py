"""Words -> tallies, radii and certified accuracy: hashed groups and ballots behind one protocol.

A mode without a certificate has no `decide` and no `accuracy`, so that none can be asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from textward.certificates.accuracy import CertifiedAccuracy, ClassName, votes_accuracy
from textward.certificates.ballots import BallotCase, ballot_radii, ballot_stands
from textward.certificates.ballots.accuracy import ballots_accuracy
from textward.certificates.votes import BoolArray, CountArray, lead, tally
from textward.errors import UsageError
from textward.estimator.fallback import Cascade
from textward.estimator.inputs import blocks
from textward.groups import HashGroups
from textward.learners import Ensemble
from textward.learners.ballots import BallotModel
from textward.words import Cutter, WordOrder, Words
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class Decision:
    """Class indexes, radii and tallies of some texts.

    >>> marks = np.array([True]), np.array([False])
    >>> both = Decision(np.array([0]), np.array([1]), np.array([[3, 0]]), *marks)
    >>> Decision.joined([both, both]).radius.tolist()
    [1, 1]
    """

    winners: IntArray
    radius: IntArray
    tally: IntArray
    holds: BoolArray
    """Whether the rows an attacker may have written cannot change the label by themselves."""
    handed_over: BoolArray
    """Whether a cascade's fallback answers; the winner is still the ballots' here."""

    @classmethod
    def joined(cls, parts: Iterable[Decision]) -> Decision:
        """Return the decisions of consecutive blocks as one."""
        rows = ((one.winners, one.radius, one.tally, one.holds, one.handed_over) for one in parts)
        columns = zip(*rows, strict=True)
        return cls(*(np.concatenate(column) for column in columns))


@dataclass(frozen=True, slots=True)
class TestSet:
    """Texts with class indexes, and what to certify of them.

    >>> TestSet(pl.Series(["good"]), np.array([1]), ("bad", "good"), (0, 1), "joint", None).names[1]
    'good'
    """

    texts: pl.Series
    labels: IntArray
    names: Sequence[ClassName]
    sizes: Sequence[int]
    method: str
    target: ClassName | None
    rows: int = 0


@dataclass(frozen=True, slots=True)
class HashedVoters:
    """m base models, each with one vote.

    >>> from textward import TextGuard
    >>> from textward.words import UnicodeWords
    >>> voters = TextGuard(groups=3).fit(["good", "bad"], [1, 0]).model_.voters
    >>> voters.votes(UnicodeWords().cut(pl.Series(["good"]))).shape
    (1, 3)
    """

    groups: HashGroups
    order: WordOrder
    ensemble: Ensemble
    classes: int

    def votes(self, words: Words) -> IntArray:
        """Return the class index each group votes for: texts x groups."""
        return self.ensemble.votes(self.groups.split(words, self.order))

    def tally(self, words: Words) -> IntArray:
        """Count each text's votes for each class."""
        return self._counts(words)

    def decide(self, words: Words, rows: int = 0) -> Decision:
        """Name each text's winner and its radius."""
        _no_rows(rows)
        counts = self._counts(words)
        holds = np.ones(len(counts), dtype=np.bool_)
        return Decision(*lead(counts), counts, holds, ~holds)

    def accuracy(self, cutter: Cutter, test: TestSet) -> CertifiedAccuracy:
        """Certify a test set; of its words only one block's are held at a time."""
        _no_rows(test.rows)
        votes = np.concatenate([self.votes(cutter.cut(test.texts[block])) for block in blocks(test.texts)])
        return votes_accuracy(votes, test.labels, test.names, test.sizes, test.method, test.target)

    def _counts(self, words: Words) -> CountArray:
        return tally(self.votes(words), self.classes)


@dataclass(frozen=True, slots=True)
class BallotVoters:
    """Every word of a text, each with its ballot.

    >>> from textward import TextGuard
    >>> from textward.words import UnicodeWords
    >>> voters = TextGuard(groups="words").fit(["good", "bad"], [1, 0]).model_.voters
    >>> voters.decide(UnicodeWords().cut(pl.Series(["good"]))).winners.tolist()
    [1]
    """

    model: BallotModel
    cascade: Cascade | None = None
    """What answers where the ballots lead by too little; None where they always answer."""

    def tally(self, words: Words) -> IntArray:
        """Sum each text's ballots for each class, in 1/1024 of a word's ballot."""
        return self.model.tally(words)

    def decide(self, words: Words, rows: int = 0) -> Decision:
        """Name each text's winner and its radius beside so many rows of an attacker's own."""
        case = self.case(words, rows)
        holds = ballot_stands(case, 0) if rows else np.ones(len(words), dtype=np.bool_)
        return Decision(*ballot_radii(case), case.scores, holds, ~case.answered)

    def accuracy(self, cutter: Cutter, test: TestSet) -> CertifiedAccuracy:
        """Certify a test set."""
        case = self.case(cutter.cut(test.texts), test.rows)
        answers = self.answers(case, test.texts) if 0 in test.sizes else None
        return ballots_accuracy(
            case, test.labels, test.names, test.sizes, test.method, test.target, answers=answers
        )

    def case(self, words: Words, rows: int = 0) -> BallotCase:
        """What the certificates need to know of these texts."""
        case = self.model.case(words, rows)
        return case if self.cascade is None else replace(case, theta=self.cascade.theta)

    def answers(self, case: BallotCase, texts: pl.Series) -> IntArray | None:
        """What a cascade says of these texts while nothing is planted; None without a cascade."""
        if self.cascade is None:
            return None
        return self.cascade.completed(case.winners, case.scores, texts)


def _no_rows(rows: int) -> None:
    if rows:
        raise UsageError(
            f"rows={rows} is for ballots: of hashed groups, one added row changes every base model. "
            "Train with groups='words', and rows= for ballots made to withstand so many."
        )
