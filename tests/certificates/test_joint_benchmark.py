from __future__ import annotations

import json
import runpy
from pathlib import Path
from unittest import mock

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "joint.py"


def test_the_benchmark_runs_and_both_ways_agree(capsys):
    with mock.patch("sys.argv", ["joint.py", "--json", "--texts", "150", "--groups", "5", "--sizes", "3"]):
        runpy.run_path(str(SCRIPT), run_name="__main__")
    found = json.loads(capsys.readouterr().out)
    assert [row["classes"] for row in found["against_plain"]] == [2, 4]
    assert all(row["ratio"] > 0 and row["plain_s"] > 0 for row in found["against_plain"])
    assert all(row["exact"] and row["groups"] == 21 for row in found["alone"])
