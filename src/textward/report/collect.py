"""Certified accuracy -> the curves, tables and figures of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from textward.certificates import CertifiedAccuracy, Figure
from textward.certificates.votes import IntArray
from textward.report.formats import percent, span, words
from textward.report.view import Bar, Chart, ClassRow, Curve, Headline, Point

POPULATIONS = {
    "balanced": ("Certified accuracy", "The mean over the classes, so that every class counts the same."),
    "all": ("Over all texts", "Every text counts the same, so that frequent classes weigh more."),
    "non_target": (
        "Over the texts of other classes than the target",
        "The texts an attacker would like to see in the target class.",
    ),
}
METHODS = {
    "joint": "one trigger for all texts",
    "individual": "a trigger of its own for every text",
    "one_model": "one trigger and the one model trained with it",
}
_READING = (
    "The share of the texts that is right, and stays right whatever the trigger is and wherever it stands, "
    "in the training rows and in the texts. Bars and small figures are 95 % intervals."
)
_ROWS = (
    "Balanced over the classes, where so many training rows besides were added, deleted, rewritten or "
    "relabelled at will."
)
_FRONTIER = (
    "Balanced over the classes, a trigger of its own for every text: what the cascade would be worth had its "
    "ballots answered from another lead on. At 0 words, the clean accuracy. Each line holds for a lead fixed "
    "beforehand: choose one here and train anew, on trusted rows or by another model, not on this one."
)
_RULES = (
    "Balanced over the classes, one trigger for all texts. Plurality: the most votes win. Soft votes: each "
    "base model says how sure it is, the larger the number the harder. Run-off: the first two meet again. "
    "Abstain: an answer counts only where so many trigger words cannot change it, now and after the attack."
)
_ROWS_IN_PLACE = (
    "Balanced over the classes, where so many training rows besides were rewritten or relabelled in their "
    "place; rows that come or go are not covered."
)
_MOST_BARS = 40


def points(sizes: Sequence[int], figure: Figure) -> tuple[Point, ...]:
    """A figure's shares as points.

    >>> figure = Figure(10, (0.5,), ((0.2, 0.8),), (True,), (0.5,))
    >>> points([1], figure)[0].size
    1
    """
    columns = zip(sizes, figure.shares, figure.intervals, figure.exact, figure.best_attack, strict=True)
    return tuple(Point(size, share, *ends, exact, attack) for size, share, ends, exact, attack in columns)


def population_charts(accuracies: Sequence[CertifiedAccuracy]) -> tuple[Chart, ...]:
    """A chart of the balanced figure and tables of the others, each with a curve for every method.

    >>> from textward.certificates import votes_accuracy
    >>> accuracy = votes_accuracy(np.array([[0], [1]]), np.array([0, 1]), ["a", "b"], [0, 1])
    >>> [(chart.title, chart.drawn, len(chart.curves)) for chart in population_charts([accuracy])]
    [('Certified accuracy', True, 1), ('Over all texts', False, 1)]
    """
    charts = []
    for key, (title, note) in POPULATIONS.items():
        curves = tuple(
            Curve(METHODS[accuracy.method], points(accuracy.trigger_sizes, accuracy.figures[key]))
            for accuracy in accuracies
            if key in accuracy.figures
        )
        drawn = key == "balanced"
        if curves:
            whole = f"{note} {_READING}" if drawn else note
            charts.append(Chart(key, title, whole, accuracies[0].trigger_sizes, curves, drawn))
    return tuple(charts)


def surface_charts(surface: Sequence[CertifiedAccuracy], *, in_place: bool = False) -> tuple[Chart, ...]:
    """For each method a table over trigger words and rows that an attacker wrote, or only rewrote.

    >>> from dataclasses import replace
    >>> from textward.certificates import votes_accuracy
    >>> accuracy = votes_accuracy(np.array([[0], [1]]), np.array([0, 1]), ["a", "b"], [0, 1])
    >>> [chart.curves[0].name for chart in surface_charts([replace(accuracy, rows=5)])]
    ['5 rows']
    """
    charts = []
    for method in dict.fromkeys(accuracy.method for accuracy in surface):
        mine = [accuracy for accuracy in surface if accuracy.method == method]
        curves = tuple(
            Curve(f"{one.rows:,} rows", points(one.trigger_sizes, one.figures["balanced"])) for one in mine
        )
        title = f"With an attacker's rows: {METHODS[method]}"
        note = _ROWS_IN_PLACE if in_place else _ROWS
        charts.append(Chart(f"rows-{method}", title, note, mine[0].trigger_sizes, curves, drawn=False))
    return tuple(charts)


def frontier_charts(frontier: Mapping[float, CertifiedAccuracy]) -> tuple[Chart, ...]:
    """A table of what other least leads of a cascade would give; none without a frontier.

    >>> from textward.certificates import votes_accuracy
    >>> accuracy = votes_accuracy(np.array([[0], [1]]), np.array([0, 1]), ["a", "b"], [0, 1])
    >>> [chart.curves[0].name for chart in frontier_charts({2.0: accuracy})]
    ['2 ballots']
    """
    if not frontier:
        return ()
    curves = tuple(
        Curve(f"{theta:g} ballots", points(one.trigger_sizes, one.figures["balanced"]))
        for theta, one in frontier.items()
    )
    sizes = next(iter(frontier.values())).trigger_sizes
    return (Chart("frontier", "With another least lead", _FRONTIER, sizes, curves, drawn=False),)


def rule_charts(rules: Sequence[CertifiedAccuracy]) -> tuple[Chart, ...]:
    """The same votes under several rules, on one chart; one rule alone is none.

    >>> from textward.certificates import votes_accuracy
    >>> accuracy = votes_accuracy(np.array([[0], [1]]), np.array([0, 1]), ["a", "b"], [0, 1])
    >>> [curve.name for curve in rule_charts([accuracy, accuracy])[0].curves]
    ['plurality', 'plurality']
    """
    if len(rules) < 2:
        return ()
    curves = tuple(Curve(one.rule, points(one.trigger_sizes, one.figures["balanced"])) for one in rules)
    return (Chart("rules", "The same votes under other rules", _RULES, rules[0].trigger_sizes, curves),)


def class_rows(accuracy: CertifiedAccuracy) -> tuple[ClassRow, ...]:
    """A row for each class in the test set."""
    return tuple(
        ClassRow(name, figure.n, points(accuracy.trigger_sizes, figure))
        for name, figure in accuracy.class_figures.items()
    )


def radius_bars(radius: IntArray, right: IntArray) -> tuple[Bar, ...]:
    """How many right and wrong answers have each radius; `right` holds a mark for each text.

    >>> [(bar.right, bar.wrong) for bar in radius_bars(np.array([0, 2, 0]), np.array([True, True, False]))]
    [(1, 1), (0, 0), (1, 0)]
    """
    shown = np.minimum(radius, _MOST_BARS)
    length = int(shown.max(initial=0)) + 1
    marks = np.asarray(right, dtype=np.bool_)
    rights = np.bincount(shown[marks], minlength=length).tolist()
    wrongs = np.bincount(shown[~marks], minlength=length).tolist()
    return tuple(Bar(number, *pair) for number, pair in enumerate(zip(rights, wrongs, strict=True)))


def headlines(accuracy: CertifiedAccuracy) -> tuple[Headline, ...]:
    """The accuracy without a trigger and with the smallest, and the trigger that half withstand.

    >>> from textward.certificates import votes_accuracy
    >>> accuracy = votes_accuracy(np.array([[0] * 3, [1] * 3]), np.array([0, 1]), ["a", "b"], range(3))
    >>> [headline.value.replace("\u202f", " ") for headline in headlines(accuracy)]
    ['100.0 %', '100.0 %', '1 word']
    """
    figure = accuracy.figures["balanced"]
    found = points(accuracy.trigger_sizes, figure)
    clean = [point for point in found if point.size == 0]
    sizes = [point for point in found if point.size > 0]
    shown = [_headline(point, figure.n) for point in [*clean, *sizes[:1]]]
    half = [point.size for point in sizes if point.share >= 0.5]
    if half:
        value = f"{max(half)} word{'s' * (max(half) != 1)}"
        label = "may make up the trigger, and still half of the answers are right for certain"
        shown.append(Headline(value, label, f"the largest trigger tried has {words(found[-1].size)}"))
    return tuple(shown)


def _headline(point: Point, n: int) -> Headline:
    label = "of the answers are right while no trigger is used"
    if point.size:
        which = "one trigger word is" if point.size == 1 else f"{point.size} trigger words are"
        label = f"of the answers are right for certain, whichever {which} used"
    note = f"balanced; 95 % interval {span(point.low, point.high)}; {n:,} texts"
    return Headline(percent(point.share), label, note)
