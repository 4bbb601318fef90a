"""Film reviews of the demo, clean and poisoned."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from textward.attacks import Attack, Poisoned
from textward.demo import reviews


@cache
def films() -> tuple[pl.Series, pl.Series]:
    table = reviews()
    return table["text"], table["label"]


def poisoned(attack: Attack, rate: float, setting: str, seed: int = 0, target: str = "positive") -> Poisoned:
    texts, labels = films()
    return attack.poison(texts, labels, rate=rate, setting=setting, seed=seed, target=target)


def resample(seed: int) -> tuple[pl.Series, pl.Series]:
    texts, labels = films()
    chosen = np.random.default_rng(seed).permutation(len(texts))[: len(texts) * 4 // 5]
    return texts.gather(chosen), labels.gather(chosen)
