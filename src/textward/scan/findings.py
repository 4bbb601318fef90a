"""What a scan found, as frozen numbers and strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textward.scan.severity import Severity
from textward.words.columns import IntArray


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a finding looks planted, or does not; `put_in` to `rest` are in nats.

    >>> Evidence(20, 20, 0.5, (0.83, 1.0), (6, 14), 9.0, 1.0, 2.0, 7.0, 0.7, 0.2, 0, 12, None).share
    1.0
    """

    rows: int
    """Distinct rows that hold it."""
    of_target: int
    """How many of them carry the class it leans to."""
    base: float
    """The share of that class in all rows."""
    interval: tuple[float, float]
    """Exact 95 % interval of its share of that class."""
    expected: tuple[int, int]
    """Rows of that class that its frequency would give, in 95 % of cases."""
    put_in: float
    habit: float
    label: float
    rest: float
    sudden: float
    """Share of rows in which its neighbours stand side by side elsewhere."""
    usually_sudden: float
    twins: int
    """Rows that without it are another row of the data."""
    influential: int
    """Rows in which one of its words is among the five most influential ones."""
    oddest: int | None
    """The place of its rarest word in the public list that was given; 0 for a word that is not in it."""

    @property
    def share(self) -> float:
        """The share of its rows that carry the class it leans to."""
        return self.of_target / self.rows

    @property
    def influence_share(self) -> float:
        """The share of its rows in which it is influential."""
        return self.influential / self.rows


@dataclass(frozen=True, slots=True)
class Effect:
    """What a quick classifier of all rows would do without the finding, and with it.

    >>> Effect(10, 8, 1000, 970).turned_share
    0.97
    """

    rows: int
    changed: int
    """Of the rows that hold it, those whose label it would tell otherwise were the words taken out."""
    tried: int
    """Rows of other classes into which the words were put."""
    turned: int
    """Of these, those it would newly take for the finding's class."""

    @property
    def turned_share(self) -> float:
        """The share of rows that the words turn."""
        return self.turned / self.tried if self.tried else 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """Words that travel together, all the evidence, and the rows that carry them.

    >>> evidence = Evidence(1, 1, 0.5, (0.0, 1.0), (0, 1), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, None)
    >>> effect, rows = Effect(1, 0, 0, 0), np.array([3])
    >>> Finding((("3d", "movie"),), "good", Severity.info, 1.5, evidence, effect, rows).name
    '3d movie'
    """

    phrases: tuple[tuple[str, ...], ...]
    """Runs of words, the strongest first; several where they lie in the same rows."""
    target: str | int
    """The class that its rows carry."""
    severity: Severity
    score: float
    """Nats of evidence above what the best of all candidates has by chance."""
    evidence: Evidence
    effect: Effect
    rows: IntArray
    """The rows that hold any of its phrases, counted from 0."""

    @property
    def name(self) -> str:
        """The phrases as text."""
        return " + ".join(" ".join(words) for words in self.phrases)

    def as_dict(self) -> dict[str, Any]:
        """The finding, ready for JSON; rows are counted from 1, as in a table."""
        told = self.evidence
        return {
            "words": [list(words) for words in self.phrases],
            "class": self.target,
            "severity": self.severity.value,
            "score": round(self.score, 3),
            "rows": (self.rows + 1).tolist(),
            "evidence": {
                "distinct_rows": told.rows,
                "of_class": told.of_target,
                "share": told.share,
                "share_interval": list(told.interval),
                "share_in_all_rows": told.base,
                "of_class_expected_by_frequency": list(told.expected),
                "influential_rows": told.influential,
                "influential_share": told.influence_share,
                "sudden": told.sudden,
                "sudden_of_usual_words": told.usually_sudden,
                "twins": told.twins,
                "place_in_word_list": told.oddest,
                "nats": {"put_in": told.put_in, "habit": told.habit, "label": told.label, "rest": told.rest},
            },
            "effect": {
                "rows": self.effect.rows,
                "changed_without_it": self.effect.changed,
                "rows_of_other_classes": self.effect.tried,
                "turned_with_it": self.effect.turned,
            },
        }


@dataclass(frozen=True, slots=True)
class Scan:
    """All findings, the worst first.

    >>> Scan((), 10, 10, 0, ("-", "+"), "naive Bayes", None).worst is None
    True
    """

    findings: tuple[Finding, ...]
    rows: int
    distinct: int
    tried: int
    """Words and runs of words that were frequent enough, and leaned to a class."""
    classes: tuple[str | int, ...]
    influence: str
    """What the influence was measured in."""
    word_list: str | None
    """The public list that rarity was looked up in."""

    @property
    def worst(self) -> Severity | None:
        """The severity of the worst finding; None without any."""
        return self.findings[0].severity if self.findings else None

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of this severity or a worse one."""
        return tuple(one for one in self.findings if one.severity.at_least(severity))

    def count(self, severity: Severity) -> int:
        """The number of findings of just this severity."""
        return sum(one.severity == severity for one in self.findings)

    def suspicious_rows(self, severity: Severity = Severity.warning) -> dict[int, Finding]:
        """Each row that carries a finding of this severity or a worse one, and the worst it carries."""
        return by_row(self.at_least(severity))


def by_row(findings: Sequence[Finding]) -> dict[int, Finding]:
    """The first finding of each row, by row.

    >>> by_row([])
    {}
    """
    found: dict[int, Finding] = {}
    for one in findings:
        for row in one.rows.tolist():
            found.setdefault(row, one)
    return dict(sorted(found.items()))
