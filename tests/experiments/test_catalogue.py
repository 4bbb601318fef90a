"""Every table and figure of the paper is there, runs on small rows, and shows the paper's figures."""

from __future__ import annotations

import json

import pytest

from textward.cli.running import run
from textward.experiments import linear
from textward.experiments.catalogue import experiments
from textward.experiments.claims import claims
from textward.experiments.grid import ENCODER_ONLY, Cell
from textward.experiments.poisoning import Workshop
from textward.experiments.records import Run, Store
from textward.experiments.running import run_all
from textward.experiments.sources import Sources
from textward.experiments.summary import summary
from textward.experiments.workers import LinearWorker
from textward.experiments.writing import write_tables

EXPECTED = {f"table{number}" for number in (*range(1, 15), *range(16, 20))}
EXPECTED |= {"figure2", "figure3", "figure4", "case"}


def test_no_table_or_figure_is_missing():
    assert set(experiments()) == EXPECTED


def test_figures_of_the_paper_stand_where_it_has_them():
    spots = [spot for one in experiments().values() for spot in one.spots]
    assert sum(spot.paper is not None for spot in spots) > 500
    assert all(
        0 <= s.paper <= 1 for s in spots if s.paper is not None and s.metric.split()[0] in ("cacc", "joint")
    )


@pytest.fixture(scope="module")
def everything(datasets, tmp_path_factory):
    """One seed of every cell that needs no encoder, on the small rows."""
    folder = tmp_path_factory.mktemp("results")
    before, linear.BAGS = linear.BAGS, 10
    try:
        worker = LinearWorker(Workshop(Sources(datasets, other_rows=True)))
        tally = run_all(list(experiments().values()), Store(folder), Run(), worker, seeds=1)
    finally:
        linear.BAGS = before
    assert tally.failed == []
    return folder


def test_every_cell_runs_and_every_table_is_written(everything):
    store = Store(everything)
    for one in experiments().values():
        paths = write_tables(one, store)
        assert all(path.stat().st_size for path in paths)
        if one.chart:
            assert any(path.suffix == ".svg" for path in paths)
        for spot in one.spots:
            assert store.done(spot.cell, Run()) or spot.cell.defence in ENCODER_ONLY


def test_every_claim_is_judged_and_the_theorems_hold(everything):
    found = {claim.name: claim for claim in claims(Store(everything), Run())}
    assert all(claim.holds is not None for claim in found.values())
    assert found["joint"].holds
    page = summary(Store(everything))
    assert page.index("what agrees") < page.index("what does not") < page.index("past the paper")


def test_the_certified_model_withstands_what_is_certified(everything):
    found = next(claim for claim in claims(Store(everything), Run()) if claim.name == "empirical")
    assert all(one.held for one in found.findings if one.figures.startswith("certified model"))


def test_our_partition_is_the_papers(everything):
    result = Store(everything).result(Cell("example", "partition"), Run())
    assert result is not None
    assert result["same"] == result["of"] == 6


def test_claims_and_list_are_commands(everything, capfd):
    assert run(["experiment", "table", "claims", "--out", str(everything)]) == 0
    assert "Plain training (DT) falls" in capfd.readouterr().out
    assert run(["experiment", "list", "--out", str(everything), "--json"]) == 0
    assert {line["name"] for line in json.loads(capfd.readouterr().out)} == EXPECTED


def test_held_out_texts_are_those_of_other_classes(datasets):
    workshop = Workshop(Sources(datasets, other_rows=True))
    for attack in ("badword", "synbkd", "stylebkd"):
        rows = workshop.poisoned(Cell("agnews", "measured", attack=attack, setting="mixed", rate=0.1))
        assert 1 not in rows.attacked_gold.tolist()
        assert len(rows.attacked) == len(rows.attacked_gold) == 30
        assert int((rows.labels == 1).sum()) > 50
