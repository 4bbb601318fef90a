"""The page in a real browser: it draws, keeps quiet, and fits its window, on screens and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from sample_pages import page

from chromium import in_chromium, luminance
from textward.report import write

HOSTILE = "<img_src=x_onerror=alert(1)> </script><script>alert(2)</script> \u202ecf film"

pytestmark = in_chromium


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("report") / "report.html"
    return write(page(text=HOSTILE, name="<b onclick=alert(3)>positive</b>"), where)


def opened(browser: Browser, report: Path, width: int, scheme: str) -> tuple[Page, list[str]]:
    """The page as loaded, and everything it said or tried that it should not."""
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    heard: list[str] = []
    tab.on("console", lambda message: heard.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: heard.append(f"error: {error}"))
    tab.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    tab.on(
        "request", lambda request: request.url.startswith("file:") or heard.append(f"request: {request.url}")
    )
    tab.goto(report.as_uri())
    tab.wait_for_selector(".chart .main-svg", state="attached")
    return tab, heard


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_draws_quietly_and_fits(browser: Browser, report: Path, width: int, scheme: str) -> None:
    tab, heard = opened(browser, report, width, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert tab.locator(".chart .main-svg").count() >= 2
    assert tab.locator(".scatterlayer .trace").count() == 3
    for box in tab.locator(".chart").all():
        found = box.bounding_box()
        assert found is not None
        assert found["width"] <= width
    for word in tab.locator(".word bdi").all():
        word.hover(trial=True)
    assert heard == []
    tab.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_band_is_cut_where_its_parts_say(browser: Browser, report: Path, width: int) -> None:
    tab, _ = opened(browser, report, width, "light")
    boxes = [part.bounding_box() for part in tab.locator(".strip > span").all()]
    first, second = (box["width"] for box in boxes if box is not None)
    assert second / first == pytest.approx(3, rel=0.05)
    assert first + second > width * 0.6
    tab.close()


def test_texts_are_sorted_by_a_click_or_a_key(browser: Browser, report: Path) -> None:
    tab, heard = opened(browser, report, 1280, "light")
    heads, rows = tab.locator("table.sortable thead th"), tab.locator("table.sortable tbody th")

    def order() -> list[str]:
        return [text.strip() for text in rows.all_inner_texts()]

    assert order() == ["1", "2", "3"]
    tab.get_by_role("button", name="radius").click()
    assert order() == ["2", "1", "3"]
    assert heads.last.get_attribute("aria-sort") == "descending"
    tab.get_by_role("button", name="row").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("Enter")
    assert order() == ["1", "2", "3"]
    assert heads.first.get_attribute("aria-sort") == "ascending"
    assert heads.last.get_attribute("aria-sort") is None
    assert heard == []
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible_in_both_schemes(browser: Browser, report: Path, scheme: str) -> None:
    tab, _ = opened(browser, report, 1280, scheme)
    back = luminance(tab.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert (back < 0.1) == (scheme == "dark")
    for selector, style in (
        (".lead", "color"),
        ("h1", "color"),
        (".chart .xtick text", "fill"),
        ("small", "color"),
    ):
        front = luminance(
            tab.locator(selector).first.evaluate(f"element => getComputedStyle(element)['{style}']")
        )
        bright, dim = max(front, back), min(front, back)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, selector
    tab.close()


def test_without_scripts_every_table_is_there(browser: Browser, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(report.as_uri())
    assert tab.locator("table").count() == 8
    assert not tab.locator(".chart").first.is_visible()
    context.close()


def test_on_paper_it_is_dark_on_white_in_either_scheme(browser: Browser, report: Path) -> None:
    # What is left of A4 between the margins, in CSS pixels: nothing may run off the paper.
    tab, heard = opened(browser, report, 688, "dark")
    tab.emulate_media(media="print", color_scheme="dark")
    ink = luminance(tab.locator("h1").evaluate("element => getComputedStyle(element).color"))
    back = luminance(tab.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert ink < 0.1
    assert back > 0.9
    assert tab.evaluate("document.documentElement.scrollWidth") <= 688
    assert tab.pdf(format="A4").startswith(b"%PDF")
    assert heard == []
    tab.close()
