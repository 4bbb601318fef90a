"""textward evaluate: a model, clean texts and poisoned ones -> accuracy and the attack's success."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.attacks import Share, attack_success, clean_accuracy
from textward.attacks.files import provenance_path, read_provenance
from textward.cli.parsing import class_value, writable_file
from textward.cli.screen import Screen
from textward.cli.stdin import standard_input
from textward.data import Table, encode_labels, read_table
from textward.data.messages import listing, quoted, visible
from textward.errors import DataError, UsageError
from textward.estimator import TextGuard
from textward.report import write
from textward.report.measured import Attacked, Clean, evaluation_page


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    clean: str | None
    poisoned: str | None
    target: str | None
    relabelled: bool
    trust: list[str] | None
    report: Path | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """Poisoned texts that count, of which attack, and of how many that were given."""

    texts: pl.Series
    target: str | int
    attack: str | None
    given: int


def evaluate(
    screen: Screen, model: Path, wish: Wish, *, text_column: str, label_column: str, as_json: bool
) -> None:
    """Measure and print."""
    from textward.persistence import load

    if wish.clean is None and wish.poisoned is None:
        raise UsageError("there is nothing to evaluate on: give --clean, --poisoned or both")
    if wish.clean == wish.poisoned == "-":
        raise UsageError("standard input can be read once: give a file for --clean or for --poisoned")
    if wish.poisoned is None and (wish.target is not None or wish.relabelled):
        raise UsageError("--target and --relabelled are about poisoned texts. Give --poisoned too.")
    writable_file(wish.report, "--report", wish.clean, wish.poisoned)
    guard = load(model, wish.trust or ())
    classes = guard.classes_.tolist()
    found: dict[str, Any] = {"model": str(model), "training": guard.training_.digest, "classes": classes}
    lines: list[tuple[str, Share]] = []
    about: dict[str, Any] = {"model": str(model)}
    clean: Clean | None = None
    attacked: Attacked | None = None
    if wish.clean is not None:
        table = _read(wish.clean, text_column, label_column)
        clean = _clean(screen, guard, table, wish.clean)
        lines.append(("CACC", clean.share))
        found["cacc"] = clean.share.as_dict() | _source(wish.clean, table)
        about |= {"data": _name(wish.clean), "digest": table.digest}
    if wish.poisoned is not None:
        table = _read(wish.poisoned, text_column, label_column)
        hits = _hits(wish, wish.poisoned, table, classes)
        with screen.progress(f"Labelling {len(hits.texts):,} poisoned texts"):
            answers = guard.predict(hits.texts)
        asr = attack_success(answers, hits.target)
        attacked = Attacked(asr, hits.texts, answers.tolist(), hits.target, hits.attack)
        about |= {"poisoned texts": _name(wish.poisoned), "digest of the poisoned rows": table.digest}
        lines.append(("ASR", asr))
        found["asr"] = asr.as_dict() | _source(wish.poisoned, table)
        found["asr"] |= {"target": hits.target, "attack": hits.attack, "left_out": hits.given - asr.n}
        if hits.given > asr.n:
            screen.say(f"{hits.given - asr.n:,} poisoned texts of the target's own class are left out")
    _show(screen, lines, found, as_json)
    if wish.report is not None:
        page = evaluation_page(guard, clean, attacked, about)
        screen.say(f"report: {visible(str(write(page, wish.report)))}")


def _name(source: str) -> str:
    return "standard input" if source == "-" else source


def _read(source: str, text_column: str, label_column: str) -> Table:
    stdin = standard_input() if source == "-" else None
    return read_table(source, text_column=text_column, label_column=label_column, stdin=stdin)


def _source(source: str, table: Table) -> dict[str, Any]:
    return {"data": {"source": _name(source), "digest": table.digest}}


def _clean(screen: Screen, guard: TextGuard, table: Table, source: str) -> Clean:
    assert table.labels is not None
    truth = encode_labels(table.labels, guard.classes_.tolist(), source=source)
    with screen.progress(f"Labelling {len(truth):,} clean texts"):
        answers = guard.predict(table.texts)
    labels = np.asarray(guard.classes_)[truth]
    return Clean(clean_accuracy(answers, labels), labels.tolist(), answers.tolist())


def _hits(wish: Wish, source: str, table: Table, classes: list[Any]) -> Hits:
    """The poisoned texts of other classes than the target."""
    assert table.labels is not None
    name = "standard input" if source == "-" else visible(source)
    known: dict[str, Any] = {}
    if source != "-" and provenance_path(source).exists():
        known = read_provenance(source, table.texts, table.labels)
        if known.get("setting") not in (None, "test"):
            raise DataError(
                f"{name}: is a training set, with few rows poisoned. Make test texts with "
                "textward poison --test, and give those."
            )
    aim = wish.target if wish.target is not None else known.get("target")
    if aim is None:
        raise UsageError(
            f"--poisoned {name}: nothing beside it says which class the attack aims at. Give --target."
        )
    target = class_value(str(aim), classes)
    if wish.relabelled:
        return Hits(table.texts, target, known.get("attack"), len(table.texts))
    unknown = set(table.labels.unique()) - {str(label) for label in classes}
    if unknown:
        raise DataError(
            f"{name}: the labels {listing(sorted(unknown))} were not seen in training; the classes are "
            f"{listing([str(label) for label in classes])}"
        )
    others = table.labels != str(target)
    if not others.any():
        raise DataError(
            f"{name}: every row is labelled {quoted(str(target))}, the target. If these are texts of other "
            "classes that were labelled with the target, say so with --relabelled."
        )
    return Hits(table.texts.filter(others), target, known.get("attack"), len(table.texts))


def _show(screen: Screen, lines: list[tuple[str, Share]], found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        screen.json(found)
        return
    if not screen.wide:
        screen.data("measure\ttexts\thits\tshare\tlow\thigh")
        for name, share in lines:
            low, high = share.interval
            screen.data(f"{name}\t{share.n}\t{share.hits}\t{share.value:.6f}\t{low:.6f}\t{high:.6f}")
        return
    from rich.table import Table as Shown
    from rich.text import Text

    table = Shown(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for heading in ("share", "95 % interval", "texts"):
        table.add_column(heading, justify="right")
    words = {
        "CACC": "clean texts labelled right (CACC)",
        "ASR": f"poisoned texts labelled {visible(str(found.get('asr', {}).get('target')))} (ASR)",
    }
    for name, share in lines:
        low, high = share.interval
        table.add_row(
            Text(words[name]),
            f"{100 * share.value:.1f} %",
            f"{100 * low:.1f}–{100 * high:.1f} %",
            f"{share.n:,}",
        )
    screen.rich(table)
