"""Certified accuracy of any rule, on the same votes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from textward.certificates.accuracy import (
    CertifiedAccuracy,
    ClassName,
    check_sizes,
    count_certified,
    from_counts,
    populations,
    target_index,
    votes_accuracy,
)
from textward.certificates.joint import DEFAULT_LIMITS, Limits
from textward.certificates.rules.outcome import Outcome
from textward.certificates.rules.plurality import Plurality
from textward.certificates.rules.reach import Reach
from textward.certificates.rules.stand import Stand
from textward.certificates.rules.targeted import Targeted
from textward.certificates.rules.worst import Attacker, joint_counts, least_buckets, radii
from textward.certificates.votes import BoolArray, CountArray, IntArray, check_labels, check_size, lead
from textward.errors import UsageError


class VoteRule(Protocol):
    """Turns what base models said into answers, and knows its own worst case.

    >>> from textward.certificates.rules import Runoff
    >>> rule: VoteRule = Runoff()
    >>> rule.name
    'runoff'
    """

    @property
    def name(self) -> str:
        """As users write it, with its dial."""
        ...

    @property
    def needs_shares(self) -> bool:
        """Whether votes alone are not enough."""
        ...

    def stand(self, outcome: Outcome, degree: int = 1) -> Stand:
        """The answers and the threats to them, where a word touches `degree` models at most."""
        ...


@dataclass(frozen=True, slots=True)
class RuleTest:
    """A test set as base models saw it, and how words and rows reach them.

    >>> votes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    >>> test = RuleTest(Outcome.of(votes, 2), Reach.plain(3), np.array([0, 0, 1]), ["bad", "good"])
    >>> rule_accuracy(test, Plurality(), range(2)).all
    (1.0, 0.6666666666666666)
    """

    outcome: Outcome
    reach: Reach
    labels: IntArray
    names: Sequence[ClassName]


def rule_accuracy(
    test: RuleTest,
    rule: VoteRule,
    trigger_sizes: Iterable[int],
    method: str = "joint",
    target: ClassName | None = None,
    rows: int = 0,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> CertifiedAccuracy:
    """Certify a test set by any rule; plain votes take the certificate that was made for them.

    >>> votes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    >>> test = RuleTest(Outcome.of(votes, 2), Reach.plain(3), np.array([0, 0, 1]), ["bad", "good"])
    >>> rule_accuracy(test, Targeted(1), range(3), target="good").per_class["bad"]
    (1.0, 0.5, 0.0)
    """
    sizes, rows = check_sizes(trigger_sizes), check_size(rows)
    outcome, labels, names = test.outcome, test.labels, test.names
    _judge(test.reach, rows, method)
    if isinstance(rule, Plurality) and test.reach.is_plain:
        return votes_accuracy(outcome.votes, labels, names, sizes, method, target, limits=limits)
    members = populations(labels, len(names), target_index(names, target))
    truth = check_labels(labels, len(outcome.votes), len(names))
    stand, attacker = rule.stand(outcome, test.reach.degree), Attacker(test.reach, rows)
    if method == "joint":
        table = joint_counts(stand, truth, members, attacker, sizes, limits)
    else:
        least, right = least_buckets(stand, attacker), stand.winners == truth
        table = tuple(count_certified(right & (least > size), members) for size in sizes)
    found = from_counts(method, names, target, sizes, truth, table)
    return replace(found, rule=rule.name, rows=rows)


def decide(
    outcome: Outcome, rule: VoteRule, reach: Reach, rows: int = 0
) -> tuple[CountArray, CountArray, CountArray, BoolArray]:
    """Each text's winner, radius, tally, and whether it stands at all.

    >>> outcome = Outcome.of(np.array([[0, 0, 0], [0, 0, 1]]), 2)
    >>> decide(outcome, Plurality(), Reach.plain(3))[1].tolist()
    [1, 0]
    """
    _judge(reach, rows, "individual")
    stand = rule.stand(outcome, reach.degree)
    if isinstance(rule, Plurality) and reach.is_plain:
        return *lead(stand.tally), stand.tally, np.ones(len(stand.winners), np.bool_)
    return stand.winners, *_radii(stand, reach, rows)


def _radii(stand: Stand, reach: Reach, rows: int) -> tuple[CountArray, CountArray, BoolArray]:
    radius, holds = radii(stand, Attacker(reach, rows))
    return radius, stand.tally, holds


def forcing(outcome: Outcome, reach: Reach) -> CountArray:
    """Texts x classes: the smallest trigger that could force each class; 0 for the answer itself.

    One more than there are buckets stands where no trigger can.

    >>> forcing(Outcome.of(np.array([[0, 0, 0, 1, 1]]), 3), Reach.plain(5)).tolist()
    [[0, 1, 3]]
    """
    attacker = Attacker(reach)
    columns = []
    for c in range(outcome.classes):
        stand = Targeted(c).stand(outcome)
        columns.append(np.where(stand.winners == c, 0, least_buckets(stand, attacker)))
    return np.stack(columns, axis=1)


def _judge(reach: Reach, rows: int, method: str) -> None:
    if method not in ("individual", "joint"):
        raise UsageError(f"votes are certified by method 'individual' or 'joint', got {method!r}")
    if rows and reach.rows is None:
        raise UsageError(
            f"rows={rows} needs base models that see some of the rows only: one added row changes all of "
            "these. Train with row_groups=50, say, or ballots (groups='words')."
        )
