"""This machine: pieces run in this process, or in several of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Generic

try:
    from joblib import effective_n_jobs
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import BrokenProcessPool
except ImportError:  # carried code runs where little is installed, in one process
    pass

from textward.engine.attempts import attempt, attempt_afar
from textward.engine.protocol import ONE_CPU, Depot, Failure, Machines, Need, Piece, Result, Shared, Value
from textward.errors import LostWorkerError

_AHEAD = 4


@dataclass(frozen=True, slots=True)
class Held(Generic[Value]):
    """A value that is here.

    >>> Held("model").get()
    'model'
    """

    value: Value

    def get(self) -> Value:
        """Return it."""
        return self.value


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of this machine.

    >>> Folder(Path("kept")).place("a").as_posix()
    'kept/a'
    """

    path: Path

    def place(self, name: str) -> Path:
        """Return the file's path."""
        return self.path / name

    def keep(self, name: str) -> None:
        """Nothing is left to do: the file is in the folder."""


@dataclass(frozen=True, slots=True)
class Local:
    """Up to `jobs` processes; None or 1 is this process alone, -1 is one a core.

    >>> list(Local().outcomes(len, ["a", "bc"]))
    [1, 2]
    """

    jobs: int | None = None

    def outcomes(
        self, function: Callable[[Piece], Result], pieces: Iterable[Piece], need: Need = ONE_CPU
    ) -> Iterator[Result | Failure]:
        """Run the function on every piece, in order."""
        workers = _workers(self.jobs)
        first = list(islice(pieces := iter(pieces), 2))
        every = chain(first, pieces)
        if workers <= 1 or len(first) < 2:
            return map(partial(attempt, function), every)
        return _in_processes(function, every, workers)

    def share(self, value: Value) -> Shared[Value]:
        """Hold the value; a process of its own is given it with each piece."""
        return Held(value)

    def depot(self, folder: Path) -> Depot:
        """The folder itself."""
        return Folder(folder)

    def machines(self) -> Machines:
        """This machine; what of GPUs it has is for the one who needs them to find out."""
        return Machines(_workers(self.jobs), 0, elsewhere=False)


HERE = Local()
"""This process alone."""


def _workers(jobs: int | None) -> int:
    if jobs in (None, 1):  # carried code has no joblib, and needs none
        return 1
    return int(effective_n_jobs(jobs))


def _in_processes(
    function: Callable[[Piece], Result], pieces: Iterator[Piece], workers: int
) -> Iterator[Result | Failure]:
    with _processes(workers) as executor:
        waiting = deque(
            executor.submit(attempt_afar, function, piece) for piece in islice(pieces, _AHEAD * workers)
        )
        while waiting:
            try:
                outcome = waiting.popleft().result()
            except BrokenProcessPool as error:
                yield Failure(
                    LostWorkerError,
                    "a process was lost that worked at this piece or at one beside it; memory may have run "
                    "out. Work with fewer processes (--jobs)",
                    error,
                )
                return
            yield outcome
            waiting.extend(executor.submit(attempt_afar, function, piece) for piece in islice(pieces, 1))


@contextmanager
def _processes(jobs: int) -> Iterator[Any]:
    # Shared with joblib: workers that are warm already save seconds, and idle ones leave by themselves.
    executor = get_reusable_executor(max_workers=jobs)
    try:
        yield executor
    except BaseException:  # after Ctrl-C or an error nobody waits for the other pieces
        executor.shutdown(wait=True, kill_workers=True)
        raise
