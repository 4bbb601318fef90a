"""Better use of the same number of base models: designs, vote rules, and rows split into parts.

    python benchmarks/rules.py words [--data DIR] [--seeds 3] [--only sst2 ...] [--models fano 7 ...]
                               [--learner transformer --encoder NAME]
    python benchmarks/rules.py rows [--data DIR] [--only sst2 ...]
    python benchmarks/rules.py table

words: mixed-label, p = 0.1 to class 1; block designs against plain hashing, and every rule on the same votes.
rows: clean labels; a grid of base models against DPA and Bagging, by the number of rows an attacker wrote.
Records: results/rules/*.jsonl, one a line; what is there already is kept. table: results/rules/README.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import polars as pl

from certified import HOME, RATE, SPLITS, TARGET, TITLES, rows
from textward import TextGuard
from textward.attacks import relabelled
from textward.certificates import CertifiedAccuracy
from textward.defences import Bagging, Dpa
from textward.estimator.inputs import class_indexes, label_array
from textward.estimator.training import library_versions
from textward.report.evaluation import evaluate

MODELS = (
    "3", "5", "7", "fano", "11", "cyclic:11:1,3,4,5,9", "13", "pg:3", "21", "pg:4", "31", "pg:5", "61",
)  # fmt: skip
SIZES = (0, 1, 2, 3)
RULES = ("plurality", "soft:1", "soft:2", "soft:4", "soft:16", "abstain:1", "targeted")
RUNOFF_MODELS = 13  # its conditions grow with the square of the classes
ROWS = (0, 1, 2, 5, 10, 20, 58)
GRIDS = ((1, 200, "plurality"), (3, 50, "plurality"), (7, 50, "plurality"), (7, 50, "soft:4"))
OUT = HOME / "results" / "rules"
Record = dict[str, Any]


def main() -> None:
    """Measure what is missing, or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["words", "rows", "table"])
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=SPLITS, default=list(SPLITS))
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--learner", choices=["linear", "transformer", "embedding"], default="linear")
    parser.add_argument("--encoder")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    if options.what == "table":
        (OUT / "README.md").write_text(page(), encoding="utf-8")
        return
    file = OUT / f"{options.what}.jsonl"
    known = {_key(record) for record in read(options.what)}
    with file.open("a", encoding="utf-8") as out:
        found = by_words(options, known) if options.what == "words" else by_rows(options, known)
        for record in found:
            out.write(json.dumps(record) + "\n")
            out.flush()
            print(*_key(record), f"{record['seconds']} s", flush=True)


def read(what: str) -> list[Record]:
    """The records of one part."""
    file = OUT / f"{what}.jsonl"
    return [json.loads(line) for line in file.open(encoding="utf-8")] if file.exists() else []


def _key(record: Record) -> tuple[Any, ...]:
    return record["data"], record["model"], record["seed"]


