"""Plain text: one text a line."""

from __future__ import annotations

from collections.abc import Iterator

from textward.data.checks import checked_batch
from textward.data.lines import BATCH_BYTES, Lines, LineTooLong, line_error
from textward.data.messages import Origin
from textward.data.rows import Batch, Wanted
from textward.data.sources import empty
from textward.errors import DataError


def read_plain(name: str, blocks: Iterator[bytes], wanted: Wanted) -> Iterator[Batch]:
    r"""The lines as texts; a blank line is an empty text, so that answers stay beside their lines.

    >>> next(read_plain("a.txt", iter([b"fine\r\n\nbad"]), Wanted(text_column=None))).texts.to_list()
    ['fine', '', 'bad']
    """
    # Two bytes more than a text may have, for a \r at its end and so that a text one too long is measured.
    source = Lines(blocks, limit=wanted.max_text_bytes + 2, keep_ends=False)
    lines = iter(source)
    row = 1
    while True:
        texts, failure = _take(name, source, lines, row, wanted)
        if texts:
            origin = Origin(name, row, range(row - 1, row - 1 + len(texts)))
            batch = checked_batch(texts, None, origin, wanted)
            if failure is None:
                yield batch
        if failure is not None:
            raise failure
        if not texts:
            break
        row += len(texts)
    if row == 1:
        raise empty(name)


def _take(
    name: str, source: Lines, lines: Iterator[str], row: int, wanted: Wanted
) -> tuple[list[str], DataError | None]:
    texts: list[str] = []
    stop = source.taken + BATCH_BYTES
    try:
        for line in lines:
            texts.append(line.removesuffix("\r"))
            if len(texts) >= wanted.batch_rows or source.taken >= stop:
                break
    except (UnicodeDecodeError, LineTooLong) as error:
        number = row + len(texts)
        return texts, line_error(error, name, number, number, wanted)
    return texts, None
