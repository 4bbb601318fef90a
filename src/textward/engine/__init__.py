"""Map a function over pieces of work: in this process, in local processes, or on a Ray cluster."""

from textward.engine.choice import engine_of
from textward.engine.local import HERE, Local
from textward.engine.pieces import raised, run_pieces, stream_pieces
from textward.engine.protocol import Depot, Engine, Failure, Machines, Need, Progress, Shared

__all__ = [
    "HERE",
    "Depot",
    "Engine",
    "Failure",
    "Local",
    "Machines",
    "Need",
    "Progress",
    "Shared",
    "engine_of",
    "raised",
    "run_pieces",
    "stream_pieces",
]
