"""The options that say where work is done, and what to do with blocks that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textward.cli.screen import Screen
from textward.data import is_dataset
from textward.engine import Engine, engine_of
from textward.errors import UsageError
from textward.estimator.training import Skipped


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


def tell_skipped(screen: Screen, skipped: Sequence[Skipped]) -> None:
    """Say which blocks were passed over, and how many rows with them.

    >>> tell_skipped(Screen(quiet=True), [Skipped("part-3.parquet", 100, "is damaged")])
    """
    for one in skipped:
        count = "an unknown number of" if one.rows is None else f"{one.rows:,}"
        screen.say(f"passed over {one.name} with {count} rows: {one.why}")
