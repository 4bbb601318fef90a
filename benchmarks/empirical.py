"""Empirical TextGuard beside plain training: accuracy on clean texts, and the attacks' success, as integers.

    python benchmarks/empirical.py prepare --data DIR --cut DIR       poison and cut into words
    python benchmarks/empirical.py linear --cut DIR --out FILE        naive Bayes, on this machine
    python benchmarks/empirical.py train --cut DIR --encoder DIR --out FILE [--seconds N] [--cells N]
    python benchmarks/empirical.py table FILE ... --out FILE.md

`prepare` needs the whole package; `train` runs where only torch, transformers and numpy are installed, and
stops between cells after --seconds. Records that --out holds already are not made again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import encoder_data  # noqa: F401  (where the other rooms cannot be imported, it stands in for them)
from empirical_cells import TARGET, Cell, Rows, cells, prepare, read_rows
from textward.groups.hashing import hashed
from textward.groups.preserving import kept_by, learned_groups
from textward.influence.ranking import Influence, potential_triggers
from textward.influence.variants import leaving_one_out, strings
from textward.learners.seeds import group_seed

PLANTED = {"badword": ("cf", "mn", "bb", "tq"), "addsent": ("i", "watch", "this", "3d", "movie")}


def judged(votes: Any, gold: Any, attacked: Any) -> dict[str, int]:
    """Count right answers on clean texts and the target on attacked ones; votes are texts x base models."""
    return {
        "right": int((winners(votes) == gold).sum()),
        "clean": len(gold),
        "turned": int((winners(attacked) == TARGET).sum()) if len(attacked) else 0,
        "attacked": len(attacked),
    }


def winners(votes: Any) -> Any:
    """The class of most votes, the smaller one of equals."""
    classes = int(votes.max(initial=0)) + 1
    return np.stack([(votes == c).sum(axis=1) for c in range(classes)], axis=1).argmax(axis=1)


def numbered(texts: list[str]) -> tuple[list[str], Any, Any]:
    """Texts of words as a vocabulary, word ids and offsets."""
    words = [text.split(" ") if text else [] for text in texts]
    vocabulary, ids = np.unique([word for text in words for word in text], return_inverse=True)
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(text) for text in words], out=offsets[1:])
    return vocabulary.tolist(), ids.reshape(-1), offsets


def sub_texts(columns: tuple[list[str], Any, Any], omega: Any, m: int) -> list[list[str]]:
    """Each group's training texts: potential trigger words in their hash group only, all others in every."""
    vocabulary, ids, offsets = columns
    potential = np.zeros(len(vocabulary), bool)
    potential[omega] = True
    groups = learned_groups(hashed([word.encode() for word in vocabulary], m, "md5"), potential)
    return [strings(vocabulary, *kept_by(j, groups, ids, offsets)) for j in range(m)]


def found_words(columns: tuple[list[str], Any, Any], counts: Any, attack: str) -> dict[str, Any]:
    """The most influential words with their counts, and the counts of the planted ones."""
    vocabulary = columns[0]
    top = np.argsort(-counts, kind="stable")[:20]
    place = {word: number for number, word in enumerate(vocabulary)}
    planted = {word: int(counts[place[word]]) for word in PLANTED.get(attack, ()) if word in place}
    return {"top": {vocabulary[word]: int(counts[word]) for word in top}, "planted": planted}


def train(told: argparse.Namespace) -> None:
    """Fine-tune: the plain encoder, the influence of its words, and the groups' encoders."""
    from textward.learners.transformer.encoder import load_encoder
    from textward.learners.transformer.memory import device_of
    from textward.learners.transformer.settings import Settings
    from textward.learners.transformer.training import place
    from textward.learners.transformer.training import train as fine_tune

    settings = Settings(batch=told.batch, epochs=told.epochs, device=told.device, whole_texts=True)
    began, known = time.perf_counter(), _known(told.out)
    for cell in cells()[: told.cells]:
        wanted = [variant for variant in cell.variants if _name(cell, variant) not in known]
        if not wanted:
            continue
        rows = read_rows(told.cut, cell)
        if told.rows:
            rows = replace(rows, train=rows.train[: told.rows], labels=rows.labels[: told.rows])
        encoder = load_encoder(str(told.encoder), int(rows.test_labels.max()) + 1)
        facts = {"encoder": encoder.name.rsplit("/")[-1], "machine": place(device_of(told.device))}

        def model_of(texts: list[list[str]], seeds: list[int]) -> Any:
            return fine_tune(encoder, settings, texts, rows.labels, seeds)  # noqa: B023

        _one_cell(told.out, cell, rows, wanted, model_of, facts, told.device)
        if time.perf_counter() - began > told.seconds:
            print("out of time", flush=True)
            return


def _one_cell(
    out: Path,
    cell: Cell,
    rows: Rows,
    wanted: list[tuple[int, int]],
    model_of: Any,
    facts: dict[str, Any],
    device: str,
) -> None:
    columns, started = numbered(rows.train), time.perf_counter()
    plain = model_of([rows.train], [group_seed(cell.seed, 0)])
    facts |= {"seconds_plain": round(time.perf_counter() - started, 1)}
    main = [variant for variant in wanted if variant == cell.variants[0]]
    if main and len(cell.variants) == 1:
        clean, attacked = (plain.votes([texts], device) for texts in (rows.test, rows.attacked))
        _record(out, cell, "DT", None, judged(clean, rows.test_labels, attacked), facts)
    started = time.perf_counter()
    moved: Influence = leaving_one_out(
        lambda ids, offsets: plain.features(0, strings(columns[0], ids, offsets), device),
        columns[1], columns[2],
    )  # fmt: skip
    counts = moved.counts(len(columns[0]))
    facts |= {"variants": len(moved.rows), "seconds_influence": round(time.perf_counter() - started, 1)}
    for m, least in wanted:
        omega, started = potential_triggers(counts, least), time.perf_counter()
        model = model_of(sub_texts(columns, omega, m), [group_seed(cell.seed, j) for j in range(m)])
        clean, attacked = (model.votes([texts] * m, device) for texts in (rows.test, rows.attacked))
        more = {
            "omega": len(omega),
            "vocabulary": len(columns[0]),
            **found_words(columns, counts, cell.attack),
        }
        more |= {"seconds_groups": round(time.perf_counter() - started, 1)}
        _record(out, cell, "TextGuard", (m, least), judged(clean, rows.test_labels, attacked), facts | more)


