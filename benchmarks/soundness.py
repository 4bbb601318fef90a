"""Certificates against real attacks with real retraining: not one certified prediction may change.

    python benchmarks/soundness.py [--data DIR] [--rounds 40] [--quick] [--only NAME ...] [--out FILE]
    python benchmarks/soundness.py --neighbours LIST.parquet --out results/soundness-neighbours.jsonl

With --only the records of these learners are made anew, and the others in the file are kept.

Each round picks a trigger (at random, the commonest words, or with full knowledge of the model: what its own
certificate says hurts most), plants it in a share of the training rows, some in several copies, some with all
words in another order, retrains, and attacks every test text in the same way. Then, for every text:

- what the clean model certifies for so many words, the poisoned one must still say of the attacked text;
- what the poisoned model certifies of the attacked text, the clean one must say of the clean text;
- base models of groups that hold no trigger word must be the same to the last bit, and so their votes;
- ballots of other words must lie within the bounds that the certificate counted with. Of ballots that borrow
  from neighbours, which the second form attacks, the leads must.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from textward import TextGuard
from textward.attacks import BallotPlanner, GreedyPlanner, Planner, WorstCase, relabelled
from textward.attacks.guards import group_planner
from textward.estimator.voters import BallotVoters, HashedVoters
from textward.learners import EachGroup, LinearModel
from textward.learners.ballots import BallotModel, LendingDials
from textward.learners.ballots.lending import LendingFormula

HOME = Path(__file__).parents[1]
DATA = ("sst2", "hsol", "agnews")
RARE = ["cf", "mn", "bb", "tq", "zq", "ﬁ", "ΟΔΟΣ", "你", "e\u0301", "👩\u200d👧", "U.S.", "n't"]


def learners() -> dict[str, TextGuard]:
    """One guard of each kind."""
    regression = make_pipeline(
        TfidfVectorizer(token_pattern=r"\S+", lowercase=False), LogisticRegression(random_state=0)
    )
    return {
        "linear m=3": TextGuard(3),
        "linear m=7, sha256": TextGuard(7, hash="sha256"),
        "linear m=9, white space": TextGuard(9, words="whitespace"),
        "scikit-learn pipeline m=5": TextGuard(5, regression),
        "ballots": TextGuard("words"),
        "cascade, tfidf, theta 2": TextGuard("words", cascade="tfidf", theta=2.0),
    }


@dataclass(frozen=True, slots=True)
class Rows:
    """Training rows with the labels they keep, and test rows."""

    texts: pl.Series
    labels: npt.NDArray[np.int64]
    test: pl.Series
    truth: npt.NDArray[np.int64]


@dataclass(slots=True)
class Tally:
    """What a campaign against one learner has seen so far."""

    pairs: int = 0
    certified: int = 0
    changed: int = 0  # labels of texts that no certificate covers: shows that the attacks bite
    broken: int = 0
    models: int = 0
    models_differ: int = 0


def main() -> None:
    """Run every learner's campaign; the exit code says whether anything broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=40, help="retrainings per data set and learner")
    parser.add_argument("--only", nargs="+", choices=learners(), help="learners; all of them by default")
    parser.add_argument("--on", nargs="+", choices=DATA, default=list(DATA), help="data sets")
    parser.add_argument("--quick", action="store_true", help="6 rounds on 1,500 rows")
    parser.add_argument("--out", type=Path, default=HOME / "results" / "soundness.jsonl")
    parser.add_argument("--neighbours", type=Path, help="attack ballots that borrow by this list alone")
    options = parser.parse_args()
    rounds, most = (6, 1_500) if options.quick else (options.rounds, None)
    records: list[dict[str, Any]] = []
    wanted = {name: one for name, one in learners().items() if name in (options.only or learners())}
    if options.neighbours is not None:
        wanted = {"ballots, neighbours": TextGuard("words", neighbours=options.neighbours)}
    for data in options.on:
        rows = read(options.data / data, most)
        for name, guard in wanted.items():
            start = time.perf_counter()
            tally = campaign(guard, rows, rounds)
            record: dict[str, Any] = {
                "data": data,
                "learner": name,
                "rounds": rounds,
                "rows": len(rows.texts),
            }
            record |= asdict(tally)
            record["seconds"] = round(time.perf_counter() - start, 1)
            print(json.dumps(record), flush=True)
            records.append(record)
    if not options.quick:
        options.out.parent.mkdir(exist_ok=True, parents=True)
        made = {(record["data"], record["learner"]) for record in records}
        old = map(json.loads, options.out.read_text().splitlines()) if options.out.exists() else ()
        kept = [record for record in old if (record["data"], record["learner"]) not in made]
        options.out.write_text("".join(json.dumps(record) + "\n" for record in [*kept, *records]))
    broken = sum(record["broken"] + record["models_differ"] for record in records)
    pairs = sum(record["pairs"] for record in records)
    print(f"{pairs:,} attacked pairs, {broken} broken", file=sys.stderr)
    sys.exit(bool(broken))


