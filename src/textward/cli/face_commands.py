"""The commands that show a model to others: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textward.cli.options import Debug, ModelFolder, Quiet, Trust
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
