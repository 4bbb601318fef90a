"""One map, run in this process, in several or on a cluster; the results are the same bits either way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from textward.engine.choice import engine_of
from textward.engine.protocol import ONE_CPU, Engine, Failure, Need, Piece, Progress, Result
from textward.errors import TextwardError

__all__ = ["Progress", "raised", "run_pieces", "stream_pieces"]


def run_pieces(
    function: Callable[[Piece], Result],
    pieces: Sequence[Piece],
    *,
    jobs: int | None = None,
    engine: Engine | str = "local",
    progress: Progress | None = None,
    name: str = "piece",
    need: Need = ONE_CPU,
) -> list[Result]:
    """Apply a function to every piece and return the results in order.

    Every piece runs with one numerical thread, so that its bits do not depend on ``jobs``.

    >>> run_pieces(len, ["a", "bc"], progress=lambda done, all: None)
    [1, 2]
    >>> run_pieces([7].index, [7, 8], name="group")
    Traceback (most recent call last):
    textward.errors.PieceError: group 1 (of 0 to 1) failed: ValueError: 8 is not in list
    """
    found = engine_of(engine, jobs)
    return list(stream_pieces(found, function, pieces, len(pieces), progress=progress, name=name, need=need))


def stream_pieces(
    engine: Engine,
    function: Callable[[Piece], Result],
    pieces: Iterable[Piece],
    total: int,
    *,
    progress: Progress | None = None,
    name: str = "piece",
    need: Need = ONE_CPU,
) -> Iterator[Result]:
    """Yield the results one by one, so that not all of them are held; the first failure is raised.

    >>> from textward.engine import Local
    >>> sum(stream_pieces(Local(), len, ("a" * size for size in range(3)), total=3))
    3
    """
    for number, outcome in enumerate(engine.outcomes(function, pieces, need)):
        if isinstance(outcome, Failure):
            raise raised(outcome, number, total, name) from outcome.cause
        if progress is not None:
            progress(number + 1, total)
        yield outcome


def raised(failure: Failure, number: int, total: int, name: str) -> TextwardError:
    """Return the error for a piece that failed, with the piece's number.

    >>> raised(Failure(TextwardError, "no disk", OSError()), 0, 2, "group")
    TextwardError('group 0 (of 0 to 1) failed: no disk')
    """
    return failure.kind(f"{name} {number} (of 0 to {total - 1}) failed: {failure.message}")
