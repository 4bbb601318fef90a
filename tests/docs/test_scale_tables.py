"""The tables of docs/scale.md are those of the records."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

HOME = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scale() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scale", HOME / "docs" / "scale.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_the_records(scale: ModuleType) -> None:
    page = (HOME / "docs" / "scale.md").read_text(encoding="utf-8")
    made = scale.with_tables(page, HOME / "results" / "scale")
    assert made == page, "the records in results/scale changed: run python docs/scale.py"


def test_the_line_is_that_of_its_points(scale: ModuleType) -> None:
    slope, start = scale.line([{"rows": rows, "cpu_seconds": 2 + rows / 10} for rows in (10, 100, 1000)])
    assert slope == pytest.approx(0.1) and start == pytest.approx(2)
