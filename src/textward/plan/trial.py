"""One choice trained in a process of its own, where its memory can be told from everything else's.

    python -m textward.plan.trial ROWS.parquet GROUPS SEED

Trains on half the rows and on all of them, and writes what both took as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.plan.candidates import Candidate

_WARM = 64
_ROUNDS = 2


def main(arguments: list[str]) -> dict[str, Any]:
    """Measure one candidate on the rows of a file."""
    file, groups, seed = arguments
    table = pl.read_parquet(file)
    candidate = Candidate(groups if groups == "words" else int(groups))
    texts, labels = table["text"], table["label"].to_numpy()
    warm = np.unique(labels, return_index=True)[1].tolist() + list(range(min(_WARM, len(labels))))
    candidate.guard(int(seed)).fit(texts.gather(warm), labels[warm]).certify(texts.gather(warm))
    half = np.sort(np.concatenate([np.flatnonzero(labels == one)[::2] for one in np.unique(labels)]))
    return {
        "half": _measured(candidate, texts.gather(half), labels[half], int(seed)),
        "whole": _measured(candidate, texts, labels, int(seed)),
    }


def peak_bytes() -> int | None:
    """The most memory that this process has held; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _measured(candidate: Candidate, texts: pl.Series, labels: Any, seed: int) -> dict[str, Any]:
    took = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        guard = candidate.guard(seed).fit(texts, labels)
        took.append(time.perf_counter() - began)
    memory = peak_bytes()
    began = time.perf_counter()
    guard.certify(texts)
    answered = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        guard.save(Path(folder) / "model")
        disk = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    return {
        "rows": len(texts),
        "seconds": min(took),
        "memory": memory,
        "disk": disk,
        "answered_a_second": len(texts) / answered,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1:])))
