"""Where bytes come from: a file or standard input, packed or not; what is no text is refused by name."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Literal

from textward.data.messages import quoted, visible
from textward.errors import DataError, UsageError

Kind = Literal["csv", "tsv", "json", "parquet"]

SUFFIXES: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
}
BLOCK_BYTES = 2**20
_SNIFFED_BYTES = 4 * BLOCK_BYTES
_UTF8_MARK = b"\xef\xbb\xbf"
_FOREIGN = (
    (b"\xff\xfe\x00\x00", "UTF-32 (little-endian byte-order mark)", "Save it as UTF-8."),
    (b"\x00\x00\xfe\xff", "UTF-32 (big-endian byte-order mark)", "Save it as UTF-8."),
    (b"\xff\xfe", "UTF-16 (little-endian byte-order mark)", "Save it as UTF-8."),
    (b"\xfe\xff", "UTF-16 (big-endian byte-order mark)", "Save it as UTF-8."),
    (b"\x1f\x8b", "gzip", "Add .gz to the file's name, or unpack it first (gunzip -c)."),
    (b"PAR1", "Parquet", "Give it as a file whose name ends in .parquet."),
    (b"PK\x03\x04", "a ZIP archive, or a spreadsheet", "Unpack it, or export it as CSV in UTF-8."),
)


@dataclass(frozen=True, slots=True)
class Source:
    """Something to read.

    >>> locate("-")
    Source(name='standard input', path=None, suffix='')
    """

    name: str
    path: Path | None
    suffix: str

    @property
    def packed(self) -> bool:
        """Whether the bytes are gzip."""
        return self.suffix.endswith(".gz")

    @property
    def kind(self) -> Kind:
        """The format, by suffix."""
        return SUFFIXES[self.suffix.removesuffix(".gz")]

    @property
    def is_table(self) -> bool:
        """Whether the suffix is that of a table."""
        return self.suffix in SUFFIXES or (
            self.packed and SUFFIXES.get(self.suffix.removesuffix(".gz"), "parquet") != "parquet"
        )


def locate(source: str | Path) -> Source:
    """The source behind a name as the user gave it; it must be there, and be no directory.

    >>> locate("none.csv")
    Traceback (most recent call last):
    textward.errors.DataError: none.csv: there is no such file. ...
    """
    given = os.fspath(source)
    if given == "-":
        return Source("standard input", None, "")
    path = Path(given)
    name = visible(given) or "''"
    try:
        there, directory = path.exists(), path.is_dir()
    except OSError as error:
        raise unreadable(name, error) from error
    if not there:
        raise DataError(f"{name}: there is no such file. Check the path, or give - to read standard input.")
    if directory:
        raise DataError(f"{name}: is a directory, not a file. Name one file in it.")
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    return Source(name, path, "".join(suffixes if suffixes[-1:] == [".gz"] else suffixes[-1:]))


def require_table(source: Source) -> None:
    """Refuse a file whose suffix says no format; standard input is looked at instead.

    >>> require_table(Source("a.xlsx", Path("a.xlsx"), ".xlsx"))
    Traceback (most recent call last):
    textward.errors.UsageError: a.xlsx: the suffix '.xlsx' says no format that is read here; ...
    """
    if source.path is not None and not source.is_table:
        said = f"the suffix {quoted(source.suffix)} says" if source.suffix else "a name without a suffix says"
        raise UsageError(
            f"{source.name}: {said} no format that is read here; those read are {', '.join(SUFFIXES)}, "
            "all but Parquet also with .gz. Rename or convert the file, or pipe CSV or JSON lines into -."
        )


@contextmanager
def opened(source: Source, stdin: BinaryIO | None) -> Iterator[Iterator[bytes]]:
    r"""The bytes in blocks, unpacked, without a UTF-8 byte-order mark.

    >>> import io
    >>> with opened(locate("-"), io.BytesIO(b"\xef\xbb\xbftext\n")) as blocks:
    ...     list(blocks)
    [b'text\n']
    """
    if source.path is None:
        yield _text_blocks(sys.stdin.buffer if stdin is None else stdin, source.name)
        return
    try:
        file = source.path.open("rb")
    except OSError as error:
        raise unreadable(source.name, error) from error
    with file:
        if source.packed:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield _text_blocks(unpacked, source.name)
        else:
            yield _text_blocks(file, source.name)


def sniffed(blocks: Iterator[bytes]) -> tuple[Kind, Iterator[bytes]]:
    r"""The format of text whose name does not say it, and all its blocks.

    >>> sniffed(iter([b'\n{"text": "a"}\n']))[0]
    'json'
    """
    head, line = b"", b""
    for block in blocks:
        head += block
        line = head.lstrip()
        if b"\n" in line or b"\r" in line or len(head) > _SNIFFED_BYTES:
            break
    first = (line.splitlines() or [b""])[0]
    kind: Kind = "csv"
    if first.startswith((b"{", b"[")):  # the reader of JSON lines knows what to say of an array
        kind = "json"
    elif b"\t" in first and b"," not in first:
        kind = "tsv"
    return kind, chain([head], blocks)


def empty(name: str) -> DataError:
    """The error for a source without a single row or header.

    >>> str(empty("a.csv"))
    'a.csv: is empty. Give at least one row.'
    """
    return DataError(f"{name}: is empty. Give at least one row.")


def unreadable(name: str, error: OSError) -> DataError:
    """The error for a file the system would not read.

    >>> str(unreadable("a.csv", PermissionError(13, "Permission denied")))
    'a.csv: cannot be read (Permission denied). Check the path and its permissions.'
    """
    return DataError(
        f"{name}: cannot be read ({visible(error.strerror or str(error))}). "
        "Check the path and its permissions."
    )


def _text_blocks(stream: BinaryIO | gzip.GzipFile, name: str) -> Iterator[bytes]:
    blocks = _blocks(stream, name)
    head = b""
    for block in blocks:
        head += block
        if len(head) >= 4:
            break
    for mark, what, remedy in _FOREIGN:
        if head.startswith(mark):
            raise DataError(f"{name}: is {what}, and only UTF-8 text can be read in this way. {remedy}")
    if head := head.removeprefix(_UTF8_MARK):
        yield head
    yield from blocks


def _blocks(stream: BinaryIO | gzip.GzipFile, name: str) -> Iterator[bytes]:
    while True:
        try:
            block = stream.read(BLOCK_BYTES)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(
                f"{name}: is not whole gzip ({visible(str(error))}). Fetch or pack the file again, or drop "
                ".gz from the name of one that is not packed."
            ) from error
        except OSError as error:
            raise unreadable(name, error) from error
        if not block:
            return
        yield block
