"""Tables and figures as a page that opens offline, and a figure as a small picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from textward.experiments.metrics import Value
from textward.experiments.tables import Entry, Table, titled
from textward.report import Chart, Curve, Fact, Grid, Page, render
from textward.report.charts import COLOURS
from textward.report.view import Point

WIDTH, HEIGHT, ACROSS = 300, 210, 3
_LEFT, _TOP, _BOTTOM, _LEGEND = 38, 26, 28, 16


def page_of(tables: Sequence[Table]) -> Page:
    """The tables of one experiment as a page.

    >>> from textward.experiments.records import Run
    >>> page_of([Table("t", "Title", ("a",), (), ("A note.",), Run(), ("One seed.",))]).title
    'Title'
    """
    first = tables[0]
    grids = tuple(
        Grid(
            f"table-{number}", table.run.name, "Ours, and in brackets the paper's.",
            (*table.headings, *map(titled, table.columns)),
            tuple(tuple(cell.replace("*", "") for cell in line) for line in table.lines()),
        )
        for number, table in enumerate(tables)
    )  # fmt: skip
    charts = tuple(chart for table in tables if table.chart for chart in charts_of(table))
    facts = tuple(Fact(table.run.name, line) for table in tables for line in table.made_of)
    lead = " ".join(first.notes)
    return Page(first.title, lead, grids=grids, charts=charts, provenance=facts)


def as_html(tables: Sequence[Table]) -> str:
    """The page as HTML."""
    return render(page_of(tables))


def charts_of(table: Table) -> list[Chart]:
    """One chart for each group of rows; columns are trigger sizes, and the last part of a name is a curve's.

    >>> from textward.experiments.metrics import Value
    >>> from textward.experiments.records import Run
    >>> from textward.experiments.tables import Entry
    >>> entry = Entry(("p = 0.1", "m = 7"), "t=1", Value(0.5, 1, None, 0.4, 0.6), 0.562)
    >>> charts_of(Table("t", "T", ("a", "b"), (entry,), (), Run(), ()))[0].curves[0].points[0].share
    0.5
    """
    found = []
    for number, panel in enumerate(dict.fromkeys(row[:-1] for row in table.rows)):
        curves: list[Curve] = []
        for row in [row for row in table.rows if row[:-1] == panel]:
            entries = [one for one in table.entries if one.row == row and one.column.startswith("t=")]
            ours = [(one, one.ours) for one in entries if one.ours is not None]
            points = tuple(
                Point(
                    _size(one.column),
                    own.mean,
                    own.low or own.mean,
                    own.high or own.mean,
                    not own.lower_bound,
                )
                for one, own in ours
            )
            papers = tuple(
                Point(_size(one.column), one.paper, one.paper, one.paper)
                for one in entries
                if one.paper is not None
            )
            curves += [Curve(row[-1], points)] if points else []
            curves += [Curve(f"{row[-1]} (paper)", papers)] if papers else []
        sizes = tuple(sorted({point.size for curve in curves for point in curve.points}))
        title = ", ".join(map(titled, panel)) or table.title
        if sizes:
            found.append(
                Chart(f"chart-{table.run.name}-{number}", title, table.run.name, sizes, tuple(curves))
            )
    return found


def _point(entry: Entry, own: Value) -> Point:
    low, high = (own.mean if end is None else end for end in (own.low, own.high))
    return Point(_size(entry.column), own.mean, low, high, not own.lower_bound)


def _size(column: str) -> int:
    return int(column.removeprefix("t="))


def as_svg(table: Table) -> str:
    """The charts as one picture: ours in full lines, the paper's in dashes.

    >>> from textward.experiments.records import Run
    >>> as_svg(Table("t", "T", ("a",), (), (), Run(), ()))[:4]
    '<svg'
    """
    charts = charts_of(table)
    most = max([len(chart.curves) for chart in charts], default=0)
    tall = HEIGHT + _LEGEND * most
    wide = min(ACROSS, max(1, len(charts)))
    parts = []
    for number, chart in enumerate(charts):
        x, y = (number % ACROSS) * WIDTH, (number // ACROSS) * tall
        parts.append(f'<g transform="translate({x} {y})">{_panel(chart)}</g>')
    size = wide * WIDTH, -(-len(charts) // ACROSS) * tall
    style = "text{font:12px system-ui,sans-serif;fill:#555}.t{font-weight:600}.g{stroke:#8884;stroke-width:1}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" '
        f'role="img" aria-label="{escape(table.title)}"><style>{style}</style>{"".join(parts)}</svg>\n'
    )


def _panel(chart: Chart) -> str:
    low, high = min(chart.sizes), max(chart.sizes)
    right, bottom = WIDTH - 12, HEIGHT - _BOTTOM

    def at(size: int, share: float) -> tuple[float, float]:
        across = (size - low) / max(1, high - low)
        return round(_LEFT + across * (right - _LEFT), 1), round(bottom - share * (bottom - _TOP), 1)

    parts = [f'<text class="t" x="{_LEFT}" y="16">{escape(chart.title)}</text>']
    for tenth in range(0, 11, 2):
        y = at(low, tenth / 10)[1]
        parts.append(f'<line class="g" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{tenth * 10}</text>')
    parts += [
        f'<text x="{at(size, 0)[0]}" y="{bottom + 18}" text-anchor="middle">{size}</text>'
        for size in chart.sizes
    ]
    names = list(dict.fromkeys(curve.name.removesuffix(" (paper)") for curve in chart.curves))
    for number, curve in enumerate(chart.curves):
        colour = COLOURS[names.index(curve.name.removesuffix(" (paper)")) % len(COLOURS)]
        dashed = ' stroke-dasharray="4 3"' if curve.name.endswith(" (paper)") else ""
        places = [at(point.size, point.share) for point in curve.points]
        drawn = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashed} points="{drawn}"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        y = HEIGHT + _LEGEND * number
        ends = f'x1="{_LEFT}" x2="{_LEFT + 22}" y1="{y}" y2="{y}"'
        parts.append(f'<line {ends} stroke="{colour}" stroke-width="2"{dashed}/>')
        parts.append(f'<text x="{_LEFT + 28}" y="{y + 4}">{escape(curve.name)}</text>')
    return "".join(parts)
