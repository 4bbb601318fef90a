"""Certified accuracy: counts of certified texts -> shares of every population a reader asks for.

Everything is decided in integers before this; the floats made here are for reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from textward.certificates.intervals import clopper_pearson
from textward.certificates.joint import DEFAULT_LIMITS, JointCount, Limits, joint_table
from textward.certificates.votes import (
    BoolArray,
    IntArray,
    check_integer,
    check_labels,
    check_size,
    individual_certified,
)
from textward.errors import UsageError

ClassName = str | int
CONFIDENCE = 0.95
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Figure:
    """The certified share of one population, for each trigger size, and how far to trust it.

    >>> figure([JointCount(texts=10, survivors=8, exact=True, attack=(2,), attack_survivors=8)]).shares
    (0.8,)
    """

    n: int
    """The texts of the population."""
    shares: tuple[float, ...]
    """Proven: no trigger leaves less on these texts."""
    intervals: tuple[tuple[float, float], ...]
    """Where the share over all texts like these lies, with 95 % confidence.

    Where one trigger is chosen for the whole test set, the upper end takes the one chosen on this sample as
    given; the lower end holds as said.
    """
    exact: tuple[bool, ...]
    """Whether the share is the minimum itself; else it is a lower bound on the minimum."""
    best_attack: tuple[float, ...]
    """What the worst attack found leaves: an upper bound on the minimum."""


@dataclass(frozen=True, slots=True)
class CertifiedAccuracy:
    """The certified accuracy of one test set by one method, for several trigger sizes.

    >>> votes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 0, 1]])
    >>> found = votes_accuracy(votes, np.array([0, 0, 1, 1]), ["bad", "good"], [0, 1], target="good")
    >>> found.all, found.balanced, found.non_target
    ((1.0, 0.5), (1.0, 0.5), (1.0, 0.5))
    """

    method: str
    n: int
    classes: tuple[ClassName, ...]
    target: ClassName | None
    trigger_sizes: tuple[int, ...]
    figures: Mapping[str, Figure]
    """"all" and "balanced", and "non_target" where a target was given and the method defines it."""
    class_figures: Mapping[str, Figure]
    """Those of the classes in the test set, by name; empty where the method defines none."""
    rows: int = 0
    """The training rows an attacker may have added, deleted, rewritten or relabelled, beside its words."""
    rule: str = "plurality"
    """How votes became answers."""

    @property
    def all(self) -> tuple[float, ...]:
        """The share of all texts."""
        return self.figures["all"].shares

    @property
    def balanced(self) -> tuple[float, ...]:
        """The mean over the classes in the test set of the per-class share.

        Each class meets its own worst trigger, so no one trigger brings the balanced accuracy below it.
        """
        return self.figures["balanced"].shares

    @property
    def non_target(self) -> tuple[float, ...] | None:
        """The share of the texts whose class is not the target; None without one."""
        return self.figures["non_target"].shares if "non_target" in self.figures else None

    @property
    def per_class(self) -> dict[str, tuple[float, ...]]:
        """The share of each class' texts; a class without texts has none."""
        return {name: one.shares for name, one in self.class_figures.items()}

    def as_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON: the shares, then in the same shape what is known about them."""
        return self._shaped(lambda one: list(one.shares)) | {
            "texts": self._shaped(lambda one: one.n),
            "intervals": self._shaped(lambda one: [list(ends) for ends in one.intervals]),
            "exact": self._shaped(lambda one: list(one.exact)),
            "best_attack": self._shaped(lambda one: list(one.best_attack)),
        }

    def _shaped(self, read: Callable[[Figure], _T]) -> dict[str, Any]:
        of_all = {key: read(self.figures[key]) if key in self.figures else None for key in _FIGURES}
        return {**of_all, "per_class": {name: read(one) for name, one in self.class_figures.items()}}


_FIGURES = ("all", "balanced", "non_target")


def votes_accuracy(
    votes: IntArray,
    labels: IntArray,
    classes: Sequence[ClassName],
    trigger_sizes: Iterable[int],
    method: str = "joint",
    target: ClassName | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> CertifiedAccuracy:
    """Certify a test set from the votes of hashed groups; `labels` are indexes into `classes`.

    >>> votes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    >>> votes_accuracy(votes, np.array([0, 0, 1]), ["bad", "good"], range(3)).per_class
    {'bad': (1.0, 0.5, 0.0), 'good': (1.0, 1.0, 0.0)}
    """
    sizes = check_sizes(trigger_sizes)
    members = populations(labels, len(classes), target_index(classes, target))
    if method == "joint":
        table = joint_table(votes, labels, len(classes), sizes, members, limits=limits)
    elif method == "individual":
        table = tuple(
            count_certified(individual_certified(votes, labels, len(classes), size), members)
            for size in sizes
        )
    else:
        raise UsageError(f"votes are certified by method 'individual' or 'joint', got {method!r}")
    return from_counts(method, classes, target, sizes, labels, table)


def populations(labels: IntArray, classes: int, target: int | None = None) -> BoolArray:
    """Mark, texts x populations, who counts: in all, in non-target if there is a target, in each class.

    >>> populations(np.array([0, 1]), classes=2, target=1).astype(int).tolist()
    [[1, 1, 1, 0], [1, 0, 0, 1]]
    """
    classes = check_integer("classes", classes, least=2)
    labels = check_labels(labels, np.size(labels), classes)
    if not labels.size:
        raise UsageError("certified accuracy is a share of texts and needs at least one, got none")
    columns = [np.ones(labels.size, dtype=np.bool_), *(labels == c for c in range(classes))]
    if target is not None:
        columns.insert(1, labels != target)
        if not columns[1].any():
            raise UsageError(
                f"all {labels.size:,} texts are of the target class, so there is no accuracy on non-target "
                "texts. Add texts of another class, or give no target."
            )
    return np.stack(columns, axis=1)


def count_certified(certified: BoolArray, members: BoolArray) -> tuple[JointCount, ...]:
    """Count the certified texts of each population, where each text met a trigger of its own.

    >>> count_certified(np.array([True, False]), np.array([[True], [True]]))[0].share
    0.5
    """
    hits = (members & certified[:, None]).sum(axis=0).tolist()
    return tuple(
        JointCount(texts, survivors, True, (), survivors)
        for texts, survivors in zip(members.sum(axis=0).tolist(), hits, strict=True)
    )


def from_counts(
    method: str,
    names: Sequence[ClassName],
    target: ClassName | None,
    trigger_sizes: Sequence[int],
    labels: IntArray,
    table: Sequence[Sequence[JointCount]],
) -> CertifiedAccuracy:
    """Turn counts, trigger sizes x the columns of `populations`, into certified accuracy.

    >>> table = [count_certified(np.array([True, False]), populations(np.array([0, 1]), 2))]
    >>> from_counts("individual", ["bad", "good"], None, [1], np.array([0, 1]), table).balanced
    (0.5,)
    """
    names = plain_names(names)
    at = target_index(names, target)
    members = populations(labels, len(names), at)
    expected = members.sum(axis=0).tolist()
    if len(table) != len(trigger_sizes) or any([c.texts for c in row] != expected for row in table):
        raise UsageError(
            f"counts must be trigger sizes x populations: {len(trigger_sizes)} rows over {expected} texts"
        )
    columns = list(zip(*table, strict=True))
    figures = {"all": figure(columns[0])}
    if at is not None:
        target = names[at]
        figures["non_target"] = figure(columns[1])
    present = {str(name): c for name, c in zip(names, columns[-len(names) :], strict=True) if c[0].texts}
    figures["balanced"] = balanced_figure(list(present.values()))
    by_class = {name: figure(counts) for name, counts in present.items()}
    return CertifiedAccuracy(method, expected[0], names, target, tuple(trigger_sizes), figures, by_class)


def figure(counts: Sequence[JointCount], confidence: float = CONFIDENCE) -> Figure:
    """The figure of one population from its counts, one per trigger size.

    >>> figure([JointCount(texts=10, survivors=8, exact=False, attack=(2,), attack_survivors=9)]).best_attack
    (0.9,)
    """
    return Figure(
        n=counts[0].texts,
        shares=tuple(c.share for c in counts),
        intervals=tuple(_interval(c, confidence) for c in counts),
        exact=tuple(c.exact for c in counts),
        best_attack=tuple(c.attack_survivors / c.texts for c in counts),
    )


def balanced_figure(by_class: Sequence[Sequence[JointCount]], confidence: float = CONFIDENCE) -> Figure:
    """The mean of several classes' figures: classes x trigger sizes.

    Each class' interval leaves out a part of the error, so that all hold together, and their mean with them.

    >>> right = JointCount(texts=2, survivors=2, exact=True, attack=(0,), attack_survivors=2)
    >>> wrong = JointCount(texts=5, survivors=0, exact=True, attack=(1,), attack_survivors=0)
    >>> balanced_figure([[right], [wrong]]).shares
    (0.5,)
    """
    each = 1 - (1 - confidence) / len(by_class)
    sizes = list(zip(*by_class, strict=True))
    ends = [[_interval(c, each) for c in row] for row in sizes]
    return Figure(
        n=sum(counts[0].texts for counts in by_class),
        shares=tuple(_mean(Fraction(c.survivors, c.texts) for c in row) for row in sizes),
        intervals=tuple((_mean(low for low, _ in row), _mean(high for _, high in row)) for row in ends),
        exact=tuple(all(c.exact for c in row) for row in sizes),
        best_attack=tuple(_mean(Fraction(c.attack_survivors, c.texts) for c in row) for row in sizes),
    )


def check_sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    """Return the trigger sizes as a tuple of at least one int >= 0, or say what is wrong with them.

    >>> check_sizes([])
    Traceback (most recent call last):
    textward.errors.UsageError: trigger_sizes must hold at least one size, got none
    """
    checked = tuple(check_size(size) for size in sizes)
    if not checked:
        raise UsageError("trigger_sizes must hold at least one size, got none")
    return checked


def plain_names(names: Sequence[ClassName]) -> tuple[ClassName, ...]:
    """The class names as Python's own strings and integers, which JSON can spell.

    >>> plain_names(np.array([3, 7]))
    (3, 7)
    """
    return tuple(name.item() if isinstance(name, np.generic) else name for name in names)


def target_index(names: Sequence[ClassName], target: ClassName | None) -> int | None:
    """The index of the target class, or the error that lists the classes.

    >>> target_index(["bad", "good"], "good")
    1
    """
    if target is None:
        return None
    known = plain_names(names)
    if target not in known:
        raise UsageError(f"target must be one of the classes {', '.join(map(repr, known))}, got {target!r}")
    return known.index(target)


def _interval(count: JointCount, confidence: float) -> tuple[float, float]:
    low, _ = clopper_pearson(count.survivors, count.texts, confidence)
    _, high = clopper_pearson(count.attack_survivors, count.texts, confidence)
    return low, high


def _mean(values: Iterable[Fraction | float]) -> float:
    exact = [Fraction(value) for value in values]
    return float(sum(exact, Fraction()) / len(exact))
