"""What a command's end means to the shell: exit codes, and one line for an error unless --debug is given."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from textward.cli.screen import Screen
from textward.errors import TextwardError

DONE, MISSED, WRONG, INTERRUPTED = 0, 1, 2, 130


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        from textward.cli.app import app

        _never_fail_to_spell()
        found = app(args=arguments, prog_name="textward", standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        found = INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return DONE
    except SystemExit as error:
        # rich's way to end where the reader has gone, as in `textward --help | head`.
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        return DONE
    except Exception as error:
        # Usage errors of the parser, whichever library it is built on.
        if not hasattr(error, "format_message"):
            raise
        return _misused(error)
    if found == INTERRUPTED:
        Screen().say("interrupted")
    return found if isinstance(found, int) else DONE


@contextmanager
def running(*, quiet: bool, debug: bool) -> Iterator[Screen]:
    """Give a command its screen, and end it with the exit code and the message its error calls for."""
    screen = Screen(quiet=quiet)
    try:
        yield screen
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has had all it wanted, as in `textward predict model texts.txt | head`.
        _let_go_of_stdout()
        raise typer.Exit(DONE) from None
    except typer.Exit:
        raise
    except Exception as error:
        if debug:
            raise
        screen.error(_explained(error))
        raise typer.Exit(WRONG) from None


def _explained(error: Exception) -> str:
    if isinstance(error, TextwardError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory. Give fewer rows at once, or use ballots, which read in batches."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}. Check the path, its permissions and the disk."
    what = f"{type(error).__name__}: {error}"
    return f"textward itself failed ({what}). Run it again with --debug and report what it prints."


def _misused(error: Exception) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "textward"
    message = str(error.format_message())  # type: ignore[attr-defined]
    if not message.strip():
        message = "no command was given"
    end = "" if message.endswith((".", "?", "!")) else "."
    Screen().error(f"{message}{end} See {command} --help.")
    return WRONG


def _never_fail_to_spell() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    # Python flushes stdout once more as it ends, and would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
