"""textward predict: texts -> labels, votes and radii, a batch at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy.typing as npt
import polars as pl

from textward.cli.screen import Screen
from textward.cli.stdin import standard_input
from textward.data import Batch, read_batches, read_lines
from textward.data.messages import visible
from textward.data.sources import locate
from textward.errors import NotCertifiableError, UsageError
from textward.estimator import TextGuard

_ROWS = 8_192
_UNIT = 1024
_LEAST_TEXT = 20


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of one text."""

    id: int
    label: str | int
    votes: list[int]
    radius: int | None
    by: str | None
    """Which stage of a cascade answered; None without a cascade."""
    text: str


def predict(
    screen: Screen,
    model: Path,
    file: str,
    *,
    text_column: str | None,
    with_text: bool,
    trust: list[str] | None,
    as_json: bool,
) -> None:
    """Write an answer for every text."""
    from textward.persistence import load

    typed = file == "-" and sys.stdin.isatty()
    batches = _texts(file, text_column, rows=1 if typed else _ROWS)
    guard = load(model, trust or ())
    if typed:
        screen.say("reading texts from the terminal, one a line; end with Ctrl-D")
    answers = _answers(screen, guard, batches)
    classes = guard.classes_.tolist()
    ballots, stages = guard.groups == "words", guard.model_.cascade is not None
    if as_json:
        lines = _json_lines(answers, classes, with_text, ascii_only=not screen.speaks_utf8)
    elif screen.wide:
        lines = _aligned(answers, classes, ballots)
    else:
        lines = _tab_separated(answers, classes, with_text, stages=stages)
    for line in lines if as_json else _once_there_is_an_answer(lines):
        screen.data(line)


def _texts(file: str, text_column: str | None, rows: int) -> Iterator[Batch]:
    stdin = standard_input() if file == "-" else None
    if text_column is not None:
        return read_batches(file, text_column=text_column, label_column=None, batch_rows=rows, stdin=stdin)
    if locate(file).is_table:
        raise UsageError(
            f"{visible(file)}: looks like a table. Name its column of texts, such as --text-column text; or "
            "pipe it into - to have each line read as a text."
        )
    return read_lines(file, batch_rows=rows, stdin=stdin)


def _answers(screen: Screen, guard: TextGuard, batches: Iterable[Batch]) -> Iterator[Answer]:
    classes = guard.classes_.tolist()
    decide = _Decider(screen, guard)
    with screen.progress("Predicting", alone=False) as progress:
        for batch in batches:
            winners, tally, radius = decide(batch.texts)
            by = _stages(guard, tally)
            rows = zip(winners.tolist(), tally.tolist(), radius, by, batch.texts, strict=True)
            for number, (winner, votes, withstands, stage, text) in enumerate(rows, batch.first_row):
                yield Answer(number, classes[winner], votes, withstands, stage, text)
            progress(batch.first_row + len(batch.texts) - 1, None)


def _stages(guard: TextGuard, tally: npt.NDArray[Any]) -> list[str | None]:
    cascade = guard.model_.cascade
    if cascade is None:
        return [None] * len(tally)
    return ["fallback" if handed else "ballots" for handed in cascade.hands_over(tally).tolist()]


class _Decider:
    """Winners, tallies and radii of texts; radii are None where the model certifies nothing."""

    def __init__(self, screen: Screen, guard: TextGuard) -> None:
        self.guard = guard
        self.certified = True
        try:
            guard.certify([""])
        except NotCertifiableError as error:
            self.certified = False
            screen.say(f"no radius: {error}")

    def __call__(self, texts: pl.Series) -> tuple[npt.NDArray[Any], npt.NDArray[Any], list[int | None]]:
        if not self.certified:
            model = self.guard.model_
            return model.winners(texts), model.tally(texts), [None] * len(texts)
        found = self.guard.model_.certify(texts)
        return found.winners, found.tally, found.radius.tolist()


def _once_there_is_an_answer(lines: Iterator[str]) -> Iterator[str]:
    """Hold the header back until the first row was read: a file that cannot be read leaves no output."""
    first = list(islice(lines, 2))
    yield from first
    yield from lines


def _json_lines(
    answers: Iterable[Answer], classes: list[Any], with_text: bool, *, ascii_only: bool
) -> Iterator[str]:
    names = [str(name) for name in classes]
    for answer in answers:
        value: dict[str, Any] = {"id": answer.id, "label": answer.label}
        value["votes"] = dict(zip(names, answer.votes, strict=True))
        value["radius"] = answer.radius
        if answer.by is not None:
            value["by"] = answer.by
        if with_text:
            value["text"] = answer.text
        yield json.dumps(value, ensure_ascii=ascii_only)


def _tab_separated(
    answers: Iterable[Answer], classes: list[Any], with_text: bool, *, stages: bool
) -> Iterator[str]:
    header = ["id", "label", "radius", *["by"] * stages, *(f"votes:{name}" for name in classes)]
    yield "\t".join(map(visible, header + ["text"] * with_text))
    for answer in answers:
        radius = "" if answer.radius is None else answer.radius
        cells = [answer.id, answer.label, radius, *[answer.by] * stages, *answer.votes]
        yield "\t".join([*(visible(str(cell)) for cell in cells), *([visible(answer.text)] * with_text)])


def _aligned(answers: Iterable[Answer], classes: list[Any], ballots: bool) -> Iterator[str]:
    from shutil import get_terminal_size

    from rich.cells import cell_len, set_cell_size

    names = [visible(str(name)) for name in classes]
    label = min(max(map(cell_len, [*names, "label"])), 24)
    votes = [max(cell_len(name), 9 if ballots else 5) for name in names]
    columns = [set_cell_size(name.rjust(width), width) for name, width in zip(names, votes, strict=True)]
    head = [set_cell_size("#", 7), set_cell_size("label", label), "radius"]
    room = get_terminal_size().columns - sum(map(cell_len, head)) - 2 * len(head)
    shown_votes = len(names) <= 4 and room - sum(votes) - 2 * len(votes) >= _LEAST_TEXT
    if shown_votes:
        head += columns
        room -= sum(votes) + 2 * len(votes)
    room = max(room, _LEAST_TEXT)
    yield _bold("  ".join([*head, "text"]))
    for answer in answers:
        radius = "-" if answer.radius is None or answer.by == "fallback" else str(answer.radius)
        cells = [f"{answer.id:<7}", set_cell_size(visible(str(answer.label)), label), f"{radius:>6}"]
        if shown_votes:
            said = (f"{vote / _UNIT:.2f}" if ballots else str(vote) for vote in answer.votes)
            cells += [text.rjust(width) for text, width in zip(said, votes, strict=True)]
        text = visible(answer.text[: 4 * room])
        cells.append(text if cell_len(text) <= room else set_cell_size(text, room - 1).rstrip() + "…")
        yield "  ".join(cells)


def _bold(line: str) -> str:
    import os

    return line if os.environ.get("NO_COLOR") else f"\x1b[1m{line}\x1b[0m"
