"""The options of textward experiment."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from textward.cli.options import Debug, Json, Quiet
from textward.cli.running import running

experiment = typer.Typer(
    name="experiment",
    no_args_is_help=True,
    help="Rebuild the paper's tables and figures: run their cells, keep records, show ours beside the "
    "paper's.",
)
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="An experiment, as `list` names it; or all.", show_default=False)
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where records and tables are kept.")]
RESULTS = Path("results")


class Format(str, Enum):
    """What a table is written as."""

    markdown = "markdown"
    csv = "csv"
    html = "html"
    svg = "svg"


@experiment.command("list")
def list_(out: Out = RESULTS, as_json: Json = False, quiet: Quiet = False, debug: Debug = False) -> None:
    """Name every experiment, with the cells it has and how many of them are done."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.experiment import list_all as job

        job(screen, out, as_json=as_json)


@experiment.command("run")
def run(
    name: Name,
    backbone: Annotated[
        str, typer.Option("--backbone", metavar="linear|FOLDER|NAME", help="What base models are made of.")
    ] = "linear",
    device: Annotated[
        str, typer.Option("--device", metavar="auto|cpu|cuda", help="Where encoders train.")
    ] = "auto",
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            metavar="N",
            min=1,
            help="Seeds a cell (3; 1 where a cell is slow).",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed; an encoder gets a part of the rows. Minutes on a CPU.")
    ] = False,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            "--data-dir",
            metavar="DIR",
            help="The folder of datasets; or set TEXTWARD_DATA.",
            show_default=False,
        ),
    ] = None,
    other_rows: Annotated[
        bool, typer.Option("--other-rows", help="Take rows that are not those of the records here.")
    ] = False,
    parser: Annotated[
        str, typer.Option("--parser", metavar="NAME", help="The spaCy model that SynBkd's rules read.")
    ] = "en_core_web_sm",
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="N",
            min=0,
            help="Begin no cell after so many; run again to go on.",
            show_default=False,
        ),
    ] = None,
    carry: Annotated[
        Path | None,
        typer.Option(
            "--carry",
            metavar="DIR",
            help="Run nothing: write the cells' rows for a machine with a GPU.",
            show_default=False,
        ),
    ] = None,
    out: Out = RESULTS,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the cells that have no record yet, then write the tables."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.experiment import Wish
        from textward.cli.experiment import run as job

        wish = Wish(name, backbone, device, seeds, quick, data_dir, other_rows, parser, seconds, carry, out)
        job(screen, wish, as_json=as_json)


@experiment.command("table")
def table(
    name: Name,
    format: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.markdown,
    write: Annotated[
        bool, typer.Option("--write", help="Write the tables beside their records, rather than show one.")
    ] = False,
    out: Out = RESULTS,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Show a table from the records there are."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.experiment import table as job

        job(screen, name, out, format.value, write=write)
