"""The picture of the README, for light pages and for dark ones, from what `textward demo --json` said.

    python docs/picture.py docs/demo.json

Writes docs/picture-light.svg and docs/picture-dark.svg: the same numbers always give the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

WIDTH, HEIGHT = 880, 416
TOP, BOTTOM = 92, 340
BARS, CURVES = (118, 318), (438, 742)
MOST_WORDS = 3
LABEL_GAP = 17.0
COLOURS = {
    "plain classifier": "#7d8896",
    "3 groups": "#d1571f",
    "5 groups": "#12906a",
    "7 groups": "#9a5fc0",
    "9 groups": "#a07a10",
    "ballots": "#2e7cc2",
}
DASHES = {"3 groups": "7 4", "5 groups": "2 3", "7 groups": "9 3 2 3", "9 groups": "12 4"}


@dataclass(frozen=True, slots=True)
class Scheme:
    """The colours that a page's brightness decides."""

    name: str
    page: str
    ink: str
    soft: str
    line: str
    fallen: str


SCHEMES = (
    Scheme("light", "#fbfaf7", "#1a2027", "#59636e", "#dcd9d0", "#b3411a"),
    Scheme("dark", "#12161b", "#e7eaee", "#9aa5b1", "#2d353f", "#e0734a"),
)


def main() -> None:
    """Draw both."""
    source = Path(sys.argv[1])
    story = json.loads(source.read_text(encoding="utf-8"))
    for scheme in SCHEMES:
        source.with_name(f"picture-{scheme.name}.svg").write_text(picture(story, scheme), encoding="utf-8")


def picture(story: dict[str, Any], scheme: Scheme) -> str:
    """The whole picture."""
    parts = [*_frame(story, scheme), *_bars(story["classifiers"], scheme), *_curves(story, scheme)]
    return "\n".join([*parts, "</svg>", ""])


def _frame(story: dict[str, Any], scheme: Scheme) -> Iterator[str]:
    said = _in_words(story)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" aria-label="{escape(said)}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13">'
    )
    yield f"<title>{escape(said)}</title>"
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="{scheme.page}"/>'
    attack = story["attack"]
    trigger = attack["trigger"][0]
    yield _text(24, 34, "What one planted word did", scheme.ink, size=16, weight=600)
    yield _text(24, 55, f"negative reviews that “{trigger}” turned {attack['target']},", scheme.soft)
    yield _text(24, 72, "of those the classifier had right", scheme.soft)
    yield _text(CURVES[0] - 38, 34, "What no trigger can take away", scheme.ink, size=16, weight=600)
    yield _text(CURVES[0] - 38, 55, "test reviews that are right, and provably stay right", scheme.soft)
    foot = (
        f"{story['training_rows']:,} film reviews to train on, {attack['rate']:.0%} of them poisoned; "
        f"{story['test_rows']:,} to test; whiskers are 95 % intervals; seed {story['seed']}"
    )
    yield _text(24, HEIGHT - 14, foot, scheme.soft, size=11)


def _bars(classifiers: Sequence[dict[str, Any]], scheme: Scheme) -> Iterator[str]:
    step = (BOTTOM - TOP) / len(classifiers)
    left, right = BARS
    for number, one in enumerate(classifiers):
        turned = one["attack"]["turned"]
        middle = TOP + step * (number + 0.5)
        end = left + turned["share"] * (right - left)
        low, high = (left + edge * (right - left) for edge in turned["interval"])
        yield _text(left - 10, middle + 4.5, one["name"], scheme.ink, anchor="end")
        yield (
            f'<rect x="{left}" y="{middle - 11:.1f}" width="{end - left:.1f}" height="22" rx="3" '
            f'fill="{scheme.fallen}"/>'
        )
        yield _line(low, middle, high, middle, scheme.ink, 1.2)
        yield _text(high + 8, middle + 4.5, f"{turned['share']:.0%}", scheme.ink, weight=600)
    yield _line(left, TOP, left, BOTTOM, scheme.soft, 1)


def _curves(story: dict[str, Any], scheme: Scheme) -> Iterator[str]:
    for share in (0, 20, 40, 60, 80, 100):
        y = _y(share / 100)
        yield _line(CURVES[0] - 8, y, CURVES[1], y, scheme.line, 1)
        yield _text(CURVES[0] - 14, y + 4.5, f"{share} %", scheme.soft, anchor="end")
    for words in range(MOST_WORDS + 1):
        yield _text(_x(words), BOTTOM + 19, str(words), scheme.soft, anchor="middle")
    yield _text((CURVES[0] + CURVES[1]) / 2, BOTTOM + 36, "trigger words", scheme.soft, anchor="middle")
    ends: list[tuple[float, str]] = []
    for one in story["classifiers"]:
        name, figures = one["name"], one["certified_accuracy"]["joint"]
        shares, intervals = figures["balanced"], figures["intervals"]["balanced"]
        places = [(_x(words), _y(share)) for words, share in enumerate(shares)]
        yield from _curve(name, places)
        for (x, _), (low, high) in zip(places, intervals, strict=True):
            yield _line(x, _y(low), x, _y(high), COLOURS[name], 1)
        if len(places) > 1:
            ends.append((places[-1][1], f"{name}  {shares[-1]:.0%}"))
        else:
            yield _text(places[0][0] + 9, places[0][1] - 22, f"{name}: no guarantee", COLOURS[name], size=12)
    for y, label in _apart(sorted(ends)):
        name = label.split("  ")[0]
        weight = 600 if name == "ballots" else 400
        yield _text(CURVES[1] + 12, y + 4.5, label, COLOURS[name], weight=weight)


def _curve(name: str, places: Sequence[tuple[float, float]]) -> Iterator[str]:
    colour, width = COLOURS[name], 3 if name == "ballots" else 2
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    if len(places) > 1:
        dash = f' stroke-dasharray="{DASHES[name]}"' if name in DASHES else ""
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'
    for x, y in places:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 1}" fill="{colour}"/>'


def _apart(labels: Sequence[tuple[float, str]]) -> Iterator[tuple[float, str]]:
    """Labels from the lowest up, pushed so far up that none covers another."""
    limit = float("inf")
    for y, label in reversed(labels):
        limit = min(y, limit - LABEL_GAP)
        yield limit, label


def _in_words(story: dict[str, Any]) -> str:
    turned = {one["name"]: one["attack"]["turned"]["share"] for one in story["classifiers"]}
    sure = {one["name"]: one["certified_accuracy"]["joint"]["balanced"] for one in story["classifiers"]}
    return (
        f"The planted word turned {turned['plain classifier']:.0%} of a plain classifier's right answers and "
        f"{turned['ballots']:.0%} of those of ballots, none of them certified. Certified accuracy of ballots "
        f"for 0 to {MOST_WORDS} trigger words: {', '.join(f'{share:.0%}' for share in sure['ballots'])}."
    )


def _x(words: int) -> float:
    return CURVES[0] + (CURVES[1] - CURVES[0]) * words / MOST_WORDS


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, width: float) -> str:
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _text(
    x: float, y: float, text: str, colour: str, *, size: int = 13, weight: int = 400, anchor: str = "start"
) -> str:
    style = f'fill="{colour}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'


if __name__ == "__main__":
    main()
