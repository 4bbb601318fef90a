"""Plain training and every defence under BadWord, AddSent, SynBkd and StyleBkd, on the fast learner.

    python benchmarks/attacks.py [--data DIR] [--parser MODEL] [--seeds 3] [--only sst2 ...]
        [--attacks badword ...] [--settings mixed ...]

The fast learner is `linear` of `textward.defences`: logistic regression on which words a text holds, so DT
and BoW are one classifier here. RAP and R-Adapter need an encoder's vectors and are not among them; ONION's
language model is bigrams of the training texts. Target class 1; ASR on the test texts of the other classes,
each with the trigger. Each cell is a line of results/attacks/DATA.jsonl; what is there already is kept.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from certified import HOME, SPLITS, rows
from textward import TextGuard
from textward.attacks import (
    AddSent,
    Attack,
    BadWord,
    Paraphrases,
    Poisoned,
    SynBkd,
    attack_success,
    clean_accuracy,
)
from textward.data import Digest
from textward.defences import BagOfWords, Bki, Cleaner, Defence, Filter, NoDefence, Onion, Strip

TARGET = 1
SETTINGS = {"mixed": 0.1, "clean": 0.2, "dirty": 0.1}
DEFENCES: dict[str, Callable[[int], Any]] = {
    "DT": lambda seed: NoDefence(seed=seed),
    "DT, naive Bayes": lambda seed: TextGuard(groups=1, learner="linear", seed=seed),
    "BoW": lambda seed: BagOfWords(seed=seed),
    "ONION": lambda seed: Onion(seed=seed),
    "BKI": lambda seed: Bki(seed=seed),
    "BKI, rows=influenced": lambda seed: Bki(seed=seed, rows="influenced"),
    "STRIP": lambda seed: Strip(seed=seed),
    "STRIP, false_rejections=0.1": lambda seed: Strip(seed=seed, false_rejections=0.1),
    "STRIP, averaged=interleaved": lambda seed: Strip(
        seed=seed, averaged="interleaved", false_rejections=0.1
    ),
    "TextGuard, linear m=7": lambda seed: TextGuard(groups=7, seed=seed),
    "TextGuard, ballots": lambda seed: TextGuard(groups="words", seed=seed),
}
Record = dict[str, Any]


def main() -> None:
    """Run the cells that are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--parser", default="en_core_web_sm", help="a spaCy model, for SynBkd")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HOME / "results" / "attacks")
    parser.add_argument("--only", nargs="+", choices=SPLITS, default=list(SPLITS))
    parser.add_argument("--attacks", nargs="+", choices=ATTACKS, default=list(ATTACKS))
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=["mixed", "clean"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.only:
        data = Data(options.data, name, options.parser)
        file = options.out / f"{name}.jsonl"
        done = [json.loads(line) for line in file.open()] if file.exists() else []
        known = {key(record) for record in done}
        with file.open("a", encoding="utf-8") as out:
            for record in cells(data, options.attacks, options.settings, range(options.seeds), known):
                out.write(json.dumps(record) + "\n")
                out.flush()
                print({k: v for k, v in record.items() if k not in ("versions", "digests")}, flush=True)


class Data:
    """The rows of one data set, and what its attacks are made of."""

    def __init__(self, folder: Path, name: str, parser: str) -> None:
        self.folder, self.name, self.parser = folder / name, name, parser
        self.train, self.test = rows(self.folder, SPLITS[name]), rows(self.folder, ["test"])

    def in_style(self, kind: str) -> Attack | None:
        """Ready-made paraphrases, where they were published for all the rows."""
        parts = [*SPLITS[self.name], "test"]
        if not (self.folder / f"{kind}-train.csv").exists():
            return None
        new = [
            text
            for part in parts
            for text in pl.read_csv(self.folder / f"{kind}-{part}.csv")["text"].fill_null("")
        ]
        known = [*self.train["text"], *self.test["text"]]
        return Paraphrases(dict(zip(known, new, strict=True)), "StyleBkd")


ATTACKS: dict[str, Callable[[Data], Attack | None]] = {
    "none": lambda data: None,
    "badword": lambda data: BadWord(),
    "addsent": lambda data: AddSent(),
    "synbkd": lambda data: SynBkd(data.parser),
    "stylebkd": lambda data: data.in_style("stylebkd"),
}


def key(record: Record) -> tuple[Any, ...]:
    """What makes a cell."""
    return tuple(record[part] for part in ("attack", "setting", "seed", "defence"))


def cells(
    data: Data, attacks: list[str], settings: list[str], seeds: range, known: set[tuple[Any, ...]]
) -> Iterator[Record]:
    """Attack the rows once for each setting and seed, and train every defence on them."""
    for name in attacks:
        attack = ATTACKS[name](data)
        if attack is None and name != "none":
            continue
        for setting in settings if attack else ["none"]:
            for seed in seeds if attack else [0]:
                cell = {"data": data.name, "attack": name, "setting": setting, "seed": seed}
                wanted = [kind for kind in DEFENCES if key(cell | {"defence": kind}) not in known]
                if wanted:
                    yield from measured(data, cell, attack, wanted)


def measured(data: Data, cell: Record, attack: Attack | None, wanted: list[str]) -> Iterator[Record]:
    """One attacked training set: each defence's accuracy, the attack's success, and what was filtered."""
    texts, labels = data.train["text"], data.train["label"].to_numpy()
    train = hit = None
    if attack is not None:
        rate, seed = SETTINGS[cell["setting"]], cell["seed"]
        train = attack.poison(texts, labels, rate=rate, target=TARGET, setting=cell["setting"], seed=seed)
        hit = attack.test_texts(data.test["text"], data.test["label"].to_numpy(), target=TARGET, seed=seed)
        texts, labels = train.texts, train.labels
        trigger = train.attack.replace(data.parser, Path(data.parser).name)  # no folder of a machine
        cell |= {"trigger": trigger, "rate": rate, "poisoned": len(train.rows)}
    for name in wanted:
        defence = DEFENCES[name](cell["seed"])
        began = time.perf_counter()
        defence.fit(texts, labels)
        took = time.perf_counter() - began
        cacc = clean_accuracy(defence.predict(data.test["text"]), data.test["label"])
        yield cell | {
            "target": TARGET,
            "defence": name,
            "rows": len(texts),
            "cacc": {"hits": cacc.hits, "n": cacc.n},
            "asr": None if hit is None else success(defence, hit),
            "filter": filtered(defence, train),
            "fit_seconds": round(took, 3),
            "digests": {
                "train": digest(texts, labels),
                "test": digest(data.test["text"], data.test["label"]),
            },
            "versions": {package: version(package) for package in ("numpy", "scikit-learn", "polars")},
        }


def success(defence: Any, hit: Poisoned) -> dict[str, int]:
    """The attack's success, in texts."""
    asr = attack_success(defence.predict(hit.texts), TARGET)
    return {"hits": asr.hits, "n": asr.n}


def filtered(defence: Any, train: Poisoned | None) -> Record | None:
    """What was removed, in rows (a filter) or in words (a cleaner)."""
    if not isinstance(defence, Defence) or train is None:
        return None
    if isinstance(defence, Filter):
        return {"unit": "rows"} | counts(defence.report(train.rows).as_dict())
    if isinstance(defence, Cleaner):
        return {"unit": "words"} | counts(defence.report(train).as_dict())
    return None


def counts(report: Record) -> Record:
    """The whole numbers of a report; shares follow from them."""
    return {what: report[what] for what in ("rows", "poisoned", "flagged", "hits")}


def digest(texts: pl.Series, labels: Any) -> str:
    """SHA-256 of rows."""
    found = Digest()
    found.update(texts, pl.Series(labels).cast(pl.String))
    return found.hexdigest()


if __name__ == "__main__":
    main()