def linear(told: argparse.Namespace) -> None:
    """The same cells with naive Bayes, through the estimator, beside plain naive Bayes."""
    from textward import TextGuard

    known = _known(told.out)
    for cell in cells():
        rows = read_rows(told.cut, cell)
        facts = {"encoder": "linear", "machine": "cpu"}
        for m, least in cell.variants:
            if _name(cell, (m, least)) in known:
                continue
            for name, mode in (("DT", {"groups": 1}), ("TextGuard", {"groups": m, "mode": "empirical"})):
                if name == "DT" and len(cell.variants) > 1:
                    continue
                guard = TextGuard(words="whitespace", influential_rows=least, **mode)
                guard.fit(rows.train, rows.labels)
                clean = (guard.predict(rows.test) == rows.test_labels).sum()
                turned = (guard.predict(rows.attacked) == TARGET).sum() if rows.attacked else 0
                found = {"right": int(clean), "clean": len(rows.test)}
                found |= {"turned": int(turned), "attacked": len(rows.attacked)}
                more = {"seconds": round(guard.training_.seconds, 2)}
                if name == "TextGuard":
                    more["omega"] = len(guard.groups_.omega)  # type: ignore[union-attr]
                variant = None if name == "DT" else (m, least)
                _record(told.out, cell, name, variant, found, facts | more)


def _name(cell: Cell, variant: tuple[int, int]) -> tuple[Any, ...]:
    return (cell.data, cell.key, *variant)


def _known(out: Path) -> set[tuple[Any, ...]]:
    if not out.exists():
        return set()
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return {(r["data"], r["cell"], r["m"], r["K"]) for r in lines if r["defence"] == "TextGuard"}


def _record(
    out: Path, cell: Cell, defence: str, variant: tuple[int, int] | None, found: Any, facts: Any
) -> None:
    own = {"data": cell.data, "attack": cell.attack, "setting": cell.setting, "rate": cell.rate}
    own |= {"seed": cell.seed, "cell": cell.key, "defence": defence}
    own |= {"m": None, "K": None} if variant is None else {"m": variant[0], "K": variant[1]}
    line = json.dumps({"what": "empirical", **own, **found, **facts}, ensure_ascii=False)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    shown = {key: value for key, value in (own | found | facts).items() if key not in ("top", "machine")}
    print(shown, flush=True)


def table(told: argparse.Namespace) -> None:
    """Write a table of means over the seeds, with the paper's figures where a file of them is given."""
    lines = [
        json.loads(line) for file in told.files for line in file.read_text(encoding="utf-8").splitlines()
    ]
    told.out.write_text("\n".join(_table(lines)) + "\n", encoding="utf-8")


def _table(lines: Iterable[dict[str, Any]]) -> list[str]:
    cases: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    # A run that was killed between two records makes the first of them again: the later one stands.
    once = {(r["encoder"], r["data"], r["cell"], r["defence"], r["m"], r["K"]): r for r in lines}
    for r in once.values():
        names = ("encoder", "data", "attack", "setting", "rate", "defence", "m", "K")
        cases.setdefault(tuple(r[name] for name in names), []).append(r)
    head = ["learner", "data", "attack", "setting", "rate", "defence", "m", "K", "seeds", "CACC", "ASR"]
    out = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for case, runs in cases.items():
        right = sum(r["right"] for r in runs) / sum(r["clean"] for r in runs)
        hit = sum(r["attacked"] for r in runs)
        turned = f"{sum(r['turned'] for r in runs) / hit:.1%}" if hit else "-"
        cells_ = ["-" if part is None else str(part) for part in case]
        out.append("| " + " | ".join([*cells_, str(len(runs)), f"{right:.1%}", turned]) + " |")
    return out


def main() -> None:
    """Do one of the four."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = cli.add_subparsers(dest="way", required=True)
    paths = {"prepare": ("data", "cut"), "linear": ("cut", "out"), "train": ("cut", "encoder", "out")}
    for way, names in {**paths, "table": ("out",)}.items():
        own = ways.add_parser(way)
        for name in names:
            own.add_argument(f"--{name}", type=Path, required=True)
        if way == "table":
            own.add_argument("files", type=Path, nargs="+")
        if way == "train":
            own.add_argument("--device", default="auto")
            own.add_argument("--batch", type=int, default=32)
            own.add_argument("--epochs", type=int, default=5)
            own.add_argument("--seconds", type=float, default=3600.0)
            own.add_argument("--cells", type=int, help="only so many of the first cells")
            own.add_argument("--rows", type=int, help="only so many training rows, for a trial")
    told = cli.parse_args()
    if told.way == "prepare":
        prepare(told.data, told.cut)
    else:
        {"linear": linear, "train": train, "table": table}[told.way](told)


if __name__ == "__main__":
    main()
