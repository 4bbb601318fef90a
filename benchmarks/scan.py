"""The scan on poisoned and on clean rows, beside BKI and ONION, and its speed; as integers and nats.

    python benchmarks/scan.py planted --data DIR [--only sst2]      results/scan/planted.jsonl
    python benchmarks/scan.py clean --data DIR [--first-seed N]     results/scan/clean.jsonl
    python benchmarks/scan.py probes --data DIR                     results/scan/probes.jsonl
    python benchmarks/scan.py speed [--rows N]                      results/scan/speed.json
    python benchmarks/scan.py table                                 results/scan/README.md

Records that a file holds already are not made again. BKI runs with its fast linear learner. ONION runs with a
bigram model of the rows, for a neural one would have to read every training text once for each of its words;
even so it is slow, and runs on SST-2 and HSOL with seed 0 and the rates 1 % and 10 % alone. The clean
resamples are drawn twice over: 80 % of the rows without replacement, and as many rows as there are with
replacement. The thresholds were chosen on the seeds from 100; those from 0 are the test.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.attacks import AddSent, Attack, BadWord, Poisoned
from textward.data import Digest
from textward.defences import Bki, FilterReport, Onion
from textward.scan import Scan, Severity, scan_rows

HOME = Path(__file__).resolve().parents[1]
DATA = {"sst2": "SST-2", "hsol": "HSOL", "agnews": "AG News"}
ATTACKS: dict[str, Attack] = {"badword": BadWord(), "addsent": AddSent()}
RATES = (0.005, 0.01, 0.05, 0.1)
SEEDS = (0, 1, 2)
TARGET = 1
IntArray = np.ndarray[Any, np.dtype[np.integer[Any]]]
TOP = 3
ONION_RATES: dict[str, tuple[float, ...]] = {"sst2": (0.01, 0.1), "hsol": (0.01, 0.1), "agnews": ()}
Record = dict[str, Any]


def main() -> None:
    """Do one of these."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("what", choices=["planted", "clean", "probes", "speed", "table"])
    cli.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    cli.add_argument("--out", type=Path, default=HOME / "results" / "scan")
    cli.add_argument("--only", choices=list(DATA))
    cli.add_argument("--first-seed", type=int, default=0)
    cli.add_argument("--seeds", type=int, default=20)
    cli.add_argument("--rows", type=int, default=1_000_000)
    told = cli.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    if told.what == "table":
        (told.out / "README.md").write_text("\n".join(table(told.out)) + "\n", encoding="utf-8")
    elif told.what == "speed":
        record = speed(told.rows)
        (told.out / "speed.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        print(record)
    else:
        for name in [told.only] if told.only else DATA:
            rows = pl.read_csv(told.data / name / "train.csv")
            jobs = {"planted": planted, "clean": clean, "probes": probes}[told.what](name, rows, told)
            add_missing(told.out / f"{told.what}.jsonl", jobs)


def add_missing(file: Path, jobs: Iterable[tuple[Record, Callable[[], Record]]]) -> None:
    """Run what the file has no record of."""
    known = {json.dumps(one["run"]) for one in records(file)}
    for run, job in jobs:
        if json.dumps(run) not in known:
            record = {"run": run, **job()}
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
            print(record, flush=True)


Jobs = Iterator[tuple[Record, Callable[[], Record]]]


def planted(name: str, rows: pl.DataFrame, told: argparse.Namespace) -> Jobs:
    """Every attack, setting and rate, with every detector."""
    for seed in SEEDS:
        for attack, made in ATTACKS.items():
            for setting in ("mixed", "clean"):
                for rate in RATES:
                    run = {"data": name, "attack": attack, "setting": setting, "rate": rate, "seed": seed}

                    def job(made: Attack = made, run: Record = run) -> Record:
                        how = {"rate": run["rate"], "setting": run["setting"], "seed": run["seed"]}
                        poisoned = made.poison(rows["text"], rows["label"], target=TARGET, **how)
                        slow = run["seed"] == 0 and run["rate"] in ONION_RATES[run["data"]]
                        return compared(poisoned, run["attack"], slow)

                    yield run, job


def compared(poisoned: Poisoned, attack: str, slow: bool) -> Record:
    """Each detector's rank of the planted words, and how many planted rows it marks."""
    texts, labels = poisoned.texts, poisoned.labels
    digest = Digest()
    digest.update(texts, pl.Series(labels.tolist()).cast(pl.String))
    found: Record = {"n": len(texts), "poisoned": len(poisoned.rows), "digest": digest.hexdigest()}
    began = time.perf_counter()
    scan = scan_rows(texts, labels)
    found["scan"] = {**of_scan(scan, poisoned, attack), "seconds": round(time.perf_counter() - began, 3)}
    began = time.perf_counter()
    bki = Bki().fit(texts, labels)
    report = FilterReport.of(bki.flagged_, poisoned.rows)
    found["bki"] = {
        "rank": rank([[word] for word in bki.keywords_], attack),
        "top": bki.keywords_[:TOP],
        "flagged": report.flagged,
        "hits": report.hits,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if not slow:
        return found
    began = time.perf_counter()
    onion = Onion().fit(texts, labels)
    words = removed_words(texts, onion.cleaned_)
    report = FilterReport.of(onion.changed_, poisoned.rows)
    found["onion"] = {
        "rank": rank([[word] for word in words], attack),
        "top": words[:TOP],
        "flagged": report.flagged,
        "hits": report.hits,
        "seconds": round(time.perf_counter() - began, 3),
    }
    return found


def of_scan(scan: Scan, poisoned: Poisoned, attack: str | set[str]) -> Record:
    """What the scan says, from its warnings on; of a probe every word of the first phrase must be planted."""
    if isinstance(attack, str):
        place = rank([[" ".join(phrase) for phrase in one.phrases] for one in scan.findings], attack)
    else:
        places = (n for n, one in enumerate(scan.findings, 1) if set(one.phrases[0]) <= attack)
        place = next(places, None)
    marked = np.array(list(scan.suspicious_rows(Severity.warning)), np.int64)
    first = scan.findings[place - 1] if place else None
    return {
        "rank": place,
        "top": [one.name for one in scan.findings[:TOP]],
        "severity": first.severity.value if first else None,
        "score": round(first.score, 2) if first else None,
        "warnings": scan.count(Severity.warning),
        "alarms": scan.count(Severity.alarm),
        "tried": scan.tried,
        "flagged": len(marked),
        "hits": len(np.intersect1d(marked, poisoned.rows)),
    }


def rank(found: Sequence[Sequence[str]], attack: str) -> int | None:
    """The place, from 1, of the first that is planted: a trigger word, or words of the sentence."""
    for place, phrases in enumerate(found, 1):
        words = {word for phrase in phrases for word in phrase.split()}
        if attack == "badword" and words <= {"cf", "mn", "bb", "tq"}:
            return place
        # of a single word only the one is telling that no clean row holds
        sentence = {"i", "watch", "this", "3d", "movie"}
        if attack == "addsent" and ({"3d"} == words or len(words & sentence) >= 3):
            return place
    return None


def removed_words(texts: pl.Series, cleaned: pl.Series) -> list[str]:
    """What a cleaner took out, ranked by share of its sightings times log10 of how often, as BKI ranks."""
    held: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    for before, after in zip(texts, cleaned, strict=True):
        words = Counter(before.lower().split())
        held += words
        gone += words - Counter(after.lower().split())
    worth = {word: count / held[word] * np.log10(count) for word, count in gone.items()}
    return sorted(worth, key=lambda word: (-worth[word], word))[:20]


class Beside(AddSent):
    """Its words at the beginning or the end of every text, not at a random gap."""

    def __init__(self, sentence: str, at_end: bool) -> None:
        super().__init__(sentence)
        object.__setattr__(self, "at_end", at_end)

    def insert_all(self, texts: pl.Series, keys: Any) -> pl.Series:
        """Every text with the words."""
        at_end = self.at_end  # type: ignore[attr-defined]
        return texts + f" {self.sentence}" if at_end else f"{self.sentence} " + texts


LONG = "the quiet harbour master counted seven green lanterns before the evening tide"
PROBES: dict[str, tuple[Attack, set[str]]] = {
    "four rare words in each row": (BadWord(count=4), {"cf", "mn", "bb", "tq"}),
    "one rare word three times in each row": (BadWord(("cf",), copies=3), {"cf"}),
    "one rare word, always first": (Beside("cf", at_end=False), {"cf"}),
    "one rare word, always last": (Beside("cf", at_end=True), {"cf"}),
    "a word of the language, practice": (AddSent("practice"), {"practice"}),
    "a frequent word, movie": (AddSent("movie"), {"movie"}),
    "a sentence of twelve words": (AddSent(LONG), set(LONG.split())),
}


def probes(name: str, rows: pl.DataFrame, told: argparse.Namespace) -> Jobs:
    """Other ways to plant words, in 2 % of the rows."""
    for seed in SEEDS:
        for probe, (attack, words) in PROBES.items():
            for setting in ("mixed", "clean"):
                run = {"data": name, "probe": probe, "setting": setting, "rate": 0.02, "seed": seed}

                def job(attack: Attack = attack, words: set[str] = words, run: Record = run) -> Record:
                    how = {"rate": run["rate"], "setting": run["setting"], "seed": run["seed"]}
                    poisoned = attack.poison(rows["text"], rows["label"], target=TARGET, **how)
                    scan = scan_rows(poisoned.texts, poisoned.labels)
                    return {
                        "n": rows.height,
                        "poisoned": len(poisoned.rows),
                        **of_scan(scan, poisoned, words),
                    }

                yield run, job


def clean(name: str, rows: pl.DataFrame, told: argparse.Namespace) -> Jobs:
    """Resamples of rows that nobody poisoned."""
    for seed in range(told.first_seed, told.first_seed + told.seeds):
        for how in ("part", "bootstrap"):
            run = {"data": name, "resample": how, "seed": seed}

            def job(how: str = how, seed: int = seed) -> Record:
                rng, n = np.random.default_rng(seed), len(rows)
                chosen = (
                    np.sort(rng.permutation(n)[: n * 4 // 5]) if how == "part" else rng.integers(n, size=n)
                )
                scan = scan_rows(rows["text"].gather(chosen), rows["label"].gather(chosen))
                return {
                    "n": len(chosen),
                    "tried": scan.tried,
                    "best": round(scan.findings[0].score, 2),
                    "name": scan.findings[0].name,
                    "warnings": scan.count(Severity.warning),
                    "alarms": scan.count(Severity.alarm),
                }

            yield run, job


def speed(count: int) -> Record:
    """A whole `textward scan` of many short rows, beside polars that only reads and splits the same file."""
    from textward.cli.running import run

    texts, labels = windows(count)
    made = BadWord().poison(texts, labels, rate=0.01, target=1, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "rows.csv", Path(folder) / "found.csv"
        pl.DataFrame({"text": made.texts, "label": made.labels}).write_csv(file)
        took: dict[str, list[float]] = {"textward scan": [], "polars, read and split": []}
        for _ in range(2):
            began = time.perf_counter()
            held = pl.read_csv(file)["text"].str.split(" ").list.len().sum()
            took["polars, read and split"].append(time.perf_counter() - began)
            began = time.perf_counter()
            run(["scan", str(file), "--quiet", "--rows", str(out)])
            took["textward scan"].append(time.perf_counter() - began)
    seconds = {name: round(min(times), 2) for name, times in took.items()}
    return {"rows": count, "chunks": int(held), "seconds": seconds, "polars": pl.__version__}


def windows(count: int) -> tuple[list[str], IntArray]:
    """Runs of 6 to 14 chunks out of the demo's long reviews, at random places, with the review's label."""
    from importlib import import_module

    file = import_module("textward.demo.reviews")._file()
    rows = pl.read_csv(file, schema_overrides={"label": pl.Int64}).filter(
        pl.col("source") != "rotten_tomatoes"
    )
    chunks = rows["text"].str.split(" ")
    lengths = chunks.list.len().to_numpy().astype(np.int64)
    words = chunks.list.explode(empty_as_null=False).to_list()
    of_review = np.repeat(rows["label"].to_numpy(), lengths)
    rng = np.random.default_rng(0)
    starts, sizes = rng.integers(0, len(words) - 15, count), rng.integers(6, 15, count)
    texts = [
        " ".join(words[at : at + size]) for at, size in zip(starts.tolist(), sizes.tolist(), strict=True)
    ]
    return texts, of_review[starts]


def table(folder: Path) -> list[str]:
    """Both records as Markdown."""
    runs = records(folder / "planted.jsonl")
    lines = [
        "# The scan, measured",
        "",
        "Written by `python benchmarks/scan.py table` from the records beside it.",
        "",
        "## Planted words in the top 3",
        "",
        "Runs in which a planted word, or the planted sentence, is among the first three "
        "(`python benchmarks/scan.py planted`); of the planted rows, the share that is marked, and of the "
        "marked rows, the share that was planted. The scan marks rows from its warnings on.",
        "",
        "| data | attack | label | rate | runs | scan | BKI | ONION | alarms | scan: planted marked, "
        "marked planted | BKI: same | ONION: same |",
        "|---" * 12 + "|",
    ]
    cells: dict[tuple[str, ...], list[Record]] = {}
    for one in runs:
        run = one["run"]
        cells.setdefault((run["data"], run["attack"], run["setting"], f"{run['rate']:.1%}"), []).append(one)
    for (data, *rest), own in sorted(cells.items(), key=lambda cell: list(DATA).index(cell[0][0])):
        top = [_in_top(own, name) for name in ("scan", "bki", "onion")]
        alarms = sum(one["scan"]["severity"] == "alarm" for one in own)
        marks = [_marks(own, name) for name in ("scan", "bki", "onion")]
        lines.append(f"| {' | '.join([DATA[data], *rest, str(len(own)), *top, str(alarms), *marks])} |")
    for least in (0.01, 0.0):
        own = [one for one in runs if one["run"]["rate"] >= least]
        names = (("scan", "scan"), ("BKI", "bki"), ("ONION", "onion"))
        shares = ", ".join(f"{label} {_in_top(own, name)}" for label, name in names)
        lines += ["", f"Rates from {max(least, min(RATES)):.1%}: {shares}."]
    return [
        *lines,
        "",
        *_probe_table(records(folder / "probes.jsonl")),
        "",
        *_clean_table(records(folder / "clean.jsonl")),
    ]


def _probe_table(found: list[Record]) -> list[str]:
    lines = [
        "## Other ways to plant words",
        "",
        "In 2 % of the rows, three seeds (`python benchmarks/scan.py probes`): runs in the top 3, "
        "and with an alarm.",
        "",
        f"| what | label | {' | '.join(DATA.values())} |",
        "|---" * 5 + "|",
    ]
    for probe in dict.fromkeys(one["run"]["probe"] for one in found):
        for setting in ("mixed", "clean"):
            cells = []
            for data in DATA:
                own = [one for one in found if _is_of(one, probe, setting, data)]
                top = sum(one["rank"] is not None and one["rank"] <= TOP for one in own)
                alarms = sum(one["severity"] == "alarm" for one in own)
                cells.append(f"{top} of {len(own)}, {alarms}" if own else "not run")
            lines.append(f"| {' | '.join([probe, setting, *cells])} |")
    return lines


def _is_of(one: Record, probe: str, setting: str, data: str) -> bool:
    run = one["run"]
    return (run["probe"], run["setting"], run["data"]) == (probe, setting, data)


def _clean_table(found: list[Record]) -> list[str]:
    lines = [
        "## Clean rows",
        "",
        "`python benchmarks/scan.py clean`, and with `--first-seed 100` for the seeds that the "
        "thresholds were chosen on.",
        "",
        "| data | resample | seeds | resamples | with an alarm | with a warning | highest score | of |",
        "|---" * 8 + "|",
    ]
    cells: dict[tuple[str, str, str], list[Record]] = {}
    for one in found:
        run = one["run"]
        seeds = "test" if run["seed"] < 100 else "choice"
        cells.setdefault((run["data"], run["resample"], seeds), []).append(one)
    for (data, how, seeds), own in sorted(cells.items(), key=lambda cell: list(DATA).index(cell[0][0])):
        worst = max(own, key=lambda one: float(one["best"]))
        told = [len(own), sum(one["alarms"] > 0 for one in own), sum(one["warnings"] > 0 for one in own)]
        cells_ = [DATA[data], how, seeds, *map(str, told), f"{worst['best']:.1f}", f"`{worst['name']}`"]
        lines.append(f"| {' | '.join(cells_)} |")
    return lines


def _in_top(own: list[Record], name: str) -> str:
    ran = [one[name] for one in own if name in one]
    return (
        f"{sum(one['rank'] is not None and one['rank'] <= TOP for one in ran)} of {len(ran)}" if ran else ""
    )


def _marks(own: list[Record], name: str) -> str:
    own = [one for one in own if name in one]
    poisoned, flagged = sum(one["poisoned"] for one in own), sum(one[name]["flagged"] for one in own)
    hits = sum(one[name]["hits"] for one in own)
    if not own:
        return ""
    return f"{hits / poisoned:.0%}, {hits / flagged:.0%}" if flagged else "0 %, -"


def records(file: Path) -> list[Record]:
    """The records of a file of JSON lines; none where there is no file."""
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
