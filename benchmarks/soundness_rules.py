"""Designs, vote rules and rows in parts against real attacks with real retraining: no answer may change.

    python benchmarks/soundness_rules.py [--data DIR] [--rounds 20] [--rows 1500] [--only NAME ...]

As benchmarks/soundness.py, whose triggers it uses: random, common, and planned with full knowledge of the
model; where rows are in parts: common, and planned by groups. There so many rows are besides added, deleted,
rewritten (with words that speak for another class than the row's) or relabelled; by place only rewritten or
relabelled. Then, for every text, what either model certifies for so many words and rows the other one must
say; base models that neither a trigger word nor a row can touch must be the same to the last bit. Records:
results/rules/soundness.jsonl, one a line.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import polars as pl

from soundness import HOME, Rows, Tally, of_linear, read, triggers
from textward import TextGuard
from textward.attacks import WorstCase
from textward.attacks.guards import group_planner
from textward.certificates.rules import Reach
from textward.estimator.training import library_versions
from textward.estimator.voters import HashedVoters
from textward.learners import Grid, LinearEach, LinearModel


@dataclass(frozen=True)
class Case:
    """A model, the data it is attacked on, and how many rows are an attacker's."""

    data: str
    guard: TextGuard
    rows: int = 0


CASES = {
    "sst2, fano": Case("sst2", TextGuard("fano")),
    "hsol, pg:4": Case("hsol", TextGuard("pg:4")),
    "agnews, pg:3, runoff": Case("agnews", TextGuard("pg:3", rule="runoff")),
    "agnews, m=9, runoff": Case("agnews", TextGuard(9, rule="runoff")),
    "sst2, m=9, soft:2": Case("sst2", TextGuard(9, rule="soft:2")),
    "hsol, fano, soft:4": Case("hsol", TextGuard("fano", rule="soft:4")),
    "hsol, 3 x 25 by text, 1 row": Case("hsol", TextGuard(3, row_groups=25), 1),
    "hsol, 3 x 25 by place, 3 rows": Case("hsol", TextGuard(3, row_groups=25, rows_by="place"), 3),
    "sst2, fano x 9 by text, 1 row": Case("sst2", TextGuard("fano", row_groups=9), 1),
}


def main() -> None:
    """Run every case; the exit code says whether anything broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1_500, help="training rows, and test texts")
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--out", type=Path, default=HOME / "results" / "rules" / "soundness.jsonl")
    options = parser.parse_args()
    options.out.parent.mkdir(exist_ok=True, parents=True)
    broken = 0
    for name in options.only:
        case, start = CASES[name], time.perf_counter()
        tally = campaign(case, read(options.data / case.data, options.rows), options.rounds)
        record: dict[str, Any] = {"case": name, "data": case.data, "attacker_rows": case.rows}
        record |= {"rounds": options.rounds, "rows": options.rows, "seed": 0} | asdict(tally)
        record |= {"seconds": round(time.perf_counter() - start, 1), "versions": library_versions()}
        broken += tally.broken + tally.models_differ
        print(json.dumps(record), flush=True)
        with options.out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")
    sys.exit(bool(broken))


def campaign(case: Case, rows: Rows, rounds: int, seed: int = 0) -> Tally:
    """Attack, retrain and compare, round after round."""
    rng, tally = np.random.default_rng(seed), Tally()
    clean = _fitted(case.guard, rows.texts, rows.labels)
    plans = planned(clean, rows, rng) if case.rows else triggers(clean, rows, rng)
    for turn in range(rounds):
        # Where rows are certified, every other round has no trigger: few texts withstand both.
        words = () if case.rows and turn % 2 else next(plans)[: 1 if case.rows else None]
        texts, labels, tested = rows.texts, rows.labels, rows.test
        if words:
            attack = WorstCase(words, copies=int(rng.integers(1, 4)), reorder=bool(rng.random() < 0.5))
            spare = attack.apply(texts, seed=int(rng.integers(1 << 30)))
            mine = rng.random(len(texts)) < rng.choice([0.02, 0.1, 0.3, 1.0])
            if rng.random() < 0.7:
                mine &= labels == rng.integers(0, labels.max() + 1)
            texts = pl.select(pl.when(pl.Series(mine)).then(spare).otherwise(texts)).to_series()
            tested = attack.apply(tested, seed=int(rng.integers(1 << 30)))
        if case.rows:
            texts, labels = moved(case, texts, labels, rng)
        judge(tally, (clean, _fitted(case.guard, texts, labels)), (rows.test, tested), words, case.rows)
    return tally


def planned(clean: TextGuard, rows: Rows, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Words in the groups whose loss fells most texts, for each target, and common words by turns."""
    voters = clean.model_.voters
    assert isinstance(voters, HashedVoters)
    planner = group_planner(clean, voters)
    feared = [
        trigger
        for target in range(int(rows.labels.max()) + 1)
        for trigger in planner.triggers(rows.test, rows.truth, 1, target)
    ]
    words = clean.model_.cutter.cut(rows.test)
    common = words.vocabulary.gather(np.argsort(-np.bincount(words.ids))[:60]).to_list()
    while True:
        yield from feared
        yield (str(rng.choice(common)),)


