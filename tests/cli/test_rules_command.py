"""Designs, rows in parts and vote rules on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run

from textward import load


def trained(textward: Run, data: Path, *options: str) -> str:
    assert textward("train", data, "--out", "model", *options).code == 0
    return "model"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--groups", "fano"), "7 base models, each of which reads several of 7 buckets"),
        (("--groups", "3", "--row-groups", "4"), "a row teaches one of 4 base models"),
        (
            ("--groups", "3", "--row-groups", "4", "--rows-by", "place"),
            "rewritten or relabelled in their place",
        ),
        (("--rule", "soft:2"), "by the rule soft:2"),
    ],
)
def test_what_was_asked_for_is_trained_and_told(
    textward: Run, data: Path, options: tuple[str, ...], said: str
):
    model = trained(textward, data, *options)
    found = json.loads(textward("inspect", model, "--json").out)
    assert said in " ".join(found["assumptions"])
    assert {"groups", "row_groups", "rows_by", "rule"} <= set(found)
    shown = textward("inspect", model).out
    assert "rule\t" in shown and (f"{found['row_groups']} parts of the rows" in shown) == (
        "--row-groups" in options
    )
    assert load(model).groups == found["groups"]
    lines = textward("predict", model, data, "--text-column", "text", "--json").out.splitlines()
    assert all({"label", "radius"} <= set(json.loads(line)) for line in lines)


def test_the_same_votes_by_another_rule(textward: Run, data: Path):
    model = trained(textward, data, "--groups", "5")
    plain, other = (
        json.loads(textward("certify", model, data, "--trigger-sizes", "0-2", "--json", *rule).out)
        for rule in ((), ("--rule", "abstain:1"))
    )
    assert (plain["rule"], other["rule"]) == ("plurality", "abstain:1")
    all_of = [found["certified_accuracy"]["joint"]["all"] for found in (plain, other)]
    assert all(one >= two for one, two in zip(all_of[0][1:], all_of[1], strict=False))
    aimed = textward("certify", model, data, "--rule", "targeted", "--target", "positive", "--json")
    assert aimed.code == 0 and json.loads(aimed.out)["rule"] == "targeted"


def test_rows_in_parts_are_certified(textward: Run, data: Path):
    model = trained(textward, data, "--groups", "3", "--row-groups", "5")
    found = json.loads(
        textward("certify", model, data, "--trigger-sizes", "0,1", "--rows", "1,2", "--json").out
    )
    shares = {(one["method"], one["rows"]): one["all"] for one in found["surface"]}
    assert set(shares) == {(method, rows) for method in ("individual", "joint") for rows in (1, 2)}
    for method in ("individual", "joint"):
        clean = found["certified_accuracy"][method]["all"]
        assert clean[0] >= shares[method, 1][0] >= shares[method, 2][0]
        assert clean[1] >= shares[method, 1][1] >= shares[method, 2][1]


def test_the_report_compares_the_rules_and_keeps_no_votes_that_would_mislead(textward: Run, data: Path):
    model = trained(textward, data, "--groups", "fano")
    assert textward("report", model, data, "--out", "page.html").code == 0
    page = Path("page.html").read_text()
    assert "The same votes under other rules" in page and "soft:4" in page and "abstain:1" in page
    assert textward("certify", model, data, "--json").code == 0
    kept = textward("report", model, "--out", "kept.html")
    assert kept.code == 0 and "the individual certificate alone" in kept.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "borda"), "--rule 'borda': rule must be plurality, runoff, soft:K"),
        (("--rule", "targeted"), "name it as the target (--target)"),
        (("--rows", "1"), "here one added row changes all of them"),
    ],
)
def test_questions_that_are_refused(textward: Run, data: Path, options: tuple[str, ...], message: str):
    result = textward("certify", trained(textward, data, "--groups", "3"), data, *options)
    assert result.code == 2 and message in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--groups", "pg:6"), "give a whole number such as 7, or words, or a design"),
        (("--rule", "abstain:1"), "give it to certified_accuracy (certify --rule)"),
        (("--learner", "ballots", "--rule", "soft:2"), "ballots have none"),
        (("--learner", "ballots", "--row-groups", "3"), "ballots have none"),
    ],
)
def test_trainings_that_are_refused(textward: Run, data: Path, options: tuple[str, ...], message: str):
    result = textward("train", data, "--out", "model", *options)
    assert result.code == 2 and message in " ".join(result.err.split())


def test_ballots_have_no_rule(textward: Run, data: Path):
    model = trained(textward, data, "--learner", "ballots")
    result = textward("certify", model, data, "--rule", "soft:2")
    assert result.code == 2 and "ballots have none" in result.err


@pytest.mark.parametrize(
    ("by", "said"), [("text", "added, deleted"), ("place", "rows that come or go are not")]
)
def test_a_page_says_which_rows_it_is_about(textward: Run, data: Path, by: str, said: str):
    model = trained(textward, data, "--groups", "3", "--row-groups", "4", "--rows-by", by)
    asked = ["--trigger-sizes", "0", "--rows", "1", "--report", "page.html"]
    assert textward("certify", model, data, *asked).code == 0
    page = Path("page.html").read_text()
    assert said in page and ("rows that come or go" in page) == (by == "place")


@pytest.mark.parametrize("option", [("--report", "page.html"), ("--card",)])
def test_a_page_shows_the_rule_that_decides_and_no_other(textward: Run, data: Path, option: tuple[str, ...]):
    model = trained(textward, data, "--groups", "3")
    result = textward("certify", model, data, "--rule", "abstain:1", *option)
    assert result.code == 2 and "of the rule the model decides by, plurality" in " ".join(result.err.split())
    assert not Path("page.html").exists()
    assert textward("certify", model, data, "--rule", "plurality", *option).code == 0
