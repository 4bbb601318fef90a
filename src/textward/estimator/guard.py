"""A trained model as every face uses it: the estimator, the command line and the service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from textward.certificates.accuracy import CertifiedAccuracy, ClassName
from textward.errors import NotCertifiableError, UsageError
from textward.estimator.empirical import NO_CERTIFICATE, MeasuredVoters
from textward.estimator.fallback import Cascade
from textward.estimator.inputs import blocks
from textward.estimator.voters import BallotVoters, Decision, HashedVoters, TestSet
from textward.words import Cutter, Words
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class GuardModel:
    """Cuts texts into words, block by block, and lets the voters answer.

    >>> from textward import TextGuard
    >>> model = TextGuard(groups=3).fit(["good", "bad"], [1, 0]).model_
    >>> model.tally(pl.Series(["good"])).tolist()
    [[1, 2]]
    """

    cutter: Cutter
    classes: tuple[ClassName, ...]
    voters: HashedVoters | BallotVoters | MeasuredVoters
    obstacle: str | None = None
    """Why no certificate holds, and what to do; None where one does."""

    def votes(self, texts: pl.Series) -> IntArray:
        """Return the class index each group votes for: texts x groups."""
        if isinstance(self.voters, BallotVoters):
            raise UsageError(
                "with ballots every word of a text is a voter, so there is no matrix of votes. "
                "Use tally for the summed ballots per class."
            )
        return np.concatenate([self.voters.votes(words) for words in self._words(texts)])

    def tally(self, texts: pl.Series) -> IntArray:
        """Return votes, or summed ballots, per class: texts x classes."""
        return np.concatenate([self.voters.tally(words) for words in self._words(texts)])

    def winners(self, texts: pl.Series) -> IntArray:
        """Return the index of the class that each text gets."""
        counts = self.tally(texts)
        return self._completed(counts.argmax(axis=1), counts, texts)

    def deciding_tally(self, texts: pl.Series) -> IntArray:
        """Return the tally that decided: what a cascade hands over is one vote, its fallback's."""
        counts = self.tally(texts)
        if self.cascade is None:
            return counts
        winners = self._completed(counts.argmax(axis=1), counts, texts)
        lone = winners[:, None] == np.arange(counts.shape[1])
        return np.where(self.cascade.hands_over(counts)[:, None], lone, counts)

    def certify(self, texts: pl.Series, rows: int = 0) -> Decision:
        """Return winners and radii, unless something stands against a certificate."""
        voters = self._certifying()
        found = Decision.joined(voters.decide(words, rows) for words in self._words(texts))
        return replace(found, winners=self._completed(found.winners, found.tally, texts))

    def accuracy(
        self,
        texts: pl.Series,
        labels: IntArray,
        sizes: Sequence[int],
        method: str,
        target: ClassName | None,
        rows: int = 0,
        rule: str | None = None,
    ) -> CertifiedAccuracy:
        """Certify a test set, unless something stands against it."""
        test = TestSet(texts, labels, self.classes, sizes, method, target, rows, rule)
        return self._certifying().accuracy(self.cutter, test)

    @property
    def cascade(self) -> Cascade | None:
        """What answers where ballots lead by too little; None where there is no cascade."""
        return self.voters.cascade if isinstance(self.voters, BallotVoters) else None

    def _completed(self, winners: IntArray, counts: IntArray, texts: pl.Series) -> IntArray:
        return winners if self.cascade is None else self.cascade.completed(winners, counts, texts)

    def _words(self, texts: pl.Series) -> Iterator[Words]:
        for block in blocks(texts):
            yield self.cutter.cut(texts[block])

    def _certifying(self) -> HashedVoters | BallotVoters:
        """The voters, unless something stands against a certificate."""
        if self.obstacle is not None:
            raise NotCertifiableError(self.obstacle)
        if isinstance(self.voters, MeasuredVoters):
            raise NotCertifiableError(NO_CERTIFICATE)
        return self.voters
