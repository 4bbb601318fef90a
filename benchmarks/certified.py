"""Certified accuracy of ballots and of linear groups on SST-2, HSOL and AG News, beside the paper's.

    python benchmarks/certified.py [--data DIR] [--seeds 3] [--out results/certified] [--only sst2 ...]
                                   [--neighbours LIST.parquet] [--methods joint ...]

Mixed-label, p = 0.1, target class 1: a tenth of the training rows, drawn at random, is relabelled to the
target. Writes one record per data set, model and seed, and a table with the mean and spread over the seeds.
Records that are there already are kept; `--again` makes them anew. With a list that benchmarks/neighbours.py
wrote, ballots that borrow by it are certified as well.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import polars as pl

from textward import TextGuard
from textward.attacks import relabelled

HOME = Path(__file__).parents[1]
SPLITS = {"sst2": ["train"], "hsol": ["train"], "agnews": ["train", "dev"]}
TITLES = {"sst2": "SST-2", "hsol": "HSOL", "agnews": "AG News"}
MODELS = (
    {"ballots": TextGuard("words")}
    | {f"ballots, trigger size {size}": TextGuard("words", trigger_size=size) for size in (0, 2, 3)}
    | {f"linear m={m}": TextGuard(m) for m in (3, 5, 7, 9)}
)
SIZES = range(6)
METHODS = ("individual", "joint", "one_model")
BORROWED = "ballots, neighbours"
RATE, TARGET = 0.1, 1
Record = dict[str, Any]


def main() -> None:
    """Run what is missing, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HOME / "results" / "certified")
    parser.add_argument("--only", nargs="+", choices=SPLITS, default=list(SPLITS))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--neighbours", type=Path)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    options = parser.parse_args()
    models = dict(MODELS)
    if options.neighbours is not None:
        models[BORROWED] = TextGuard("words", neighbours=options.neighbours)
    options.out.mkdir(parents=True, exist_ok=True)
    records: list[Record] = []
    for name in options.only:
        file = options.out / f"{name}.jsonl"
        done = [] if options.again or not file.exists() else list(map(json.loads, file.open()))
        known = {(record["model"], record["seed"]) for record in done}
        with file.open("w") as out:
            for record in [
                *done,
                *runs(options.data / name, name, options.seeds, known, models, options.methods),
            ]:
                out.write(json.dumps(record) + "\n")
                records.append(record)
    paper = json.loads((options.data.parent / "docs" / "paper-tables.json").read_text())
    page = table(records, paper["table1_certified_vs_baselines"])
    (options.out / "README.md").write_text(page)
    print(page)


def runs(
    folder: Path,
    name: str,
    seeds: int,
    known: set[tuple[str, int]],
    models: dict[str, TextGuard],
    methods: list[str],
) -> Iterator[Record]:
    """Train and certify every model of one data set on every relabelling that is not known yet."""
    train, test = rows(folder, SPLITS[name]), rows(folder, ["test"])
    for seed in range(seeds):
        labels = relabelled(train["label"].to_numpy(), rate=RATE, target=TARGET, seed=seed)
        for model, guard in models.items():
            if (model, seed) not in known:
                print(f"{name} {model} seed {seed} ...", flush=True)
                yield {"data": name, "model": model, "seed": seed} | certified(
                    guard, train, labels, test, methods
                )


def rows(folder: Path, splits: list[str]) -> pl.DataFrame:
    """The rows of some splits, in order."""
    return pl.concat([pl.read_csv(folder / f"{split}.csv") for split in splits])


def certified(
    plan: TextGuard, train: pl.DataFrame, labels: np.ndarray, test: pl.DataFrame, methods: list[str]
) -> Record:
    """One cell: its figures, how long each step took, and what it was made from."""
    start = time.perf_counter()
    guard = TextGuard(**plan.get_params(deep=False)).fit(train["text"], labels)
    trained = time.perf_counter()
    figures = {
        how: guard.certified_accuracy(
            test["text"], test["label"], SIZES, how, target=None if how == "one_model" else TARGET
        )
        for how in methods
        if how != "one_model" or plan.groups == "words"
    }
    seconds = {"train": trained - start, "certify": time.perf_counter() - trained}
    return {
        "rate": RATE,
        "target": TARGET,
        "trigger_sizes": list(SIZES),
        "certified_accuracy": {how: found.as_dict() for how, found in figures.items()},
        "seconds": {step: round(value, 3) for step, value in seconds.items()},
        "training": asdict(guard.training_),
    }


def table(records: list[Record], paper: dict[str, Any]) -> str:
    """Mean and spread over the seeds, for every data set."""
    parts = [
        "# Certified accuracy\n",
        "Built by `python benchmarks/certified.py`. Mixed-label, p = 0.1, target class 1; mean ± standard",
        "deviation over the relabelling seeds. t is the number of trigger words; t = 0 is plain accuracy.",
        "Figures are exact minima over all triggers unless two stand there: what is proven – what the best",
        "attack found leaves. *non-target* is the paper's metric.",
        f"The paper's figure is {paper['about']}.\n",
    ]
    for name in dict.fromkeys(record["data"] for record in records):
        mine = [record for record in records if record["data"] == name]
        texts = mine[0]["certified_accuracy"]["joint"]["texts"]
        digests = sorted({record["training"]["digest"][:12] for record in mine})
        seeds = len({record["seed"] for record in mine})
        parts += [
            f"\n## {TITLES[name]}\n",
            f"{mine[0]['training']['n']:,} training rows; {texts['all']:,} test texts, "
            f"{texts['non_target']:,} of "
            f"them non-target; {seeds} seeds; digests of the training rows {', '.join(digests)}.\n",
            "| model | metric | " + " | ".join(f"t={t}" for t in SIZES) + " |",
            "|---|---|" + "---|" * len(SIZES),
        ]
        for model in dict.fromkeys(record["model"] for record in mine):
            cells = [record for record in mine if record["model"] == model]
            parts += list(lines(model, cells))
        row = paper["p=0.1"]["TextGuard"][paper["columns"].index(name)]
        parts.append(f"| *paper, BERT, m=3* | joint, non-target | | {row:.3f} | | | | |")
    return "\n".join(parts) + "\n"


def lines(model: str, cells: list[Record]) -> Iterator[str]:
    """One line for each method and population."""
    for how, which in (
        ("joint", "balanced"),
        ("joint", "non_target"),
        ("joint", "all"),
        ("individual", "balanced"),
        ("one_model", "balanced"),
    ):
        found = [cell["certified_accuracy"][how] for cell in cells if how in cell["certified_accuracy"]]
        if found:
            figures = [
                figure([one[which][t] for one in found], [one["best_attack"][which][t] for one in found])
                for t in SIZES
            ]
            what = f"{how.replace('_', ' ')}, {which.replace('_', '-')}"
            yield f"| {model} | {what} | " + " | ".join(figures) + " |"


def figure(proven: list[float], attacked: list[float]) -> str:
    """The mean, what the best attack leaves where that is more, and the spread."""
    low, high = f"{mean(proven):.3f}", f"{mean(attacked):.3f}"
    spread = f" ±{stdev(proven):.3f}" if len(proven) > 1 else ""
    return (low if low == high else f"{low} – {high}") + spread


if __name__ == "__main__":
    main()
