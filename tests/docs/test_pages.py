"""A reader who types what the pages of docs/ say gets what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from snippets import HOME, Reader, blocks, small_tables

PAGES = [
    page
    for page in sorted((HOME / "docs").rglob("*.md"))
    if any(block.language in ("python", "sh") for block in blocks(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(HOME / "docs").as_posix())
def test_what_a_page_says_to_type_works(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    small_tables(tmp_path)
    try:
        Reader().follow(page)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{capfd.readouterr().err}") from error
