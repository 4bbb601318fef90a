"""What a page shows, as frozen numbers and plain strings; nothing here knows HTML."""

from __future__ import annotations

from dataclasses import dataclass

_LONG = 48
"""Characters from which on a cell is text, and no figure."""


@dataclass(frozen=True, slots=True)
class Point:
    """One share, and how far to trust it.

    >>> Point(size=1, share=0.5, low=0.4, high=0.6).exact
    True
    """

    size: int
    """The number of trigger words."""
    share: float
    low: float
    high: float
    exact: bool = True
    """Whether the share is the minimum itself; else it is a proven lower bound."""
    best_attack: float | None = None
    """What the worst attack found leaves."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares by trigger size, under one name.

    >>> Curve("7 groups", (Point(0, 0.9, 0.8, 1.0),)).at(1) is None
    True
    """

    name: str
    points: tuple[Point, ...]

    def at(self, size: int) -> Point | None:
        """The point at a trigger size; None where there is none, which means no guarantee."""
        return next((point for point in self.points if point.size == size), None)


@dataclass(frozen=True, slots=True)
class Chart:
    """Several curves over the same trigger sizes.

    >>> Chart("joint", "Joint", "One trigger for all texts.", (0, 1), ()).sizes
    (0, 1)
    """

    key: str
    title: str
    note: str
    sizes: tuple[int, ...]
    curves: tuple[Curve, ...]
    drawn: bool = True
    """Whether there is a picture above the table."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The texts of one radius.

    >>> Bar(radius=2, right=10, wrong=1).right
    10
    """

    radius: int
    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Cover:
    """What is left where only answers of a least radius are given.

    >>> Cover(least=1, n=50, answered=0.5, share=0.9, low=0.8, high=0.95).n
    50
    """

    least: int
    n: int
    """Texts answered."""
    answered: float
    """Their share of all texts."""
    share: float
    """Of those answered, the share that is right, with its interval."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class of the test set.

    >>> ClassRow("toxic", 10, ()).n
    10
    """

    name: str
    n: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the model reads it, with a mark that is legible without its colour.

    >>> Word("film", mark="3", colour=3).mark
    '3'
    """

    text: str
    mark: str
    """The group's number, or the class a ballot leans to and by how much; empty for a neutral word."""
    colour: int | None
    """One of the page's nine colours; None for a word that pulls nowhere."""
    planted: bool = False
    """Whether it is known to be an attacker's."""


@dataclass(frozen=True, slots=True)
class GroupVote:
    """One group's vote on one text.

    >>> GroupVote(3, "toxic", for_winner=True, colour=3).label
    'toxic'
    """

    group: int
    label: str
    for_winner: bool
    colour: int


@dataclass(frozen=True, slots=True)
class ClassScore:
    """What one class received on one text.

    >>> ClassScore("toxic", "5 votes", 0.7, wins=True).wins
    True
    """

    name: str
    score: str
    part: float
    """Of what all classes received."""
    wins: bool


@dataclass(frozen=True, slots=True)
class Example:
    """One text, as the model sees it and answers it.

    >>> Example("7 groups", "a film", (), 0, "good", "good", 1, "").radius
    1
    """

    model: str
    text: str
    words: tuple[Word, ...]
    left_out: int
    """Words that are not shown, for there are too many."""
    truth: str | None
    label: str
    radius: int | None
    note: str
    votes: tuple[GroupVote, ...] = ()
    scores: tuple[ClassScore, ...] = ()
    text_left_out: int = 0
    """Characters that are not shown."""


@dataclass(frozen=True, slots=True)
class TextRow:
    """One text of the test set, in a table of many.

    >>> TextRow(1, (), 0, "good", "bad", False, "1 : 4", 1).right
    False
    """

    number: int
    words: tuple[Word, ...]
    left_out: int
    truth: str
    label: str
    right: bool
    votes: str
    """For each class, in the order of the classes."""
    radius: int


@dataclass(frozen=True, slots=True)
class Band:
    """One bar cut into the parts that its legend names.

    >>> sum(Band("plain", (0.25, 0.75), ("1", "3")).parts)
    1.0
    """

    name: str
    parts: tuple[float, ...]
    counts: tuple[str, ...]
    """What each part stands for, as text."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A plain table, and the bands drawn above it; the first cell of a row is its name.

    >>> Grid("attack", "The attack", "", ("classifier", "success"), (("plain", "93 %"),)).rows[0][0]
    'plain'
    """

    key: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    legend: tuple[str, ...] = ()
    bands: tuple[Band, ...] = ()

    @property
    def prose(self) -> frozenset[int]:
        """The columns with whole sentences, which are set as such.

        >>> Grid("rows", "Rows", "", ("row", "text"), (("1", "a film " * 20),)).prose
        frozenset({1})
        """
        columns = range(1, len(self.columns))
        return frozenset(n for n in columns if any(len(row[n]) > _LONG for row in self.rows if n < len(row)))


@dataclass(frozen=True, slots=True)
class Headline:
    """One figure to remember, in words.

    >>> Headline("65 %", "of texts keep their label", "n = 100").value
    '65 %'
    """

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of provenance.

    >>> Fact("seed", "0").value
    '0'
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything one page shows, in the order it shows it; an empty part is left out.

    >>> Page("Certificate of model/", "What no trigger can change.").charts
    ()
    """

    title: str
    lead: str
    headlines: tuple[Headline, ...] = ()
    grids: tuple[Grid, ...] = ()
    charts: tuple[Chart, ...] = ()
    bars: tuple[Bar, ...] = ()
    covers: tuple[Cover, ...] = ()
    class_sizes: tuple[int, ...] = ()
    classes: tuple[ClassRow, ...] = ()
    examples: tuple[Example, ...] = ()
    texts: tuple[TextRow, ...] = ()
    texts_note: str = ""
    assumptions: tuple[str, ...] = ()
    assumptions_title: str = "What the guarantee covers, and what it does not"
    provenance: tuple[Fact, ...] = ()
