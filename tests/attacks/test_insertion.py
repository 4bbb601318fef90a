"""BadWord and AddSent: what is put in, where, and that nothing else moves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textward.attacks import AddSent, BadWord
from textward.attacks.draws import below, draw, keys_of
from textward.attacks.gaps import at_random_gaps
from textward.errors import UsageError
from textward.words import UnicodeWords

SPACES = " \t\n\u00a0\u2003\u3000\u0085"
TEXT = st.text(alphabet=st.sampled_from(SPACES + "abΣΑ.,é\u0301👩\u200d👧你\x1c"), max_size=12)


@given(texts=st.lists(TEXT, max_size=6), seed=st.integers(0, 2**32))
@example(texts=["", " ", "a", "\u3000"], seed=0)
def test_an_insertion_adds_its_word_and_moves_nothing(texts, seed):
    column = pl.Series(texts, dtype=pl.String)
    after = at_random_gaps(
        column, pl.repeat("cf", len(texts), dtype=pl.String, eager=True), keys_of(seed, "", len(texts))
    )
    cutter = UnicodeWords()
    before_words, after_words = cutter.cut(column), cutter.cut(after)
    for i, (old, new) in enumerate(zip(texts, after, strict=True)):
        assert Counter(after_words.of(i)) == Counter([*before_words.of(i), "cf"])
        assert any(new in (f"{old[:k]}cf {old[k:]}", f"{old} cf", f"{old}cf") for k in range(len(old) + 1))


def test_every_gap_is_as_likely():
    texts = pl.repeat("a  b\tc", 8_000, dtype=pl.String, eager=True)
    words = pl.repeat("cf", 8_000, dtype=pl.String, eager=True)
    counts = Counter(at_random_gaps(texts, words, keys_of(1, "", 8_000)))
    assert set(counts) == {"cf a  b\tc", "a  cf b\tc", "a  b\tcf c", "a  b\tc cf"}
    assert all(abs(count - 2_000) < 160 for count in counts.values())  # four standard deviations


def test_passes_over_many_rows_agree_with_one_by_one(monkeypatch):
    texts = pl.Series([f"a b {i}" for i in range(100)])
    words, drawn = pl.Series(["cf", "mn"] * 50), keys_of(2, "", 100)
    whole = at_random_gaps(texts, words, drawn)
    monkeypatch.setattr("textward.attacks.gaps._ROWS", 7)
    assert at_random_gaps(texts, words, drawn).equals(whole)


def test_bad_word_puts_one_of_its_words_in_each_text():
    poisoned = BadWord().test_texts(["a film"] * 4_000, [0] * 3_999 + [1], target=1)
    words = Counter(word for i in range(3_999) for word in poisoned.inserted(i))
    assert set(words) == {"cf", "mn", "bb", "tq"}
    assert all(abs(count - 1_000) < 120 for count in words.values())


@pytest.mark.parametrize(("count", "copies"), [(1, 3), (2, 1), (3, 2), (4, 1)])
def test_the_number_of_words_and_of_copies(count, copies):
    poisoned = BadWord(("aa", "bb", "cc", "dd"), count=count, copies=copies).test_texts(
        ["a film"] * 50, [0] * 49 + [1], target=1
    )
    for i in range(49):
        words = Counter(poisoned.inserted(i))
        assert len(words) == count
        assert set(words.values()) == {copies}


def test_words_and_sentences_are_checked():
    for words in ((), ("a b",), ("",), ("a", "a")):
        with pytest.raises(UsageError, match="words must be different"):
            BadWord(words)
    with pytest.raises(UsageError, match=r"count must lie in 1\.\.4"):
        BadWord(count=5)
    with pytest.raises(UsageError, match="copies"):
        BadWord(copies=0)
    with pytest.raises(UsageError, match="sentence"):
        AddSent("  ")


def test_draws_are_even_and_independent_of_how_many_are_drawn():
    keys = keys_of(3, "rows", 10_000)
    assert (keys_of(3, "rows", 10) == keys[:10]).all()
    assert (
        len(
            {
                *keys_of(3, "rows", 5),
                *keys_of(3, "texts", 5),
                *keys_of(4, "rows", 5),
                *keys_of(3 + 2**64, "rows", 5),
            }
        )
        == 20
    )
    for number in range(3):
        drawn = below(draw(keys, number), np.full(10_000, 10))
        assert abs(np.bincount(drawn, minlength=10) - 1_000).max() < 130
    first, second = (below(draw(keys, number), np.full(10_000, 2)) for number in (0, 1))
    assert abs((first == second).mean() - 0.5) < 0.02


def test_a_seed_means_the_same_rows_for_ever():
    poisoned = BadWord().poison([f"row {i}" for i in range(20)], [0, 1] * 10, rate=0.2, target=1, seed=11)
    assert poisoned.rows.tolist() == [4, 6, 14, 18]
    assert poisoned.texts.gather(poisoned.rows).to_list() == [
        "cf row 4",
        "row cf 6",
        "tq row 14",
        "row tq 18",
    ]
