"""The rooms of the package, in the order in which data flow, and the page of each."""

from __future__ import annotations

import re
from pathlib import Path

_APART = {"cli"}
"""The command line has a page of its own."""


def rooms(home: Path) -> list[str]:
    """Every room, from the most upstream one, as the contract in pyproject.toml lists them."""
    contract = re.search(r"^layers = \[(.*?)^\]", (home / "pyproject.toml").read_text(), re.M | re.S)
    assert contract is not None
    layers = re.findall(r'"([^"]+)"', contract[1])[::-1]
    found = [room for layer in layers for room in re.findall(r"\w+", layer)]
    return [room for room in found if room not in _APART and _there(home, room)]


def room_page(home: Path, room: str) -> str:
    """Public names with their docstrings; a name that is added to the room appears by itself."""
    name = f"textward.{room}"
    # A function that bears the name of its module is hidden behind it, and asked for by its full name.
    hidden = [one for one in _modules(home, room) if re.search(rf'"{one}"[,\]]', _door(home, room))]
    apart = "".join(
        f"\n::: {name}.{one}.{one}\n    options:\n      show_root_heading: true\n" for one in hidden
    )
    return f"# {name}\n\n::: {name}\n    options:\n      show_root_heading: false\n{apart}"


def _modules(home: Path, room: str) -> list[str]:
    return sorted(file.stem for file in (home / "src" / "textward" / room).glob("*.py"))


def _door(home: Path, room: str) -> str:
    file = home / "src" / "textward" / room / "__init__.py"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _there(home: Path, room: str) -> bool:
    place = home / "src" / "textward" / room
    return place.is_dir() or place.with_suffix(".py").is_file()
