"""A cell with its rows as plain strings, and many of them as compact files; needs numpy alone."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from textward.experiments.grid import Cell

IntArray = npt.NDArray[np.int64]
_MOST_CHANGED = 0.5
"""Columns that differ in fewer rows are kept as a difference."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """What an encoder works on: one column of texts, or one for each group where groups are by hash.

    >>> Job(Cell("hsol"), [["a"]], np.array([1]), [["b"]], np.array([0]), [], np.zeros(0), 2, ("", "")).groups
    1
    """

    cell: Cell
    train: list[list[str]]
    labels: IntArray
    test: list[list[str]]
    gold: IntArray
    attacked: list[list[str]]
    attacked_gold: IntArray
    classes: int
    digests: tuple[str, str]

    @property
    def groups(self) -> int:
        """The number of columns."""
        return len(self.train)

    @property
    def facts(self) -> dict[str, Any]:
        """How many rows there are, and of which digest."""
        return {
            "train": {"n": len(self.labels), "digest": self.digests[0]},
            "test": {"n": len(self.gold), "digest": self.digests[1]},
        }


@dataclass
class JobWriter:
    """Writes jobs into a folder; a column that several share, or nearly share, is written once.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> gold = np.array([0])
    >>> JobWriter(folder).add("t", Job(Cell("hsol"), [["a"]], gold, [["b"]], gold, [], gold[:0], 2, ("", "")))
    >>> next(read_jobs(folder))[1].test
    [['b']]
    """

    folder: Path
    _whole: dict[str, list[str]] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "jobs.jsonl").write_text("", encoding="utf-8")

    def add(self, experiment: str, job: Job) -> None:
        """Append one."""
        parts = ("train", "test", "attacked")
        line: dict[str, Any] = {"experiment": experiment, "cell": job.cell.as_dict(), "classes": job.classes}
        line |= {part: [self._column(column) for column in getattr(job, part)] for part in parts}
        numbers = ("labels", "gold", "attacked_gold")
        line |= {part: self._column([_digits(getattr(job, part))]) for part in numbers}
        line["digests"] = list(job.digests)
        with (self.folder / "jobs.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _column(self, texts: list[str]) -> str:
        name = hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:20]
        if name not in self._known:
            self._known.add(name)
            content = json.dumps(self._shortened(name, texts), ensure_ascii=False).encode()
            (self.folder / f"{name}.json.gz").write_bytes(gzip.compress(content, mtime=0))
        return name

    def _shortened(self, name: str, texts: list[str]) -> Any:
        for base, known in self._whole.items():
            if len(known) != len(texts) or len(texts) < 2:
                continue
            rows = [row for row, (old, new) in enumerate(zip(known, texts, strict=True)) if old != new]
            if len(rows) < _MOST_CHANGED * len(texts):
                return {"base": base, "rows": rows, "texts": [texts[row] for row in rows]}
        self._whole[name] = texts
        return texts


def read_jobs(folder: Path) -> Iterator[tuple[str, Job]]:
    """Read what was written, in order: the name of the experiment, and the job."""
    kept: dict[str, list[str]] = {}
    for text in (folder / "jobs.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        texts = {
            part: [_read(folder, name, kept) for name in line[part]] for part in ("train", "test", "attacked")
        }
        numbers = {
            part: _numbers(_read(folder, line[part], kept)[0]) for part in ("labels", "gold", "attacked_gold")
        }
        cell, digests = Cell(**line["cell"]), tuple(line["digests"])
        train, test, attacked = (texts[part] for part in ("train", "test", "attacked"))
        labels, gold, theirs = (numbers[part] for part in ("labels", "gold", "attacked_gold"))
        job = Job(cell, train, labels, test, gold, attacked, theirs, line["classes"], digests)
        yield line["experiment"], job


def _read(folder: Path, name: str, kept: dict[str, list[str]]) -> list[str]:
    if name not in kept:
        found = json.loads(gzip.decompress((folder / f"{name}.json.gz").read_bytes()))
        if isinstance(found, dict):
            texts = list(_read(folder, found["base"], kept))
            for row, text in zip(found["rows"], found["texts"], strict=True):
                texts[row] = text
            found = texts
        kept[name] = found
    return kept[name]


def _digits(labels: IntArray) -> str:
    return "".join(map(str, labels.tolist()))


def _numbers(digits: str) -> IntArray:
    return np.array(list(digits), np.int64) if digits else np.zeros(0, np.int64)
