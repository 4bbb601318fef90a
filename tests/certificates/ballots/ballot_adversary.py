"""Adversaries that try everything, written from the threat model and not from the code under test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from textward.certificates.ballots import UNIT, BallotCase


@composite
def cases(draw: DrawFn, classes: int, texts: int = 4, words: int = 4) -> BallotCase:
    """Few texts over few words, with coarse ballots so that ties happen."""
    n, v = draw(st.integers(1, texts)), draw(st.integers(1, words))
    bits = draw(st.lists(st.sampled_from([1, 1, 0]), min_size=n * v, max_size=n * v))
    coarse = st.sampled_from([0, 256, 512, 768, 1024])
    parts = coarse if draw(st.booleans()) else st.sampled_from([0, 1, 128, 511, 512, 513, 1023, 1024])
    rows = []
    for _ in range(v):
        left, row = UNIT, []
        for _ in range(classes):
            part = min(draw(parts), left)
            row.append(part)
            left -= part
        rows.append(draw(st.permutations(row)))
    return BallotCase.fixed(np.array(bits, dtype=np.int64).reshape(n, v), np.array(rows))


@composite
def labels_for(draw: DrawFn, case: BallotCase) -> list[int]:
    """Labels that are mostly right, for a text that is wrong can lose nothing."""
    right: list[int] = case.winners.tolist()
    wrong = draw(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=len(right), max_size=len(right)))
    return [(y + off) % case.classes for y, off in zip(right, wrong, strict=True)]


def outcomes(held: frozenset[int], case: BallotCase, changed: dict[int, int | None]) -> Iterator[int]:
    """Every label a text can get: each changed word may be there or not, whatever it was before.

    A changed word casts one whole ballot for its class, or none at all.
    """
    kept = sum((case.ballots[w] for w in held if w not in changed), np.zeros(case.classes, dtype=np.int64))
    for there in product([False, True], repeat=len(changed)):
        score = kept.copy()
        for (_, side), cast in zip(changed.items(), there, strict=True):
            if cast and side is not None:
                score[side] += UNIT
        yield int(score.argmax())


def triggers(case: BallotCase, size: int) -> Iterator[tuple[int, ...]]:
    """Every choice of `size` words out of those there are and fresh ones (numbered past the last)."""
    words = case.incidence.shape[1]
    for known in range(size + 1):
        for chosen in combinations(range(words), known):
            yield (*chosen, *range(words, words + size - known))


def retrainings(case: BallotCase, size: int) -> Iterator[dict[int, int | None]]:
    """Every trigger with every whole ballot for each of its words."""
    sides: list[int | None] = [None, *range(case.classes)]
    for trigger in triggers(case, size):
        for ballots in product(sides, repeat=size):
            yield dict(zip(trigger, ballots, strict=True))


def held_words(case: BallotCase) -> list[frozenset[int]]:
    """The words of each text."""
    return [frozenset(np.flatnonzero(row).tolist()) for row in case.incidence.toarray()]


def survivors(case: BallotCase, labels: list[int], weights: list[int], size: int) -> int:
    """The least weight of texts that stay right under one trigger and one retraining."""
    held = held_words(case)
    worst = sum(weights)
    for changed in retrainings(case, size):
        left = sum(
            weight
            for words, label, weight in zip(held, labels, weights, strict=True)
            if all(found == label for found in outcomes(words, case, changed))
            and int(sum((case.ballots[w] for w in words), np.zeros(case.classes)).argmax()) == label
        )
        worst = min(worst, left)
    return worst