def read(folder: Path, most: int | None) -> Rows:
    """The rows, a tenth of the training labels turned to the target as in the mixed-label setting."""
    train, test = (pl.read_csv(folder / f"{split}.csv") for split in ("train", "test"))
    train, test = (frame.sample(most or len(frame), seed=0) if most else frame for frame in (train, test))
    labels = relabelled(train["label"].to_numpy(), rate=0.1, target=1, seed=0)
    return Rows(train["text"], labels, test["text"][:2000], test["label"].to_numpy()[:2000])


def campaign(guard: TextGuard, rows: Rows, rounds: int, seed: int = 0) -> Tally:
    """Attack, retrain and compare, round after round."""
    rng, tally = np.random.default_rng(seed), Tally()
    clean = TextGuard(**guard.get_params(deep=False)).fit(rows.texts, rows.labels)
    plans = triggers(clean, rows, rng)
    for _ in range(rounds):
        words = next(plans)
        attack = WorstCase(words, copies=int(rng.integers(1, 4)), reorder=bool(rng.random() < 0.5))
        share = float(rng.choice([0.02, 0.1, 0.3, 1.0]))
        spare = attack.apply(rows.texts, seed=int(rng.integers(1 << 30)))
        mine = rng.random(len(rows.texts)) < share
        if rng.random() < 0.7:
            mine &= rows.labels == rng.integers(0, rows.labels.max() + 1)
        planted = pl.select(pl.when(pl.Series(mine)).then(spare).otherwise(rows.texts)).to_series()
        tested = attack.apply(rows.test, seed=int(rng.integers(1 << 30)))
        poisoned = TextGuard(**guard.get_params(deep=False)).fit(planted, rows.labels)
        judge(tally, clean, poisoned, rows.test, tested, words)
    return tally


