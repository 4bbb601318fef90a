"""On real film reviews the default learner and ballots are as good as they were measured to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from textward import TextGuard

DATA = Path(__file__).parents[3] / "shared" / "data" / "sst2"


def rows(name: str) -> tuple[pl.Series, np.ndarray]:
    table = pl.read_csv(DATA / f"{name}.csv", schema_overrides={"text": pl.String})
    return table["text"], table["label"].to_numpy().copy()


@pytest.mark.skipif(not DATA.is_dir(), reason=f"the benchmark data are not at {DATA}")
@pytest.mark.parametrize(
    ("groups", "least"),
    [(3, (0.74, 0.46)), (7, (0.73, 0.54, 0.33, 0.12)), ("words", (0.76, 0.62, 0.48, 0.34))],
)
def test_balanced_certified_accuracy_on_the_dev_split(groups, least):
    texts, labels = rows("train")
    relabelled = np.random.default_rng(0).choice(len(labels), len(labels) // 10, replace=False)
    labels[relabelled] = 1
    guard = TextGuard(groups).fit(texts, labels)
    found = guard.certified_accuracy(*rows("dev"), range(len(least)), target=1)
    assert all(share >= bound for share, bound in zip(found.balanced, least, strict=True)), found.balanced
