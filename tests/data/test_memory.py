"""Readers stream: what they hold does not grow with the file."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest

from textward.data import read_batches

READ_ENDLESS_INPUT = """
import io, resource
from textward.data import read_batches, read_lines

class Repeated(io.RawIOBase):
    def __init__(self, head, part, times):
        self.parts, self.left = iter([head] + [part] * times), b""
    def read(self, size):
        while len(self.left) < size and (part := next(self.parts, None)) is not None:
            self.left += part
        given, self.left = self.left[:size], self.left[size:]
        return given

def grown(read, head, row, parts):
    def rows(parts):
        batches = read("-", stdin=Repeated(head, row * 5_000, parts))
        return sum(len(batch.texts) for batch in batches)
    rows(30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert rows(parts) == parts * 5_000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

text = b"a short text of some words, " * 5
print(grown(read_batches, b"text,label\\n", b'"' + text + b'",1\\n', 200))
print(grown(read_batches, b"", b'{"text": "' + text * 4 + b'", "label": 1}\\n', 60))
print(grown(read_lines, b"", text + b"\\n", 200))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="this system does not say how much memory was held")
def test_what_is_held_does_not_grow_with_the_input():
    """A million rows of CSV, 150 MB, hold no more than the first 150,000 did; the other formats likewise."""
    found = subprocess.run(
        [sys.executable, "-c", READ_ENDLESS_INPUT], capture_output=True, text=True, check=True
    )
    unit = 2**20 if sys.platform == "darwin" else 2**10
    grown = [int(line) / unit for line in found.stdout.split()]
    assert len(grown) == 3
    assert max(grown) < 30, f"MiB grown: {grown}"


def test_a_batch_of_long_texts_ends_early(tmp_path, monkeypatch):
    monkeypatch.setattr("textward.data.delimited.BATCH_BYTES", 2**21)
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + f"{'x' * 100_000},1\n" * 200)
    sizes = [len(batch.texts) for batch in read_batches(path)]
    assert sum(sizes) == 200
    assert max(sizes) < 60


def test_a_batch_of_long_parquet_texts_ends_early(tmp_path, monkeypatch):
    monkeypatch.setattr("textward.data.parquet.BATCH_BYTES", 2**16)
    path = tmp_path / "a.parquet"
    texts = [f"{i}" * 1_000 for i in range(300)]
    pl.DataFrame({"text": texts, "label": ["x"] * 300}).write_parquet(path, compression="uncompressed")
    batches = list(read_batches(path))
    assert [text for batch in batches for text in batch.texts] == texts
    assert max(len(batch.texts) for batch in batches) < 60
