"""Certified accuracy of a test set under ballots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log, sqrt

import numpy as np

from textward.certificates.accuracy import (
    CONFIDENCE,
    CertifiedAccuracy,
    ClassName,
    Figure,
    check_sizes,
    count_certified,
    figure,
    from_counts,
    plain_names,
    populations,
    target_index,
)
from textward.certificates.ballots.case import BallotCase
from textward.certificates.ballots.individual import ballot_radii, ballot_stands
from textward.certificates.ballots.joint import (
    DEFAULT_BALLOT_LIMITS,
    BallotLimits,
    balancing_weights,
    ballot_joint_table,
    ballot_one_model,
)
from textward.certificates.joint import JointCount
from textward.certificates.votes import BoolArray, CountArray, IntArray, check_labels
from textward.errors import UsageError

METHODS = ("individual", "joint", "one_model")


def ballots_accuracy(
    case: BallotCase,
    labels: IntArray,
    classes: Sequence[ClassName],
    trigger_sizes: Iterable[int],
    method: str = "joint",
    target: ClassName | None = None,
    *,
    answers: IntArray | None = None,
    limits: BallotLimits = DEFAULT_BALLOT_LIMITS,
) -> CertifiedAccuracy:
    """Certify a test set; `labels` are indexes into `classes`.

    `answers` are those of a whole cascade, which count while nothing is planted: from one trigger word or
    one row on, a text that is handed over counts as lost.

    "individual": every text meets a trigger of its own. "joint": every population meets one trigger for all
    its texts. "one_model": all classes together meet one trigger, so that its balanced figure is what one
    poisoned model can fall to; it has no figures by class.

    >>> case = BallotCase.fixed(np.array([[1, 1], [1, 0], [0, 1]]), np.array([[0, 1024], [1024, 0]]))
    >>> ballots_accuracy(case, np.array([0, 1, 0]), ["bad", "good"], [0, 1], "one_model").balanced
    (1.0, 0.25)
    """
    sizes = check_sizes(trigger_sizes)
    labels = check_labels(labels, case.incidence.shape[0], len(classes))
    members = populations(labels, len(classes), target_index(classes, target))
    if method == "individual":
        winners, radius = ballot_radii(case, max(sizes))
        right = winners == labels
        if case.rows:  # which may change a label with no trigger at all
            right &= ballot_stands(case, 0)
        table = tuple(count_certified(right & (radius >= size), members) for size in sizes)
    elif method == "joint":
        table = ballot_joint_table(case, labels, sizes, members, limits=limits)
    elif method == "one_model":
        return _one_model(case, labels, classes, sizes, answers, limits)
    else:
        raise UsageError(f"ballots are certified by method {', '.join(map(repr, METHODS))}, got {method!r}")
    if answers is not None and not case.rows:
        table = tuple(
            row if size else count_certified(answers == labels, members)
            for size, row in zip(sizes, table, strict=True)
        )
    return replace(from_counts(method, classes, target, sizes, labels, table), rows=case.rows)


def _one_model(
    case: BallotCase,
    labels: CountArray,
    classes: Sequence[ClassName],
    sizes: tuple[int, ...],
    answers: IntArray | None,
    limits: BallotLimits,
) -> CertifiedAccuracy:
    every = [row[0] for row in ballot_joint_table(case, labels, sizes, limits=limits)]
    balanced = list(ballot_one_model(case, labels, sizes, limits=limits))
    if answers is not None and not case.rows:
        right = answers == labels
        for place in (place for place, size in enumerate(sizes) if not size):
            every[place] = _untouched(right, np.ones_like(labels))
            balanced[place] = _untouched(right, balancing_weights(labels))
    names = plain_names(classes)
    figures = {"all": figure(every), "balanced": _weighted_figure(balanced, labels)}
    return CertifiedAccuracy("one_model", len(labels), names, None, sizes, figures, {}, case.rows)


def _untouched(right: BoolArray, weights: CountArray) -> JointCount:
    """The weight of the right answers while nothing is planted."""
    kept = int(weights[right].sum())
    return JointCount(int(weights.sum()), kept, True, (), kept)


def _weighted_figure(counts: Sequence[JointCount], labels: CountArray) -> Figure:
    """The figure of counts in which every class weighs the same, with Hoeffding's interval for the mean."""
    sizes = [int(size) for size in np.bincount(labels) if size]
    half = sqrt(log(2 / (1 - CONFIDENCE)) / 2 * sum(1 / size for size in sizes)) / len(sizes)
    attacks = tuple(c.attack_survivors / c.texts for c in counts)
    return Figure(
        n=len(labels),
        shares=tuple(c.share for c in counts),
        intervals=tuple(
            (max(0.0, c.share - half), min(1.0, attack + half))
            for c, attack in zip(counts, attacks, strict=True)
        ),
        exact=tuple(c.exact for c in counts),
        best_attack=attacks,
    )
