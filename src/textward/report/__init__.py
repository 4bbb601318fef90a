"""The report: numbers are collected into frozen views, then rendered as one self-contained page."""

from textward.report.collect import class_rows, headlines, points, population_charts, radius_bars
from textward.report.render import render, write
from textward.report.view import Band, Chart, Curve, Example, Fact, Grid, Headline, Page

__all__ = [
    "Band",
    "Chart",
    "Curve",
    "Example",
    "Fact",
    "Grid",
    "Headline",
    "Page",
    "class_rows",
    "headlines",
    "points",
    "population_charts",
    "radius_bars",
    "render",
    "write",
]
