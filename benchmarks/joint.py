"""The joint certificate against the paper's pseudo-code in plain Python, and at sizes that cannot count to.

    python benchmarks/joint.py [--json] [--texts 7600] [--groups 9] [--sizes 5]

Votes are drawn from a noisy model: a text is easy or hard for all groups alike, and a wrong vote mostly goes
to the text's own second-best class. Ratios are of one run; the plain code is timed whole.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from textward.certificates import joint_table
from textward.certificates.votes import CountArray

T = TypeVar("T")


def noisy_votes(texts: int, groups: int, classes: int, seed: int) -> tuple[CountArray, CountArray]:
    """Votes and labels as trained groups cast them."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, texts)
    skill = 1 + 0.2 * rng.normal(size=groups) - 1.2 * rng.normal(size=texts)[:, None]
    right = rng.random((texts, groups)) < 1 / classes + (1 - 1 / classes) / (1 + np.exp(-2 * skill))
    second = (labels + rng.integers(1, classes, texts)) % classes
    other = (labels[:, None] + rng.integers(1, classes, (texts, groups))) % classes
    wrong = np.where(rng.random((texts, groups)) < 0.6, second[:, None], other)
    return np.where(right, labels[:, None], wrong), labels


def plain(votes: Sequence[Sequence[int]], labels: Sequence[int], classes: int, size: int) -> int:
    """The pseudo-code: for every set of corrupted groups, for every text, count; keep the least."""
    groups = len(votes[0])
    least = len(votes)
    for corrupted in combinations(range(groups), size):
        stand = 0
        for row, label in zip(votes, labels, strict=True):
            counts = [0] * classes
            for vote in row:
                counts[vote] += 1
            y = counts.index(max(counts))
            if y != label:
                continue
            kept = counts[y] - sum(row[j] == y for j in corrupted)
            for c in range(classes):
                if c != y and kept < counts[c] + sum(row[j] != c for j in corrupted) + (y > c):
                    break
            else:
                stand += 1
        least = min(least, stand)
    return least


def seconds(run: Callable[[], T], repeats: int = 1) -> tuple[float, T]:
    """The shortest of some runs, and what it gave."""
    best, found = float("inf"), run()
    for _ in range(repeats):
        start = time.perf_counter()
        found = run()
        best = min(best, time.perf_counter() - start)
    return best, found


def against_plain(texts: int, groups: int, classes: int, sizes: int) -> dict[str, Any]:
    """Both ways over the same votes; they must agree."""
    votes, labels = noisy_votes(texts, groups, classes, seed=0)
    fast, table = seconds(lambda: joint_table(votes, labels, classes, range(sizes)), repeats=5)
    rows, gold = votes.tolist(), labels.tolist()
    start = time.perf_counter()
    counts = [plain(rows, gold, classes, size) for size in range(sizes)]
    slow = time.perf_counter() - start
    if counts != [row[0].survivors for row in table] or not all(row[0].exact for row in table):
        sys.exit(f"the two disagree: {counts} and {table}")
    case = {"texts": texts, "groups": groups, "classes": classes, "sizes": sizes, "survivors": counts}
    return case | {"plain_s": slow, "textward_s": fast, "ratio": slow / fast}


def alone(texts: int, groups: int, classes: int, sizes: int) -> dict[str, Any]:
    """Sizes the plain code would need days for; every count must be exact."""
    votes, labels = noisy_votes(texts, groups, classes, seed=0)
    start = time.perf_counter()
    table = joint_table(votes, labels, classes, range(sizes))
    took = time.perf_counter() - start
    counts, exact = [row[0].survivors for row in table], all(row[0].exact for row in table)
    case = {"texts": texts, "groups": groups, "classes": classes, "sizes": sizes, "survivors": counts}
    return case | {"exact": exact, "textward_s": took}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--texts", type=int, default=7_600)
    parser.add_argument("--groups", type=int, default=9)
    parser.add_argument("--sizes", type=int, default=5, help="trigger sizes 0, 1, ... below this")
    given = parser.parse_args()
    found = {
        "against_plain": [against_plain(given.texts, given.groups, c, given.sizes) for c in (2, 4)],
        "alone": [alone(given.texts, 21, c, 11) for c in (2, 4)],
    }
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for row in found["against_plain"]:
        print(
            f"{row['texts']:,} texts, {row['classes']} classes, {row['groups']} groups, trigger sizes 0 to "
            f"{row['sizes'] - 1}: plain {row['plain_s']:.1f} s, textward {row['textward_s'] * 1e3:.1f} ms, "
            f"{row['ratio']:,.0f} times as fast"
        )
    for row in found["alone"]:
        print(
            f"{row['texts']:,} texts, {row['classes']} classes, {row['groups']} groups, trigger sizes 0 to "
            f"{row['sizes'] - 1}: {row['textward_s']:.2f} s, {'exact' if row['exact'] else 'NOT exact'}"
        )


if __name__ == "__main__":
    main()
