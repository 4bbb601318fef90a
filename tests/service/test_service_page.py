"""The page at / in a real browser: typed at, clicked through, and never a word on the console."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect
from service_models import GOOD, GUARDS, TWO, served, unstable

from chromium import in_chromium, luminance
from textward import TextGuard

pytestmark = in_chromium
HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script> \u202ecf good film"


@pytest.fixture(scope="module", params=["groups", "three classes, ballots"])
def site(request: pytest.FixtureRequest) -> Iterator[tuple[str, TextGuard]]:
    guard = GUARDS[request.param]()
    with served(guard) as where:
        yield where, guard


@contextmanager
def opened(browser: Browser, where: str, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
    """The page, which must have kept quiet and fetched nothing from elsewhere when it is closed."""
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    heard: list[str] = []
    tab.on("console", lambda message: heard.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: heard.append(f"error: {error}"))
    tab.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    tab.on("request", lambda one: one.url.startswith(where) or heard.append(f"request: {one.url}"))
    tab.goto(where)
    tab.wait_for_selector("#scores li")
    yield tab
    assert heard == []
    tab.close()


def written(tab: Page, text: str) -> None:
    tab.fill("#text", text)
    expect(tab.locator("#text-note")).to_contain_text(f"{len(text)} characters")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_it_fits_and_can_be_read(
    browser: Browser, site: tuple[str, TextGuard], width: int, scheme: str
) -> None:
    with opened(browser, site[0], width, scheme) as tab:
        written(tab, "a " + "unbreakable" * 30 + " good good film " * 40)
        tab.fill("#word", "x" * 200)
        tab.click("#own button[type=submit]")
        expect(tab.locator("#spent")).to_contain_text("1 word dropped in")
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        back = luminance(tab.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
        assert (back < 0.1) == (scheme == "dark")
        for selector in ("h1", ".lead", "#said", "#outcome .holds, #outcome .broken", "#reading-note"):
            front = luminance(tab.locator(selector).first.evaluate("one => getComputedStyle(one).color"))
            bright, dim = max(front, back), min(front, back)
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, selector
        for button in tab.locator("button:visible").all():
            box = button.bounding_box()
            assert box is not None
            assert box["height"] >= 44


def test_it_says_what_the_library_says(browser: Browser, site: tuple[str, TextGuard]) -> None:
    where, guard = site
    with opened(browser, where) as tab:
        for text in (TWO[0][0], TWO[0][-1], " ".join(GOOD)):
            written(tab, text)
            found = guard.certify([text])
            expect(tab.locator("#label")).to_have_text(str(found.labels[0]))
            expect(tab.locator("#radius b")).to_have_text(str(found.radius[0]))
            votes = found.tally[0].tolist()
            unit = 1 if guard.groups != "words" else 1024
            said = [f"{one / unit:.2f}" if unit > 1 else str(one) for one in votes]
            expect(tab.locator("#scores .score")).to_have_text(said)
            if unit == 1:
                names = [str(guard.classes_[vote]) for vote in guard.votes([text])[0]]
                expect(tab.locator("#groups bdi")).to_have_text(names)


def test_the_label_stands_while_the_budget_lasts(browser: Browser, site: tuple[str, TextGuard]) -> None:
    where, guard = site
    text = " ".join(GOOD)
    radius = int(guard.certify([text]).radius[0])
    assert radius >= 1
    with opened(browser, where) as tab:
        written(tab, text)
        expect(tab.locator("#falls b")).to_have_text(f"{radius + 1} words")
        for used in range(1, radius + 1):
            tab.locator("#suggested button").nth(used - 1).click()
            expect(tab.locator("#spent")).to_contain_text(f"{used} word")
            expect(tab.locator("#outcome .holds")).to_have_text("The label stands. ")
            expect(tab.locator(".pips .used")).to_have_count(used)
        if guard.groups != "words":
            expect(tab.locator("#groups .reached")).to_have_count(radius)
        # As many words of the text itself as no certificate can bear.
        tab.click("#clear")
        expect(tab.locator("#spent")).to_contain_text("0 words")
        tab.fill("#word", text)
        tab.keyboard.press("Enter")
        expect(tab.locator("#outcome .broken")).to_have_text("No promise any more. ")
        expect(tab.locator(".words .planted")).to_have_count(len(GOOD))


def test_keys_alone_will_do(browser: Browser, site: tuple[str, TextGuard]) -> None:
    with opened(browser, site[0]) as tab:
        tab.focus("#text")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Space")
        pressed = tab.locator("#suggested button[aria-pressed=true]")
        expect(pressed).to_have_count(1)
        expect(tab.locator("#spent")).to_contain_text("1 word")
        assert tab.evaluate("document.activeElement.dataset.word") == pressed.get_attribute("data-word")
        tab.keyboard.press("Space")
        expect(tab.locator("#spent")).to_contain_text("0 words")


def test_hostile_words_are_text_and_nothing_else(browser: Browser, site: tuple[str, TextGuard]) -> None:
    with opened(browser, site[0]) as tab:
        written(tab, HOSTILE)
        tab.fill("#word", "<svg/onload=alert(3)>")
        tab.keyboard.press("Enter")
        expect(tab.locator("#suggested")).to_contain_text("<svg/onload=alert(3)>")
        assert tab.locator("main img, main svg, main script").count() == 0
        assert "films <b>" in tab.locator("#model").inner_text()


def test_a_token_is_asked_for(browser: Browser) -> None:
    with served(GUARDS["groups"](), token="correct-horse-battery") as where:
        tab = browser.new_page()
        tab.goto(where)
        for token in ("wrong", "correct-horse-battery"):
            expect(tab.locator("#token-form")).to_be_visible()
            expect(tab.locator("#trouble")).to_contain_text("asks for a token")
            tab.fill("#token", token)
            tab.keyboard.press("Enter")
        expect(tab.locator("#label")).to_have_text("positive")
        expect(tab.locator("#token-form")).to_be_hidden()
        expect(tab.locator("#trouble")).to_be_hidden()
        tab.close()


def test_without_a_certificate_nothing_is_promised(browser: Browser) -> None:
    with served(TextGuard(groups=5, words=unstable).fit(*TWO)) as where, opened(browser, where) as tab:
        expect(tab.locator("#radius")).to_have_text("no certificate")
        tab.locator("#suggested button").first.click()
        expect(tab.locator("#outcome")).to_have_text("Without a certificate nothing is promised.")
        expect(tab.locator("#falls")).to_be_empty()
        assert "stands" not in tab.locator("#budget").inner_text()


def test_a_service_that_has_gone_is_said(browser: Browser) -> None:
    with served(GUARDS["groups"]()) as where:
        tab = browser.new_page()
        tab.goto(where)
        tab.wait_for_selector("#scores li")
    tab.fill("#text", "anything")
    expect(tab.locator("#trouble")).to_contain_text("does not answer")
    tab.close()


@pytest.mark.parametrize(("groups", "mode"), [("fano", "certified"), (3, "empirical")])
def test_every_kind_of_model_has_its_page(browser: Browser, groups: int | str, mode: str) -> None:
    guard = TextGuard(groups=groups, mode=mode).fit(*TWO)
    with served(guard) as where, opened(browser, where) as tab:
        text = " ".join(GOOD)
        written(tab, text)
        expect(tab.locator("#label")).to_have_text(str(guard.predict([text])[0]))
        expect(tab.locator("#voters")).to_be_hidden()
        tab.locator("#suggested button").first.click()
        expect(tab.locator("#spent")).to_contain_text("1 word dropped in")
        said = "No promise any more|The label stands" if mode == "certified" else "Without a certificate"
        expect(tab.locator("#outcome")).to_have_text(re.compile(said))
        expect(tab.locator("#words .planted")).to_have_count(1)


def test_an_answer_of_a_cascade_s_fallback_is_called_one(browser: Browser) -> None:
    guard = TextGuard(groups="words", cascade="linear", theta=2.0).fit(*TWO)
    with served(guard) as where, opened(browser, where) as tab:
        written(tab, "a film never seen")
        expect(tab.locator("#said")).to_contain_text("the plain classifier behind them answered")
        tab.locator("#suggested button").first.click()
        expect(tab.locator("#outcome")).to_have_text("Nothing is promised of an answer that was handed over.")
        expect(tab.locator("#falls")).to_be_empty()
        written(tab, " ".join(GOOD))
        expect(tab.locator("#said")).to_contain_text("can have changed this answer")
