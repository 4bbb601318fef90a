"""Short labelled rows to measure growth with: words by Zipf's law, a few of which lean to a class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

ROWS_A_FILE = 1_000_000
WORDS_A_ROW = 17
VOCABULARY = 300_000


def write_rows(folder: Path, rows: int, seed: int = 0, rows_a_file: int = ROWS_A_FILE) -> None:
    """Write Parquet files of `text` and `label`; file k depends on the seed and on k alone."""
    folder.mkdir(parents=True, exist_ok=True)
    names = pl.Series([_word(number) for number in range(VOCABULARY)], dtype=pl.String)
    for number, start in enumerate(range(0, rows, rows_a_file)):
        frame = _rows(names, min(rows_a_file, rows - start), np.random.default_rng([seed, number]))
        file = folder / f"part-{number:05d}.parquet"
        frame.write_parquet(file, compression="uncompressed", row_group_size=131_072)


def _rows(names: pl.Series, rows: int, random: np.random.Generator) -> pl.DataFrame:
    labels = random.integers(0, 2, rows)
    lengths = random.poisson(WORDS_A_ROW - 1, rows) + 1
    row = np.repeat(np.arange(rows), lengths)
    # Zipf's law by inversion: the rank is exponential in a uniform draw.
    ranks = (VOCABULARY ** random.random(len(row))).astype(np.int64) - 1
    leaning = (ranks % 5 == 0) & (random.random(len(row)) < 0.3)
    ranks = np.where(leaning, np.minimum(ranks + 1 + labels[row], VOCABULARY - 1), ranks)
    words = pl.DataFrame({"row": pl.Series(row).set_sorted(), "word": names.gather(ranks)})
    texts = words.group_by("row", maintain_order=True).agg(pl.col("word").str.join(" "))["word"]
    return pl.DataFrame({"text": texts, "label": labels})


def _word(number: int) -> str:
    """A word of consonants and vowels in turn, shorter where it is more frequent."""
    spelled = ""
    number += 1
    while number:
        number, digit = divmod(number, 75)
        spelled += "bcdfghklmnprstv"[digit // 5] + "aeiou"[digit % 5]
    return spelled
