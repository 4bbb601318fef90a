"""Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from textward.data.checks import checked_batch
from textward.data.columns import find_column
from textward.data.lines import BATCH_BYTES
from textward.data.messages import Origin, place, visible
from textward.data.rows import Batch, Wanted
from textward.data.sources import unreadable
from textward.errors import DataError

_MAGIC = b"PAR1"
Span = tuple[int, int | None]
"""A first row, counted from 0, and how many; None for all that follow."""
WHOLE: Span = (0, None)


def read_parquet(name: str, path: Path, wanted: Wanted, span: Span = WHOLE) -> Iterator[Batch]:
    """The rows of a Parquet file, or those of a span of it, a slice at a time.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.parquet")
    ...     pl.DataFrame({"text": ["fine"], "label": [1]}).write_parquet(path)
    ...     [batch.labels.to_list() for batch in read_parquet("a.parquet", path, Wanted())]
    [['1']]
    """
    size = _require_parquet(name, path)
    with _explained(name):
        schema = _scan(path).collect_schema()
    columns = _columns(name, schema, wanted)
    rows = count_rows(name, path)
    step = max(1, min(wanted.batch_rows, BATCH_BYTES * rows // size))
    first, start = span[0], span[0]
    frame = _scan(path).select(columns).slice(first, span[1])
    with _explained(name):
        for part in frame.collect_batches(chunk_size=step, lazy=True, engine="streaming"):
            labels = None if wanted.label_column is None else part["label"]
            yield checked_batch(part["text"], labels, Origin(name, start + 1), wanted)
            start += len(part)
    if start - first != (rows if span[1] is None else span[1]):
        raise DataError(f"{name}: changed while it was read. Run it again.")


def count_rows(name: str, path: Path) -> int:
    """The number of rows, which the file's end says; none at all is an error.

    >>> count_rows("a.parquet", Path("none.parquet"))
    Traceback (most recent call last):
    textward.errors.DataError: a.parquet: cannot be read (No such file or directory). ...
    """
    _require_parquet(name, path)
    with _explained(name):
        rows = int(_scan(path).select(pl.len()).collect().item())
    if not rows:
        raise DataError(f"{name}: has columns and no rows. Give at least one row.")
    return rows


def _scan(path: Path) -> pl.LazyFrame:
    # An absolute path and no globs: a name such as ~a or [x].parquet means just that file.
    return pl.scan_parquet(str(path.absolute()), glob=False, hive_partitioning=False)


def _columns(name: str, schema: pl.Schema, wanted: Wanted) -> list[pl.Expr]:
    header = schema.names()
    text = header[find_column(name, header, wanted.text_column or "", "text")]
    kind = schema[text]
    if not _is_string(kind):
        raise DataError(
            f"{place(name, column=text)}: holds {visible(str(kind))}, not strings. "
            "Cast it to strings, or name another with --text-column."
        )
    columns = [pl.col(text).cast(pl.String).alias("text")]
    if wanted.label_column is not None:
        label = header[find_column(name, header, wanted.label_column, "label")]
        kind = schema[label]
        if not (_is_string(kind) or kind.is_integer()):
            raise DataError(
                f"{place(name, column=label)}: holds {visible(str(kind))}; labels are strings or integers. "
                "Cast it to one of them, or name another with --label-column."
            )
        columns.append(pl.col(label).cast(pl.String).alias("label"))
    return columns


def _is_string(kind: pl.DataType) -> bool:
    return isinstance(kind, pl.String | pl.Categorical | pl.Enum)


def _require_parquet(name: str, path: Path) -> int:
    """The size of the file, which must begin and end as Parquet does: polars says it less clearly."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(4)
            file.seek(max(0, size - 4))
            tail = file.read(4)
    except OSError as error:
        raise unreadable(name, error) from error
    if not size:
        raise DataError(f"{name}: is empty. Give at least one row.")
    if head != _MAGIC or tail != _MAGIC:
        what = "is cut short" if head == _MAGIC else "is not a Parquet file"
        raise DataError(f"{name}: {what}. Write or fetch it again, or give it the suffix of its format.")
    return size


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unreadable(name, error) from error
    except (PolarsError, PanicException) as error:
        said = visible(str(error).strip().partition("\n")[0])
        raise DataError(f"{name}: is a damaged Parquet file ({said}). Write or fetch it again.") from error
