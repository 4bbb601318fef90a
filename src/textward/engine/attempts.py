"""One piece tried: an error is returned, for raised in a worker it would come back without its number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from traceback import format_exception

from textward.engine.protocol import Failure, Piece, Result
from textward.errors import PieceError, TextwardError

try:
    from threadpoolctl import threadpool_limits

    from textward.data.messages import visible
except ImportError:  # carried code runs where little is installed
    from contextlib import nullcontext as threadpool_limits

    def visible(text: str) -> str:
        """The text as it stands."""
        return text


class WorkerError(Exception):
    """The traceback of an error in a worker process, as text: not every error can travel itself."""


def attempt(function: Callable[[Piece], Result], piece: Piece) -> Result | Failure:
    """Run one piece with one numerical thread.

    >>> attempt(len, "ab"), attempt([7].index, 8).message
    (2, 'ValueError: 8 is not in list')
    """
    with threadpool_limits(1):
        try:
            return function(piece)
        except TextwardError as error:
            return Failure(type(error), str(error), error)
        except Exception as error:
            return Failure(PieceError, f"{type(error).__name__}: {visible(str(error))}", error)


def attempt_afar(function: Callable[[Piece], Result], piece: Piece) -> Result | Failure:
    """Run one piece whose result has to travel.

    >>> type(attempt_afar([7].index, 8).cause).__name__
    'WorkerError'
    """
    outcome = attempt(function, piece)
    if isinstance(outcome, Failure):
        return replace(outcome, cause=WorkerError("".join(format_exception(outcome.cause))))
    return outcome
