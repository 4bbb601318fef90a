"""The second stage of a cascade, to and from its config and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from textward.estimator import BallotVoters, TextGuard
from textward.estimator.fallback import Cascade
from textward.persistence.config import CascadeConfig
from textward.persistence.ensembles import Store, read_ensemble, write_ensemble
from textward.persistence.tensors import Arrays
from textward.words import Cutter, WholeTexts

_PREFIX = "fallback."


def write_cascade(directory: Path, guard: TextGuard) -> tuple[CascadeConfig | None, Arrays, list[str]]:
    """Write the second stage, where there is one; return its config, arrays still to be written, and types.

    >>> write_cascade(Path(), TextGuard(3).fit(["good", "bad"], [1, 0]))
    (None, {}, [])
    """
    cascade = guard.model_.cascade
    if cascade is None:
        return None, {}, []
    learner = guard.cascade
    kind, arrays, types = write_ensemble(directory, cascade.ensemble, learner, _PREFIX)
    known = getattr(cascade.ensemble, "kind", type(learner).__name__)
    name = learner if isinstance(learner, str) else known
    return CascadeConfig(theta=cascade.theta, kind=kind, learner=name), arrays, types


def read_cascade(
    config: CascadeConfig, store: Store, voters: BallotVoters, cutter: Cutter
) -> tuple[BallotVoters, Any]:
    """Return ballots with their second stage, and the estimator's argument it came from."""
    classes = voters.model.classes
    ensemble, learner = read_ensemble(config.kind, store, 1, classes, prefix=_PREFIX)
    reader = cutter if config.kind == "linear" else WholeTexts()
    return replace(voters, cascade=Cascade(config.theta, reader, ensemble)), learner
