"""The speed figures of the README: each a ratio against a named rival in the same run.

    python benchmarks/speed.py [--data DIR] [--rounds 9] [--rows 1000000] [--out results/speed.json]

Contestants take turns of three runs; of each the shortest run counts: what it takes when nothing else runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from cutting import contestants
from joint import against_plain, alone
from textward import TextGuard

HOME = Path(__file__).resolve().parents[1]
IN_A_ROW = 3
"""Runs of one contestant in each of its turns: the others leave caches and memory cold behind them."""
Record = dict[str, Any]


def main() -> None:
    """Measure everything, print a table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the largest file trained on")
    parser.add_argument("--out", type=Path, default=HOME / "results" / "speed.json")
    given = parser.parse_args()
    if not given.data.is_dir():
        sys.exit(f"{given.data}: no such folder; name the one with sst2, hsol and agnews with --data")
    found: Record = {"machine": machine(), "rounds": given.rounds}
    print(f"{machine()['processors']} processors, Python {platform.python_version()}\n")
    agnews = texts_of(given.data / "agnews", "train", "dev")
    found["cutting"] = raced(contestants(agnews["text"], 9), given.rounds, "cut and group AG News, m = 9")
    found["training"] = {
        name: trained(given.data / name, splits, given.rounds)
        for name, splits in {"sst2": ["train"], "hsol": ["train"], "agnews": ["train", "dev"]}.items()
    }
    found["joint"] = [against_plain(7_600, 9, classes, 5) for classes in (2, 4)]
    for row in found["joint"]:
        show(
            f"joint certificate, 7,600 texts, m = 9, t = 0..4, {row['classes']} classes",
            {"textward": row["textward_s"], "the paper's pseudo-code in plain Python": row["plain_s"]},
        )
    found["joint_alone"] = [alone(7_600, 21, classes, 11) for classes in (2, 4)]
    for row in found["joint_alone"]:
        print(
            f"joint certificate, 7,600 texts, m = 21, t = 0..10, {row['classes']} classes: "
            f"{row['textward_s']:.2f} s, {'exact' if row['exact'] else 'NOT exact'}"
        )
    found["streaming"] = [streamed(agnews, rows) for rows in (given.rows // 10, given.rows)]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(found, indent=2) + "\n")
    print(f"\n{given.out.name}: the record")


def machine() -> Record:
    """What the figures depend on."""
    return {
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "polars": pl.__version__,
        "numpy": np.__version__,
    }


def texts_of(folder: Path, *splits: str) -> pl.DataFrame:
    """The rows of some splits together."""
    return pl.concat([pl.read_csv(folder / f"{split}.csv") for split in splits])


def raced(runs: dict[str, Callable[[], object]], rounds: int, title: str) -> Record:
    """The shortest run of some rounds for each; the first is ours."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds + 1):
        for name, run in runs.items():
            for _ in range(IN_A_ROW):
                start = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - start)
    show(title, best)
    ours = next(iter(best.values()))
    return {"seconds": best, "ratios": {name: took / ours for name, took in best.items()}}


def trained(folder: Path, splits: list[str], rounds: int) -> Record:
    """Ballots trained and every test text certified, against a plain classifier that is only trained."""
    train, test = texts_of(folder, *splits), texts_of(folder, "test")
    rows, labels = train["text"].to_list(), train["label"].to_numpy()

    def ballots() -> object:
        return TextGuard("words").fit(train["text"], labels).certify(test["text"])

    def plain() -> object:
        return make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000)).fit(rows, labels)

    title = f"{folder.name}: {len(train):,} rows; {len(test):,} test texts certified by ours alone"
    names = {
        "textward: ballots, trained and certified": ballots,
        "TF-IDF + logistic regression, trained": plain,
    }
    return raced(names, max(2, rounds // 2), title)


def streamed(texts: pl.DataFrame, rows: int) -> Record:
    """`textward train` on a file of so many short texts, in a process of its own, and the memory it took."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.csv"
        drawn = texts.select(pl.col("text").str.slice(0, 60), "label").sample(
            rows, with_replacement=True, seed=0
        )
        drawn.write_csv(file)
        size = file.stat().st_size
        command = ["textward", "train", str(file), "--out", f"{folder}/model", "--groups", "words", "--quiet"]
        start = time.perf_counter()
        child = subprocess.Popen([Path(sys.executable).parent / command[0], *command[1:]])
        _, status, used = os.wait4(child.pid, 0)
        took = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(command)} failed")
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(
        f"textward train, {rows:,} rows ({size / 2**20:.0f} MiB): {took:.1f} s, "
        f"{peak / 2**20:.0f} MiB of memory at most"
    )
    return {"rows": rows, "bytes": size, "seconds": took, "peak_bytes": peak}


def show(title: str, seconds: dict[str, float]) -> None:
    """One race, as a table."""
    ours = next(iter(seconds.values()))
    print(title)
    for name, took in seconds.items():
        print(f"  {name:60} {took * 1e3:10.1f} ms {took / ours:9.1f} x")


if __name__ == "__main__":
    main()
