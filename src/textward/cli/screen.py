"""Where output goes: data to stdout, everything else to stderr; hostile characters never reach a terminal."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

PATIENCE = 2.0
"""Seconds after which a reader is shown that something goes on."""


class Progress(Protocol):
    """Hears what is done, of how many, and what else is worth seeing."""

    def __call__(self, done: int, total: int | None, note: str = "") -> None: ...


def _unseen(done: int, total: int | None, note: str = "") -> None:
    """Nobody looks."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The two streams of a command.

    >>> Screen().data("label")
    label
    """

    quiet: bool = False

    @property
    def wide(self) -> bool:
        """Whether a person looks at stdout."""
        return sys.stdout.isatty()

    @property
    def speaks_utf8(self) -> bool:
        """Whether stdout can spell every character."""
        return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"

    def data(self, line: str) -> None:
        """Write a line of what was asked for."""
        sys.stdout.write(line + "\n")

    def json(self, value: Any, *, indent: int | None = 2) -> None:
        """Write a value as JSON."""
        self.data(json.dumps(value, ensure_ascii=not self.speaks_utf8, indent=indent))

    def rich(self, thing: Any) -> None:
        """Write a table or text with colours, for a person."""
        from rich.console import Console

        Console(highlight=False).print(thing)

    def say(self, message: str) -> None:
        """Tell the person who runs the command, unless they asked for quiet."""
        if not self.quiet:
            self._complain(message, "")

    def error(self, message: str) -> None:
        """Say what failed; quiet does not cover that."""
        self._complain(message, "error: ")

    @contextmanager
    def progress(self, what: str, *, alone: bool = True) -> Iterator[Progress]:
        """Show how far something is once it takes a while; tell it what is done, and of how many.

        Not `alone`: lines are written meanwhile, and a bar on the same terminal would stand between them.
        """
        if (not alone and self.wide) or self.quiet or not sys.stderr.isatty():
            yield _unseen
            return
        bar = _LateBar(what)
        try:
            yield bar.report
        finally:
            bar.close()

    @staticmethod
    def _complain(message: str, prefix: str) -> None:
        from rich.console import Console
        from rich.text import Text

        from textward.data.messages import visible

        lines = "\n".join(visible(line) for line in message.split("\n"))
        Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty()).print(
            Text.assemble((prefix, "bold red"), lines)
        )


class _LateBar:
    """A progress bar that appears only once the reader would start to wonder."""

    def __init__(self, what: str) -> None:
        self._what, self._done, self._total = what, 0, None
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        self._began = time.monotonic()
        self._timer.start()

    _done: int
    _total: int | None

    def report(self, done: int, total: int | None, note: str = "") -> None:
        with self._lock:
            self._done, self._total = done, total
            if self._bar is not None:
                self._bar.update(self._task, completed=done, total=total, note=note)

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            if self._bar is not None:
                self._bar.stop()
            self._bar = _CLOSED

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        bar = Bar(
            *columns,
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,  # else the data would be written among the notes
            redirect_stderr=False,
        )
        with self._lock:
            if self._bar is _CLOSED:
                return
            self._task = bar.add_task(self._what, total=self._total, completed=self._done, note="")
            self._bar = bar
            bar.start()


class _Closed:
    def update(self, *_: Any, **__: Any) -> None:
        """Nothing is shown any more."""

    stop = update


_CLOSED = _Closed()