def by_words(options: argparse.Namespace, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """Every model on every relabelling, its votes judged by every rule."""
    learner: Any = "linear"
    if options.learner != "linear":
        from textward.learners import transformer

        kinds = {"transformer": transformer.TransformerLearner, "embedding": transformer.EmbeddingLearner}
        learner = kinds[options.learner](options.encoder)
    for name in options.only:
        train, test = rows(options.data / name, SPLITS[name]), rows(options.data / name, ["test"])
        for groups in options.models:
            for seed in range(options.seeds):
                model = f"{options.learner} {groups}"
                if (name, model, seed) in known:
                    continue
                labels = relabelled(train["label"].to_numpy(), rate=RATE, target=TARGET, seed=seed)
                start = time.perf_counter()
                number = int(groups) if groups.isdigit() else groups
                guard = TextGuard(number, learner).fit(train["text"], labels)
                rules = [*RULES]
                many = len(guard.classes_) > 2
                if many and guard.model_.voters.models <= RUNOFF_MODELS:  # type: ignore[union-attr]
                    rules.append("runoff")
                truth = class_indexes(label_array(test["label"], len(test)), guard.classes_)
                found = evaluate(
                    guard, test["text"], truth, SIZES, methods=["individual"], target=TARGET, rules=rules
                )
                yield {
                    "data": name, "model": model, "seed": seed, "rate": RATE, "target": TARGET,
                    "base_models": guard.model_.voters.models,  # type: ignore[union-attr]
                    "n": len(test), "trigger_sizes": list(SIZES),
                    "joint": {one.rule: figures(one) for one in found.rules},
                    "individual": figures(found.accuracies[0]),
                    "training": asdict(guard.training_),
                    "seconds": round(time.perf_counter() - start, 1),
                }  # fmt: skip


def figures(accuracy: CertifiedAccuracy) -> Record:
    """Shares by trigger size, with what the best attack leaves and whether the share is the minimum."""
    return {
        key: {
            "shares": list(one.shares),
            "best_attack": list(one.best_attack),
            "exact": list(one.exact),
            "texts": one.n,
        }
        for key, one in accuracy.figures.items()
    }


def by_rows(options: argparse.Namespace, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """Grids, DPA and Bagging on clean labels."""
    for name in [name for name in options.only if name != "agnews"]:
        train, test = rows(options.data / name, SPLITS[name]), rows(options.data / name, ["test"])
        for by in ("place", "text"):
            for groups, parts, rule in GRIDS:
                model = f"grid {groups} x {parts} by {by}" + (f", {rule}" if rule != "plurality" else "")
                if (name, model, 0) not in known:
                    yield {"data": name, "model": model, "seed": 0} | grid(
                        (groups, parts, by, rule), train, test
                    )
            if (name, f"DPA 200 by {by}", 0) not in known:
                defence = Dpa(partitions=200, by=by)
                yield {"data": name, "model": f"DPA 200 by {by}", "seed": 0} | rival(defence, train, test)
        for sample in (30, 100):
            model = f"Bagging, samples of {sample}"
            if (name, model, 0) not in known:
                yield {"data": name, "model": model, "seed": 0} | rival(Bagging(sample=sample), train, test)


def grid(shape: tuple[int, int, str, str], train: pl.DataFrame, test: pl.DataFrame) -> Record:
    """One grid: individual and joint, for no and one trigger word."""
    start = time.perf_counter()
    groups, parts, by, rule = shape
    guard = TextGuard(groups, row_groups=parts, rows_by=by, rule=rule).fit(train["text"], train["label"])
    truth = class_indexes(label_array(test["label"], len(test)), guard.classes_)
    sizes = (0, 1) if groups > 1 else (0,)
    found = evaluate(
        guard, test["text"], truth, sizes, methods=["joint", "individual"], target=TARGET, rows=ROWS
    )
    surface = [*found.accuracies, *found.surface]
    return {
        "base_models": groups * parts,
        "n": len(test),
        "trigger_sizes": list(sizes),
        "surface": [{"method": one.method, "rows": one.rows} | figures(one) for one in surface],
        "training": asdict(guard.training_),
        "seconds": round(time.perf_counter() - start, 1),
    }


def rival(defence: Dpa | Bagging, train: pl.DataFrame, test: pl.DataFrame) -> Record:
    """One rival, whose certificates are individual and know no trigger words."""
    start = time.perf_counter()
    defence.fit(train["text"], train["label"])
    found = defence.certified_accuracy(test["text"], test["label"], rows=ROWS, target=TARGET, edits=True)
    surface = [
        {"method": "individual", "rows": r}
        | {key: {"shares": [getattr(found, key)[at]]} for key in ("all", "balanced", "non_target")}
        for at, r in enumerate(ROWS)
    ]
    return {
        "n": len(test),
        "trigger_sizes": [0],
        "surface": surface,
        "training": {"n": len(train), "versions": library_versions()},
        "seconds": round(time.perf_counter() - start, 1),
    }


def page() -> str:
    """Both parts as tables."""
    parts = [
        "# Designs, vote rules and rows in parts\n",
        "Built by `python benchmarks/rules.py words`, `... rows` and `... table`; [docs/votes.md]"
        "(../../docs/votes.md) derives what is certified. Encoders as base models are not measured: they "
        "need a GPU (`python benchmarks/rules.py words --learner transformer --encoder NAME`).\n",
    ]
    words, surfaces = read("words"), read("rows")
    parts += list(_best(words))
    for name in dict.fromkeys(record["data"] for record in words):
        parts += list(_designs(name, [record for record in words if record["data"] == name]))
        parts += list(_rules(name, [record for record in words if record["data"] == name]))
    for name in dict.fromkeys(record["data"] for record in surfaces):
        parts += list(_surface(name, [record for record in surfaces if record["data"] == name]))
    parts += list(_soundness())
    return "\n".join(parts) + "\n"


def _soundness() -> Iterator[str]:
    yield "\n## Real retraining\n"
    yield (
        "`python benchmarks/soundness_rules.py`: answers that were certified and changed, and base models "
        "that changed though no trigger word and no row reaches them, must be 0. *bite*: answers that no "
        "certificate covers and that did change.\n"
    )
    yield "| case | retrainings | pairs | certified | changed | bite | base models | changed |"
    yield "|---|---|---|---|---|---|---|---|"
    for one in read("soundness"):
        names = ("rounds", "pairs", "certified", "broken", "changed", "models", "models_differ")
        yield f"| {one['case']} | " + " | ".join(f"{one[name]:,}" for name in names) + " |"


def _best(words: Sequence[Record]) -> Iterator[str]:
    """The highest figure of each kind at each trigger size, with the base models it came from."""
    kinds = {
        "plain hashing, plurality": lambda model, rule: model.isdigit() and rule == "plurality",
        "designs, plurality": lambda model, rule: not model.isdigit() and rule == "plurality",
        "plain hashing, soft votes": lambda model, rule: model.isdigit() and rule.startswith("soft"),
        "designs, soft votes": lambda model, rule: not model.isdigit() and rule.startswith("soft"),
        "run-off": lambda model, rule: rule == "runoff",
    }
    yield "## The best of each kind\n"
    yield (
        "Joint, balanced, mean over the relabellings; the best base models at each t, seen on the test "
        "texts: "
        "that favours the kinds with more candidates. Near .5 with two classes one class is all that is "
        "answered: so it is with plurality at m = 31 and 61 on SST-2 and HSOL.\n"
    )
    yield "| data | kind | " + " | ".join(f"t={t}" for t in SIZES) + " |"
    yield "|---|---|" + "---|" * len(SIZES)
    for name in dict.fromkeys(record["data"] for record in words):
        for kind, fits in kinds.items():
            cells = [_highest([one for one in words if one["data"] == name], fits, t) for t in SIZES]
            if all(cells):
                yield f"| {TITLES[name]} | {kind} | " + " | ".join(cells) + " |"


def _highest(found: Sequence[Record], fits: Callable[[str, str], bool], t: int) -> str:
    shares: dict[str, list[float]] = {}
    for record in found:
        model = record["model"].split()[1]
        for rule, one in record["joint"].items():
            if fits(model, rule):
                name = model if rule in ("plurality", "runoff") else f"{model}, {rule}"
                shares.setdefault(name, []).append(one["balanced"]["shares"][t])
    if not shares:
        return ""
    best = max(shares, key=lambda name: mean(shares[name]))
    return f"{mean(shares[best]):.3f} ({best})"


def _designs(name: str, found: Sequence[Record]) -> Iterator[str]:
    seeds = len({record["seed"] for record in found})
    yield f"\n## {TITLES[name]}: models that share words\n"
    yield (
        f"Mixed-label, p = {RATE}, target class {TARGET}; {found[0]['n']:,} test texts; joint, plurality; "
        f"mean ± standard deviation over {seeds} relabellings. Two figures: proven – what the best attack "
        "found leaves.\n"
    )
    yield (
        "| base models | number | "
        + " | ".join(f"{what}, t={t}" for what in ("balanced", "non-target") for t in SIZES)
        + " |"
    )
    yield "|---|---|" + "---|" * 8
    for model in _models(found):
        mine = [record for record in found if record["model"] == model]
        cells = [
            _cell([record["joint"]["plurality"][key] for record in mine], t)
            for key in ("balanced", "non_target")
            for t in SIZES
        ]
        yield f"| {model} | {mine[0]['base_models']} | " + " | ".join(cells) + " |"


def _rules(name: str, found: Sequence[Record]) -> Iterator[str]:
    yield f"\n### {TITLES[name]}: rules on the same votes\n"
    yield (
        "Joint, balanced; *targeted* (to the target class) over the non-target texts. *abstain:1* counts "
        "only answers that are given, hence its lower figure at t=0.\n"
    )
    yield "| base models | rule | " + " | ".join(f"t={t}" for t in SIZES) + " |"
    yield "|---|---|" + "---|" * len(SIZES)
    for model in _models(found):
        mine = [record for record in found if record["model"] == model]
        for rule in mine[0]["joint"]:
            key = "non_target" if rule == "targeted" else "balanced"
            cells = [_cell([record["joint"][rule][key] for record in mine], t) for t in SIZES]
            yield f"| {model} | {rule} | " + " | ".join(cells) + " |"


def _models(found: Sequence[Record]) -> list[str]:
    return sorted({record["model"] for record in found}, key=lambda m: _order(m, found))


def _order(model: str, found: Sequence[Record]) -> tuple[str, int, bool]:
    number = next(record["base_models"] for record in found if record["model"] == model)
    return model.split(maxsplit=1)[0], number, not model.split()[1].isdigit()


def _cell(one: Sequence[Record], t: int) -> str:
    proven = [record["shares"][t] for record in one]
    low, high = f"{mean(proven):.3f}", f"{mean(record['best_attack'][t] for record in one):.3f}"
    spread = f" ±{stdev(proven):.3f}" if len(proven) > 1 else ""
    return (low if low == high else f"{low} – {high}") + spread


def _surface(name: str, found: Sequence[Record]) -> Iterator[str]:
    yield f"\n## {TITLES[name]}: rows of an attacker's own\n"
    yield (
        f"Clean labels, {found[0]['n']:,} test texts, balanced over the classes; r rows edited at will, "
        "each text meeting its own worst rows. *by place*: rows edited in their place; *by text*: rows may "
        "come and go as well. DPA and Bagging have individual certificates and none for trigger words. "
        "Bagging's holds with a probability of 0.999.\n"
    )
    yield "| base models | t | method | " + " | ".join(f"r={r}" for r in ROWS) + " |"
    yield "|---|---|---|" + "---|" * len(ROWS)
    for record in found:
        for at, t in enumerate(record["trigger_sizes"]):
            for method in ("individual", "joint") if t else ("individual",):
                of = {
                    one["rows"]: one["balanced"]["shares"][at]
                    for one in record["surface"]
                    if one["method"] == method
                }
                if of:
                    cells = " | ".join(f"{of[r]:.3f}" for r in ROWS)
                    yield f"| {record['model']} | {t} | {method} | {cells} |"


if __name__ == "__main__":
    main()
