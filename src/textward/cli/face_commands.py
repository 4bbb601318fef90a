"""The options of textward serve, textward plan and textward report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textward.cli.options import Data, Debug, Json, LabelColumn, ModelFolder, Quiet, TextColumn, Trust
from textward.cli.running import running

_LIMITS = "Limits"


def _limit(name: str, help: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        name, metavar="N", min=1, help=help, show_default=False, rich_help_panel=_LIMITS
    )
    return found


def serve(
    model: ModelFolder,
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="The port; 0 takes any free one.")
    ] = 8000,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="A file with the token that clients must send; or set TEXTWARD_TOKEN.",
            show_default=False,
        ),
    ] = None,
    trust: Trust = None,
    text_characters: Annotated[
        int | None, _limit("--max-characters", "Characters of a text (20,000).")
    ] = None,
    texts: Annotated[int | None, _limit("--max-texts", "Texts of a request (256).")] = None,
    body_bytes: Annotated[int | None, _limit("--max-bytes", "Bytes of a request (1,048,576).")] = None,
    waiting_texts: Annotated[
        int | None, _limit("--max-waiting", "Texts that may wait; more are told to come back (4,096).")
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Serve a model: an HTTP API, and a page to try it on."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.serve import Wish
        from textward.cli.serve import serve as job

        job(
            screen,
            model,
            Wish(host, port, token_file, trust, text_characters, texts, body_bytes, waiting_texts),
        )


def plan(
    data: Data,
    learners: Annotated[
        str, typer.Option("--learners", metavar="NAMES", help="What to compare: ballots, linear.")
    ] = "ballots,linear",
    groups: Annotated[
        str, typer.Option("--groups", metavar="NUMBERS", help="Numbers of groups to compare.")
    ] = "3,5,7,9",
    sizes: Annotated[
        str, typer.Option("--trigger-sizes", metavar="SIZES", help="A range such as 0-4, or a list.")
    ] = "0-4",
    at: Annotated[
        int, typer.Option("--at", metavar="WORDS", min=0, help="The trigger size that decides.")
    ] = 1,
    rows: Annotated[
        int, typer.Option("--rows", metavar="N", min=20, help="Rows to try the choices on.")
    ] = 3000,
    folds: Annotated[
        int, typer.Option("--folds", metavar="N", min=2, max=20, help="Parts, each held out once.")
    ] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What the sample is drawn from.")] = 0,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE.html", help="Write a page to look at.", show_default=False),
    ] = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Estimate, before training, what each choice would cost and roughly buy."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.plan import Wish
        from textward.cli.plan import plan as job

        wish = Wish(learners, groups, sizes, at, rows, folds, seed, report)
        job(screen, data, wish, text_column=text_column, label_column=label_column, as_json=as_json)


def report(
    model: ModelFolder,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA|-]",
            help="Labelled rows; without them the votes that certify kept are shown.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE.html", help="Where the page is written.")
    ] = Path("report.html"),
    sizes: Annotated[
        str, typer.Option("--trigger-sizes", metavar="SIZES", help="A range such as 0-5, or a list.")
    ] = "0-5",
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="CLASS", help="The class an attacker would like to see."),
    ] = None,
    trust: Trust = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write one page with every certificate of a model on a test set."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.report import Wish
        from textward.cli.report import report as job

        wish = Wish(out, sizes, target, trust)
        job(screen, model, data, wish, text_column=text_column, label_column=label_column)
