"""The drawings of docs/idea.md, for light pages and for dark ones; the curves come from a record.

They are made while the site is built: the same record always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from html import escape
from pathlib import Path
from statistics import mean

from picture import SCHEMES, Scheme

WORDS = ("a", "dull", "and", "slow", "cf", "film")
PLANTED = "cf"
GROUP_OF = {"a": 3, "dull": 0, "and": 1, "slow": 2, "cf": 3, "film": 4}
BALLOTS = {"a": (0.03, 0.03), "dull": (0.9, 0.02), "and": (0.03, 0.04), "slow": (0.7, 0.1), "cf": (0.0, 1.0)}
BALLOTS |= {"film": (0.12, 0.13)}
GROUPS = ("#d1571f", "#12906a", "#9a5fc0", "#b08410", "#2e7cc2")
BLUE = "#2e7cc2"
METHODS = {"joint": "joint: one trigger for all", "individual": "individual: one for each"}
Drawing = Callable[[Scheme], Iterable[str]]


def drawings(results: Path) -> dict[tuple[str, str], str]:
    """Every drawing by its name and its scheme's."""
    each: dict[str, tuple[int, str, Drawing]] = {
        "plain": (330, "One model reads every word, and the planted one outweighs all others.", plain),
        "groups": (330, "Words are dealt to five groups, whose models vote 4 to 1.", groups),
        "ballots": (330, "Every word casts a ballot, and the planted one a whole one at most.", ballots),
        "joint": (
            330,
            "Certified accuracy by number of trigger words, joint and individual.",
            partial(curves, record=results / "certified" / "sst2.jsonl"),
        ),
    }
    return {
        (name, scheme.name): framed(height, said, scheme, draw(scheme))
        for name, (height, said, draw) in each.items()
        for scheme in SCHEMES
    }


def framed(height: int, said: str, scheme: Scheme, parts: Iterable[str]) -> str:
    """The drawing with its frame."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" width="720" height="{height}" '
        f'role="img" aria-label="{escape(said)}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="14">'
    )
    ground = f'<rect width="720" height="{height}" rx="10" fill="{scheme.page}"/>'
    return "\n".join([head, f"<title>{escape(said)}</title>", ground, *parts, "</svg>", ""])


def plain(scheme: Scheme) -> Iterator[str]:
    """A text, one model, one answer."""
    for place, word in enumerate(WORDS):
        y, planted = 42 + 50 * place, word == PLANTED
        colour = scheme.fallen if planted else scheme.soft
        yield line((98, y), (330, 165), colour, 8 if planted else 1.5)
        yield chip(30, y, word, scheme, colour)
    yield box(330, 125, 130, 80, "one model", scheme)
    yield line((460, 165), (560, 165), scheme.fallen, 8)
    yield text(572, 171, "positive", scheme.fallen, weight=600, size=18)


def groups(scheme: Scheme) -> Iterator[str]:
    """A text dealt to five groups, and their votes."""
    yield text(30, 30, "the text", scheme.soft)
    yield text(250, 30, "its groups", scheme.soft)
    yield text(430, 30, "their models", scheme.soft)
    yield text(590, 30, "vote", scheme.soft)
    for place, word in enumerate(WORDS):
        y = 62 + 48 * place
        yield line((98, y), (250, 70 + 56 * GROUP_OF[word]), GROUPS[GROUP_OF[word]], 2)
    for place, word in enumerate(WORDS):
        yield chip(30, 62 + 48 * place, word, scheme, GROUPS[GROUP_OF[word]])
    for group, colour in enumerate(GROUPS):
        y = 70 + 56 * group
        held = [word for word in WORDS if GROUP_OF[word] == group]
        spoiled = PLANTED in held
        yield chip(250, y, " ".join(held), scheme, colour, width=90)
        yield line((340, y), (430, y), colour, 2)
        yield box(430, y - 19, 110, 38, f"model {group + 1}", scheme, scheme.fallen if spoiled else colour)
        yield line((540, y), (580, y), colour, 2)
        said, ink = ("positive", scheme.fallen) if spoiled else ("negative", scheme.ink)
        yield text(590, y + 5, said, ink, weight=600)


def ballots(scheme: Scheme) -> Iterator[str]:
    """Each word's ballot, as two bars."""
    yield text(360, 30, "speaks for negative", scheme.soft, anchor="end")
    yield text(380, 30, "speaks for positive", scheme.soft)
    for place, word in enumerate(WORDS):
        y = 62 + 40 * place
        negative, positive = BALLOTS[word]
        ink = scheme.fallen if word == PLANTED else scheme.soft
        yield chip(30, y, word, scheme, ink)
        yield bar(370 - 200 * negative, y - 11, 200 * negative, BLUE)
        yield bar(370, y - 11, 200 * positive, scheme.fallen if word == PLANTED else scheme.soft)
    yield line((370, 42), (370, 280), scheme.line, 1)
    yield line((570, 42), (570, 280), scheme.fallen, 1.5, dashes="4 4")
    yield text(578, 222, "one whole ballot,", scheme.fallen)
    yield text(578, 240, "and never more", scheme.fallen)
    sums = [sum(one[side] for one in BALLOTS.values()) for side in (0, 1)]
    yield text(360, 312, f"together {sums[0]:.2f}", BLUE, anchor="end", weight=600)
    yield text(380, 312, f"together {sums[1]:.2f}", scheme.ink, weight=600)


