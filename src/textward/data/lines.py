"""Blocks of bytes -> decoded lines, at the speed of C: no Python code runs for a single line here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from textward.data.messages import place
from textward.data.rows import Wanted
from textward.errors import DataError

BATCH_BYTES = 128 * 2**20
"""A batch ends early once about so many bytes were read for it, so that long texts do not fill the memory."""


class LineTooLong(Exception):  # noqa: N818 - never leaves the room: `line_error` words it
    """A line that has no end within the limit."""


class Lines:
    r"""The lines of a text in UTF-8.

    With `keep_ends` they end at \n, \r\n or \r and keep that end, as the csv module wants it. Without, they
    end at \n alone, so that their count is that of other tools.

    >>> list(Lines(iter([b"a\r", b"\nb\rc"]), limit=10, keep_ends=True))
    ['a\r\n', 'b\r', 'c']
    >>> list(Lines(iter([b"a\n\n", b"b"]), limit=10, keep_ends=False))
    ['a', '', 'b']
    """

    def __init__(self, blocks: Iterator[bytes], *, limit: int, keep_ends: bool) -> None:
        self._blocks = blocks
        self._limit = limit
        self._keep_ends = keep_ends
        self.taken = 0
        """Bytes taken from the source so far; runs ahead of the lines by at most a block."""

    def __iter__(self) -> Iterator[str]:
        return map(bytes.decode, chain.from_iterable(self._groups()))

    def _groups(self) -> Iterator[list[bytes]]:
        pending: list[bytes] = []
        waiting = 0
        for block in self._blocks:
            self.taken += len(block)
            cut = self._last_end(block)
            if cut:
                yield self._split(b"".join([*pending, block[:cut]]))
                pending, waiting = [block[cut:]], len(block) - cut
            else:
                pending.append(block)
                waiting += len(block)
            if waiting > self._limit:
                raise LineTooLong
        if waiting:
            yield self._split(b"".join(pending))

    def _last_end(self, block: bytes) -> int:
        """Where the block's last line that is surely whole ends; 0 when there is none."""
        feed = block.rfind(b"\n")
        if not self._keep_ends:
            return feed + 1
        # The last byte is left out: a \r there may be half of a \r\n.
        return max(feed, block.rfind(b"\r", max(feed, 0), len(block) - 1)) + 1

    def _split(self, text: bytes) -> list[bytes]:
        if self._keep_ends:
            return text.splitlines(keepends=True)
        lines = text.split(b"\n")
        if not lines[-1]:
            lines.pop()
        return lines


def line_error(
    error: UnicodeDecodeError | LineTooLong, name: str, row: int, line: int, wanted: Wanted
) -> DataError:
    """The error for a line that could not be had; row 0 is the header.

    >>> bad = UnicodeDecodeError("utf-8", b"caf\\xe9", 3, 4, "invalid")
    >>> str(line_error(bad, "a.csv", 1, 2, Wanted()))
    'a.csv, row 1 (line 2), byte 4 of the line: 0xe9 does not belong in UTF-8. Save the file as UTF-8.'
    """
    where = place(name, row, line)
    if isinstance(error, UnicodeDecodeError):
        return DataError(
            f"{where}, byte {error.start + 1:,} of the line: 0x{error.object[error.start]:02x} does not "
            "belong in UTF-8. Save the file as UTF-8."
        )
    return DataError(
        f"{where}: the line has no end within what a text of {wanted.max_text_bytes:,} bytes may need. "
        "Shorten or drop it, or check that the file's lines end in a newline."
    )
