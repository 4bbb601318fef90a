"""A trained model as every face uses it: the estimator, the command line and the service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from textward.certificates.accuracy import CertifiedAccuracy, ClassName
from textward.errors import NotCertifiableError, UsageError
from textward.estimator.empirical import NO_CERTIFICATE, MeasuredVoters
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

    def certify(self, texts: pl.Series, rows: int = 0) -> Decision:
        """Return winners and radii, unless something stands against a certificate."""
        voters = self._certifying()
        return Decision.joined(voters.decide(words, rows) for words in self._words(texts))

    def accuracy(
        self,
        texts: pl.Series,
        labels: IntArray,
        sizes: Sequence[int],
        method: str,
        target: ClassName | None,
        rows: int = 0,
    ) -> CertifiedAccuracy:
        """Certify a test set, unless something stands against it."""
        test = TestSet(texts, labels, self.classes, sizes, method, target, rows)
        return self._certifying().accuracy(self.cutter, test)

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
