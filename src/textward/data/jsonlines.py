"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from textward.data.checks import checked_batch
from textward.data.columns import missing_column
from textward.data.lines import BATCH_BYTES, Lines, LineTooLong, line_error
from textward.data.messages import SHOWN_CHARACTERS, Origin, place, visible
from textward.data.rows import Batch, Wanted
from textward.data.sources import empty
from textward.errors import DataError

_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def read_json_lines(name: str, blocks: Iterator[bytes], wanted: Wanted) -> Iterator[Batch]:
    """The rows of a file of JSON lines; blank lines are skipped.

    >>> next(read_json_lines("a.jsonl", iter([b'{"text": "fine", "label": 1}']), Wanted())).labels[0]
    '1'
    """
    table = _JsonLines(name, blocks, wanted)
    batch = table.read_batch()
    if batch is None:
        raise empty(name)
    while batch is not None:
        yield batch
        batch = table.read_batch()


class _JsonLines:
    def __init__(self, name: str, blocks: Iterator[bytes], wanted: Wanted) -> None:
        self.name = name
        self.wanted = wanted
        # An escaped character takes at most six times its bytes; the rest is for the other keys.
        self.source = Lines(blocks, limit=8 * wanted.max_text_bytes + 2**20, keep_ends=False)
        self.lines = iter(self.source)
        self.line = 0
        self.row = 1

    def read_batch(self) -> Batch | None:
        texts: list[Any] = []
        labels: list[Any] = []
        lines_before: list[int] = []
        failure = self._take(texts, labels, lines_before)
        origin = Origin(self.name, self.row, lines_before)
        # A row that failed half-way has a text and no label.
        _require_strings(texts[: len(lines_before)], origin, self.wanted)
        spelled = None if self.wanted.label_column is None else _spelled(labels, origin, self.wanted)
        batch = checked_batch(texts[: len(lines_before)], spelled, origin, self.wanted)
        if failure is not None:
            raise failure
        self.row += len(lines_before)
        return batch if lines_before else None

    def _take(self, texts: list[Any], labels: list[Any], lines_before: list[int]) -> DataError | None:
        text_column, label_column = self.wanted.text_column, self.wanted.label_column
        stop = self.source.taken + BATCH_BYTES
        line = ""
        try:
            for line in self.lines:
                if line and not line.isspace():
                    value = json.loads(line)
                    texts.append(value[text_column])
                    if label_column is not None:
                        labels.append(value[label_column])
                    lines_before.append(self.line)
                self.line += 1
                if len(lines_before) >= self.wanted.batch_rows or self.source.taken >= stop:
                    break
        except (UnicodeDecodeError, LineTooLong) as error:
            return line_error(error, self.name, self.row + len(lines_before), self.line + 1, self.wanted)
        except (ValueError, RecursionError, LookupError, TypeError):
            return self._failed(line, self.row + len(lines_before))
        return None

    def _failed(self, line: str, row: int) -> DataError:
        where = place(self.name, row, self.line + 1)
        hint = "Write one JSON object a line"
        if line.lstrip().startswith("["):
            hint += "; a JSON array is turned into that by: jq -c '.[]'"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            said = visible(str(error))
            if isinstance(error, json.JSONDecodeError):
                said = f"{error.msg}, character {error.pos + 1:,}"
            return DataError(f"{where}: is not valid JSON ({said}). {hint}.")
        if not isinstance(value, dict):
            return DataError(f"{where}: is {_NAMES[type(value)]}, not an object. {hint}.")
        for option, column in (("text", self.wanted.text_column), ("label", self.wanted.label_column)):
            if column is not None and column not in value:
                return missing_column(where, column, option, list(value))
        return DataError(f"{where}: cannot be read. {hint}.")


def _require_strings(texts: list[Any], origin: Origin, wanted: Wanted) -> None:
    if not set(map(type, texts)) <= {str}:
        first = next(i for i, text in enumerate(texts) if type(text) is not str)
        raise DataError(
            f"{origin.at(first, wanted.text_column)}: the text is {_shown(texts[first])}, not a string. "
            "Write it in quotes, or drop the row."
        )


def _spelled(labels: list[Any], origin: Origin, wanted: Wanted) -> list[str]:
    kinds = set(map(type, labels))
    if kinds <= {str}:
        return labels
    if kinds <= {str, int}:
        return [str(label) for label in labels]
    first = next(i for i, label in enumerate(labels) if type(label) not in (str, int))
    raise DataError(
        f"{origin.at(first, wanted.label_column)}: the label is {_shown(labels[first])}, "
        "neither a string nor an integer. Write it as one of them, or drop the row."
    )


def _shown(value: object) -> str:
    if value is None:
        return "missing (null)"
    if isinstance(value, dict | list):
        return _NAMES[type(value)]
    return f"{_NAMES[type(value)]} ({json.dumps(value)[:SHOWN_CHARACTERS]})"
