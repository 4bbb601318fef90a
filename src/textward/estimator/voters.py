"""Words -> tallies, radii and certified accuracy: hashed groups and ballots behind one protocol.

A mode without a certificate has no `decide` and no `accuracy`, so that none can be asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from textward.certificates.accuracy import CertifiedAccuracy, ClassName, target_index, votes_accuracy
from textward.certificates.ballots import BallotCase, ballot_radii, ballot_stands
from textward.certificates.ballots.accuracy import ballots_accuracy
from textward.certificates.rules import (
    Outcome,
    Reach,
    RowReach,
    RuleTest,
    VoteRule,
    decide,
    rule_accuracy,
    rule_of,
)
from textward.certificates.votes import BoolArray, lead, tally
from textward.errors import UsageError
from textward.estimator.fallback import Cascade
from textward.estimator.inputs import blocks
from textward.groups import BlockGroups, HashGroups, RowGroups
from textward.learners import Ensemble, Sharing
from textward.learners.ballots import BallotModel
from textward.words import Cutter, WordOrder, Words
from textward.words.columns import IntArray

PLURALITY = "plurality"
_MOST_REACHED = 4096


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
    rule: str | None = None
    """How votes become answers, where not as in training."""


@dataclass(frozen=True, slots=True)
class HashedVoters:
    """m base models, each with one vote.

    >>> from textward import TextGuard
    >>> from textward.words import UnicodeWords
    >>> voters = TextGuard(groups=3).fit(["good", "bad"], [1, 0]).model_.voters
    >>> voters.votes(UnicodeWords().cut(pl.Series(["good"]))).shape
    (1, 3)
    """

    groups: HashGroups | BlockGroups
    order: WordOrder
    ensemble: Ensemble
    classes: int
    row_groups: RowGroups | None = None
    """How rows were split; None where every base model saw all of them."""
    rule: str = "plurality"

    @property
    def models(self) -> int:
        """The number of base models."""
        return self.groups.m * (1 if self.row_groups is None else self.row_groups.parts)

    def votes(self, words: Words) -> IntArray:
        """Return the class index each base model votes for: texts x base models."""
        return self.ensemble.votes(self.groups.split(words, self.order))

    def tally(self, words: Words) -> IntArray:
        """Count each text's votes for each class, as the rule does that decides."""
        if self.rule == PLURALITY:
            return tally(self.votes(words), self.classes)
        return rule_of(self.rule).stand(self.outcome(words, rule_of(self.rule))).tally

    def decide(self, words: Words, rows: int = 0) -> Decision:
        """Name each text's winner and its radius."""
        if self.is_plain and not rows:  # without a table of who touches what
            counts = tally(self.votes(words), self.classes)
            holds = np.ones(len(counts), dtype=np.bool_)
            return Decision(*lead(counts), counts, holds, ~holds)
        rule = rule_of(self.rule)
        winners, radius, counts, holds = decide(self.outcome(words, rule), rule, self.reach(), rows)
        return Decision(winners, radius, counts, holds, np.zeros_like(holds))

    def accuracy(self, cutter: Cutter, test: TestSet) -> CertifiedAccuracy:
        """Certify a test set; of its words only one block's are held at a time."""
        rule = self.asked(test.rule, test.names, test.target)
        outcome = self.outcome_of(cutter, test.texts, rule)
        return self.judged(outcome, rule, test)

    def judged(self, outcome: Outcome, rule: VoteRule, test: TestSet) -> CertifiedAccuracy:
        """Certify a test set whose votes are known already."""
        if self.is_plain and rule.name == PLURALITY and not test.rows:
            return votes_accuracy(
                outcome.votes, test.labels, test.names, test.sizes, test.method, test.target
            )
        asked = RuleTest(outcome, self.reach(), test.labels, test.names)
        return rule_accuracy(asked, rule, test.sizes, test.method, test.target, test.rows)

    def asked(self, rule: str | None, names: Sequence[ClassName], target: ClassName | None) -> VoteRule:
        """The rule of this name, or the one that decides."""
        return rule_of(rule or self.rule, target_index(names, target))

    def outcome_of(self, cutter: Cutter, texts: pl.Series, rule: VoteRule) -> Outcome:
        """What the base models say of texts, as much as the rule asks for."""
        found = [self.outcome(cutter.cut(texts[block]), rule) for block in blocks(texts)]
        shares = [one.shares for one in found if one.shares is not None]
        votes = np.concatenate([one.votes for one in found])
        return Outcome(votes, self.classes, np.concatenate(shares) if shares else None)

    def outcome(self, words: Words, rule: VoteRule) -> Outcome:
        """What the base models say, as much as the rule asks for."""
        grouped = self.groups.split(words, self.order)
        if not rule.needs_shares:
            return Outcome.of(self.ensemble.votes(grouped), self.classes)
        if not isinstance(self.ensemble, Sharing):
            raise UsageError(
                f"the rule {rule.name} needs base models that say how sure they are, and those of this "
                "learner do not: use the rule plurality"
            )
        return Outcome.of(self.ensemble.votes(grouped), self.classes, self.ensemble.shares(grouped))

    @property
    def is_plain(self) -> bool:
        """Whether a word touches one base model, a row all of them, and most votes win."""
        return isinstance(self.groups, HashGroups) and self.row_groups is None and self.rule == PLURALITY

    def reach(self) -> Reach:
        """Which base models a word and a row can touch."""
        if self.models > _MOST_REACHED:
            raise UsageError(
                f"{self.models:,} base models are certified by the rule plurality only, each with words of "
                f"its own and all rows. Train at most {_MOST_REACHED:,} for anything else."
            )
        words = self.groups.incidence()
        if self.row_groups is None:
            return Reach(words)
        parts, columns = self.row_groups.parts, self.groups.m
        cell = np.arange(parts * columns)
        if self.row_groups.by == "place":  # the same part of every column
            rows = RowReach(cell // columns, np.zeros(parts, np.int64), each=1)
        else:  # in each column a part to leave and one to enter
            rows = RowReach(cell, cell % columns, each=2)
        return Reach(np.tile(words, (1, parts)), rows)


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
        if test.rule is not None:
            raise UsageError(
                f"rule={test.rule!r} is for base models that vote, and ballots have none: leave it out"
            )
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
