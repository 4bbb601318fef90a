"""What an engine promises; the rooms that have work to spread know this and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from textward.errors import TextwardError

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Failure:
    """A piece that failed: the error to raise for it, and what lay behind.

    >>> Failure(TextwardError, "no disk", OSError()).message
    'no disk'
    """

    kind: type[TextwardError]
    message: str
    cause: BaseException


@dataclass(frozen=True, slots=True)
class Need:
    """What one piece occupies while it runs.

    >>> Need(gpus=1).cpus
    1
    """

    cpus: int = 1
    gpus: int = 0


ONE_CPU = Need()


@dataclass(frozen=True, slots=True)
class Machines:
    """Where pieces run; `elsewhere` says whether that may be another machine than this one.

    >>> Machines(cpus=8, gpus=2, elsewhere=True).gpus
    2
    """

    cpus: int
    gpus: int
    elsewhere: bool


class Shared(Protocol[Value_co]):
    """A value that many pieces read."""

    def get(self) -> Value_co:
        """Return the value, where the piece runs."""
        ...


class Depot(Protocol):
    """A folder of files that outlive the worker that wrote them."""

    def place(self, name: str) -> Path:
        """Return where a file of this name is, or is to be written, on the machine that asks."""
        ...

    def keep(self, name: str) -> None:
        """Make sure that a file written at its place is in the folder."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Runs independent pieces of work.

    >>> from textward.engine import Local
    >>> isinstance(Local(), Engine)
    True
    """

    def outcomes(
        self, function: Callable[[Piece], Result], pieces: Iterable[Piece], need: Need
    ) -> Iterator[Result | Failure]:
        """Run the function on every piece; results and failures come in the order of the pieces.

        A piece whose worker was lost runs again, so it must give the same result each time. Only a few
        pieces are taken ahead of the results.
        """
        ...

    def share(self, value: Value) -> Shared[Value]:
        """Bring a value to where pieces run, once a machine."""
        ...

    def depot(self, folder: Path) -> Depot:
        """Give pieces a folder of this machine to keep files in."""
        ...

    def machines(self) -> Machines:
        """Say what there is to run pieces on."""
        ...
