"""Records on disk: one JSON line a cell, appended as soon as the cell is done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textward.experiments.grid import Cell

Record = dict[str, Any]
DONE, FAILED = "done", "failed"
LINEAR = "linear"
NO_BACKBONE = frozenset({"ballots", "BoW"})
"""Defences without a backbone: their records serve every backbone's tables."""


@dataclass(frozen=True, slots=True)
class Run:
    """What cells are run with: the encoder's name or "linear", on part of the rows where quick, and where.

    >>> Run("minilm", quick=True).name
    'minilm-quick'
    """

    backbone: str = "linear"
    quick: bool = False
    device: str = "auto"

    @property
    def name(self) -> str:
        """The name of its records' file."""
        return f"{self.backbone}{'-quick' * self.quick}"


@dataclass(slots=True)
class Store:
    """All records below a folder; a later record of the same cell stands.

    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> store.add("table1", Run(), Cell("hsol"), {"status": "done", "result": {"right": 1}})
    >>> store.result(Cell("hsol"), Run())["right"]
    1
    """

    folder: Path
    _found: dict[tuple[str, str, bool], Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for file in sorted(self.folder.glob("*/*.jsonl")):
            for record in _lines(file):
                # Other benchmarks keep records of their own beside these.
                if isinstance(record, dict) and record.keys() >= {"key", "backbone", "quick", "status"}:
                    self._keep(record)

    def add(self, experiment: str, run: Run, cell: Cell, facts: Record) -> None:
        """Append one record, unless it says that the cell failed as before."""
        run, known = _own(cell, run), self.get(cell, run)
        if known is not None and known["status"] == FAILED and known["error"] == facts.get("error"):
            return
        record = {"experiment": experiment, "key": cell.key, "backbone": run.backbone, "quick": run.quick}
        record |= {"cell": cell.as_dict()} | facts
        path = self.folder / experiment / f"{run.name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        torn = path.exists() and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            file.write(f"{chr(10) * torn}{line}\n")
        self._keep(record)

    def get(self, cell: Cell, run: Run) -> Record | None:
        """The record of a cell, done or failed."""
        own = _own(cell, run)
        return self._found.get((cell.key, own.backbone, own.quick))

    def done(self, cell: Cell, run: Run) -> bool:
        """Whether the cell need not be run again."""
        record = self.get(cell, run)
        return record is not None and record["status"] == DONE

    def result(self, cell: Cell, run: Run) -> Record | None:
        """What a finished cell gave."""
        record = self.get(cell, run)
        return record["result"] if record is not None and record["status"] == DONE else None

    def runs(self) -> list[Run]:
        """Which backbones and scales there are records of."""
        return [Run(name, quick) for name, quick in dict.fromkeys(key[1:] for key in self._found)]

    def all(self) -> Iterable[Record]:
        """Every record that stands."""
        return self._found.values()

    def _keep(self, record: Record) -> None:
        key = record["key"], record["backbone"], record["quick"]
        known = self._found.get(key)
        # A cell that was done once stays done, whatever a later trial of it came to.
        if known is None or known["status"] != DONE or record["status"] == DONE:
            self._found[key] = record


def _own(cell: Cell, run: Run) -> Run:
    return Run() if cell.defence in NO_BACKBONE or cell.what == "partition" else run


def _lines(file: Path) -> Iterator[Record]:
    for line in file.read_text(encoding="utf-8").split("\n"):
        # A run that was killed may leave part of a line; its cell is run again.
        with suppress(ValueError):
            yield json.loads(line)
