"""What an attacker can really do: the strongest attacks we have, retrained, beside each certificate.

    python benchmarks/attack_curves.py [--data DIR] [--only sst2 ...] [--models NAME ...]

Mixed-label rows as in `certified.py` (p = 0.1 to class 1, seed 0). Triggers of up to t words are planned with
full knowledge of the trained model: by its own joint certificate, by a greedy choice, or words nobody uses.
Each trigger is split in every way into words planted in rows of one class and of the other, in several shares
of those rows; the model is trained anew, and every test text is tried as it is, with the words of one class,
of the other, and with all. A text stands when it is right before and in all of these. Writes one record per
data set, model and t, and a table; what is recorded already is kept.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from certified import HOME, RATE, SPLITS, TARGET, TITLES, rows
from textward import TextGuard
from textward.attacks import WorstCase, planners_of, relabelled

CASCADE = "cascade, tfidf, theta 2"
GUARDS = {
    "ballots": lambda: TextGuard("words"),
    "linear m=7": lambda: TextGuard(7),
    "linear m=3": lambda: TextGuard(3),
    CASCADE: lambda: TextGuard("words", cascade="tfidf", theta=2.0),
}
MOST = {"linear m=7": 3, "linear m=3": 1, CASCADE: 3}
"""Words of the largest trigger: past it hashed groups certify nothing, and cascades take long."""
SHARES = {CASCADE: (1.0,)}
Record = dict[str, Any]
Marks = npt.NDArray[np.bool_]


def main() -> None:
    """Run what is missing, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--only", nargs="+", choices=("sst2", "hsol"), default=["sst2", "hsol"])
    parser.add_argument("--models", nargs="+", choices=GUARDS, default=list(GUARDS))
    parser.add_argument("--sizes", nargs="+", type=int, default=list(range(6)))
    parser.add_argument("--out", type=Path, default=HOME / "results" / "attack_curves")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "records.jsonl"
    records = list(map(json.loads, file.open())) if file.exists() else []
    known = {(record["data"], record["model"], record["size"]) for record in records}
    with file.open("a", encoding="utf-8") as out:
        for name, model, size in product(options.only, options.models, options.sizes):
            if size <= MOST.get(model, 5) and (name, model, size) not in known:
                cell: Record = {"data": name, "model": model, "seed": 0, "size": size}
                record = cell | measured(options.data / name, name, model, size)
                out.write(json.dumps(record) + "\n")
                out.flush()
                records.append(record)
                print(name, model, size, record["attacks"], record["seconds"], flush=True)
    (options.out / "README.md").write_text(table(records), encoding="utf-8")


def measured(folder: Path, name: str, model: str, size: int) -> Record:
    """What is proven of one model against so many words, and what the attacks of just so many left."""
    train, test = rows(folder, SPLITS[name]), rows(folder, ["test"])
    labels = relabelled(train["label"].to_numpy(), rate=RATE, target=TARGET, seed=0)
    truth = test["label"].to_numpy()
    start = time.perf_counter()
    guard = GUARDS[model]().fit(train["text"], labels)
    proven = {
        how: guard.certified_accuracy(test["text"], truth, [size], how).balanced[0]
        for how in (("joint", "one_model") if guard.groups == "words" else ("joint",))
    }
    right = guard.predict(test["text"]) == truth
    low, least, best, tried = shares(right, truth), float(np.mean(shares(right, truth))), None, 0
    for plan in dict.fromkeys(plans(guard, test["text"], truth, size)) if size else ():
        for share in SHARES.get(model, (0.1, 1.0)):
            standing = right & assault(guard, train["text"], labels, test["text"], truth, plan, share)
            tried += 1
            found = shares(standing, truth)
            low = [min(pair) for pair in zip(low, found, strict=True)]
            if float(np.mean(found)) < least:
                least, best = float(np.mean(found)), {"planted": plan, "share": share}
    return {
        "n": len(test),
        "proven": proven,
        "attacked": {"joint": float(np.mean(low)), "one_model": least, "per_class": low},
        "worst": best,
        "attacks": tried,
        "training": asdict(guard.training_),
        "seconds": round(time.perf_counter() - start, 1),
    }


