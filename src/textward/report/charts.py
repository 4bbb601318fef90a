"""A chart as a plotly figure; text, grid and background take their colours from the page's style sheet."""

from __future__ import annotations

from typing import Any

from textward.data.messages import visible
from textward.report.view import Bar, Chart, Cover, Curve, Point

# As bright as each other, so that each has a contrast of at least 3.5 on the light page and on the dark one.
COLOURS = ("#2e7cc2", "#d1571f", "#12906a", "#9a5fc0", "#a07a10", "#cf4f86", "#6f7f92", "#1590a8", "#6f8f1f")
# Beside its colour a curve has its own marker and dash, for readers who do not tell the colours apart.
_MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "star", "pentagon", "cross", "hexagon")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "solid", "dash", "dot", "dashdot")
_PLAIN = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}
_FONT = {"family": "system-ui, sans-serif", "size": 13}
_SHARE_AXIS = {
    "range": [-1.5, 101.5],
    "tick0": 0,
    "dtick": 20,
    "ticksuffix": " %",
    "fixedrange": True,
    "zeroline": False,
}


def curve_figure(chart: Chart) -> dict[str, Any]:
    """The curves with their intervals.

    >>> point = Point(0, 0.5, 0.4, 0.6)
    >>> figure = curve_figure(Chart("joint", "Joint", "", (0,), (Curve("7 groups", (point,)),)))
    >>> figure["data"][0]["y"], figure["data"][0]["error_y"]["array"]
    ([50.0], [10.0])
    """
    axis = {
        "title": {"text": "trigger words"},
        "tickmode": "array",
        "tickvals": list(chart.sizes),
        "range": [min(chart.sizes) - 0.25, max(chart.sizes) + 0.25],
        "fixedrange": True,
        "zeroline": False,
    }
    layout = _layout(xaxis=axis, yaxis={**_SHARE_AXIS, "title": {"text": "right and certified"}})
    return {"data": [_trace(curve, number) for number, curve in enumerate(chart.curves)], "layout": layout}


def radius_figure(bars: tuple[Bar, ...]) -> dict[str, Any]:
    """How many texts have each radius, right and wrong answers stacked.

    >>> [trace["y"] for trace in radius_figure((Bar(0, 5, 2), Bar(1, 3, 0)))["data"]]
    [[5, 3], [2, 0]]
    """
    sizes = [bar.radius for bar in bars]
    parts = [("right answers", [bar.right for bar in bars]), ("wrong answers", [bar.wrong for bar in bars])]
    patterns = ({"shape": ""}, {"shape": "/", "solidity": 0.35})
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": sizes,
            "y": counts,
            "marker": {"color": COLOURS[number], "pattern": pattern, "line": {"width": 0}},
            "hovertemplate": f"radius %{{x}}<br>%{{y:,}} {name}<extra></extra>",
        }
        for number, ((name, counts), pattern) in enumerate(zip(parts, patterns, strict=True))
    ]
    axis = {"title": {"text": "radius"}, "dtick": 1 if len(bars) < 20 else None, "fixedrange": True}
    layout = _layout(
        xaxis=axis, yaxis={"title": {"text": "texts"}, "fixedrange": True, "rangemode": "tozero"}
    )
    return {"data": traces, "layout": {**layout, "barmode": "stack", "bargap": 0.25}}


def coverage_figure(covers: tuple[Cover, ...]) -> dict[str, Any]:
    """How right the answers are that are left when only some are given; one point for each least radius.

    >>> coverage_figure((Cover(0, 10, 1.0, 0.8, 0.7, 0.9),))["data"][0]["text"]
    ['0']
    """
    trace = {
        "type": "scatter",
        "mode": "lines+markers+text" if len(covers) < 15 else "lines+markers",
        "x": [_percent(one.answered) for one in covers],
        "y": [_percent(one.share) for one in covers],
        "text": [str(one.least) for one in covers],
        "textposition": "top center",
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_percent(one.high - one.share) for one in covers],
            "arrayminus": [_percent(one.share - one.low) for one in covers],
            "thickness": 1,
            "width": 3,
        },
        "line": {"color": COLOURS[0], "width": 2.5},
        "marker": {"color": COLOURS[0], "size": 8},
        "hovertemplate": "radius %{text} or more<br>%{x:.1f} % answered, %{y:.1f} % right<extra></extra>",
    }
    # From all answers on the left to the few surest on the right.
    across = {**_SHARE_AXIS, "range": [104, -4], "title": {"text": "share of the texts that are answered"}}
    # With room for a radius above a point at 100 %.
    layout = _layout(
        xaxis=across, yaxis={**_SHARE_AXIS, "range": [-1.5, 109], "title": {"text": "of these, right"}}
    )
    return {"data": [trace], "layout": {**layout, "showlegend": False}}


def _layout(*, xaxis: dict[str, Any], yaxis: dict[str, Any]) -> dict[str, Any]:
    return {
        **_PLAIN,
        "font": _FONT,
        "margin": {"l": 60, "r": 12, "t": 8, "b": 48},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "xanchor": "left", "x": 0},
        "hoverlabel": {"font": _FONT},
        "xaxis": {**xaxis, "automargin": True},
        "yaxis": {**yaxis, "automargin": True},
    }


def _trace(curve: Curve, number: int) -> dict[str, Any]:
    colour, place = COLOURS[number % len(COLOURS)], number % len(_MARKERS)
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(curve.points) > 1 else "markers",
        "name": _shown(curve.name),
        "x": [point.size for point in curve.points],
        "y": [_percent(point.share) for point in curve.points],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_percent(point.high - point.share) for point in curve.points],
            "arrayminus": [_percent(point.share - point.low) for point in curve.points],
            "thickness": 1,
            "width": 3,
        },
        "line": {"color": colour, "width": 2.5, "dash": _DASHES[place]},
        "marker": {"color": colour, "symbol": _MARKERS[place], "size": 8},
        "customdata": [_hover(point) for point in curve.points],
        "hovertemplate": "%{fullData.name}<br>%{x} trigger words: %{customdata}<extra></extra>",
    }


def _hover(point: Point) -> str:
    kind = "" if point.exact else " at least"
    return f"{kind} {point.share:.1%} ({point.low:.1%} to {point.high:.1%})".strip()


def _percent(share: float) -> float:
    return round(100 * share, 3)


def _shown(name: str) -> str:
    # Plotly reads a few tags in names; an angle bracket is shown as one.
    return visible(name).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
