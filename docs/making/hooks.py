"""What mkdocs asks while it builds the site: pages made of the program, the records, and linked files."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from commands import commands_page
from drawings import drawings
from linked import outside, page_address, page_text, with_links
from mkdocs.structure.files import File, InclusionLevel
from records import page_of_records, with_tables
from rooms import room_page, rooms

HOME = Path(__file__).resolve().parents[2]
DOCS = HOME / "docs"


def on_config(config: Any) -> Any:
    """Every room has a page under API, in the order in which data flow."""
    for entry in config.nav:
        if "API" in entry:
            entry["API"] += [{room: f"api/{room}.md"} for room in rooms(HOME)]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that nobody writes, and one for each file outside of docs/ that a page links to."""
    made = {
        "commands.md": commands_page(),
        "changelog.md": (HOME / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "]("),
        "benchmarks/records.md": page_of_records(HOME / "results"),
        **{f"api/{room}.md": room_page(HOME, room) for room in rooms(HOME)},
    }
    linked: set[Path] = set()
    for page in files.documentation_pages():
        linked |= outside(DOCS / page.src_uri, page.content_string, HOME)
    for address, text in made.items():
        files.append(File.generated(config, address, content=text))
    for (name, scheme), drawn in drawings(HOME / "results").items():
        files.append(File.generated(config, f"assets/{name}-{scheme}.svg", content=drawn))
    for target in sorted(linked):
        address = page_address(target, HOME)
        shown = page_text(target, HOME)
        files.append(File.generated(config, address, content=shown, inclusion=InclusionLevel.NOT_IN_NAV))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Fill in the tables of the records; lead links out of docs/ to the pages made for them."""
    address = page.file.src_uri
    if page.file.generated_by is not None:
        return markdown
    return with_links(with_tables(markdown, HOME / "results"), DOCS / address, address, HOME)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Let a wide table be moved sideways by itself, with the keyboard as well."""
    return re.sub(
        r"(<table>.*?</table>)",
        r'<div class="wide" tabindex="0" role="region" aria-label="table">\1</div>',
        html,
        flags=re.DOTALL,
    )
