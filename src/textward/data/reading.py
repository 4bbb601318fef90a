"""The door of the room: a file name or - -> checked batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import polars as pl

from textward.data.delimited import read_delimited
from textward.data.digest import Digest
from textward.data.jsonlines import read_json_lines
from textward.data.parquet import WHOLE, Span, read_parquet
from textward.data.plain import read_plain
from textward.data.rows import Batch, Table, Wanted
from textward.data.sources import Source, locate, opened, require_table, sniffed

_ROWS = 65_536
_TEXT_BYTES = 64 * 2**20


def read_batches(
    source: str | Path,
    *,
    text_column: str = "text",
    label_column: str | None = "label",
    batch_rows: int = _ROWS,
    max_text_bytes: int = _TEXT_BYTES,
    stdin: BinaryIO | None = None,
) -> Iterator[Batch]:
    r"""The rows of a CSV, TSV, JSON lines or Parquet file, by suffix, or of standard input for "-".

    A batch has `batch_rows` rows, fewer at the end or where the texts are very long.

    >>> import io
    >>> [batch.labels.to_list() for batch in read_batches("-", stdin=io.BytesIO(b"text,label\nfine,good\n"))]
    [['good']]
    """
    wanted = Wanted(text_column, label_column, batch_rows, max_text_bytes)
    found = locate(source)
    require_table(found)
    return batches_of(found, wanted, stdin)


def read_table(
    source: str | Path,
    *,
    text_column: str = "text",
    label_column: str | None = "label",
    batch_rows: int = _ROWS,
    max_text_bytes: int = _TEXT_BYTES,
    stdin: BinaryIO | None = None,
) -> Table:
    r"""All rows at once, with their digest; takes what `read_batches` takes.

    >>> import io
    >>> read_table("-", stdin=io.BytesIO(b'{"text": "fine", "label": 1}\n')).labels.to_list()
    ['1']
    """
    return table_of(
        read_batches(
            source,
            text_column=text_column,
            label_column=label_column,
            batch_rows=batch_rows,
            max_text_bytes=max_text_bytes,
            stdin=stdin,
        )
    )


def table_of(batches: Iterable[Batch]) -> Table:
    """Join batches, and make the digest of their rows.

    >>> table_of([Batch(pl.Series(["fine"]), None, first_row=1)]).texts.to_list()
    ['fine']
    """
    texts: list[pl.Series] = []
    labels: list[pl.Series] = []
    digest = Digest()
    for batch in batches:
        texts.append(batch.texts)
        if batch.labels is not None:
            labels.append(batch.labels)
        digest.update(batch.texts, batch.labels)
    return Table(pl.concat(texts), pl.concat(labels) if labels else None, digest.hexdigest())


def read_lines(
    source: str | Path,
    *,
    batch_rows: int = _ROWS,
    max_text_bytes: int = _TEXT_BYTES,
    stdin: BinaryIO | None = None,
) -> Iterator[Batch]:
    r"""The lines of a plain text file, whatever its suffix (.gz is unpacked), or of standard input for "-".

    >>> import io
    >>> [batch.texts.to_list() for batch in read_lines("-", stdin=io.BytesIO(b"fine\nbad\n"))]
    [['fine', 'bad']]
    """
    return _plain(locate(source), Wanted(None, None, batch_rows, max_text_bytes), stdin)


def batches_of(
    source: Source, wanted: Wanted, stdin: BinaryIO | None = None, span: Span = WHOLE
) -> Iterator[Batch]:
    """The rows of a source that was located; a span of them is for Parquet.

    >>> import io
    >>> len(next(batches_of(locate("-"), Wanted(), io.BytesIO(b"text,label\\nfine,1\\n"))).texts)
    1
    """
    if source.path is not None and source.kind == "parquet":
        yield from read_parquet(source.name, source.path, wanted, span)
        return
    with opened(source, stdin) as raw:
        kind, blocks = sniffed(raw) if source.path is None else (source.kind, raw)
        if kind == "json":
            yield from read_json_lines(source.name, blocks, wanted)
        else:
            yield from read_delimited(source.name, blocks, "\t" if kind == "tsv" else ",", wanted)


def _plain(source: Source, wanted: Wanted, stdin: BinaryIO | None) -> Iterator[Batch]:
    with opened(source, stdin) as blocks:
        yield from read_plain(source.name, blocks, wanted)
