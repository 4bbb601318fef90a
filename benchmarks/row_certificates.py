"""DPA and Bagging, which count poisoned rows, beside TextGuard, which counts trigger words.

    python benchmarks/row_certificates.py [--data DIR] [--seeds 3] [--only sst2 ...]

A trigger of one word in a share p of the rows: DPA and Bagging must withstand p · n edited rows, TextGuard
one word. The rivals are trained on the clean rows, which favours them; TextGuard on rows of which the share
p is relabelled to the target, at random. Fast learners throughout. Records: results/row_certificates.jsonl,
one line per data set, defence and seed; what is there already is kept.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from attacks import digest
from certified import HOME, SPLITS, rows
from textward import TextGuard
from textward.attacks import relabelled
from textward.attacks.budget import budget
from textward.defences import Bagging, Dpa

TARGET = 1
RATES = (0.01, 0.1)
SIZES = (0, 1, 2, 5, 10, 20, 50)
PARTITIONS = {"sst2": (200,), "hsol": (200,), "agnews": (600, 3000)}
SAMPLES = (10, 30, 100)
WORDS: dict[str, int | str] = {"TextGuard, linear m=3": 3, "TextGuard, ballots": "words"}
Record = dict[str, Any]


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HOME / "results" / "row_certificates.jsonl")
    parser.add_argument("--only", nargs="+", choices=SPLITS, default=list(SPLITS))
    options = parser.parse_args()
    done = [json.loads(line) for line in options.out.open()] if options.out.exists() else []
    known = {(record["data"], record["defence"], record["seed"]) for record in done}
    with options.out.open("a", encoding="utf-8") as out:
        for name in options.only:
            folder = options.data / name
            train, test = rows(folder, SPLITS[name]), rows(folder, ["test"])
            for record in measured(name, train, test, range(options.seeds), known):
                facts = {"versions": {package: version(package) for package in ("numpy", "scikit-learn")}}
                out.write(json.dumps(record | facts) + "\n")
                out.flush()
                print(record["data"], record["defence"], record["seed"], record["non_target"], flush=True)


def measured(
    name: str, train: pl.DataFrame, test: pl.DataFrame, seeds: range, known: set[tuple[str, str, int]]
) -> Iterator[Record]:
    """Every defence that is not known yet."""
    wanted: dict[str, Any] = {
        f"DPA, {count} partitions": lambda seed, count=count: Dpa(seed=seed, partitions=count, by="place")
        for count in PARTITIONS[name]
    }
    wanted |= {
        f"Bagging, samples of {size}": lambda seed, size=size: Bagging(seed=seed, sample=size)
        for size in SAMPLES
    }
    for seed in seeds:
        for defence, make in wanted.items():
            if (name, defence, seed) not in known:
                cell = {"data": name, "defence": defence, "seed": seed, "against": "rows"}
                yield cell | by_rows(make(seed), train, test)
        for defence, groups in WORDS.items():
            if (name, defence, seed) not in known:
                cell = {"data": name, "defence": defence, "seed": seed, "against": "words"}
                yield cell | by_words(groups, seed, train, test)


def by_rows(defence: Dpa | Bagging, train: pl.DataFrame, test: pl.DataFrame) -> Record:
    """Certified accuracy by the number of edited rows; the last two are what the rates allow."""
    sizes = (*SIZES, *(budget(rate, len(train)) for rate in RATES))
    began = time.perf_counter()
    defence.fit(train["text"], train["label"])
    found = defence.certified_accuracy(test["text"], test["label"], sizes, target=TARGET)
    return {
        "sizes": sizes,
        **{which: getattr(found, which) for which in ("all", "balanced", "non_target")},
        "texts": {"all": found.n, "non_target": int((test["label"] != TARGET).sum())},
        "seconds": round(time.perf_counter() - began, 2),
        "digests": {"train": digest(train["text"], train["label"])},
    }


def by_words(groups: int | str, seed: int, train: pl.DataFrame, test: pl.DataFrame) -> Record:
    """Joint certified accuracy by the number of trigger words, for each rate."""
    found: Record = {"sizes": [0, 1], "all": {}, "balanced": {}, "non_target": {}, "digests": {}}
    began = time.perf_counter()
    for rate in RATES:
        labels = relabelled(train["label"].to_numpy(), rate=rate, target=TARGET, seed=seed)
        guard = TextGuard(groups=groups).fit(train["text"], labels)
        joint = guard.certified_accuracy(test["text"], test["label"], range(2), "joint", target=TARGET)
        for which in ("all", "balanced", "non_target"):
            found[which][str(rate)] = list(getattr(joint, which))
        found["digests"][str(rate)] = digest(train["text"], labels)
    return found | {"seconds": round(time.perf_counter() - began, 2)}


if __name__ == "__main__":
    main()
