"""What a table reads off a record: a share with its hits, seconds, memory; a pure function of the record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import mean, stdev
from typing import Any

from textward.certificates import clopper_pearson, votes_accuracy
from textward.experiments.grid import TARGET
from textward.experiments.outcomes import expanded
from textward.experiments.paper import paper
from textward.experiments.records import Record


@dataclass(frozen=True, slots=True)
class Value:
    """One figure of ours: the mean over seeds, and for shares the interval of its hits.

    >>> Value.of_shares([(8, 10), (6, 10)]).mean
    0.7
    """

    mean: float
    seeds: int
    spread: float | None = None
    """The standard deviation over the seeds."""
    low: float | None = None
    high: float | None = None
    n: int | None = None
    """Texts of one seed."""
    lower_bound: bool = False
    """Whether it is proven from below only."""

    @classmethod
    def of_shares(cls, counts: Sequence[tuple[int, int]], lower_bound: bool = False) -> Value:
        """From hits and texts, a pair a seed.

        The texts are the same whatever the seed, so the interval is that of one seed's number of texts.
        """
        shares = [hits / n for hits, n in counts]
        n = counts[0][1]
        low, high = clopper_pearson(round(mean(shares) * n), n)
        return cls(mean(shares), len(shares), _spread(shares), low, high, n, lower_bound)

    @classmethod
    def of_numbers(cls, numbers: Sequence[float]) -> Value:
        """From one number a seed.

        >>> Value.of_numbers([1.0, 3.0]).mean
        2.0
        """
        return cls(mean(numbers), len(numbers), _spread(numbers))


def _spread(numbers: Sequence[float]) -> float | None:
    return stdev(numbers) if len(numbers) > 1 else None


SENTENCES = [label for _, label in paper("table13_bow_sst2", "examples BoW gets wrong, TextGuard right")]
_HITS = {
    "cacc": ("right", "clean"),
    "others": ("right_others", "clean_others"),
    "asr": ("turned", "attacked"),
    "kept": ("kept", "attacked"),
    "same": ("same", "of"),
    "held": ("held", "turned"),
}
_COSTS = {
    "seconds": 1.0,
    "minutes": 1 / 60,
    "cpu_seconds": 1.0,
    "peak_mib": 1.0,
    "gpu_seconds": 1.0,
    "gpu_mib": 1.0,
}


def value(records: Sequence[Record], metric: str) -> Value | None:
    """One figure from the records of a cell, one a seed; None where they do not hold it.

    >>> value([{"result": {"right": 3, "clean": 4}, "cost": {}}], "cacc").mean
    0.75
    """
    name, _, rest = metric.partition(" ")
    if name in _COSTS:
        numbers = [_cost(record, "seconds" if name == "minutes" else name) for record in records]
        known = [number * _COSTS[name] for number in numbers if number is not None]
        return Value.of_numbers(known) if len(known) == len(records) and known else None
    counted = [_counted(record["result"], name, rest) for record in records]
    known_counts = [count for count in counted if count is not None]
    if not known_counts or len(known_counts) < len(counted):
        return None
    if name == "not-asr":
        return Value.of_shares([(n - hits, n) for (hits, n), _ in known_counts])
    return Value.of_shares([pair for pair, _ in known_counts], any(bound for _, bound in known_counts))


def _cost(record: Record, name: str) -> float | None:
    """A cost; where a cell began with another's plain classifier, that one's time is its own, too."""
    number: float | None = record["cost"].get(name)
    reused = float(record["result"].get("reused_seconds", 0.0)) if name.endswith("seconds") else 0.0
    return None if number is None else number + reused


def _counted(result: dict[str, Any], name: str, rest: str) -> tuple[tuple[int, int], bool] | None:
    """Hits and texts, and whether they are a lower bound."""
    if name in ("joint", "individual"):
        return _certified(result, name, rest)
    if name == "said":
        # Whether one of the example's sentences got its label.
        place = int(rest)
        return (int(result["said"][place] == SENTENCES[place]), 1), False
    hits, of = _HITS["asr" if name == "not-asr" else name]
    if hits not in result or not result[of]:
        return None
    return (int(result[hits]), int(result[of])), False


def _certified(result: dict[str, Any], method: str, rest: str) -> tuple[tuple[int, int], bool] | None:
    size, _, population = rest.partition(" ")
    t, of = int(size), population or "non_target"
    if "certified" in result:
        # A certificate against poisoned rows: whatever words they hold.
        return (int(result["certified"][min(t, 1)]), int(result["others"])), False
    if "votes" in result:
        return certified(json.dumps(result["votes"]), int(result["classes"]), method, t, of)
    if method in result and of in result[method] and t in result["sizes"]:
        place, found = result["sizes"].index(t), result[method][of]
        proven, attack = found["hits"][place], found["attack"][place]
        return (int(proven), int(found["n"])), proven != attack
    return None


@lru_cache(maxsize=4096)
def certified(
    votes: str, classes: int, method: str, size: int, population: str
) -> tuple[tuple[int, int], bool]:
    """The certified texts of a population, from a histogram of votes as JSON.

    >>> certified('{"0:000": 3, "0:011": 1, "1:111": 1}', 2, "joint", 1, "non_target")
    ((3, 4), False)
    """
    matrix, gold = expanded(json.loads(votes))
    found = votes_accuracy(matrix, gold, list(range(classes)), [size], method, TARGET)
    one = found.figures[population]
    return (round(one.shares[0] * one.n), one.n), not one.exact[0]
