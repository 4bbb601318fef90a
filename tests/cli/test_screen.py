"""What a person sees: nothing for two seconds, then a bar, and never a control character."""

from __future__ import annotations

import sys
import time

import pytest

from textward.cli import screen as room
from textward.cli.screen import Screen


class Terminal:
    """stderr as a terminal that remembers what it was sent."""

    def __init__(self) -> None:
        self.sent = ""
        self.encoding = "utf-8"

    def write(self, text: str) -> int:
        self.sent += text
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return True


def looked_at(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make stderr a terminal; within the test, for pytest sets stderr anew between a fixture and its test."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(room, "PATIENCE", 0.05)
    return terminal


def test_a_bar_appears_only_once_something_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = looked_at(monkeypatch)
    with Screen().progress("Training 7 groups") as progress:
        progress(1, 7)
    assert terminal.sent == ""
    with Screen().progress("Training 7 groups") as progress:
        progress(3, 7)
        time.sleep(0.4)
        progress(5, 7)
        time.sleep(0.2)
    assert "Training 7 groups" in terminal.sent
    assert "5/7" in terminal.sent


def test_no_bar_where_nobody_looks_or_wants_one(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = looked_at(monkeypatch)
    with Screen(quiet=True).progress("Training"):
        time.sleep(0.2)
    monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    with Screen().progress("Training"):
        time.sleep(0.2)
    assert terminal.sent == ""


def test_an_interrupted_bar_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = looked_at(monkeypatch)
    with pytest.raises(KeyboardInterrupt), Screen().progress("Training"):
        time.sleep(0.3)
        raise KeyboardInterrupt
    sent = terminal.sent
    time.sleep(0.2)
    assert terminal.sent == sent


def test_no_color_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = looked_at(monkeypatch)
    Screen().error("it failed")
    assert "\x1b[1;31m" in terminal.sent
    terminal.sent = ""
    monkeypatch.setenv("NO_COLOR", "1")
    Screen().error("it failed")
    assert "31m" not in terminal.sent


def test_quiet_covers_notes_but_no_errors(capfd: pytest.CaptureFixture[str]) -> None:
    Screen(quiet=True).say("a note")
    Screen(quiet=True).error("a fault \x1b[2J\u202e")
    assert capfd.readouterr().err == "error: a fault \\x1b[2J\\u202e\n"
