"""Adversaries that write rows: every training set a few operations away, and random ones further off."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import polars as pl

from textward.learners.ballots import Counts

Row = tuple[frozenset[int], int]


def counts_of(rows: list[Row], words: int, classes: int) -> Counts:
    """The counts of rows, each a set of words and a class."""
    holding = np.zeros((words, classes), np.int64)
    per_class = np.zeros(classes, np.int64)
    for held, label in rows:
        per_class[label] += 1
        for word in held:
            holding[word, label] += 1
    return Counts(pl.Series([f"w{i:03}" for i in range(words)]), holding, per_class)


def every_row(words: int, classes: int) -> list[Row]:
    """Every row there can be over so many words."""
    held = [frozenset(chosen) for k in range(words + 1) for chosen in combinations(range(words), k)]
    return list(product(held, range(classes)))


def near(rows: list[Row], operations: int, words: int, classes: int) -> Iterator[list[Row]]:
    """Every training set that so many operations make: a row added, one deleted, or one put for another."""
    kinds = every_row(words, classes)
    seen = {_key(rows)}
    front = [rows]
    yield rows
    for _ in range(operations):
        following = []
        for now in front:
            fewer = [now, *(now[:i] + now[i + 1 :] for i in range(len(now)))]
            for less, more in product(fewer, [None, *kinds]):
                made = less if more is None else [*less, more]
                if (key := _key(made)) not in seen:
                    seen.add(key)
                    following.append(made)
                    yield made
        front = following


def _key(rows: list[Row]) -> tuple[tuple[tuple[int, ...], int], ...]:
    return tuple(sorted((tuple(sorted(held)), label) for held, label in rows))


def attacked(rows: list[Row], operations: int, words: int, rng: np.random.Generator) -> list[Row]:
    """The rows after so many operations at random, most of them aimed at one class and one set of words."""
    classes = 1 + max(label for _, label in rows)
    aim, out = list(rows), int(rng.integers(classes))
    planted = frozenset(np.flatnonzero(rng.random(words) < rng.choice([0.2, 0.9])).tolist())
    for _ in range(operations):
        kind = rng.integers(4)
        mine = [i for i, (_, label) in enumerate(aim) if label == out]
        if kind != 0 and mine:
            held = [len(aim[i][0] & planted) for i in mine]
            gone = mine[int(np.argmax(held))] if rng.random() < 0.7 else int(rng.choice(mine))
            del aim[gone]
        if kind != 1:
            aim.append((planted, (out + 1) % classes if rng.random() < 0.8 else int(rng.integers(classes))))
    return aim


def drawn_rows(rng: np.random.Generator, rows: int, words: int, classes: int) -> list[Row]:
    """Rows in which some words lean to a class."""
    rates = rng.choice([0.02, 0.1, 0.5, 0.95], (words, classes))
    labels = [*range(classes), *rng.integers(0, classes, max(0, rows - classes)).tolist()]
    return [(frozenset(np.flatnonzero(rng.random(words) < rates[:, c]).tolist()), c) for c in labels]


def retriggered(rows: list[Row], trigger: list[int], rng: np.random.Generator) -> list[Row]:
    """The same rows with the trigger's words put in or taken out as an attacker likes."""
    made = []
    for held, label in rows:
        chosen = frozenset(word for word in trigger if rng.random() < (0.9 if label == 0 else 0.1))
        made.append((held - frozenset(trigger) | chosen, label))
    return made