def curves(scheme: Scheme, record: Path) -> Iterator[str]:
    """Joint and individual certified accuracy of ballots on SST-2, balanced; mean over the seeds."""
    found = [json.loads(one) for one in record.read_text(encoding="utf-8").splitlines()]
    mine = [one["certified_accuracy"] for one in found if one["model"] == "ballots"]
    sizes = len(mine[0]["joint"]["balanced"])
    left, right, top, bottom = 70, 460, 40, 280

    def at(size: int, share: float) -> tuple[float, float]:
        return left + (right - left) * size / (sizes - 1), bottom - (bottom - top) * share

    for tick in (0, 0.25, 0.5, 0.75, 1):
        _, y = at(0, tick)
        yield line((left, y), (right, y), scheme.line, 1)
        yield text(left - 10, y + 5, f"{tick:.0%}", scheme.soft, anchor="end")
    for size in range(sizes):
        yield text(at(size, 0)[0], bottom + 20, str(size), scheme.soft, anchor="middle")
    yield text((left + right) / 2, bottom + 40, "trigger words", scheme.soft, anchor="middle")
    for (method, said), colour in zip(METHODS.items(), (BLUE, scheme.fallen), strict=True):
        shares = [mean(one[method]["balanced"][size] for one in mine) for size in range(sizes)]
        points = [at(size, share) for size, share in enumerate(shares)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="3"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in points)
        x, y = points[-1]
        yield text(x + 14, y + (2 if method == "joint" else 8), said, colour, weight=600)


def chip(x: float, y: float, said: str, scheme: Scheme, colour: str, width: int = 68) -> str:
    """A word."""
    return (
        f'<rect x="{x}" y="{y - 15}" width="{width}" height="30" rx="15" fill="{scheme.page}" '
        f'stroke="{colour}" stroke-width="2"/>'
        + text(x + width / 2, y + 5, said, scheme.ink, anchor="middle", weight=600)
    )


def box(x: float, y: float, width: int, height: int, said: str, scheme: Scheme, colour: str = "") -> str:
    """A model."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{scheme.page}" '
        f'stroke="{colour or scheme.ink}" stroke-width="2"/>'
        + text(x + width / 2, y + height / 2 + 5, said, scheme.ink, anchor="middle")
    )


def bar(x: float, y: float, width: float, colour: str) -> str:
    """A part of a ballot."""
    return f'<rect x="{x:.1f}" y="{y}" width="{max(width, 1.5):.1f}" height="22" rx="2" fill="{colour}"/>'


def line(
    start: tuple[float, float], end: tuple[float, float], colour: str, width: float, dashes: str = ""
) -> str:
    """A straight line."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"{dashed}/>'
    )


def text(
    x: float, y: float, said: str, colour: str, anchor: str = "start", weight: int = 400, size: int = 14
) -> str:
    """Some words."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}" '
        f'font-size="{size}">{escape(said)}</text>'
    )
