"""Data: a table on disk or standard input -> batches of texts and labels.

Every reader streams, so memory does not grow with the file; every refusal names file, row, line and remedy.
"""

from textward.data.digest import Digest
from textward.data.labels import class_names, encode_labels
from textward.data.reading import read_batches, read_lines, read_table
from textward.data.rows import Batch, Table

__all__ = [
    "Batch",
    "Digest",
    "Table",
    "class_names",
    "encode_labels",
    "read_batches",
    "read_lines",
    "read_table",
]
