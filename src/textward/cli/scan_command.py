"""The options of textward scan."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from textward.cli.options import Data, Debug, Json, LabelColumn, Quiet, TextColumn, WordCut
from textward.cli.running import running

_FILES, _DEEP = "Files", "With an encoder"


class Level(str, Enum):
    """What can be asked for by name."""

    warning = "warning"
    alarm = "alarm"


class Drop(str, Enum):
    """What is taken away."""

    rows = "rows"
    words = "words"


def _file(name: str, metavar: str, help: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        name, metavar=metavar, help=help, show_default=False, rich_help_panel=_FILES
    )
    return found


def scan(
    data: Data,
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="Findings to show.")] = 10,
    fail_on: Annotated[
        Level | None,
        typer.Option(
            "--fail-on", help="Exit with 1 where there is such a finding or a worse one.", show_default=False
        ),
    ] = None,
    level: Annotated[
        Level, typer.Option("--from", help="The least severity of what --rows and --write-clean take.")
    ] = Level.warning,
    words: Annotated[WordCut, typer.Option("--words", help="How a text is cut.")] = WordCut.unicode,
    word_list: Annotated[
        Path | None,
        typer.Option(
            "--word-list",
            metavar="PATH",
            help="A vocab.txt or tokenizer.json, the most frequent words first, to tell how odd a word is.",
            show_default=False,
        ),
    ] = None,
    rows: Annotated[Path | None, _file("--rows", "FILE.csv", "Write the rows that carry a finding.")] = None,
    report: Annotated[Path | None, _file("--report", "FILE.html", "Write a page to look at.")] = None,
    clean: Annotated[
        Path | None,
        _file("--write-clean", "FILE", "Write the rows without what was found, and beside them why."),
    ] = None,
    drop: Annotated[
        Drop | None,
        typer.Option(
            "--drop",
            help="What --write-clean takes away: the rows (unless said otherwise), or the words alone.",
            show_default=False,
            rich_help_panel=_FILES,
        ),
    ] = None,
    deep: Annotated[
        str | None,
        typer.Option(
            "--deep",
            metavar="FOLDER",
            help="Measure influence in an encoder fine-tuned on the rows.",
            show_default=False,
            rich_help_panel=_DEEP,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            "--epochs",
            metavar="N",
            min=1,
            help="Passes over the rows (5).",
            show_default=False,
            rich_help_panel=_DEEP,
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            metavar="auto|cpu|cuda",
            help="Where to train (auto).",
            show_default=False,
            rich_help_panel=_DEEP,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="What the encoder is drawn from.", rich_help_panel=_DEEP)
    ] = 0,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Find words and phrases that look planted, and the rows that carry them."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.scan import Wish
        from textward.cli.scan import scan as job
        from textward.scan import Severity

        wish = Wish(
            top,
            rows,
            report,
            None if fail_on is None else Severity(fail_on.value),
            clean,
            None if drop is None else drop.value,
            Severity(level.value),
            words.value,
            word_list,
            deep,
            epochs,
            device,
            seed,
        )
        job(screen, data, wish, text_column=text_column, label_column=label_column, as_json=as_json)
