"""Folders of tables with the same rows in other orders and other cuts."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl

LEANING = ["good", "fine", "great", "fun", "bad", "dull", "weak", "poor"]
NEUTRAL = ["film", "story", "cast", "plot", "scene", "ending", "the", "and", "of"]


def some_rows(count: int = 600, seed: int = 0) -> pl.DataFrame:
    """Texts of a few words with labels, some texts empty, one class rarer than the other."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        good = draw.random() < 0.4
        words = draw.choices(LEANING[:4] if good else LEANING[4:], k=draw.randint(0, 2))
        words += draw.choices(NEUTRAL, k=draw.randint(0, 5)) + [f"w{number % 97}"] * (number % 3)
        rows.append((" ".join(words), "good" if good else "bad"))
    return pl.DataFrame(rows, schema=["text", "label"], orient="row")


def write_parquet(rows: pl.DataFrame, folder: Path, files: int, seed: int | None = None) -> Path:
    """Write the rows into so many Parquet files, shuffled where a seed is given."""
    folder.mkdir(parents=True)
    if seed is not None:
        rows = rows.sample(fraction=1.0, shuffle=True, seed=seed)
    size = -(-len(rows) // files)
    for number in range(files):
        rows[number * size : (number + 1) * size].write_parquet(folder / f"part-{number:03d}.parquet")
    return folder


def write_csv(rows: pl.DataFrame, folder: Path, files: int) -> Path:
    """Write the rows into CSV files in a tree of folders, beside files that are no tables."""
    for number in range(files):
        inner = folder / f"day={number}"
        inner.mkdir(parents=True)
        rows[number::files].write_csv(inner / "rows.csv")
    (folder / "_SUCCESS").touch()
    (folder / ".part.csv").write_text("half a fi")
    return folder
