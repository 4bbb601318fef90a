"""Examples in docstrings as code: to Markdown a line that begins with >>> would be three quotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import griffe


class Doctests(griffe.Extension):
    """Puts every example into a fence."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = "\n".join(fenced(obj.docstring.value.splitlines()))


def fenced(lines: list[str]) -> Iterator[str]:
    """The lines, with a fence around each run that begins with >>> and ends at a blank line."""
    inside = False
    for line in lines:
        if not inside and line.startswith(">>> "):
            inside = True
            yield "```pycon"
        elif inside and not line.strip():
            inside = False
            yield "```"
        yield line
    if inside:
        yield "```"
