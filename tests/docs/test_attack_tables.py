"""The tables on attacks and on encoders say what their records say."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from snippets import HOME


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    return making("attack_tables")


def making(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HOME / "docs" / "making" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def cell(attack: str, setting: str, seed: int, hits: int, removed: int | None = None) -> dict[str, Any]:
    found = {
        "attack": attack,
        "setting": setting,
        "seed": seed,
        "defence": "BKI",
        "asr": None,
        "filter": None,
    }
    if removed is not None:
        counts = {"unit": "rows", "rows": 100, "poisoned": 10, "flagged": removed, "hits": 5}
        found |= {"asr": {"hits": hits, "n": 10}, "filter": counts}
    return found | {"cacc": {"hits": hits, "n": 20}}


def test_attacks_and_filters_are_counted_over_the_seeds(tables: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "attacks").mkdir()
    cells = [cell("none", "none", 0, 19), *(cell("badword", "mixed", seed, 8 + seed, 10) for seed in (0, 1))]
    (tmp_path / "attacks" / "sst2.jsonl").write_text("\n".join(map(json.dumps, cells)))
    assert tables.success(tmp_path).splitlines()[2] == "| SST-2 | BKI | 0.950 | 0.425 | 0.850 |"
    assert "ASR" not in tables.success_clean_label(tmp_path)
    # Of twenty removed ten were planted, of twenty planted ten were removed, of 180 clean ones ten.
    assert tables.filters(tmp_path).splitlines()[2] == "| SST-2 | BKI | rows | 0.500 | 0.500 | 0.056 |"


def test_row_certificates_stand_at_what_a_hundredth_of_the_rows_is(
    tables: ModuleType, tmp_path: Path
) -> None:
    rows = {"data": "hsol", "defence": "DPA", "seed": 0, "against": "rows", "sizes": [0, 1, 58, 582]}
    words = {"data": "hsol", "defence": "ballots", "seed": 0, "against": "words", "sizes": [0, 1]}
    records = [rows | {"non_target": [0.9, 0.8, 0.1, 0.0]}, words | {"non_target": {"0.01": [0.8, 0.7]}}]
    (tmp_path / "row_certificates.jsonl").write_text("\n".join(map(json.dumps, records)))
    lines = tables.row_certificates(tmp_path).splitlines()
    assert "| DPA | p · n rows, p = 0.01 |  | 0.100 |  |" in lines
    assert "| ballots | 1 trigger word |  | 0.700 |  |" in lines


def test_accuracy_of_encoders_follows_from_their_votes(tmp_path: Path) -> None:
    # Texts of class 0 are right by three votes and by two, that of class 1 by three.
    one = {"what": "accuracy", "machine": "cpu", "engine": "fused", "target": 1}
    one |= {"votes": ["001", "001", "011"], "gold": "001"}
    (tmp_path / "encoder_cpu.jsonl").write_text(json.dumps(one) + "\n")
    line = making("encoder_tables").same_accuracy(tmp_path).splitlines()[2]
    assert line == "| fused | 1 | 1.000 | 0.750 | 1.000 | 0.500 |"


@pytest.mark.parametrize(("name", "page"), [("attack_tables", "attacks"), ("encoder_tables", "encoders")])
def test_what_was_not_measured_says_how_to_and_every_table_has_its_place(
    name: str, page: str, tmp_path: Path
) -> None:
    text = (HOME / "docs" / "benchmarks" / f"{page}.md").read_text(encoding="utf-8")
    for table, made in making(name).TABLES.items():
        assert made(tmp_path).startswith("*Not measured yet: `python benchmarks/"), table
        assert f"<!-- figures: {table} -->" in text
