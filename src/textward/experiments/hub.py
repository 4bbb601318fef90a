"""Datasets from the Hugging Face hub, where `datasets` is installed and the network is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from textward.attacks.draws import keys_of
from textward.data import Digest, Table
from textward.errors import DataError


@dataclass(frozen=True, slots=True)
class HubSet:
    """A dataset of the hub, and what becomes of it.

    >>> HubSet("owner/name", parts={"dev": "validation"}).split("dev")
    'validation'
    """

    name: str
    config: str | None = None
    text: str = "text"
    label: str = "label"
    parts: Mapping[str, str] = field(default_factory=dict)
    """The hub's name of a part, where it is another."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Rows of each part on the hub."""
    relabel: Mapping[int, int] | None = None
    """The class of each of the hub's labels; rows of others are left out."""
    balance: bool = False
    """Whether of each class only as many rows are drawn as the rarest has."""
    held_out: Mapping[str, float] = field(default_factory=dict)
    """Parts that the hub does not have: shares of its training rows, drawn."""

    def split(self, part: str) -> str:
        """The hub's name of the part that holds these rows."""
        return (
            "train" if part in self.held_out else self.parts.get(part, {"dev": "validation"}.get(part, part))
        )


def rows_of(source: HubSet, part: str, title: str, remedy: str) -> Table | None:
    """The rows of a part; None where `datasets` is not installed."""
    try:
        import datasets  # type: ignore[import-not-found]  # optional, and asked for at run time
    except ImportError:
        return None
    split = source.split(part)
    try:
        found: Any = datasets.load_dataset(source.name, source.config, split=split)
    except Exception as error:  # the network, the hub and the format each have errors of their own
        raise DataError(
            f"{remedy} ({source.name}: {str(error).splitlines()[0] if str(error) else error!r})"
        ) from error
    expected = source.sizes.get("train" if part in source.held_out else part)
    if expected is not None and len(found) != expected:
        raise DataError(
            f"{title} ({part}): {source.name} has {len(found):,} rows in its part {split!r}, and "
            f"{expected:,} are known. It was changed; give the rows as a CSV of your own."
        )
    frame = pl.DataFrame({"text": found[source.text], "label": found[source.label]})
    frame = _drawn(
        source, part, frame.with_columns(pl.col("text").cast(pl.String), pl.col("label").cast(pl.Int64))
    )
    texts, labels = frame["text"], frame["label"].cast(pl.String)
    digest = Digest()
    digest.update(texts, labels)
    return Table(texts, labels, digest.hexdigest())


def _drawn(source: HubSet, part: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The part's own rows: relabelled, balanced and held out by a draw that is the same everywhere."""
    if source.relabel is not None:
        frame = frame.filter(pl.col("label").is_in(list(source.relabel)))
        frame = frame.with_columns(pl.col("label").replace_strict(dict(source.relabel)))
    if source.balance:
        rarest = int(frame["label"].value_counts()["count"].min())  # type: ignore[arg-type]
        keys = pl.Series("key", keys_of(0, "balance", len(frame)))
        rank = frame.with_columns(keys).select(pl.col("key").rank("ordinal").over("label"))["key"]
        frame = frame.filter(rank <= rarest)
    if not source.held_out:
        return frame
    order = np.argsort(keys_of(0, "held out", len(frame)), kind="stable")
    start = 0
    taken: dict[str, Any] = {}
    for name, share in source.held_out.items():
        count = round(share * len(frame))
        taken[name] = np.sort(order[start : start + count])
        start += count
    if part in taken:
        chosen: pl.DataFrame = frame[taken[part]]
        return chosen
    rest: pl.DataFrame = frame[np.sort(order[start:])] if part == "train" else frame
    return rest
