"""Tables in many files, or one that is too large: a folder or an address, cut into fragments.

Each fragment is read by itself, wherever that is done. An address such as s3://bucket/rows is read through
fsspec; each of its files is copied to this machine's disk first and removed after.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from textward.data.messages import visible
from textward.data.parquet import count_rows
from textward.data.reading import batches_of, table_of
from textward.data.rows import Batch, Table, Wanted
from textward.data.sources import SUFFIXES, Source, locate, require_table, unreadable
from textward.errors import DataError, MissingExtraError, TextwardError

ROWS = 524_288
"""The rows of a fragment of Parquet; other formats have no places to begin at, so a file is one fragment."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """Some consecutive rows of one file, `first` counted from 0; rows None are all of them.

    >>> print(Fragment("part-0.parquet", "/rows/part-0.parquet", first=10, rows=5))
    part-0.parquet, rows 11 to 15
    """

    name: str
    path: str
    first: int = 0
    rows: int | None = None

    def __str__(self) -> str:
        if self.rows is None:
            return self.name
        return f"{self.name}, rows {self.first + 1:,} to {self.first + self.rows:,}"


def is_dataset(source: str | Path) -> bool:
    """Whether a name leads to more than one local file.

    >>> is_dataset("s3://bucket/rows"), is_dataset("rows.csv")
    (True, False)
    """
    return _is_address(source) or Path(source).is_dir()


def fragments(source: str | Path, rows: int = ROWS) -> list[Fragment]:
    """Cut the tables of a folder, an address or one file; files in the order of their names.

    Files whose names begin with a dot or an underscore, or whose suffix says no format, are passed over.

    >>> fragments("none.csv")
    Traceback (most recent call last):
    textward.errors.DataError: none.csv: there is no such file. ...
    """
    if _is_address(source):
        return _of_address(str(source))
    root = Path(source)
    if not root.is_dir():
        require_table(found := locate(source))
        return _cut(found.name, root, rows)
    shown = visible(os.fspath(source))
    try:
        files = sorted(path for path in root.rglob("*") if _wanted(path.relative_to(root).parts))
        files = [path for path in files if path.is_file()]
    except OSError as error:
        raise unreadable(shown, error) from error
    if not files:
        raise DataError(f"{shown}: {_none_found()}")
    return list(chain.from_iterable(_cut(visible(str(path)), path, rows) for path in files))


def read_fragment(fragment: Fragment, wanted: Wanted) -> Iterator[Batch]:
    """The rows of a fragment, a batch at a time; their numbers are those in the file.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("text,label\\nfine,1\\n")
    ...     [batch.texts.to_list() for batch in read_fragment(fragments(folder)[0], Wanted())]
    [['fine']]
    """
    with _at_hand(fragment) as path:
        found = locate(path)
        source = Source(fragment.name, found.path, found.suffix)
        require_table(source)
        yield from batches_of(source, wanted, None, (fragment.first, fragment.rows))


def read_all(files: Iterable[Fragment], wanted: Wanted) -> Table:
    """All rows of several files at once, in their order, with their digest.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("text,label\\nfine,1\\n")
    ...     read_all(fragments(folder), Wanted()).texts.to_list()
    ['fine']
    """
    return table_of(chain.from_iterable(read_fragment(file, wanted) for file in files))


def _cut(name: str, path: Path, rows: int) -> list[Fragment]:
    path = path.absolute()
    if path.suffix.lower() != ".parquet":
        return [Fragment(name, str(path))]
    try:
        there = count_rows(name, path)
    except DataError:  # told when it is read, so that it can be passed over there
        return [Fragment(name, str(path))]
    starts = range(0, max(there, 1), rows)
    return [Fragment(name, str(path), start, min(rows, there - start)) for start in starts]


def _of_address(address: str) -> list[Fragment]:
    system, root = _system(address)
    shown = visible(address)
    try:
        files = sorted(system.find(root))
    except (OSError, ValueError) as error:
        raise DataError(f"{shown}: cannot be listed ({visible(str(error))}). Check the address.") from error
    inner = [path for path in files if _wanted(Path(path[len(root) :].lstrip("/") or path).parts)]
    if not inner:
        raise DataError(f"{shown}: {_none_found()}")
    return [Fragment(visible(at), at) for at in map(system.unstrip_protocol, inner)]


@contextmanager
def _at_hand(fragment: Fragment) -> Iterator[Path]:
    if not _is_address(fragment.path):
        yield Path(fragment.path)
        return
    system, path = _system(fragment.path)
    with tempfile.TemporaryDirectory(prefix="textward-") as folder:
        copied = Path(folder, Path(path).name)
        try:
            system.get(path, str(copied))
        except OSError as error:
            raise unreadable(fragment.name, error) from error
        yield copied


def _system(address: str) -> tuple[Any, str]:
    try:
        found, path = import_module("fsspec.core").url_to_fs(address)
    except ImportError as error:
        raise MissingExtraError(
            f"{visible(address)}: an address is read through {error.name or 'fsspec'}, which is not "
            "installed: pip install 'textward[ray]', and the package that fsspec names for the address"
        ) from error
    except ValueError as error:
        raise DataError(f"{visible(address)}: {visible(str(error))}. Check the address.") from error
    return found, path


def _is_address(source: str | Path) -> bool:
    return isinstance(source, str) and "://" in source


def _wanted(parts: tuple[str, ...]) -> bool:
    name = Path(parts[-1])
    suffixes = [suffix.lower() for suffix in name.suffixes]
    kind = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    packed = suffixes[-1:] == [".gz"]
    known = kind in SUFFIXES and not (packed and kind == ".parquet")
    return known and not any(part.startswith((".", "_")) for part in parts)


def _none_found() -> str:
    known = ", ".join(SUFFIXES)
    return f"holds no table; those read are {known}, all but Parquet also with .gz. Check the path."


def rows_or_none(fragment: Fragment) -> int | None:
    """How many rows a fragment has where that can be told without reading it.

    >>> rows_or_none(Fragment("a.parquet", "/a.parquet", rows=5)), rows_or_none(Fragment("a", "/none"))
    (5, None)
    """
    if fragment.rows is not None or _is_address(fragment.path):
        return fragment.rows
    try:
        return count_rows(fragment.name, Path(fragment.path)) if fragment.path.endswith(".parquet") else None
    except TextwardError:
        return None
