"""What the encoder benchmarks share; runs where only torch, transformers and numpy are installed.

Where there is no GPU they run on the CPU, so that a dry run on tiny encoders finds their mistakes beforehand.
"""

from __future__ import annotations

import gzip
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SOURCE = Path(__file__).resolve().parent.parent / "src"


def without_other_rooms() -> None:
    """Make the engine importable where polars and scikit-learn are absent."""
    try:
        import polars  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError:
        sys.path.insert(0, str(SOURCE))
        for room in ("groups", "influence", "learners"):
            bare = types.ModuleType(f"textward.{room}")
            bare.__path__ = [str(SOURCE / "textward" / room)]
            sys.modules[bare.__name__] = bare


without_other_rooms()


def write_cut(path: Path, groups: dict[str, list[list[str]]], labels: dict[str, list[int]]) -> None:
    """Write the sub-texts of every part (train, test) and group, one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps({"texts": groups, "labels": labels}).encode(), mtime=0))


def read_cut(path: Path) -> tuple[dict[str, list[list[str]]], dict[str, np.ndarray[Any, Any]]]:
    """Read what ``write_cut`` wrote."""
    cut = json.loads(gzip.decompress(path.read_bytes()))
    return cut["texts"], {part: np.array(labels) for part, labels in cut["labels"].items()}


def cut(
    data: Path, name: str, groups: int, vocabulary: Path
) -> tuple[dict[str, list[list[str]]], dict[str, list[int]]]:
    """Cut a benchmark's train and test rows into sub-texts; one group is the whole text, as it stands."""
    import polars as pl

    from textward.groups import HashGroups
    from textward.words import UnicodeWords, VocabularyOrder

    order = VocabularyOrder.read(vocabulary)

    texts: dict[str, list[list[str]]] = {}
    labels: dict[str, list[int]] = {}
    for part in ("train", "test"):
        rows = pl.read_csv(data / name / f"{part}.csv")
        labels[part] = rows["label"].to_list()
        if groups == 1:
            texts[part] = [rows["text"].to_list()]
            continue
        grouped = HashGroups(groups).split(UnicodeWords().cut(rows["text"]), order)
        texts[part] = [grouped.group(j).texts().to_list() for j in range(groups)]
    return texts, labels


def first_rows(cut: Any, rows: int | None) -> Any:
    """The first rows of every part; all of them where no number is told."""
    texts, labels = cut
    return (
        {part: [own[:rows] for own in groups] for part, groups in texts.items()},
        {part: own[:rows] for part, own in labels.items()},
    )


def settled() -> None:
    """Wait until the device has done all it was asked for."""
    if DEVICE.type == "cuda":
        torch.cuda.synchronize()


def relabelled(labels: np.ndarray[Any, Any], rate: float, target: int, seed: int) -> np.ndarray[Any, Any]:
    """Mixed-label poisoning as the certificate sees it: that share of all rows gets the target's label."""
    chosen = np.random.default_rng(seed).choice(len(labels), round(rate * len(labels)), replace=False)
    out: np.ndarray[Any, Any] = labels.copy()
    out[chosen] = target
    return out
