"""The figures of the paper, as data."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


def paper(table: str, *path: str) -> Any:
    """Return what the paper has under these names.

    >>> paper("table4a_hash_certified_hsol", "md5")
    [0.8293, 0.6417, 0.4002, 0.153]
    """
    found = _tables()[table]
    for part in path:
        found = found[part]
    return found


@cache
def _tables() -> dict[str, Any]:
    text = (Path(__file__).parent / "paper.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
