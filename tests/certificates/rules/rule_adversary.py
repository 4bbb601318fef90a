"""An adversary who tries everything against a vote rule; it shares no code with what it judges.

A corrupted model may say anything: any order of the classes, or any soft votes at the ends of their range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product

Order = tuple[int, ...]
"""A model's classes, the best liked first."""
Answer = Callable[[Sequence[object]], object]


def plurality(votes: Sequence[int], classes: int) -> int:
    return max(range(classes), key=lambda c: (sum(v == c for v in votes), -c))


def abstain(votes: Sequence[int], classes: int, need: int) -> int | None:
    y = plurality(votes, classes)
    mine = sum(v == y for v in votes)
    for c in range(classes):
        if c != y and mine - sum(v == c for v in votes) - (1 if c < y else 0) < need:
            return None
    return y


def runoff(orders: Sequence[Order], classes: int) -> int:
    counts = [sum(order[0] == c for order in orders) for c in range(classes)]
    first, second = sorted(range(classes), key=lambda c: (-counts[c], c))[:2]
    for_first = sum(order.index(first) < order.index(second) for order in orders)
    for_second = len(orders) - for_first
    if for_first == for_second:
        return min(first, second)
    return first if for_first > for_second else second


def soft(votes: Sequence[Sequence[int]], classes: int) -> int:
    return max(range(classes), key=lambda c: (sum(v[c] for v in votes), -c))


def all_orders(classes: int) -> list[Order]:
    return list(permutations(range(classes)))


def all_soft(classes: int, unit: int) -> list[tuple[int, ...]]:
    return list(product((0, unit), repeat=classes))


def outcomes(
    said: Sequence[object], may_say: Sequence[object], hit: Sequence[int], answer: Answer
) -> set[object]:
    """Every answer that corrupted models can bring about."""
    found = set()
    for new in product(may_say, repeat=len(hit)):
        now = list(said)
        for place, word in zip(hit, new, strict=True):
            now[place] = word
        found.add(answer(now))
    return found


def touched(reach: Sequence[Sequence[bool]], size: int) -> Iterator[tuple[int, ...]]:
    """The models that each choice of so many buckets touches."""
    for chosen in combinations(range(len(reach)), min(size, len(reach))):
        yield tuple(j for j in range(len(reach[0])) if any(reach[b][j] for b in chosen))
