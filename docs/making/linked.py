"""Links that lead out of docs/ -> pages of the site that show the file, so that the site is whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
_LANGUAGES = {
    ".py": "python",
    ".sh": "sh",
    ".json": "json",
    ".jsonl": "json",
    ".toml": "toml",
    ".yml": "yaml",
}
_MOST_SHOWN = 60_000


def outside(page: Path, text: str, home: Path) -> set[Path]:
    """The files, and those of the folders, that a page under docs/ links to and that are not under docs/."""
    return {file for target in _targets(page, text, home) for file in _with_its_files(target)}


def with_links(text: str, page: Path, address: str, home: Path) -> str:
    """The page with each such link turned to the page that shows the file."""

    def turned(found: re.Match[str]) -> str:
        target = _resolved(page, found[1], home)
        if target is None:
            return found[0]
        return f"]({os.path.relpath(page_address(target, home), Path(address).parent)})"

    return LINK.sub(turned, text)


def page_address(target: Path, home: Path) -> str:
    """Where the page of a file lies in the site."""
    name = target.relative_to(home).as_posix()
    return f"files/{name}/index.md" if target.is_dir() else f"files/{name.removesuffix('.md')}.md"


def page_text(target: Path, home: Path) -> str:
    """The page that shows a file or lists a folder."""
    name = target.relative_to(home).as_posix()
    if target.is_dir():
        names = [file.name for file in _with_its_files(target) if file != target]
        return "\n".join([f"# {name}/", "", *(f"- [{one}]({one}.md)" for one in names), ""])
    text = target.read_text(encoding="utf-8")
    if target.suffix == ".md":  # it is a page already, though its links lead nowhere from here
        return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", text)
    if len(text) > _MOST_SHOWN:
        text = text[:_MOST_SHOWN] + "\n…\n"
    return f"# {name}\n\n~~~~~~{_LANGUAGES.get(target.suffix, 'text')}\n{text}\n~~~~~~\n"


def _targets(page: Path, text: str, home: Path) -> Iterator[Path]:
    for found in LINK.finditer(text):
        target = _resolved(page, found[1], home)
        if target is not None:
            yield target


def _resolved(page: Path, link: str, home: Path) -> Path | None:
    if re.match(r"[a-z]+:", link):
        return None
    target = (page.parent / link).resolve()
    inside = target.is_relative_to(home) and not target.is_relative_to(home / "docs")
    return target if inside and target.exists() else None


def _with_its_files(target: Path) -> Iterable[Path]:
    return [target, *sorted(target.glob("*.py"))] if target.is_dir() else [target]
