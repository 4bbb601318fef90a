"""One test set through one model: votes and radii, and what they certify; kept as integers in one file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.certificates import CertifiedAccuracy, votes_accuracy
from textward.certificates.accuracy import (
    ClassName,
    count_certified,
    from_counts,
    plain_names,
    populations,
    target_index,
)
from textward.certificates.rules import Outcome
from textward.certificates.votes import IntArray
from textward.errors import DataError
from textward.estimator import HashedVoters, TextGuard
from textward.estimator.voters import TestSet
from textward.learners import Sharing
from textward.report.files import write_whole

BALLOT_METHODS = ("joint", "individual", "one_model")
VOTE_METHODS = ("joint", "individual")
_KEY = "textward_evaluation"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The integers of an evaluation, one row a text, and the certified accuracy that follows from them.

    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> found = evaluate(guard, pl.Series(["good"]), np.array([1]), [0, 1], methods=("joint",))
    >>> found.winners.tolist(), found.accuracies[0].all
    ([1], (1.0, 0.0))
    """

    classes: tuple[ClassName, ...]
    truth: IntArray
    """The index of each text's class."""
    winners: IntArray
    radius: IntArray
    tally: IntArray
    """Texts x classes: votes, or ballots in 1/1024 of a whole one."""
    votes: IntArray | None
    """Texts x groups; None for ballots, where every word of a text is a voter."""
    accuracies: tuple[CertifiedAccuracy, ...]
    """By method, where every training row is as it was."""
    surface: tuple[CertifiedAccuracy, ...] = ()
    """The same where an attacker wrote rows: by method, then by their number."""
    rules: tuple[CertifiedAccuracy, ...] = ()
    """The same votes, jointly, under several rules."""
    plain: bool = True
    """Whether every certificate follows from the votes alone: a group a vote, and the most votes win."""

    @property
    def right(self) -> Any:
        """A mark for every text whose answer is its class."""
        return self.winners == self.truth


def evaluate(
    guard: TextGuard,
    texts: pl.Series,
    truth: IntArray,
    sizes: Sequence[int],
    *,
    methods: Sequence[str] | None = None,
    target: ClassName | None = None,
    rows: Sequence[int] = (),
    rule: str | None = None,
    rules: Sequence[str] = (),
) -> Evaluation:
    """Certify a test set by every method the model has, or by those named; `truth` holds class indexes.

    `rows` are numbers of training rows that an attacker may besides have written, each certified by itself.
    `rule` judges votes by another rule than the model's own; `rules` are compared on the same votes.

    >>> guard = TextGuard(groups="words").fit(["good", "bad"], [1, 0])
    >>> found = evaluate(guard, pl.Series(["good"]), np.array([1]), [0])
    >>> [accuracy.method for accuracy in found.accuracies]
    ['joint', 'individual', 'one_model']
    """
    classes = plain_names(guard.classes_.tolist())
    certificates = guard.model_.certify(texts)
    winners = certificates.winners
    voters = guard.model_.voters
    votes = guard.votes(texts) if isinstance(voters, HashedVoters) else None
    said: dict[bool, Outcome] = {}

    def accuracy(method: str, moved: int = 0, by: str | None = rule) -> CertifiedAccuracy:
        if not isinstance(voters, HashedVoters):
            return guard.certified_accuracy(texts, guard.classes_[truth], sizes, method, target, moved, by)
        asked = voters.asked(by, classes, target)
        if asked.needs_shares not in said:
            said[asked.needs_shares] = voters.outcome_of(guard.model_.cutter, texts, asked)
        test = TestSet(texts, truth, classes, sizes, method, target, moved)
        return voters.judged(said[asked.needs_shares], asked, test)

    known = methods or (BALLOT_METHODS if votes is None else VOTE_METHODS)
    found = tuple(accuracy(method) for method in known)
    surface = tuple(accuracy(method, moved) for method in known for moved in rows if moved)
    compared = tuple(accuracy("joint", by=one) for one in rules)
    columns = (truth, winners, certificates.radius, certificates.tally, votes)
    plain = isinstance(voters, HashedVoters) and voters.is_plain and rule in (None, "plurality")
    return Evaluation(classes, *columns, found, surface, compared, plain)


