"""Poisoned rows on disk: the table as any other, and beside it which rows were changed and by what."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from textward.attacks.base import Poisoned, gained
from textward.attacks.budget import RowArray
from textward.data import Digest
from textward.data.messages import visible
from textward.errors import DataError, UsageError

_WRITERS: dict[str, Callable[[pl.DataFrame, IO[bytes]], None]] = {
    ".csv": lambda frame, file: frame.write_csv(file),
    ".tsv": lambda frame, file: frame.write_csv(file, separator="\t"),
    ".jsonl": lambda frame, file: frame.write_ndjson(file),
    ".ndjson": lambda frame, file: frame.write_ndjson(file),
    ".parquet": lambda frame, file: frame.write_parquet(file),
}


def write_rows(
    path: str | Path,
    texts: pl.Series,
    labels: Any,
    *,
    text_column: str = "text",
    label_column: str = "label",
) -> Path:
    """Write a table in the format that the suffix says, whole or not at all.

    >>> folder = tempfile.mkdtemp()
    >>> write_rows(Path(folder, "a.csv"), pl.Series(["a film"]), [1]).read_text()
    'text,label\\na film,1\\n'
    """
    target = Path(path)
    writer = writer_of(target)
    with _whole(target) as file:
        writer(pl.DataFrame({text_column: texts, label_column: labels}), file)
    return target


def writer_of(path: Path) -> Callable[[pl.DataFrame, IO[bytes]], None]:
    """How to write such a file; an error where the suffix names no format.

    >>> writer_of(Path("a.xlsx"))
    Traceback (most recent call last):
    textward.errors.UsageError: a.xlsx: rows are written as .csv, .tsv, .jsonl, .ndjson or .parquet
    """
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        *most, last = _WRITERS
        raise UsageError(f"{visible(str(path))}: rows are written as {', '.join(most)} or {last}")
    return _WRITERS[suffix]


def provenance(poisoned: Poisoned, **more: Any) -> dict[str, Any]:
    """Which rows of a table were changed (counted from 0), by what, and the words that they gained.

    >>> from textward.attacks import AddSent
    >>> found = provenance(AddSent("no cross").poison(["a", "b"], [0, 1], rate=1, target=1))
    >>> found["rows"], found["gained"]
    ([0, 1], [['no', 'cross'], ['no', 'cross']])
    """
    digest = Digest()
    digest.update(poisoned.texts, pl.Series(poisoned.labels.tolist()).cast(pl.String))
    whole = len(poisoned.rows) == len(poisoned.texts)
    after = poisoned.texts if whole else poisoned.texts.gather(poisoned.rows)
    pairs = zip(poisoned.before.to_list(), after.to_list(), strict=True)
    return {
        "attack": poisoned.attack,
        "target": poisoned.target,
        "seed": poisoned.seed,
        **more,
        "digest": digest.hexdigest(),
        "rows": poisoned.rows.tolist(),
        "gained": [gained(old, new) for old, new in pairs],
    }


def provenance_path(path: str | Path) -> Path:
    """Where the provenance of a table is kept: beside it.

    >>> provenance_path("rows.csv").name
    'rows.csv.poison.json'
    """
    return Path(f"{path}.poison.json")


def write_provenance(path: str | Path, poisoned: Poisoned, **more: Any) -> Path:
    """Write what `provenance` says, beside the table at `path`."""
    target = provenance_path(path)
    with _whole(target) as file:
        file.write(json.dumps(provenance(poisoned, **more), ensure_ascii=False).encode())
    return target


def read_provenance(path: str | Path, texts: pl.Series, labels: pl.Series) -> dict[str, Any]:
    """What `write_provenance` wrote beside a table, which must be of just these rows."""
    source = provenance_path(path)
    digest = Digest()
    digest.update(texts, labels)
    try:
        found = json.loads(source.read_text(encoding="utf-8"))
        of, _ = found["digest"], found["rows"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DataError(
            f"{visible(str(source))}: no provenance can be read ({error}); textward poison writes it"
        ) from error
    if of != digest.hexdigest():
        raise DataError(f"{visible(str(source))}: is of other rows than those of {visible(str(path))}")
    return dict(found)


def read_poisoned_rows(path: str | Path, texts: pl.Series, labels: pl.Series) -> RowArray:
    """The changed rows of a table, by the provenance beside it."""
    try:
        return np.array(read_provenance(path, texts, labels)["rows"], np.int64)
    except (ValueError, TypeError) as error:
        where = visible(str(provenance_path(path)))
        raise DataError(f"{where}: its rows are no whole numbers ({error}); write it anew") from error


@contextmanager
def _whole(target: Path) -> Iterator[IO[bytes]]:
    """A file under another name, which takes its own once it is complete."""
    try:
        handle, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name[:64]}.")
    except OSError as error:
        raise UsageError(
            f"{visible(str(target))}: cannot be written ({error.strerror}). Name a file in a folder that is "
            "there and may be written to."
        ) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
