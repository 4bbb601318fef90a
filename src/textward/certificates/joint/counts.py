"""How many texts survive, and how much work may be spent on counting them."""

from __future__ import annotations

from dataclasses import dataclass

from textward.certificates.votes import check_integer
from textward.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    """How much work to spend before settling for a proven bound; counted, never timed, so that runs agree.

    >>> Limits(nodes=10).nodes
    10
    """

    cells: int = 1 << 34  # sets x texts one enumeration may visit; 0 leaves the search alone
    nodes: int = 2_000  # branches one search may open

    def __post_init__(self) -> None:
        check_integer("cells", self.cells, least=0)
        check_integer("nodes", self.nodes, least=1)


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class JointCount:
    """How many of `texts` are right and survive the worst set of corrupted groups.

    `survivors` is always proven: the minimum when `exact`, else a lower bound. `attack` is the worst set
    found and `attack_survivors` what it leaves, an upper bound on the minimum.

    >>> JointCount(texts=4, survivors=1, exact=False, attack=(0, 3), attack_survivors=2).share
    0.25
    """

    texts: int
    survivors: int
    exact: bool
    attack: tuple[int, ...]
    attack_survivors: int

    @property
    def share(self) -> float:
        """The certified share of the texts."""
        if self.texts == 0:
            raise UsageError("a certified share needs at least one text, got none")
        return self.survivors / self.texts
