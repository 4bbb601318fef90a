"""Data: a table on disk or standard input -> batches of texts and labels.

Every reader streams, so memory does not grow with the file; every refusal names file, row, line and remedy.
"""

from textward.data.dataset import Fragment, fragments, is_dataset, read_all, read_fragment
from textward.data.digest import Digest, SumDigest
from textward.data.labels import class_names, encode_labels
from textward.data.reading import read_batches, read_lines, read_table
from textward.data.rows import Batch, Table, Wanted

__all__ = [
    "Batch",
    "Digest",
    "Fragment",
    "SumDigest",
    "Table",
    "Wanted",
    "class_names",
    "encode_labels",
    "fragments",
    "is_dataset",
    "read_all",
    "read_batches",
    "read_fragment",
    "read_lines",
    "read_table",
]
