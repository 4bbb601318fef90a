"""Many files predicted into a folder: what `predict --out` and `certify --out` do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textward.cli.screen import Screen
from textward.cli.spreading import Spread, tell_skipped
from textward.data.messages import visible
from textward.errors import UsageError


@dataclass(frozen=True, slots=True)
class Bulk:
    """What the command line asked for.

    >>> Bulk("rows", Path("out"), "text", None, Spread()).data
    'rows'
    """

    data: str
    out: Path | None
    text_column: str
    label_column: str | None
    spread: Spread
    jobs: int | None = None


def predict_files(screen: Screen, model: Path, bulk: Bulk, *, trust: list[str] | None, as_json: bool) -> None:
    """Write an answer for every row, and say how many."""
    from textward.persistence import load

    if bulk.out is None:
        raise UsageError(
            f"{visible(bulk.data)}: the answers of many files are written as Parquet: name a folder for them "
            "with --out"
        )
    if bulk.data == "-":
        raise UsageError("--out is for files: write standard input to one first, or leave --out out")
    guard = load(model, trust or ())
    guard.set_params(engine=bulk.spread.engine_of(bulk.jobs))
    with screen.progress("Predicting blocks") as progress:
        made = guard.predict_files(
            bulk.data,
            bulk.out,
            text_column=bulk.text_column,
            label_column=bulk.label_column,
            on_bad_block=bulk.spread.on_bad_block,
            progress=progress,
        )
    tell_skipped(screen, made.skipped)
    if as_json:
        skipped = [{"block": one.name, "rows": one.rows, "why": one.why} for one in made.skipped]
        screen.json({"out": str(bulk.out), "rows": made.rows, "parts": made.parts, "skipped": skipped})
    earlier = f", {made.found:,} of them from before" if made.found else ""
    screen.say(f"{visible(str(bulk.out))}: {made.rows:,} rows in {made.parts:,} parts{earlier}")