def rules_to_compare(guard: TextGuard) -> tuple[str, ...]:
    """The rules that a model's votes can be judged by, plurality first.

    >>> rules_to_compare(TextGuard(groups=3).fit(["good", "bad"], [1, 0]))
    ('plurality', 'soft:1', 'soft:4', 'abstain:1')
    """
    voters = guard.model_.voters
    if not isinstance(voters, HashedVoters) or guard.model_.obstacle is not None:
        return ()
    soft = ("soft:1", "soft:4", *(("runoff",) if len(guard.classes_) > 2 else ()))
    return ("plurality", *(soft if isinstance(voters.ensemble, Sharing) else ()), "abstain:1")


def save_votes(evaluation: Evaluation, path: str | Path, about: dict[str, Any]) -> Path:
    """Keep the integers of an evaluation in one safetensors file, whose header says what they are about.

    >>> import tempfile
    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> found = evaluate(guard, pl.Series(["good"]), np.array([1]), [0])
    >>> arrays, about = read_votes(save_votes(found, Path(tempfile.mkdtemp()) / "votes", {"digest": "9f"}))
    >>> arrays["votes"].shape, about["digest"], about["classes"]
    ((1, 3), '9f', [0, 1])
    """
    from safetensors.numpy import save

    columns = {
        "truth": evaluation.truth,
        "winners": evaluation.winners,
        "radius": evaluation.radius,
        "tally": evaluation.tally,
    }
    if evaluation.votes is not None and evaluation.plain:
        columns["votes"] = evaluation.votes
    header = {"format": _FORMAT, "classes": list(evaluation.classes), **about}
    arrays = {name: np.ascontiguousarray(column, dtype=np.int64) for name, column in columns.items()}
    return write_whole(path, save(arrays, {_KEY: json.dumps(header)}), "the file of votes")


def read_votes(path: str | Path) -> tuple[dict[str, IntArray], dict[str, Any]]:
    """Read what `save_votes` kept: the integers by name, and what they are about."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            about = json.loads((file.metadata() or {})[_KEY])
            return {name: file.get_tensor(name) for name in file.keys()}, about  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise DataError(
            f"{path}: holds no votes that can be read ({type(error).__name__}: {error}). Certify again."
        ) from error


def recalled(
    path: str | Path, sizes: Sequence[int], *, target: ClassName | None = None
) -> tuple[Evaluation, dict[str, Any]]:
    """An evaluation from the integers that were kept, as far as they go, and what it is about.

    Of plain hashed groups every certificate follows from the votes; of ballots and of other rules and designs
    only the individual one does.

    >>> import tempfile
    >>> guard = TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> found = evaluate(guard, pl.Series(["good"]), np.array([1]), [0, 1])
    >>> again, _ = recalled(save_votes(found, Path(tempfile.mkdtemp()) / "votes", {}), [0, 1])
    >>> again.accuracies == found.accuracies
    True
    """
    arrays, about = read_votes(path)
    names, truth, votes = plain_names(about["classes"]), arrays["truth"], arrays.get("votes")
    if votes is not None:
        found = tuple(votes_accuracy(votes, truth, names, sizes, method, target) for method in VOTE_METHODS)
    else:
        members = populations(truth, len(names), target_index(names, target))
        right = arrays["winners"] == truth
        table = [count_certified(right & (arrays["radius"] >= size), members) for size in sizes]
        found = (from_counts("individual", names, target, sizes, truth, table),)
    columns = (truth, arrays["winners"], arrays["radius"], arrays["tally"])
    return Evaluation(names, *columns, votes, found, plain=votes is not None), about