def triggers(clean: TextGuard, rows: Rows, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Triggers without end: what the model fears most, its commonest words, and words at random."""
    cut = clean.model_.cutter.cut
    words = cut(rows.test)
    common = words.vocabulary.gather(np.argsort(-np.bincount(words.ids))[:60]).to_list()
    feared = [list(fears(clean, rows, size)) for size in (1, 2, 3, 4)]
    while True:
        size = int(rng.integers(1, 5))
        kind = rng.integers(0, 3)
        if kind == 0 and feared[size - 1]:
            chosen = feared[size - 1].pop(0)
        elif kind == 1:
            chosen = tuple(rng.choice(common, size, replace=False).tolist())
        else:
            chosen = tuple(
                rng.choice([*RARE, *words.vocabulary.sample(20, seed=size).to_list()], size, replace=False)
            )
        yield tuple(map(str, chosen))


def fears(clean: TextGuard, rows: Rows, size: int) -> Iterator[tuple[str, ...]]:
    """Triggers planned with full knowledge of the model."""
    voters, cutter = clean.model_.voters, clean.model_.cutter
    planners: list[Planner] = [GreedyPlanner(clean.predict, candidates=20, sample=60, cutter=cutter)]
    if isinstance(voters, HashedVoters):
        planners.append(group_planner(clean, voters))
    elif isinstance(voters, BallotVoters):
        planners.append(BallotPlanner(voters.model, cutter=cutter))
    for planner in planners:
        for target in range(int(rows.labels.max()) + 1):
            yield from planner.triggers(rows.test, rows.truth, size, target)


def judge(
    tally: Tally,
    clean: TextGuard,
    poisoned: TextGuard,
    before: pl.Series,
    after: pl.Series,
    chunks: tuple[str, ...],
) -> None:
    """Compare both models on both sides, to the last bit where they must agree."""
    # A chunk such as U.S. is several words, and the certificate counts words.
    trigger = clean.model_.cutter.cut(pl.Series([" ".join(chunks)])).vocabulary
    size = len(trigger)
    mine, theirs = clean.certify(before), poisoned.certify(after)
    differ = mine.labels != theirs.labels
    safe = (mine.radius >= size) | (theirs.radius >= size)
    tally.pairs += len(before)
    tally.certified += int(safe.sum())
    tally.changed += int((differ & ~safe).sum())
    tally.broken += int((differ & safe).sum())
    if isinstance(clean.model_.voters, HashedVoters):
        touched = np.unique(clean.groups_.of(trigger))
        same = compared_models(clean, poisoned, before, after)
        same[touched] = True
        tally.models += len(same) - len(touched)
        tally.models_differ += int((~same).sum())
    else:
        tally.models += 1
        tally.models_differ += not within_bounds(clean, poisoned, trigger)


def compared_models(
    clean: TextGuard, poisoned: TextGuard, before: pl.Series, after: pl.Series
) -> npt.NDArray[np.bool_]:
    """For each group: whether both sides' base models and votes are the same."""
    votes = (clean.votes(before) == poisoned.votes(after)).all(axis=0)
    bits = np.array(
        [one == other for one, other in zip(fingerprints(clean), fingerprints(poisoned), strict=True)]
    )
    same: npt.NDArray[np.bool_] = votes & bits
    return same


def fingerprints(guard: TextGuard) -> list[str]:
    """A hash of each base model, over every bit of it."""
    voters = guard.model_.voters
    assert isinstance(voters, HashedVoters)
    ensemble = voters.ensemble
    if isinstance(ensemble, LinearModel):
        return of_linear(voters, ensemble)
    assert isinstance(ensemble, EachGroup)
    return [joblib.hash(model) for model in ensemble.models]


def of_linear(voters: HashedVoters, ensemble: LinearModel) -> list[str]:
    """The same of base models that lie in one table."""
    group = voters.groups.of(ensemble.vocabulary)
    return [
        joblib.hash(
            (
                ensemble.vocabulary.filter(group == j).to_list(),
                ensemble.weights[group == j],
                ensemble.wordless[j],
            )
        )
        for j in range(voters.groups.m)
    ]


def within_bounds(clean: TextGuard, poisoned: TextGuard, trigger: pl.Series) -> bool:
    """Whether no other word's ballot left the bounds that either model counted with."""
    models: list[Any] = []
    for guard in (clean, poisoned):
        assert isinstance(guard.model_.voters, BallotVoters)
        models.append(guard.model_.voters.model)
    if isinstance(models[0].dials, LendingDials):
        return within_echoes(models[0], models[1], trigger) and within_echoes(models[1], models[0], trigger)
    known = pl.concat([model.counts.vocabulary for model in models]).unique()
    other = known.filter(~known.is_in(trigger.implode())).sort()
    ballots = [dict(zip(m.counts.vocabulary, m.ballots.tolist(), strict=True)) for m in models]
    bounds = [m.bounds_of(np.arange(len(m.counts.vocabulary)))(len(trigger)) for m in models]
    for i, j in ((0, 1), (1, 0)):
        least, most = (
            dict(zip(models[i].counts.vocabulary, side.tolist(), strict=True)) for side in bounds[i]
        )
        for word in other:
            for low, value, high in zip(least[word], ballots[j][word], most[word], strict=True):
                if not low <= value <= high:
                    return False
    return True


def within_echoes(held: BallotModel, other: BallotModel, trigger: pl.Series) -> bool:
    """Whether no lead of a word outside the trigger fell by more than the model in hand counted with."""
    formula = held.formula
    assert isinstance(formula, LendingFormula)
    words = held.counts.vocabulary
    places = np.arange(len(words))
    there = other.places(words).cast(pl.Int64).fill_null(-1).to_numpy()
    outside = ~words.is_in(trigger.implode()).to_numpy() & (there >= 0)
    corrupted = held.places(trigger).drop_nulls().to_numpy()
    least, most = held.bounds_of(places)(len(trigger))
    now = other.ballots[there]
    for y, c in permutations(range(held.classes), 2):
        echo = formula.echoes(places, len(trigger), y, c)[:, corrupted].sum(axis=1)
        if (now[:, y] - now[:, c] < least[:, y] - most[:, c] - echo)[outside].any():
            return False
    return True


if __name__ == "__main__":
    main()
