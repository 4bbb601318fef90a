"""textward scan: rows -> words that look planted, with the evidence, the rows that carry them, clean rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import typer

from textward.attacks.files import write_rows, writer_of
from textward.cli.parsing import writable_file
from textward.cli.running import MISSED
from textward.cli.screen import Screen
from textward.cli.stdin import standard_input
from textward.data import class_names, read_table
from textward.data.messages import visible
from textward.errors import UsageError
from textward.estimator.training import library_versions
from textward.report import write
from textward.report.files import write_whole
from textward.scan import Cleaned, Scan, Severity, cleaned, scan_page, scan_rows
from textward.scan.cleaning import Remedy
from textward.scan.tables import COLUMNS, LEGEND, NOTES, cells, sentence
from textward.words import Cutter, UnicodeWords, VocabularyOrder, WhitespaceWords

_CUTTERS: dict[str, Cutter] = {"unicode": UnicodeWords(), "whitespace": WhitespaceWords()}


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    top: int
    rows: Path | None
    report: Path | None
    fail_on: Severity | None
    clean: Path | None
    drop: Remedy | None
    severity: Severity
    words: str
    word_list: Path | None
    deep: str | None
    epochs: int | None
    device: str | None
    seed: int

    def check(self, data: str) -> None:
        """Refuse, before any work is done, what could not be done after it."""
        outputs = ((self.rows, "--rows"), (self.report, "--report"), (self.clean, "--write-clean"))
        taken: dict[Path, str] = {} if data == "-" else {Path(data).resolve(): "the scanned file itself"}
        for file, option in outputs:
            writable_file(file, option)
            if file is None:
                continue
            if file.resolve() in taken:
                raise UsageError(
                    f"{option} {visible(str(file))}: is {taken[file.resolve()]}. Name another one."
                )
            taken[file.resolve()] = f"what {option} writes"
        if self.rows is not None and self.rows.suffix.lower() != ".csv":
            raise UsageError(f"--rows {visible(str(self.rows))}: the rows are written as .csv, name one")
        if self.drop is not None and self.clean is None:
            raise UsageError("--drop says what --write-clean does with what was found: add --write-clean")
        if self.clean is not None:
            writer_of(self.clean)
        if self.deep is not None and not Path(self.deep).is_dir():
            raise UsageError(
                f"--deep {visible(self.deep)}: is no folder. Name one with an encoder: config.json, "
                "model.safetensors and tokenizer.json."
            )
        for value, option in ((self.epochs, "--epochs"), (self.device, "--device")):
            if value is not None and self.deep is None:
                raise UsageError(f"{option} is for an encoder: add --deep FOLDER, or leave it out")


@dataclass(frozen=True, slots=True)
class Found:
    """The scan, what it was made of, and what was cleaned."""

    scan: Scan
    texts: pl.Series
    labels: pl.Series
    source: str
    digest: str


def scan(
    screen: Screen, data: str, wish: Wish, *, text_column: str, label_column: str, as_json: bool
) -> None:
    """Scan, write what was asked for, and end with 1 where the findings are too bad."""
    wish.check(data)
    found = _scanned(screen, data, wish, text_column, label_column)
    flagged = found.scan.suspicious_rows(wish.severity)
    if wish.rows is not None:
        write_whole(wish.rows, _rows_csv(found, wish.severity), "the rows")
        screen.say(f"rows: {visible(str(wish.rows))}")
    if wish.report is not None:
        page = scan_page(found.scan, found.texts, found.labels, _facts(found), top=wish.top)
        screen.say(f"report: {visible(str(write(page, wish.report)))}")
    if wish.clean is not None:
        made = cleaned(
            found.scan,
            found.texts,
            drop=wish.drop or "rows",
            severity=wish.severity,
            cutter=_CUTTERS[wish.words],
        )
        beside = _write_clean(wish.clean, made, found, text_column, label_column)
        screen.say(
            f"clean: {visible(str(wish.clean))}, {len(made.rows):,} of {len(found.texts):,} rows, "
            f"{len(made.decisions):,} decisions; which ones: {visible(str(beside))}"
        )
    if as_json:
        screen.json(as_dict(found, wish.top, len(flagged)))
    elif screen.wide:
        screen.rich(_table(found.scan, wish.top))
        for note in (LEGEND, *NOTES):
            screen.say(note)
        screen.data(f"\n{sentence(found.scan, len(found.scan.suspicious_rows()))}")
    else:
        screen.data("\t".join(COLUMNS))
        for one in found.scan.findings[: wish.top]:
            screen.data("\t".join(cells(one)))
        screen.say(sentence(found.scan, len(found.scan.suspicious_rows())))
    if wish.fail_on is not None and found.scan.at_least(wish.fail_on):
        screen.say(f"--fail-on {wish.fail_on.value}: {len(found.scan.at_least(wish.fail_on)):,} findings")
        raise typer.Exit(MISSED)


def as_dict(found: Found, top: int, flagged: int) -> dict[str, Any]:
    """The scan, ready for JSON."""
    told = found.scan
    return {
        "rows": told.rows,
        "distinct_rows": told.distinct,
        "classes": list(told.classes),
        "candidates": told.tried,
        "alarms": told.count(Severity.alarm),
        "warnings": told.count(Severity.warning),
        "flagged_rows": flagged,
        "influence_measured_in": told.influence,
        "word_list": told.word_list,
        "measured_not_certified": list(NOTES),
        "data": {"source": found.source, "digest": found.digest},
        "findings": [one.as_dict() for one in told.findings[:top]],
    }


def _scanned(screen: Screen, data: str, wish: Wish, text_column: str, label_column: str) -> Found:
    source = "standard input" if data == "-" else data
    word_list = None if wish.word_list is None else VocabularyOrder.read(wish.word_list)
    deep = None if wish.deep is None else _encoder(wish)
    if word_list is None and wish.deep is not None and (Path(wish.deep) / "tokenizer.json").is_file():
        word_list = VocabularyOrder.read(wish.deep)
    stdin = standard_input() if data == "-" else None
    with screen.progress(f"Reading {visible(source)}"):
        table = read_table(data, text_column=text_column, label_column=label_column, stdin=stdin)
    assert table.labels is not None
    names = class_names(table.labels)
    numbers = bool(names) and all(isinstance(name, int) and abs(name) < 2**63 for name in names)
    labels = table.labels.cast(pl.Int64) if numbers else table.labels
    with screen.progress(f"Scanning {len(labels):,} rows") as progress:
        told = scan_rows(
            table.texts,
            labels.to_numpy(),
            cutter=_CUTTERS[wish.words],
            deep=deep,
            word_list=word_list,
            seed=wish.seed,
            progress=progress,
        )
    return Found(told, table.texts, labels, source, table.digest)


def _encoder(wish: Wish) -> Any:
    from textward.learners import transformer

    told: dict[str, Any] = {"epochs": wish.epochs, "device": wish.device}
    settings = transformer.Settings(**{name: value for name, value in told.items() if value is not None})
    return transformer.TransformerLearner(str(wish.deep), settings)


def _rows_csv(found: Found, severity: Severity) -> bytes:
    flagged = found.scan.suspicious_rows(severity)
    rows = list(flagged)
    columns = {
        "row": pl.Series([row + 1 for row in rows], dtype=pl.Int64),
        "severity": pl.Series([one.severity.value for one in flagged.values()], dtype=pl.String),
        "words": pl.Series([one.name for one in flagged.values()], dtype=pl.String),
        "label": found.labels.gather(rows),
        "text": found.texts.gather(rows),
    }
    return pl.DataFrame(columns).write_csv().encode()


def _write_clean(out: Path, made: Cleaned, found: Found, text_column: str, label_column: str) -> Path:
    labels = found.labels.gather(made.rows)
    write_rows(out, made.texts, labels, text_column=text_column, label_column=label_column)
    lines = [json.dumps(one.as_dict(), ensure_ascii=False) for one in made.decisions]
    beside = Path(f"{out}.decisions.jsonl")
    return write_whole(beside, "".join(f"{line}\n" for line in lines).encode(), "the decisions")


def _facts(found: Found) -> dict[str, str]:
    told = found.scan
    return {
        "rows": f"{told.rows:,} of {found.source}, {told.distinct:,} of them distinct",
        "digest of the rows": found.digest,
        "classes": ", ".join(map(str, told.classes)),
        "candidates": f"{told.tried:,} words and runs of words",
        "influence measured in": told.influence,
        "word list": told.word_list or "none was given",
        "made with": ", ".join(f"{name} {version}" for name, version in library_versions().items()),
    }


def _table(told: Scan, top: int) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    table.title = Text(f"{told.rows:,} rows; measured, no certificate", style="bold")
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in ("severity", "words", "class") else "right")
    styles = {Severity.alarm: "bold red", Severity.warning: "yellow", Severity.info: ""}
    for one in told.findings[:top]:
        table.add_row(*map(Text, cells(one)), style=styles[one.severity])
    return table
