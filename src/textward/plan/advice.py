"""One sentence: what to take, what it roughly buys, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textward.plan.candidates import Candidate
from textward.plan.costs import Costs
from textward.plan.curves import Curve
from textward.report.formats import words

_ALIKE = 0.01
"""Shares that lie no further apart are taken for alike, and the faster choice wins."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to take, and why.

    >>> Advice(Candidate("words"), "Take ballots.").chosen.name
    'ballots'
    """

    chosen: Candidate
    sentence: str


def advise(
    curves: Mapping[Candidate, Curve], costs: Mapping[Candidate, Costs], *, at: int, rows: int
) -> Advice:
    """Take what keeps most answers right and certified at a trigger size; of those alike, the fastest.

    >>> curve, cost = Curve((1,), (0.5,), (0.4,), (0.6,)), Costs(2.0, None, 4096, 1e4, True)
    >>> found = advise({Candidate("words"): curve}, {Candidate("words"): cost}, at=1, rows=100)
    >>> found.sentence
    'Take ballots (textward train DATA --out DIR --learner ballots): on the sample 50.0 % of the answers \
were right and certified against 1 trigger word, and training on all 100 rows takes about 2.0 s.'
    """
    best = max(one.at(at) for one in curves.values())
    alike = [one for one, curve in curves.items() if best - curve.at(at) <= _ALIKE]
    chosen = min(alike, key=lambda one: (costs[one].seconds, str(one.groups)))
    others = [one for one in curves if one not in alike]
    sentence = (
        f"Take {chosen.name} (textward train DATA --out DIR {chosen.command}): on the sample "
        f"{_percent(curves[chosen].at(at))} of the answers were right and certified against {words(at)}"
    )
    if others:
        next_best = max(others, key=lambda one: curves[one].at(at))
        sentence += f", {_percent(curves[next_best].at(at))} with {next_best.name}"
    took = f"training on all {rows:,} rows takes about {duration(costs[chosen].seconds)}"
    return Advice(chosen, f"{sentence}{',' if not others else ';'} {'and ' if not others else ''}{took}.")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def duration(seconds: float) -> str:
    """A time as a reader wants it.

    >>> duration(0.0423), duration(7.25), duration(600), duration(9000)
    ('42 ms', '7.2 s', '10 min', '2.5 h')
    """
    for size, unit, digits in ((3600.0, "h", 1), (120.0, "min", 0), (1.0, "s", 1)):
        if seconds >= size:
            return f"{seconds / (60.0 if unit == 'min' else size):.{digits}f} {unit}"
    return f"{1000 * seconds:.0f} ms"


def size(number: int | None) -> str:
    """So many bytes as a reader wants them.

    >>> size(3 * 2**20), size(None)
    ('3.0 MiB', 'not known')
    """
    if number is None:
        return "not known"
    for unit, power in (("GiB", 3), ("MiB", 2), ("KiB", 1)):
        if number >= 1024**power:
            return f"{number / 1024**power:.1f} {unit}"
    return f"{number} B"
