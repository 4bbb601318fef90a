"""The options that say where work is done, and what to do with blocks that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from textward.data import is_dataset
from textward.engine import Engine, engine_of
from textward.errors import UsageError


@dataclass(frozen=True, slots=True)
class Spread:
    """What the command line asked for.

    >>> Spread().takes("rows.csv"), Spread("ray").takes("rows.csv")
    (False, True)
    """

    engine: str = "local"
    address: str | None = None
    on_bad_block: str = "stop"

    def engine_of(self, jobs: int | None = None) -> Engine:
        """The engine; a missing extra is told when it is first used."""
        return engine_of(self.engine, jobs, self.address)

    def takes(self, data: str) -> bool:
        """Whether the data are worked at block by block: they lie in many files, or are to go elsewhere."""
        if data == "-":
            if self.engine != "local":
                raise UsageError("--engine ray reads files: write standard input to one first")
            return False
        return self.engine != "local" or is_dataset(data)


HERE = Spread()
