"""A page's numbers -> one self-contained HTML file that opens offline; the templates do no arithmetic."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from textward.data.messages import visible
from textward.errors import UsageError
from textward.report.charts import coverage_figure, curve_figure, radius_figure
from textward.report.files import write_whole
from textward.report.formats import NARROW_SPACE, count, percent, span
from textward.report.view import Page


def render(page: Page) -> str:
    """The page as HTML.

    >>> html = render(Page("Certificate of <b>", "What no trigger can change."))
    >>> "<title>Certificate of &lt;b&gt;" in html
    True
    """
    figures = {chart.key: curve_figure(chart) for chart in page.charts if chart.drawn}
    if page.bars:
        figures["radius"] = radius_figure(page.bars)
    if page.covers:
        figures["coverage"] = coverage_figure(page.covers)
    scripts = [_plotly(), _text("page.js")] if figures else []
    if page.texts:
        scripts.append(_text("sort.js"))
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            page=page,
            style=Markup(_text("page.css")),
            scripts=[Markup(script) for script in scripts],
            policy=_policy(scripts),
            figures={key: _json_for_html(figure) for key, figure in figures.items()},
        )
    )


def write(page: Page, path: str | Path) -> Path:
    """Write the page to a file, whole or not at all."""
    return write_whole(path, render(page).encode(), "the report")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("textward.report"),
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "span": span, "count": count}
    return environment


def _printable(value: object) -> object:
    """What does not print is shown as its escape, whatever part of a page it came in by."""
    if type(value) is not str:
        return value
    return NARROW_SPACE.join(visible(part) for part in value.split(NARROW_SPACE))


def _text(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    script = str(get_plotlyjs())
    if "</script" in script.lower():
        raise UsageError("this version of plotly cannot be put into a page; install the version pinned")
    return script


def _policy(scripts: list[str]) -> str:
    """The page may run its own scripts, known by their digest, and fetch nothing."""
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts) or "'none'"
    return f"default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src {hashes}"


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _json_for_html(value: Mapping[str, Any]) -> Markup:
    """JSON that no HTML parser can take for a tag."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&'":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # nothing is left that could end the element
