"""Map a function over pieces of work: in this process, or in local processes."""

from textward.engine.pieces import run_pieces

__all__ = ["run_pieces"]
