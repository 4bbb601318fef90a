"""Cells on the CPU: naive Bayes in TextGuard's groups, logistic regression in every other defence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from textward.certificates import CertifiedAccuracy
from textward.defences import (
    Bagging,
    BagOfWords,
    Bki,
    Defence,
    Dpa,
    NoDefence,
    Onion,
    RAdapter,
    Rap,
    Strip,
)
from textward.defences.radapter import PUBLISHED
from textward.errors import UsageError
from textward.estimator import MeasuredVoters, TextGuard
from textward.experiments.grid import ENCODER_ONLY, TARGET, Cell
from textward.experiments.outcomes import histogram, judged
from textward.experiments.poisoning import Poisoned
from textward.words.columns import IntArray

SIZES = tuple(range(4))
ROWS_A_PART = 35
"""Rows of one of DPA's partitions, as the paper's 200 and 3,000 partitions have them."""
BAGS = 1_000


def guard_of(cell: Cell, learner: Any = "linear") -> TextGuard:
    """TextGuard as a cell asks for it.

    >>> guard_of(Cell("hsol", m=7, K=20)).mode
    'empirical'
    """
    if cell.defence == "ballots":
        return TextGuard("words", seed=cell.seed)
    if cell.K is None:
        return TextGuard(cell.m, learner, cell.hash, cell.seed)
    return TextGuard(cell.m, learner, cell.hash, cell.seed, mode="empirical", influential_rows=cell.K)


def defence_of(cell: Cell, rows: int, learner: Any = "linear") -> Defence:
    """Another defence as a cell asks for it.

    >>> defence_of(Cell("hsol", "measured", "BKI"), 100)
    Bki()
    """
    if cell.defence == "BoW":
        return BagOfWords(cell.seed)
    if cell.defence == "DPA":
        return Dpa(learner, cell.seed, partitions=max(3, rows // ROWS_A_PART))
    if cell.defence == "Bagging":
        return Bagging(learner, cell.seed, models=BAGS)
    if cell.defence in ENCODER_ONLY:
        if isinstance(learner, str):
            raise UsageError(f"{cell.defence} needs an encoder: name one with --backbone")
        # The paper's R-Adapter has settings of its own; the device is the learner's.
        own = replace(PUBLISHED, device=learner.settings.device)
        rap = cell.defence == "RAP"
        return Rap(learner, cell.seed) if rap else RAdapter(learner.encoder, cell.seed, settings=own)
    kinds: dict[str, type[Defence]] = {"DT": NoDefence, "ONION": Onion, "BKI": Bki, "STRIP": Strip}
    return kinds[cell.defence](learner, cell.seed)


def answered(cell: Cell, rows: Poisoned, learner: Any = "linear") -> dict[str, Any]:
    """Train, answer and count; `learner` is what defences other than TextGuard train.

    >>> rows = Poisoned(
    ...     pl.Series(["good", "bad"] * 4), np.array([1, 0] * 4), pl.Series(["bad"]), np.array([0]),
    ...     pl.Series(["bad cf"]), np.array([0]), 2, ("", ""))
    >>> answered(Cell("sst2", "measured", "DT"), rows)["right"]
    1
    """
    if cell.defence in ("TextGuard", "ballots"):
        return _guarded(cell, rows)
    defence = defence_of(cell, len(rows.train), learner).fit(rows.train, rows.labels)
    if isinstance(defence, (Dpa, Bagging)):
        return _row_defence(cell, rows, defence)
    return measured(defence, rows) | filtered(defence) | said(cell, defence, rows)


def measured(model: Any, rows: Poisoned) -> dict[str, Any]:
    """The hits of anything that predicts."""
    clean, attacked = (
        np.asarray(model.predict(texts)) if len(texts) else np.zeros(0, np.int64)
        for texts in (rows.test, rows.attacked)
    )
    return dict(judged(clean, rows.gold, attacked, rows.attacked_gold))


def said(cell: Cell, model: Any, rows: Poisoned) -> dict[str, Any]:
    """The labels themselves, of the few sentences of an example; of other texts they are not kept.

    >>> said(Cell("hsol"), None, None)
    {}
    """
    return {"said": np.asarray(model.predict(rows.test)).tolist()} if cell.what == "examples" else {}


def filtered(defence: Defence) -> dict[str, int]:
    """How many rows a filter removed, or a cleaner rewrote.

    >>> filtered(NoDefence())
    {}
    """
    marks = getattr(defence, "flagged_", getattr(defence, "changed_", None))
    return {} if marks is None else {"flagged": int(marks.sum())}


def _guarded(cell: Cell, rows: Poisoned) -> dict[str, Any]:
    guard = guard_of(cell).fit(rows.train, rows.labels)
    if cell.what != "certified":
        found = measured(guard, rows) | said(cell, guard, rows)
        if isinstance(guard.model_.voters, MeasuredVoters):
            found["omega"] = len(guard.model_.voters.groups.omega)
        return found
    if cell.defence == "ballots":
        return _ballots(guard, rows)
    return {"votes": histogram(guard.votes(rows.test), rows.gold), "classes": rows.classes}


def _ballots(guard: TextGuard, rows: Poisoned) -> dict[str, Any]:
    out: dict[str, Any] = {"sizes": list(SIZES)}
    for method in ("individual", "joint"):
        out[method] = hits(guard.certified_accuracy(rows.test, rows.gold, SIZES, method, target=TARGET))
    return out


def hits(found: CertifiedAccuracy) -> dict[str, Any]:
    """The certified texts of each population that has a count, by trigger size; and those of the best attack.

    >>> guard = TextGuard(3).fit(["good fun film", "bad dull film"] * 2, [1, 0] * 2)
    >>> hits(guard.certified_accuracy(["good fun film", "bad dull film"], [1, 0], range(2)))["all"]["hits"]
    [2, 1]
    """
    counted = {name: one for name, one in found.figures.items() if name != "balanced"}
    counted |= {f"class {name}": one for name, one in found.class_figures.items()}
    out: dict[str, Any] = {
        name: {
            "n": one.n,
            "hits": [round(share * one.n) for share in one.shares],
            "attack": [round(share * one.n) for share in one.best_attack],
        }
        for name, one in counted.items()
    }
    return out


def _row_defence(cell: Cell, rows: Poisoned, defence: Dpa | Bagging) -> dict[str, Any]:
    budget = int(round(cell.rate * len(rows.train), 6))
    found = defence.certified_accuracy(rows.test, rows.gold, (0, budget), target=TARGET)
    others = int((rows.gold != TARGET).sum())
    assert found.non_target is not None
    models: IntArray = defence.votes(rows.test[:1])
    return {
        "row_budgets": [0, budget],
        "certified": [round(share * others) for share in found.non_target],
        "others": others,
        "models": models.shape[1],
    }
