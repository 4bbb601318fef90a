"""The committed tables are those of the committed records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from textward.experiments.catalogue import experiments
from textward.experiments.records import Store
from textward.experiments.summary import summary
from textward.experiments.writing import write_tables

RESULTS = Path(__file__).resolve().parents[2] / "results"
OTHERS = "## Other records"


@pytest.mark.parametrize("name", list(experiments()))
def test_a_table_is_made_of_its_records(name, tmp_path):
    shutil.copytree(RESULTS, tmp_path / "results", ignore=shutil.ignore_patterns("*.md", "*.csv", "*.svg"))
    for path in write_tables(experiments()[name], Store(tmp_path / "results")):
        committed = RESULTS / name / path.name
        assert path.read_text(encoding="utf-8") == committed.read_text(encoding="utf-8"), (
            f"{name}/{path.name} is not of these records: textward experiment table all --write"
        )


def test_the_summary_is_made_of_the_records():
    made, held = (
        text.split(OTHERS)[0]
        for text in (summary(Store(RESULTS)), (RESULTS / "README.md").read_text(encoding="utf-8"))
    )
    assert made == held, "results/README.md is not of these records: textward experiment table all --write"
