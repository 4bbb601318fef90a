"""What the benchmarks recorded -> tables, and the list of all records."""

from __future__ import annotations

import json
import re
from pathlib import Path

from attack_tables import TABLES as OF_ATTACKS
from encoder_tables import TABLES as OF_ENCODERS
from figures import TABLES as OF_README

TABLES = OF_README | OF_ATTACKS | OF_ENCODERS


def with_tables(markdown: str, results: Path) -> str:
    """The page with every `<!-- figures: NAME -->` followed by its table, made of the records."""
    return re.sub(
        r"<!-- figures: ([a-z_]+) -->", lambda found: f"{found[0]}\n\n{TABLES[found[1]](results)}", markdown
    )


def page_of_records(results: Path) -> str:
    """Every file of records, its size, and what each record holds."""
    rows = [
        f"| `results/{file.relative_to(results).as_posix()}` | {_records(file)} | {_keys(file)} |"
        for file in sorted(results.rglob("*"))
        if file.suffix in (".json", ".jsonl")
    ]
    return "\n".join([_RECORDS, *rows, ""])


_RECORDS = """\
# All records

The figures in these pages come from these files (the picture of the first page from `textward demo --json`),
and every file from a command of `benchmarks/` or from `textward experiment`.
They hold integers, seeds, digests of the data, versions and seconds; the tables are made of them while this
site is built.

| file | records | what each holds |
|---|---|---|"""


def _records(file: Path) -> str:
    return f"{sum(1 for line in file.open(encoding='utf-8')):,}" if file.suffix == ".jsonl" else "1"


def _keys(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        first = json.loads(lines.readline() if file.suffix == ".jsonl" else lines.read())
    keys = list(first) if isinstance(first, dict) else []
    return ", ".join(f"`{key}`" for key in keys[:16]) + (", …" if len(keys) > 16 else "")
