"""Two budgets on clean labels: t trigger words and r rows an attacker added, deleted, rewrote or relabelled.

    python benchmarks/two_budgets.py [--data DIR] [--only sst2 ...] [--out results/two_budgets]

Steady ballots are trained for each r, their dials functions of r alone. DPA and Bagging count rows only, and
are trained on the same clean rows. Writes one record per data set and model, and a table; what is recorded
already is kept.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from certified import HOME, SPLITS, TITLES, rows
from textward import TextGuard
from textward.data import Digest
from textward.defences import Bagging, Dpa
from textward.estimator.training import library_versions

ROWS = (0, 1, 2, 5, 10, 20, 58)
SIZES = range(4)
RIVALS: dict[str, Callable[[], Dpa | Bagging]] = {
    "DPA, 200 partitions": lambda: Dpa(partitions=200, by="place"),
    "Bagging, 1,000 samples of 10": lambda: Bagging(sample=10),
    "Bagging, 1,000 samples of 30": lambda: Bagging(sample=30),
    "Bagging, 1,000 samples of 100": lambda: Bagging(sample=100),
}
WHICH = ("all", "balanced", "non_target")
Record = dict[str, Any]


def main() -> None:
    """Run what is missing, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--only", nargs="+", choices=SPLITS, default=["sst2", "hsol"])
    parser.add_argument("--out", type=Path, default=HOME / "results" / "two_budgets")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "records.jsonl"
    records = list(map(json.loads, file.open())) if file.exists() else []
    known = {(record["data"], record["model"]) for record in records}
    with file.open("a", encoding="utf-8") as out:
        for name in options.only:
            folder = options.data / name
            for record in measured(name, rows(folder, SPLITS[name]), rows(folder, ["test"]), known):
                out.write(json.dumps(record) + "\n")
                out.flush()
                records.append(record)
                print(record["data"], record["model"], record["seconds"], flush=True)
    (options.out / "README.md").write_text(table(records), encoding="utf-8")


def measured(
    name: str, train: pl.DataFrame, test: pl.DataFrame, known: set[tuple[str, str]]
) -> Iterator[Record]:
    """The surface of steady ballots, row by row, then the rivals."""
    about = {"versions": library_versions(), "train": digest(train), "test": digest(test)}
    for moved in ROWS:
        model = f"ballots made for {moved} rows"
        if (name, model) not in known:
            yield {"data": name, "model": model, "rows": moved} | ballots(train, test, moved) | about
    for model, make in RIVALS.items():
        if (name, model) not in known:
            start = time.perf_counter()
            found = (
                make()
                .fit(train["text"], train["label"])
                .certified_accuracy(test["text"], test["label"], ROWS, target=1)
            )
            figures = {which: list(getattr(found, which)) for which in WHICH}
            seconds = round(time.perf_counter() - start, 2)
            cell: Record = {"data": name, "model": model, "seed": 0, "rows": list(ROWS), "n": found.n}
            yield cell | {"edited rows": figures, "seconds": seconds} | about


def ballots(train: pl.DataFrame, test: pl.DataFrame, moved: int) -> Record:
    """One line of the surface: ballots made for so many rows, certified for them."""
    start = time.perf_counter()
    guard = TextGuard("words", rows=moved).fit(train["text"], train["label"])
    figures = {
        how: guard.certified_accuracy(
            test["text"], test["label"], SIZES, how, target=None if how == "one_model" else 1, rows=moved
        ).as_dict()
        for how in ("joint", "individual", "one_model")
    }
    clean = guard.certified_accuracy(test["text"], test["label"], [0], "individual").as_dict()
    return {
        "n": len(test),
        "trigger_sizes": list(SIZES),
        "certified_accuracy": figures,
        "clean": {which: clean[which] for which in ("all", "balanced")},
        "training": asdict(guard.training_),
        "seconds": round(time.perf_counter() - start, 2),
    }


def digest(frame: pl.DataFrame) -> str:
    """SHA-256 of rows, as models have it."""
    found = Digest()
    found.update(frame["text"], frame["label"].cast(pl.String))
    return found.hexdigest()


def table(records: list[Record]) -> str:
    """The surface and the rivals, balanced."""
    parts = ["# Two budgets: trigger words and rows\n", _HEAD]
    for name in dict.fromkeys(record["data"] for record in records):
        mine = [record for record in records if record["data"] == name]
        head = ["r", "clean", *(f"t={t}" for t in SIZES), "one model, t=1", *RIVALS]
        parts += [
            f"\n## {TITLES[name]}, {mine[0]['n']:,} test texts\n",
            f"| {' | '.join(head)} |",
            "|---" * len(head) + "|",
            *(f"| {' | '.join(line(mine, moved))} |" for moved in ROWS),
        ]
    return "\n".join(parts) + "\n"


_HEAD = """Built by `python benchmarks/two_budgets.py`. Clean labels, balanced certified accuracy, one
trigger for all texts of a class (joint). Each line is for r rows added, deleted, rewritten or relabelled
at will; the ballots are made for that r, with dials that follow from r alone. *clean* is their accuracy
with nothing planted. DPA and Bagging (linear base models, seed 0) withstand r *edited* rows and nothing is
known of trigger words beside them: their columns stand beside t = 0. Bagging's figures hold with
probability .999. Where two figures stand, the first is proven and the second what the best trigger found
leaves.
"""


def line(mine: list[Record], moved: int) -> Iterator[str]:
    """The cells for one number of rows."""
    own = next(record for record in mine if record["rows"] == moved)
    found = own["certified_accuracy"]
    yield from (str(moved), f"{own['clean']['balanced'][0]:.3f}")
    for how, sizes in (("joint", SIZES), ("one_model", [1])):
        shares, attacked = found[how]["balanced"], found[how]["best_attack"]["balanced"]
        yield from (figure(shares[t], attacked[t]) for t in sizes)
    for rival in RIVALS:
        record = next(record for record in mine if record["model"] == rival)
        yield f"{record['edited rows']['balanced'][record['rows'].index(moved)]:.3f}"


def figure(proven: float, attacked: float) -> str:
    """One number, or two where the search stopped early."""
    low, high = f"{proven:.3f}", f"{attacked:.3f}"
    return low if low == high else f"{low} – {high}"


if __name__ == "__main__":
    main()