def plans(guard: TextGuard, texts: pl.Series, truth: Any, size: int) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Triggers of so many words, split in every way among the classes in whose rows they are planted."""
    for target in (0, 1):
        for planner in planners_of(guard):
            for words in planner.triggers(texts, truth, size, target):
                for first in range(size + 1):
                    split = (words[:first], words[first:])
                    yield split if target else split[::-1]


def assault(
    guard: TextGuard,
    texts: pl.Series,
    labels: Any,
    test: pl.Series,
    truth: Any,
    plan: tuple[tuple[str, ...], ...],
    share: float,
) -> Marks:
    """Which test texts are right in every way they can be attacked, once trained on the planted rows."""
    planted = texts
    for target, words in enumerate(plan):
        if words:
            chosen = (labels == target) & (np.random.default_rng(target).random(len(texts)) < share)
            spoiled = WorstCase(words).apply(texts, seed=0)
            planted = pl.select(pl.when(pl.Series(chosen)).then(spoiled).otherwise(planted)).to_series()
    poisoned = TextGuard(**guard.get_params(deep=False)).fit(planted, labels)
    stands = np.ones(len(test), dtype=np.bool_)
    for words in dict.fromkeys([(), *plan, sum(plan, ())]):
        attacked = WorstCase(words).apply(test, seed=0) if words else test
        stands &= poisoned.predict(attacked) == truth
    return stands


def shares(right: Marks, truth: Any) -> list[float]:
    """The share of right texts of each class."""
    return [float(right[truth == c].mean()) for c in range(int(truth.max()) + 1)]


def table(records: list[Record]) -> str:
    """Each certified curve with its attack curve; an attack of fewer words is one of more words, too."""
    parts = ["# What an attacker can really do\n", _HEAD]
    for name in dict.fromkeys(record["data"] for record in records):
        mine = [record for record in records if record["data"] == name]
        parts += [
            f"\n## {TITLES[name]}, {mine[0]['n']:,} test texts\n",
            "| model | curve | " + " | ".join(f"t={t}" for t in range(6)) + " | attacks retrained |",
            "|---|---|" + "---|" * 7,
        ]
        for model in dict.fromkeys(record["model"] for record in mine):
            cells = sorted((one for one in mine if one["model"] == model), key=lambda one: int(one["size"]))
            parts += list(lines(model, cells))
    return "\n".join(parts) + "\n"


def lines(model: str, cells: list[Record]) -> Iterator[str]:
    """Both curves of every method."""
    tried = sum(one["attacks"] for one in cells)
    for how in cells[0]["proven"]:
        attacked = np.minimum.accumulate([one["attacked"]["per_class"] for one in cells], axis=0).mean(axis=1)
        if how == "one_model":
            attacked = np.minimum.accumulate([one["attacked"]["one_model"] for one in cells])
        for what, shown in (("proven", [one["proven"][how] for one in cells]), ("attacked", attacked)):
            found = [f"{share:.3f}" for share in shown] + [""] * (6 - len(cells))
            head = f"| {model} | {how.replace('_', ' ')}, {what} | "
            yield head + " | ".join(found) + f" | {f'{tried:,}' if what == 'attacked' else ''} |"


_HEAD = """Built by `python benchmarks/attack_curves.py`. Balanced accuracy over all test texts; mixed-label
rows, p = 0.1 to class 1, seed 0. *Proven*: what no trigger of t words can go below. *Attacked*: what the
strongest of our attacks left, each trained anew on the planted rows. Joint: every class meets the attack that
is worst for it. One model: one trigger and one poisoned model for all texts. The truth lies between the two
lines. Of a cascade the proven line counts what the ballots keep from t = 1 on; what the fallback still says
rightly is above it.
"""


if __name__ == "__main__":
    main()
