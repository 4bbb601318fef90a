"""One map, run in this process or in several; the results are the same bits either way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from traceback import format_exception
from typing import Any, TypeVar

from joblib import effective_n_jobs
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits

from textward.data.messages import visible
from textward.errors import PieceError, TextwardError

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]


def run_pieces(
    function: Callable[[Piece], Result],
    pieces: Sequence[Piece],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    name: str = "piece",
) -> list[Result]:
    """Apply a function to every piece and return the results in order.

    Every piece runs with one numerical thread, so that its bits do not depend on ``jobs``.

    >>> run_pieces(len, ["a", "bc"], progress=lambda done, all: None)
    [1, 2]
    >>> run_pieces([7].index, [7, 8], name="group")
    Traceback (most recent call last):
    textward.errors.PieceError: group 1 (of 0 to 1) failed: ValueError: 8 is not in list
    """
    workers = min(effective_n_jobs(jobs), len(pieces))
    if workers <= 1:
        return list(_results(map(partial(_attempt, function), pieces), len(pieces), progress, name))
    with _processes(workers) as executor:
        futures = [executor.submit(_attempt_afar, function, piece) for piece in pieces]
        return list(_results((future.result() for future in futures), len(pieces), progress, name))


class WorkerError(Exception):
    """The traceback of an error in a worker process, as text: not every error can travel itself."""


@dataclass(frozen=True, slots=True)
class _Failure:
    kind: type[TextwardError]
    message: str
    cause: Exception


def _attempt(function: Callable[[Piece], Result], piece: Piece) -> Result | _Failure:
    # An error is returned: raised in a worker it would come back without its piece's number.
    with threadpool_limits(1):
        try:
            return function(piece)
        except TextwardError as error:
            return _Failure(type(error), str(error), error)
        except Exception as error:
            return _Failure(PieceError, f"{type(error).__name__}: {visible(str(error))}", error)


def _attempt_afar(function: Callable[[Piece], Result], piece: Piece) -> Result | _Failure:
    outcome = _attempt(function, piece)
    if isinstance(outcome, _Failure):
        return replace(outcome, cause=WorkerError("".join(format_exception(outcome.cause))))
    return outcome


def _results(
    outcomes: Iterable[Result | _Failure], total: int, progress: Progress | None, name: str
) -> Iterator[Result]:
    for number, outcome in enumerate(outcomes):
        if isinstance(outcome, _Failure):
            where = f"{name} {number} (of 0 to {total - 1}) failed"
            raise outcome.kind(f"{where}: {outcome.message}") from outcome.cause
        if progress is not None:
            progress(number + 1, total)
        yield outcome


@contextmanager
def _processes(jobs: int) -> Iterator[Any]:
    # Shared with joblib: workers that are warm already save seconds, and idle ones leave by themselves.
    executor = get_reusable_executor(max_workers=jobs)
    try:
        yield executor
    except BaseException:  # after Ctrl-C or an error nobody waits for the other pieces
        executor.shutdown(wait=True, kill_workers=True)
        raise
