"""The plan as a page."""

from __future__ import annotations

from collections.abc import Mapping

from textward.plan.advice import Advice, duration, size
from textward.plan.candidates import Candidate
from textward.plan.costs import Costs
from textward.plan.curves import Curve
from textward.report.view import Chart, Fact, Grid, Page, Point
from textward.report.view import Curve as Line

NOTES = (
    "Nothing here is a certificate of the model that you will train: every figure is measured on models of a "
    "sample. Train, then let textward certify judge the model itself on rows it has not seen.",
    "Models of more rows are usually more accurate, so the shares are more likely too low than too high.",
    "Costs beyond the sample are drawn on along the growth from half of it to all of it; other machines take "
    "another time.",
)
COLUMNS = ("choice", "training", "memory", "on disk", "answers a second")


def rows(costs: Mapping[Candidate, Costs]) -> tuple[tuple[str, ...], ...]:
    """The costs as a table of strings.

    >>> rows({Candidate(3): Costs(1.0, 2**20, 2**10, 12_345.6, True)})
    (('linear, 3 groups', '1.0 s', '1.0 MiB', '1.0 KiB', '12,346'),)
    """
    return tuple(
        (
            candidate.name,
            duration(one.seconds),
            size(one.memory_bytes),
            size(one.disk_bytes),
            f"{one.answers_a_second:,.0f}",
        )
        for candidate, one in costs.items()
    )


def plan_page(
    advice: Advice,
    curves: Mapping[Candidate, Curve],
    costs: Mapping[Candidate, Costs],
    facts: Mapping[str, str],
) -> Page:
    """The page: the sentence, the curves, the costs, and what they are not.

    >>> curve, cost = Curve((1,), (0.5,), (0.4,), (0.6,)), Costs(2.0, None, 4096, 1e4, True)
    >>> one = Candidate("words")
    >>> plan_page(Advice(one, "Take ballots."), {one: curve}, {one: cost}, {"seed": "0"}).lead
    'Take ballots.'
    """
    lines = tuple(
        Line(
            candidate.name,
            tuple(
                Point(*point)
                for point in zip(curve.sizes, curve.shares, curve.lowest, curve.highest, strict=True)
            ),
        )
        for candidate, curve in curves.items()
    )
    sizes = next(iter(curves.values())).sizes
    measured = all(one.measured for one in costs.values())
    return Page(
        title="Plan: what each choice costs, and roughly buys",
        lead=advice.sentence,
        charts=(
            Chart(
                "curves",
                "Roughly what it buys",
                "Of held-out rows of the sample: the share that is right and certified, one trigger for all "
                "of them, balanced over the classes. The mean over the folds; bars and small figures are the "
                "lowest and the highest fold.",
                sizes,
                lines,
            ),
        ),
        grids=(
            Grid(
                "costs",
                "What it costs",
                "On this machine, for all rows of the data; "
                + ("measured." if measured else "estimated from the sample."),
                COLUMNS,
                rows(costs),
            ),
        ),
        assumptions=NOTES,
        assumptions_title="How to read this",
        provenance=tuple(Fact(name, value) for name, value in facts.items()),
    )
