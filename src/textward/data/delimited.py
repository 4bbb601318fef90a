"""CSV and TSV."""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from textward.data.checks import checked_batch
from textward.data.columns import find_column
from textward.data.lines import BATCH_BYTES, Lines, LineTooLong, line_error
from textward.data.messages import Origin, listing, place, visible
from textward.data.rows import Batch, Wanted
from textward.data.sources import empty
from textward.errors import DataError

# The csv module makes one list a row. Taken so few at a time, they are freed before the garbage collector's
# count of new objects makes it look at them, which otherwise doubles the time.
_STEP = 256
_USUAL_FIELD = 131_072

Failure = csv.Error | UnicodeDecodeError | LineTooLong
Taken = tuple[list[list[str]], list[int], DataError | None]


class _FieldLimit:
    """The csv module's limit on a field: raised while rows are read, then put back.

    There is one for the whole process. No lock is held while rows are read, so that a reader waiting for its
    pipe stops no other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    @contextmanager
    def at_least(self, size: int) -> Iterator[None]:
        with self._lock:
            if not self._users:
                self._before = csv.field_size_limit()
            self._users += 1
            csv.field_size_limit(max(size, csv.field_size_limit()))
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    csv.field_size_limit(self._before)


_field_limit = _FieldLimit()


def read_delimited(name: str, blocks: Iterator[bytes], delimiter: str, wanted: Wanted) -> Iterator[Batch]:
    r"""The rows of a CSV or TSV file.

    >>> next(read_delimited("a.csv", iter([b"text,label\nfine,1\n"]), ",", Wanted())).texts[0]
    'fine'
    """
    table = _Delimited(name, blocks, delimiter, wanted)
    table.read_header()
    batch = table.read_batch()
    if batch is None:
        raise DataError(f"{name}: has a header and no rows. Give at least one row.")
    while batch is not None:
        yield batch
        batch = table.read_batch()


class _Delimited:
    def __init__(self, name: str, blocks: Iterator[bytes], delimiter: str, wanted: Wanted) -> None:
        self.name = name
        self.wanted = wanted
        self.delimiter = delimiter
        self.lines = Lines(blocks, limit=4 * wanted.max_text_bytes + 2**20, keep_ends=True)
        self.reader = csv.reader(self.lines, delimiter=delimiter, strict=True)
        self.header: list[str] = []
        self.text_at = 0
        self.label_at: int | None = None
        self.row = 0

    def read_header(self) -> None:
        while True:
            rows, before, failure = self._take(1, BATCH_BYTES)
            if failure is not None:
                raise failure
            if not rows:
                raise empty(self.name)
            if self.delimiter.join(rows[0]).strip():
                break
        self.header, line = rows[0], before[0] + 1
        self.text_at = find_column(self.name, self.header, self.wanted.text_column or "", "text", line)
        if self.wanted.label_column is not None:
            self.label_at = find_column(self.name, self.header, self.wanted.label_column, "label", line)
        self.row = 1

    def read_batch(self) -> Batch | None:
        texts: list[str] = []
        labels: list[str] = []
        lines_before: list[int] = []
        stop = self.lines.taken + BATCH_BYTES
        failure: DataError | None = None
        while failure is None and len(texts) < self.wanted.batch_rows and self.lines.taken < stop:
            room = self.wanted.batch_rows - len(texts)
            rows, before, failure = self._take(min(_STEP, room), stop, len(texts))
            if not rows:
                break
            if set(map(len, rows)) != {len(self.header)}:
                rows, before, misfit = self._fitting(rows, before, self.row + len(texts))
                failure = misfit or failure
            texts += [row[self.text_at] for row in rows]
            if self.label_at is not None:
                labels += [row[self.label_at] for row in rows]
            lines_before += before
        origin = Origin(self.name, self.row, lines_before)
        # Checked before the failure is raised, so that the first bad row is the one named.
        batch = checked_batch(texts, None if self.label_at is None else labels, origin, self.wanted)
        if failure is not None:
            raise failure
        self.row += len(texts)
        return batch if texts else None

    def _take(self, most: int, stop: int, ahead: int = 0) -> Taken:
        """Up to `most` rows, for each the number of lines before it, and what ended them early."""
        rows: list[list[str]] = []
        before: list[int] = []
        reader, lines = self.reader, self.lines
        line = reader.line_num
        try:
            with _field_limit.at_least(max(self.wanted.max_text_bytes, _USUAL_FIELD)):
                for row in islice(reader, most):
                    rows.append(row)
                    before.append(line)
                    line = reader.line_num
                    if lines.taken >= stop:
                        break
        except (csv.Error, UnicodeDecodeError, LineTooLong) as error:
            number = self.row and self.row + ahead + sum(map(bool, rows))
            return rows, before, self._failed(error, number, line + 1)
        return rows, before, None

    def _failed(self, error: Failure, row: int, start: int) -> DataError:
        if not isinstance(error, csv.Error):
            return line_error(error, self.name, row, self.reader.line_num + 1, self.wanted)
        said = str(error)
        what = f"is not valid CSV ({visible(said)}). Correct the row."
        if "unexpected end" in said:
            what = (
                'a quote (") that opens in the row starting here is never closed. Close it, or write it "".'
            )
        elif "expected after" in said:
            what = f'text follows a closing quote (") in line {self.reader.line_num:,}. Write a quote as "".'
        elif "field limit" in said:
            most = max(self.wanted.max_text_bytes, _USUAL_FIELD)
            what = (
                f"a field has more than the {most:,} characters allowed. Shorten or drop it, or close the "
                'quote (") that opens in the row starting here.'
            )
        elif "NUL" in said:  # Python 3.10; later ones read it, and the batch is checked
            what = "holds a NUL byte (\\x00). Remove it; a file full of them is often UTF-16."
        return DataError(f"{place(self.name, row, start)}: {what}")

    def _fitting(self, rows: list[list[str]], before: list[int], first: int) -> Taken:
        """The rows without blank lines, up to the first that has too few or too many fields."""
        filled = [(row, lines) for row, lines in zip(rows, before, strict=True) if row]
        width = len(self.header)
        for index, (row, lines) in enumerate(filled):
            if len(row) != width:
                mark = "tab" if self.delimiter == "\t" else "comma"
                error = DataError(
                    f"{place(self.name, first + index, lines + 1)}: {len(row)} field{'s' * (len(row) != 1)} "
                    f"where the header has {width} ({listing(self.header)}). "
                    f'Put quotes (") around a text that holds a {mark} or a line end.'
                )
                return [r for r, _ in filled[:index]], [n for _, n in filled[:index]], error
        return [r for r, _ in filled], [n for _, n in filled], None
