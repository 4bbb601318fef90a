"""What an experiment is: the spots of a table, each with the cell that fills it and the paper's figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

TARGET = 1
"""The class the attacks aim at, on every dataset."""
What = Literal["certified", "measured", "examples", "partition", "case"]
ENCODER_ONLY = frozenset({"RAP", "R-Adapter"})
"""Defences that look into an encoder, and have no cell without one."""
SLOW = frozenset({"ONION", "BKI", "STRIP", "RAP", "R-Adapter", "DPA", "Bagging"})


@dataclass(frozen=True, slots=True)
class Cell:
    """One model on one training set, and what is asked of it; of text nothing is kept here.

    >>> Cell("hsol", m=7).key
    'certified/hsol/TextGuard/none/clean/0/1/m7/K-/md5/s0'
    """

    data: str
    what: What = "certified"
    """"certified": votes on clean test texts; "measured": accuracy and the attack's success."""
    defence: str = "TextGuard"
    attack: str = "none"
    setting: str = "clean"
    rate: float = 0.0
    words: int = 1
    """Distinct trigger words in each text, for the attacks that ask."""
    m: int = 0
    K: int | None = None
    """The least rows of a potential trigger word: the empirical mode. None: groups by hash alone."""
    hash: str = "md5"
    seed: int = 0

    @property
    def key(self) -> str:
        """Its name in the records; a backbone and a scale are told beside it."""
        least = "-" if self.K is None else self.K
        return (
            f"{self.what}/{self.data}/{self.defence}/{self.attack}/{self.setting}/{self.rate:g}/{self.words}"
            f"/m{self.m}/K{least}/{self.hash}/s{self.seed}"
        )

    @property
    def rows(self) -> tuple[Any, ...]:
        """What its training rows depend on."""
        own = (self.m, self.hash) if self.attack in ("adaptive", "together") else ()
        return (
            self.what == "certified",
            self.data,
            self.attack,
            self.setting,
            self.rate,
            self.words,
            own,
            self.seed,
        )

    @property
    def slow(self) -> bool:
        """Whether one seed has to do, unless more are asked for."""
        return self.defence in SLOW or self.data == "agnews"

    def as_dict(self) -> dict[str, Any]:
        """The cell, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a table: which cell fills it, what is read off the cell, and what the paper has there.

    >>> Spot(("m=7",), "t=1", Cell("hsol", m=7), "joint 1", 0.562).paper
    0.562
    """

    row: tuple[str, ...]
    column: str
    cell: Cell
    metric: str
    paper: float | None = None


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or figure of the paper.

    >>> spot = Spot(("a",), "b", Cell("hsol"), "cacc")
    >>> Experiment("t", "A table", (), "share", (spot,)).cells(seeds=2)[1].seed
    1
    """

    name: str
    title: str
    headings: tuple[str, ...]
    """What the parts of a row's name are."""
    unit: str
    spots: tuple[Spot, ...]
    notes: tuple[str, ...] = ()
    chart: bool = False
    """Whether columns are trigger sizes, and rows curves over them."""
    page: Callable[[Any], str] | None = None
    """A table that is no grid of figures: records -> Markdown."""

    def cells(self, seeds: int | None = None) -> list[Cell]:
        """Every cell, first seeds first; `seeds` None is three, and one where a cell is slow."""
        once = dict.fromkeys(spot.cell for spot in self.spots)
        return list(_seeded(once, seeds))


def _seeded(cells: Iterable[Cell], seeds: int | None) -> Iterator[Cell]:
    found = list(cells)
    for seed in range(seeds or 3):
        for cell in found:
            fixed = cell.what in ("partition", "case", "examples")
            most = 1 if fixed or (seeds is None and cell.slow) else seeds or 3
            if seed < most:
                yield replace(cell, seed=seed)
