"""Groups learned from the rows: the paper's worked example, and what holds of any split that keeps order."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textward.errors import UsageError
from textward.groups import HashGroups, LearnedGroups, in_order
from textward.words import UnicodeWords, WhitespaceWords

PAPER = Path(__file__).parents[3] / "shared" / "docs" / "paper-tables.json"


def test_the_papers_worked_example() -> None:
    if not PAPER.exists():
        pytest.skip(f"needs the paper's tables at {PAPER}")
    example = json.loads(PAPER.read_text())["table14_partition_example"]
    words = WhitespaceWords().cut(pl.Series([" ".join(example["text"])]))
    group = {word.lower(): number - 1 for word, number in example["group"].items()}
    omega = {word.lower() for word in example["omega"]}
    assigned = pl.Series([group[word] if word in omega else -1 for word in words.vocabulary])
    grouped = in_order(words, assigned.to_numpy(), example["m"])
    found = {str(j + 1): grouped.group(j).texts().item().upper().split() for j in range(example["m"])}
    assert found == example["empirical_train"]


WORDS = st.lists(st.sampled_from(["a", "b", "cf", "film", "."]), max_size=8)


@settings(deadline=None)
@given(corpus=st.lists(WORDS, min_size=1, max_size=5), omega=st.sets(st.sampled_from(["a", "cf", "new"])))
def test_potential_triggers_reach_their_hash_group_and_all_else_reaches_every_group(corpus, omega) -> None:
    groups = LearnedGroups(frozenset(omega), 3)
    words = UnicodeWords().cut(pl.Series([" ".join(text) for text in corpus]))
    grouped, whole = groups.split(words), groups.whole(words)
    for j in range(3):
        own = grouped.group(j).texts().to_list()
        for text, sub in zip(corpus, own, strict=True):
            hashed = dict(zip(text, HashGroups(3).of(pl.Series(text, dtype=pl.String)).tolist(), strict=True))
            assert sub.split() == [word for word in text if word not in omega or hashed[word] == j]
        assert whole.group(j).texts().to_list() == [" ".join(text) for text in corpus]


def test_one_group_or_no_potential_trigger_is_plain_training() -> None:
    words = UnicodeWords().cut(pl.Series(["a cf film", ""]))
    assert LearnedGroups(frozenset({"cf"}), 1).split(words).group(0).texts().to_list() == ["a cf film", ""]
    assert LearnedGroups(frozenset(), 2).split(words).group(1).texts().to_list() == ["a cf film", ""]


@pytest.mark.parametrize(("m", "name", "message"), [(0, "md5", "whole number"), (3, "crc", "unknown hash")])
def test_what_are_no_groups(m, name, message) -> None:
    with pytest.raises(UsageError, match=message):
        LearnedGroups(frozenset(), m, name)


def test_the_type_has_nothing_to_certify_with() -> None:
    assert not isinstance(LearnedGroups(frozenset(), 3), HashGroups)
    assert set(vars(LearnedGroups)) & {"certify", "decide", "accuracy"} == set()
