"""textward poison: labelled rows -> the rows after an attack, and beside them which were changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textward.attacks import Poisoned
from textward.attacks.budget import Setting
from textward.attacks.files import provenance_path, write_provenance, write_rows, writer_of
from textward.cli.attacking import AttackWish, Rows
from textward.cli.parsing import writable_file
from textward.cli.screen import Screen
from textward.cli.stdin import standard_input
from textward.data import read_table
from textward.data.messages import visible
from textward.errors import UsageError


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    attack: str
    setting: Setting | None
    rate: float | None
    target: str
    seed: int
    test: bool
    options: AttackWish


def poison(
    screen: Screen, data: str, out: Path, wish: Wish, *, text_column: str, label_column: str, as_json: bool
) -> None:
    """Poison, write both files, and say what was done."""
    if wish.test and not (wish.rate is None and wish.setting is None):
        raise UsageError("--test poisons every text of other classes: leave --rate and --setting out")
    writer_of(out)
    writable_file(out, "--out", data)
    stdin = standard_input() if data == "-" else None
    with screen.progress("Reading the rows"):
        table = read_table(data, text_column=text_column, label_column=label_column, stdin=stdin)
    assert table.labels is not None
    with screen.progress(f"Making ready for {wish.attack}"):
        rows = Rows(table.texts, table.labels, wish.target, wish.test, wish.seed)
        attack = wish.options.attack(wish.attack, rows)
    setting: Setting = wish.setting or "mixed"
    rate = 0.1 if wish.rate is None else wish.rate
    how = {"target": wish.target, "seed": wish.seed}
    with screen.progress(f"Poisoning with {wish.attack}"):
        if wish.test:
            made = attack.test_texts(table.texts, table.labels, target=wish.target, seed=wish.seed)
            others = int((table.labels != wish.target).sum())
            facts: dict[str, Any] = {"setting": "test", "left_out": others - len(made.rows)}
        else:
            made = attack.poison(
                table.texts, table.labels, rate=rate, target=wish.target, setting=setting, seed=wish.seed
            )
            facts = {"setting": setting, "rate": rate}
    facts |= {"source": {"name": "standard input" if data == "-" else data, "digest": table.digest}}
    with screen.progress("Writing the rows"):
        write_rows(out, made.texts, made.labels, text_column=text_column, label_column=label_column)
        beside = write_provenance(out, made, **facts)
    if as_json:
        screen.json(summary(made, out, **facts, **how))
    screen.say(_said(made, out, len(table.texts), wish.test) + f"; which ones: {visible(str(beside))}")
    if left_out := facts.get("left_out"):
        screen.say(f"{left_out:,} more of other classes are left out: {wish.attack} cannot change them")


def summary(made: Poisoned, out: Path, **facts: Any) -> dict[str, Any]:
    """What was done, ready for JSON."""
    return {
        "attack": made.attack,
        **facts,
        "n": len(made.texts),
        "poisoned": len(made.rows),
        "out": str(out),
        "provenance": str(provenance_path(out)),
    }


def _said(made: Poisoned, out: Path, rows: int, test: bool) -> str:
    name = visible(str(out))
    if test:
        return f"{name}: {len(made.texts):,} of {rows:,} texts, of other classes, each with the trigger"
    return (
        f"{name}: {rows:,} rows, {len(made.rows):,} of them poisoned and labelled {visible(str(made.target))}"
    )
