"""A page is whole, self-contained, and does nothing that its numbers' strings ask for."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment, nodes
from sample_pages import example, page, row

from textward import TextGuard
from textward.errors import UsageError
from textward.report import Chart, Curve, Page, points, render, write
from textward.report import render as render_function
from textward.report.evaluation import evaluate
from textward.report.pages import certificate_page
from textward.report.view import Point

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "<!--<script>",
    "]]>&lt;b&gt;",
)
TEMPLATES = Path(render_function.__code__.co_filename).parent / "templates"


class Elements(HTMLParser):
    """The tags of a page, with their attributes, and its text outside of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.text += data

    def skeleton(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(tag, tuple(attributes)) for tag, attributes in self.tags]


def policy_of(html: str) -> str:
    found = [a["content"] for _, a in Elements(html).tags if a.get("http-equiv") == "Content-Security-Policy"]
    return found[0] or ""


def without_numbers(**changes: Any) -> Page:
    """A page without charts, so that plotly's five megabytes are not parsed again and again."""
    return page(**({"charts": (), "bars": (), "covers": (), "texts": ()} | changes))


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_words_and_names_add_no_element_and_no_attribute(hostile: str) -> None:
    chunk = hostile.replace(" ", "_")
    tame = Elements(render(without_numbers(text="word", name="class")))
    wild = Elements(render(without_numbers(text=chunk, name=hostile, title=hostile, lead=hostile)))
    assert wild.skeleton() == tame.skeleton()
    assert chunk in wild.text


@given(st.text(min_size=1))
@settings(deadline=None)
def test_any_text_leaves_the_page_as_it_is(text: str) -> None:
    tame = without_numbers(examples=(example("word"),), assumptions=("text",))
    wild = without_numbers(
        examples=(example("word", text=text, label=text, truth=text, note=text, model=text),),
        assumptions=(text,),
    )
    assert Elements(render(wild)).skeleton() == Elements(render(tame)).skeleton()


def test_a_hostile_name_in_a_figure_stays_a_string() -> None:
    hostile = "</script><script>alert(1)</script><!-- '"
    chart = Chart("one", "One", "", (0,), (Curve(hostile, (Point(0, 0.5, 0.4, 0.6),)),))
    html = render(Page("t", "l", charts=(chart,)))
    head, _, rest = html.partition('<script type="application/json" id="figure-one">')
    figure, _, _ = rest.partition("</script>")
    assert "<" not in figure
    assert json.loads(figure)["data"][0]["name"].replace("&lt;", "<").replace("&gt;", ">") == hostile
    assert "<script>alert" not in head


@pytest.mark.parametrize("control", ["\u202e", "\u2066", "\u200f", "\x1b[31m", "\x00", "\u200b"])
def test_control_characters_are_shown_as_escapes(control: str) -> None:
    html = render(without_numbers(text=f"a{control}b", name=f"c{control}"))
    assert control not in html
    escaped = control[0].encode("unicode_escape").decode()
    assert f"a{escaped}" in html
    assert f"c{escaped}" in html


def test_a_megabyte_of_text_is_cut_and_says_so() -> None:
    many = render(without_numbers(text="word " * 200_000))
    assert "198,800" not in many
    assert "… and 998,800 more characters" in many
    assert "… and 199,760 more words" in many
    one = render(without_numbers(text="x" * 1_000_000))
    assert max(len(many), len(one)) < 100_000


def test_the_page_needs_nothing_from_outside_and_stays_small() -> None:
    html = render(page())
    assert len(html.encode()) < 6_000_000
    elements = Elements(html)
    for tag, attributes in elements.tags:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base"), tag
        assert not {"src", "href", "srcset", "action"} & set(attributes), (tag, attributes)
    policy = policy_of(html)
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2]
    assert html.count("plotly.js v") == 1


def test_every_number_of_a_chart_stands_in_its_table_too() -> None:
    text = Elements(render(page())).text
    for chart in page().charts:
        for curve in chart.curves:
            for point in curve.points:
                assert f"{100 * point.share:.1f}\u202f%" in text
                assert f"{100 * point.low:.1f} to {100 * point.high:.1f}\u202f%" in text


def test_a_size_without_a_point_has_no_guarantee_and_a_bound_says_that_it_is_one() -> None:
    curve = Curve("bound", (Point(1, 0.5, 0.4, 0.6, exact=False, best_attack=0.55),))
    html = render(Page("t", "l", charts=(Chart("one", "One", "", (0, 1), (curve,), drawn=False),)))
    assert "no guarantee" in html
    assert "≥" in Elements(html).text
    assert "the best attack found leaves 55.0" in html


def test_a_row_of_hostile_words_stays_a_row() -> None:
    for hostile in HOSTILE:
        tame = Elements(render(without_numbers(texts=(row(1),))))
        wild = Elements(render(without_numbers(texts=(row(1, f"a {hostile.replace(' ', '_')}", hostile),))))
        assert wild.skeleton() == tame.skeleton()


def test_a_test_set_of_hostile_megabytes_makes_a_page_of_less_than_six() -> None:
    texts = pl.Series(
        ["<\u202e&'\"" * 200_000, "word " * 200_000, "\u0300" * 300_000, *["\u202e<" * 900] * 60]
    )
    guard = TextGuard(groups=3).fit(["good", "bad"], ["<b>", "&amp;"])
    found = evaluate(guard, texts, np.zeros(len(texts), np.int64), [0, 1])
    html = render(certificate_page(guard, found, texts, {"model": "m", "data": "d", "digest": "9f"}))
    assert len(html.encode()) < 6_000_000
    assert "\u202e" not in html


def test_a_page_without_figures_has_no_script_at_all() -> None:
    html = render(without_numbers())
    assert "<script" not in html
    assert policy_of(html).endswith("script-src 'none'")


def test_templates_do_no_arithmetic() -> None:
    for template in TEMPLATES.glob("*.jinja"):
        tree = Environment(autoescape=True).parse(template.read_text(encoding="utf-8"))
        found = list(tree.find_all((nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod)))
        assert not found, f"{template.name}: {found}"
        assert "|safe" not in re.sub(r"\s", "", template.read_text(encoding="utf-8"))


def test_writing_leaves_no_half_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.html"
    target.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UsageError, match=r"report\.html.*No space left on device.*folder"):
        write(Page("t", "l"), target)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text() == "before"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere.*No such file or directory"):
        write(Page("t", "l"), tmp_path / "nowhere" / "report.html")


def test_the_same_numbers_give_the_same_bytes() -> None:
    assert render(page()) == render(page())


def test_points_keep_what_is_known_about_a_share() -> None:
    from textward.certificates import Figure

    figure = Figure(10, (0.5,), ((0.2, 0.8),), (False,), (0.6,))
    assert points([3], figure) == (Point(3, 0.5, 0.2, 0.8, False, 0.6),)
