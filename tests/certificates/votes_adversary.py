"""An adversary who tries everything, in plain Python; it shares no code with what it judges.

Votes are counted by hand, every set of groups is taken and every re-vote of it tried. Only the order of the
re-votes is left out, which a count of votes cannot see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement

Row = tuple[int, ...]


def winner(votes: Sequence[int], classes: int) -> int:
    most, best = -1, -1
    for c in range(classes):
        count = sum(1 for vote in votes if vote == c)
        if count > most:
            most, best = count, c
    return best


@cache
def outcomes(votes: Row, classes: int, groups: Row) -> frozenset[int]:
    """Every winner an adversary can bring about who turns these groups."""
    kept = [vote for j, vote in enumerate(votes) if j not in groups]
    revotes = combinations_with_replacement(range(classes), len(groups))
    return frozenset(winner([*kept, *new], classes) for new in revotes)


def sets_of(groups: int, size: int) -> Iterator[Row]:
    return combinations(range(groups), min(size, groups))


def holds(votes: Row, classes: int, groups: Row) -> bool:
    return outcomes(votes, classes, groups) == {winner(votes, classes)}


def radius(votes: Row, classes: int) -> int:
    sizes = range(1, len(votes) + 1)
    broken = (size for size in sizes if not all(holds(votes, classes, g) for g in sets_of(len(votes), size)))
    return next(broken) - 1


def survivors(rows: Sequence[Row], labels: Sequence[int], classes: int, groups: Row) -> int:
    return sum(outcomes(row, classes, groups) == {y} for row, y in zip(rows, labels, strict=True))


def joint(rows: Sequence[Row], labels: Sequence[int], classes: int, groups: int, size: int) -> int:
    return min(survivors(rows, labels, classes, turned) for turned in sets_of(groups, size))