def _fitted(guard: TextGuard, texts: pl.Series, labels: npt.NDArray[np.int64]) -> TextGuard:
    return TextGuard(**guard.get_params(deep=False)).fit(texts, labels)


def moved(
    case: Case, texts: pl.Series, labels: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[pl.Series, npt.NDArray[np.int64]]:
    """What an attacker does to its rows, each holding many words of one class under the other's label."""
    rows, marks = texts.to_list(), labels.tolist()
    for _ in range(case.rows):
        kinds = ["rewrite", "relabel"] + ([] if case.guard.rows_by == "place" else ["add", "delete"])
        kind, at = rng.choice(kinds), int(rng.integers(len(rows)))
        label = int(rng.integers(labels.max() + 1))
        others = [text for text, mark in zip(rows, marks, strict=True) if mark != label]
        new = " ".join(others[int(place)] for place in rng.integers(0, len(others), 20))
        if kind == "delete":
            del rows[at], marks[at]
        elif kind == "add":
            rows.insert(at, new)
            marks.insert(at, label)
        else:
            rows[at], marks[at] = (new if kind == "rewrite" else rows[at]), label
    return pl.Series(rows), np.array(marks)


def judge(
    tally: Tally,
    guards: tuple[TextGuard, TextGuard],
    texts: tuple[pl.Series, pl.Series],
    chunks: tuple[str, ...],
    rows: int,
) -> None:
    """Compare both models on both sides, to the last bit where they must agree."""
    voters = [guard.model_.voters for guard in guards]
    assert isinstance(voters[0], HashedVoters) and isinstance(voters[1], HashedVoters)
    trigger = guards[0].model_.cutter.cut(pl.Series([" ".join(chunks)])).vocabulary
    mine, theirs = (guard.certify(side, rows) for guard, side in zip(guards, texts, strict=True))
    differ = mine.labels != theirs.labels
    safe = (mine.holds & (mine.radius >= len(trigger))) | (theirs.holds & (theirs.radius >= len(trigger)))
    tally.pairs += len(differ)
    tally.certified += int(safe.sum())
    tally.changed += int((differ & ~safe).sum())
    tally.broken += int((differ & safe).sum())
    reach = voters[0].reach()
    touched = reach.words[np.unique(voters[0].groups.of(trigger))].any(axis=0)
    votes = (guards[0].votes(texts[0]) != guards[1].votes(texts[1])).any(axis=0)
    prints = fingerprints(voters[0]), fingerprints(voters[1])
    bits = np.array([one != other for one, other in zip(*prints, strict=True)])
    changed = (votes | bits) & ~touched
    tally.models += int((~touched).sum())
    tally.models_differ += beyond(reach, changed, rows)


def beyond(reach: Reach, changed: npt.NDArray[np.bool_], rows: int) -> int:
    """How many more units changed, in all lanes, than so many rows can touch."""
    if reach.rows is None:
        return int(changed.sum())
    units = np.unique(reach.rows.units[changed])
    lanes = np.bincount(reach.rows.lanes[units], minlength=1)
    return int(np.maximum(lanes - reach.rows.each * rows, 0).sum())


def fingerprints(voters: HashedVoters) -> list[str]:
    """A hash of each base model, over every bit of it."""
    ensemble = voters.ensemble
    if isinstance(ensemble, LinearModel):
        return of_linear(voters, ensemble)
    assert isinstance(ensemble, (LinearEach, Grid))
    return [joblib.hash(_bits(model)) for model in ensemble.models]


def _bits(model: Any) -> Any:
    assert isinstance(model, LinearModel)
    # A word that no row of a cell holds is in no base model: what is left depends on the cell's rows alone.
    return model.vocabulary.to_list(), model.weights, model.wordless


if __name__ == "__main__":
    main()
