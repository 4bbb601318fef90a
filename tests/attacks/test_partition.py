"""Trigger words against a partition, and words in another order."""

from __future__ import annotations

import random
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textward.attacks import AdaptiveBadWord, Reorder, words_of_groups
from textward.errors import UsageError
from textward.groups import HashGroups


def groups_of(groups, words):
    return groups.of(pl.Series(list(words))).tolist()


@given(m=st.integers(1, 40), data=st.data())
def test_each_wanted_group_gets_its_own_word(m, data):
    wanted = data.draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=6))
    words = words_of_groups(HashGroups(m, "sha1"), wanted)
    assert groups_of(HashGroups(m, "sha1"), words) == wanted
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("m", [2, 3, 7, 31])
def test_adaptive_words_lie_apart_and_the_control_s_together(m):
    groups = HashGroups(m)
    apart, together = AdaptiveBadWord(groups, m), AdaptiveBadWord(groups, m, together=True)
    assert sorted(groups_of(groups, apart.words)) == list(range(m))
    assert len(set(groups_of(groups, together.words))) == 1
    assert len(set(together.words)) == m
    for attack in (apart, together):
        assert Counter(attack.insert("a film", random.Random(1)).split()) == Counter(
            [*attack.words, "a", "film"]
        )


def test_a_count_or_a_group_that_cannot_be_is_refused():
    with pytest.raises(UsageError, match=r"count must lie in 1\.\.3"):
        AdaptiveBadWord(HashGroups(3), 4)
    with pytest.raises(UsageError, match="no groups \\[3\\]: the groups are 0 to 2"):
        words_of_groups(HashGroups(3), [0, 3])


@given(
    text=st.text(st.sampled_from("ab \t\u3000"), max_size=9),
    order=st.sampled_from(["random", "reversed", "sorted"]),
)
def test_a_new_order_keeps_the_chunks_and_covers_says_where_there_is_one(text, order):
    attack, chunks = Reorder(order), text.split()
    after = attack.insert(text, random.Random(5))
    assert Counter(after.split()) == Counter(chunks)
    assert [c for c in after if c.isspace()] == [c for c in text if c.isspace()]
    assert attack.covers(pl.Series([text]))[0] == (after.split() != chunks)
    if order == "reversed":
        assert after.split() == chunks[::-1]
    if order == "random" and len(set(chunks)) > 1:
        assert after.split() != chunks


def test_texts_without_another_order_are_left_out():
    poisoned = Reorder().poison(["a a", "a b", "b"], [0, 0, 0], rate=0.4, target=0)
    assert poisoned.texts.to_list() == ["a a", "b a", "b"]
    with pytest.raises(UsageError, match="of which the attack can change 1"):
        Reorder().poison(["a a", "a b", "b"], [0, 0, 0], rate=0.7, target=0)
    with pytest.raises(UsageError, match="order must be one of"):
        Reorder("upside down")
