"""The documentation site: built with warnings as errors, whole without the network, and fit to be read."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from snippets import HOME

from chromium import in_chromium, luminance

if TYPE_CHECKING:
    from playwright.sync_api import Browser

for extra in ("material", "mkdocstrings"):
    pytest.importorskip(extra, reason=f"no {extra}: the documentation site was not built")

FETCHED = re.compile(r"""<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(where)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=HOME, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return where


def pages(site: Path) -> list[str]:
    """Every page of the site but the files that pages link to."""
    found = [page.relative_to(site).as_posix() for page in sorted(site.rglob("*.html"))]
    return [page for page in found if not page.startswith("files/") and page != "404.html"]


def test_it_is_whole_without_the_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert FETCHED.findall(page.read_text(encoding="utf-8")) == [], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)[\"' ]*(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_every_public_name_of_every_room_has_its_place(site: Path) -> None:
    for room in sorted((site / "api").glob("*.html")):
        name = "textward" if room.stem == "index" else f"textward.{room.stem}"
        module = pytest.importorskip(name)
        shown = set(re.findall(r'id="(textward[\w.]*)"', room.read_text(encoding="utf-8")))
        for public in getattr(module, "__all__", []):
            if inspect.isclass(named := getattr(module, public)) or inspect.isfunction(named):
                assert any(one.endswith(f".{public}") for one in shown), f"{name}.{public}"


def test_every_command_and_option_is_listed(site: Path) -> None:
    from typer.main import get_command

    from textward.cli.app import app

    text = (site / "commands.html").read_text(encoding="utf-8")
    command: Any = get_command(app)
    for name, one in command.commands.items():
        assert f"textward {name}" in text
        for option in one.params:
            assert option.opts[0].startswith("-") is False or f"<code>{option.opts[0]}</code>" in text


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@in_chromium
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_every_page_fits_and_can_be_read(
    browser: Browser, site: Path, address: str, width: int, scheme: Any
) -> None:
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    heard: list[str] = []
    tab.on("console", lambda message: heard.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: heard.append(f"error: {error}"))
    tab.on("request", lambda one: one.url.startswith(address) or heard.append(f"request: {one.url}"))
    tab.on("response", lambda one: one.status < 400 or heard.append(f"{one.status}: {one.url}"))
    every = pages(site)
    named = [page for page in every if not page.startswith("api/")]
    for page in [*named, *every[:20:7]] if width < 500 else every[::6]:
        tab.goto(address + page)
        tab.wait_for_selector("article h1")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, page
        back = luminance(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (back < 0.1) == (scheme == "dark"), page
        assert heard == [], page
    tab.close()


@in_chromium
def test_it_can_be_searched_and_copied_from(browser: Browser, address: str) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(address)
    tab.keyboard.press("f")
    tab.keyboard.type("radius")
    tab.wait_for_selector(".md-search-result__item")
    tab.close()
