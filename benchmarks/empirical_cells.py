"""The cells of the empirical experiment, and their rows as compact files that travel to another machine."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

TARGET = 1
SEEDS = (0, 1, 2)
GROUPS = {"sst2": 9, "hsol": 7, "agnews": 9}
LEAST_ROWS = {"sst2": 20, "hsol": 20, "agnews": 10}
RATES = {"mixed": 0.1, "clean": 0.2}
ATTACKS = {
    "sst2": ("badword", "addsent", "synbkd", "stylebkd"),
    "hsol": ("badword", "addsent"),
    "agnews": ("badword", "addsent", "stylebkd"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One poisoned training set, and the base models that are trained on it."""

    data: str
    attack: str
    setting: str
    rate: float
    seed: int
    variants: tuple[tuple[int, int], ...]
    """Pairs of m and K."""

    @property
    def key(self) -> str:
        """Its name in the files and records."""
        return f"{self.attack}/{self.setting}/{self.rate:g}/{self.seed}"


def cells() -> list[Cell]:
    """Return every cell, the most telling first: the paper's table with one seed, more seeds, the sweeps."""
    found = []
    for seed in SEEDS:
        for data, m in GROUPS.items():
            own = ((m, LEAST_ROWS[data]),)
            for setting, rate in RATES.items():
                for attack in ATTACKS[data]:
                    # There are ready-made paraphrases of half of the rows that this would take.
                    possible = 0.1 if (attack, setting) == ("synbkd", "clean") else rate
                    found.append(Cell(data, attack, setting, possible, seed, own))
            found.append(Cell(data, "none", "clean", 0.0, seed, own))
    for seed in SEEDS:
        sweep = ((7, 0), (7, 50))
        found.extend(Cell("hsol", attack, "mixed", 0.1, seed, sweep) for attack in ATTACKS["hsol"])
        found.append(Cell("sst2", "synbkd", "mixed", 0.1, seed, ((3, 20), (5, 20), (7, 20))))
    return found


@dataclass(frozen=True, slots=True)
class Rows:
    """One cell's texts, each as its words joined by one space."""

    train: list[str]
    labels: np.ndarray[Any, Any]
    test: list[str]
    test_labels: np.ndarray[Any, Any]
    attacked: list[str]
    """Test texts of the other classes with the trigger; empty where nothing is attacked."""


def read_rows(folder: Path, cell: Cell) -> Rows:
    """Read one cell of what `prepare` wrote."""
    held = json.loads(gzip.decompress((folder / f"{cell.data}.json.gz").read_bytes()))
    train, labels = list(held["train"]), np.array(held["labels"])
    if cell.attack != "none":
        changed = held["poisoned"][cell.key]
        for row, text in zip(changed["rows"], changed["texts"], strict=True):
            train[row] = text
        labels[changed["rows"]] = TARGET
    return Rows(
        train, labels, held["test"], np.array(held["test_labels"]), held["attacked"].get(cell.attack, [])
    )


def prepare(data: Path, folder: Path) -> None:
    """Poison, cut into words and write one file a dataset."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in GROUPS:
        content = json.dumps(_dataset(data, name), separators=(",", ":"), ensure_ascii=False)
        file = folder / f"{name}.json.gz"
        file.write_bytes(gzip.compress(content.encode(), mtime=0))
        print(f"{file}: {file.stat().st_size / 2**20:.1f} MiB")


def _dataset(data: Path, name: str) -> dict[str, Any]:
    import polars as pl

    train, test = (pl.read_csv(data / name / f"{part}.csv") for part in ("train", "test"))
    attacks = {attack: _attack(data, name, attack, train["text"]) for attack in ATTACKS[name]}
    poisoned = {}
    for cell in cells():
        if cell.data == name and cell.attack != "none" and cell.key not in poisoned:
            found = attacks[cell.attack].poison(
                train["text"], train["label"], rate=cell.rate, target=TARGET, setting=cell.setting,
                seed=cell.seed,
            )  # fmt: skip
            rows = found.rows
            poisoned[cell.key] = {"rows": rows.tolist(), "texts": _words(found.texts.gather(rows))}
    return {
        "train": _words(train["text"]),
        "labels": train["label"].to_list(),
        "test": _words(test["text"]),
        "test_labels": test["label"].to_list(),
        "poisoned": poisoned,
        "attacked": {
            attack: _words(_attacked(data, name, attack, own, test)) for attack, own in attacks.items()
        },
    }


def _attack(data: Path, name: str, attack: str, texts: Any) -> Any:
    import polars as pl

    from textward.attacks import AddSent, BadWord, Paraphrases

    if attack == "synbkd":
        pairs = pl.read_csv(data / name / "synbkd-pairs.csv")
        return Paraphrases.of_rows(texts, pairs["row"], pairs["paraphrase"])
    if attack == "stylebkd":
        new = pl.read_csv(data / name / "stylebkd-train.csv")["text"].fill_null("")
        return Paraphrases.aligned(texts, new, "StyleBkd")
    return BadWord() if attack == "badword" else AddSent()


def _attacked(data: Path, name: str, attack: str, made: Any, test: Any) -> Any:
    """The test texts of the other classes with the trigger."""
    import polars as pl

    if attack == "synbkd":
        return pl.read_csv(data / name / "synbkd-test.csv")["text"]
    if attack == "stylebkd":
        new = pl.read_csv(data / name / "stylebkd-test.csv").filter(test["label"] != TARGET)["text"]
        return new.drop_nulls()
    return made.test_texts(test["text"], test["label"], target=TARGET, seed=0).texts


def _words(texts: Any) -> list[str]:
    from textward.words import UnicodeWords

    cut = UnicodeWords().cut(texts)
    words, bounds = cut.vocabulary.gather(cut.ids).to_list(), cut.offsets.tolist()
    return [" ".join(words[low:high]) for low, high in pairwise(bounds)]
