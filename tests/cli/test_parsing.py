"""Options that are more than a word or a number."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textward.cli.parsing import Threshold, class_value, group_count, trigger_sizes
from textward.errors import UsageError

SIZES = st.lists(st.integers(0, 1000), min_size=1, max_size=8)


@given(SIZES)
def test_a_list_of_sizes_is_read_back_sorted_and_once(sizes: list[int]) -> None:
    assert trigger_sizes(",".join(map(str, sizes))) == tuple(sorted(set(sizes)))


@given(st.integers(0, 1000), st.integers(0, 30))
def test_a_range_holds_both_ends(first: int, more: int) -> None:
    last = min(first + more, 1000)
    assert trigger_sizes(f"{first}-{last}") == tuple(range(first, last + 1))


@pytest.mark.parametrize("read", [trigger_sizes, Threshold.of])
@given(text=st.text())
def test_any_other_text_is_refused_with_an_example(read: Callable[[str], object], text: str) -> None:
    try:
        read(text)
    except UsageError as error:
        assert "such as" in str(error)


@pytest.mark.parametrize(
    ("text", "share", "size"), [("0.6@1", 0.6, 1), (".5@0", 0.5, 0), ("1@12", 1.0, 12), ("0@3", 0.0, 3)]
)
def test_thresholds(text: str, share: float, size: int) -> None:
    assert Threshold.of(text) == Threshold(share, size)


@pytest.mark.parametrize("text", ["", "0.6", "@1", "0.6@", "1.5@1", "60%@1", "-0.1@1", "0.6@1.5", "nan@1"])
def test_no_thresholds(text: str) -> None:
    with pytest.raises(UsageError, match=r"0\.6@1"):
        Threshold.of(text)


def test_groups_and_learner() -> None:
    assert group_count("9", "linear") == (9, "linear")
    assert group_count("words", "ballots") == ("words", "ballots")
    assert group_count("9" * 12, "linear") == (
        999_999_999_999,
        "linear",
    )
    for groups in ("0", "-3", "3.5", "Words", "07"):
        with pytest.raises(UsageError, match="whole number"):
            group_count(groups, None)


def test_a_class_is_found_by_its_spelling() -> None:
    assert class_value("10", [2, 10]) == 10
    with pytest.raises(UsageError, match="'2', '10'"):
        class_value("3", [2, 10])
