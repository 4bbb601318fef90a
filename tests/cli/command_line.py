"""Rows to train on, and what a command gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FILMS = ("film", "story", "cast", "plot", "scene", "ending")
GOOD = ("good", "fine", "great", "fun")
BAD = ("bad", "dull", "weak", "poor")


def rows(classes: tuple[str, str], repeat: int = 1) -> list[tuple[str, str]]:
    """Texts that any learner can tell apart."""
    return [
        (f"a {word} {other} and a {word} {film}", name)
        for name, words in zip(classes, (BAD, GOOD), strict=True)
        for word, other in zip(words, words[1:] + words[:1], strict=True)
        for film in FILMS
    ] * repeat


def write_csv(path: Path, lines: list[tuple[str, str]], header: str = "text,label") -> Path:
    path.write_text(
        "\n".join([header, *(f"{text},{label}" for text, label in lines)]) + "\n", encoding="utf-8"
    )
    return path


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]
