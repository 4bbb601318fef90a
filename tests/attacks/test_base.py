"""The sealed base: budget, labels, provenance, and what it refuses."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textward.attacks import AddSent, Attack, BadWord, relabelled
from textward.attacks.base import gained
from textward.attacks.budget import budget
from textward.errors import AttackError, DataError, UsageError

TEXTS = [f"text number {i}" for i in range(40)]
LABELS = [0, 1, 2, 1] * 10


class Nothing(Attack):
    """Changes every text but one."""

    def insert(self, text: str, rng: random.Random) -> str:
        return text if text == TEXTS[7] else text + " x"


class Halves(BadWord):
    """Can only change the even texts."""

    def covers(self, texts: pl.Series) -> np.ndarray:
        return texts.str.slice(-1).is_in(["0", "2", "4", "6", "8"]).to_numpy()


@given(
    labels=st.lists(st.integers(0, 2), min_size=1, max_size=60),
    rate=st.integers(0, 100).map(lambda percent: percent / 100),
    setting=st.sampled_from(["mixed", "clean", "dirty"]),
    seed=st.integers(0, 2**70),
)
def test_the_budget_the_pool_and_the_labels_of_every_setting(labels, rate, setting, seed):
    array, target = np.array(labels), labels[0]
    pool = {"mixed": array >= 0, "clean": array == target, "dirty": array != target}[setting]
    texts = [f"{i} words" for i in range(len(labels))]
    allowed = round(rate * 100) * len(labels) // 100
    call = {"rate": rate, "target": target, "setting": setting, "seed": seed}
    if allowed > pool.sum() or (rate and not allowed):
        with pytest.raises(UsageError):
            BadWord().poison(texts, labels, **call)
        return
    poisoned = BadWord().poison(texts, labels, **call)
    assert len(poisoned.rows) == allowed
    assert pool[poisoned.rows].all()
    changed = np.array([a != b for a, b in zip(texts, poisoned.texts, strict=True)])
    assert np.flatnonzero(changed).tolist() == poisoned.rows.tolist()
    assert (poisoned.labels == np.where(changed, target, array)).all()
    assert (relabelled(labels, **call) == poisoned.labels).all()
    assert poisoned.clean_texts.to_list() == texts
    assert (poisoned.flags == changed).all()


def test_the_rows_are_a_fair_draw_and_nested_over_rates():
    counts = np.zeros(100)
    for seed in range(400):
        low = BadWord().poison(["a"] * 100, [0, 1] * 50, rate=0.1, target=1, seed=seed).rows
        high = BadWord().poison(["a"] * 100, [0, 1] * 50, rate=0.3, target=1, seed=seed).rows
        assert set(low) <= set(high)
        counts[low] += 1
    assert counts.sum() == 4000
    assert abs(counts - 40).max() < 40 * 0.6  # four standard deviations


@pytest.mark.parametrize(
    ("rate", "rows", "count"), [(0.29, 100, 29), (0.1, 6920, 692), (1, 7, 7), (0, 0, 0), (1 / 3, 60, 20)]
)
def test_a_rate_is_read_as_it_is_written(rate, rows, count):
    assert budget(rate, rows) == count


def test_a_text_left_unchanged_is_named():
    with pytest.raises(AttackError, match=r"left 1 of 40 texts unchanged.*row 7 .*'text number 7'"):
        Nothing().poison(TEXTS, LABELS, rate=1, target=1)
    with pytest.raises(AttackError, match="row 7"):
        Nothing().test_texts(TEXTS, [0] * 20 + [1] * 20, target=1)


def test_too_few_rows_say_how_many_there_are_and_the_largest_rate():
    with pytest.raises(UsageError, match=r"takes 30 rows labelled 1, and there are 20.*possible is 0.5$"):
        BadWord().poison(TEXTS, LABELS, rate=0.75, target=1, setting="clean")
    with pytest.raises(UsageError, match=r"40 rows, of which the attack can change 20; the largest.*is 0.5$"):
        Halves().poison(TEXTS, LABELS, rate=0.75, target=1)
    with pytest.raises(UsageError, match=r"less than one row; the smallest rate that takes one is 0.025$"):
        BadWord().poison(TEXTS, LABELS, rate=0.02, target=1)


def test_only_rows_that_the_attack_covers_are_taken():
    poisoned = Halves().poison(TEXTS, LABELS, rate=0.5, target=1)
    assert poisoned.rows.tolist() == list(range(0, 40, 2))
    assert set(Halves().test_texts(TEXTS, LABELS, target=1).rows % 2) == {0}


@pytest.mark.parametrize("rate", [-0.1, 1.5, float("nan"), float("inf")])
def test_a_rate_outside_0_to_1_is_refused(rate):
    with pytest.raises(UsageError, match=r"must lie in \[0, 1\]"):
        BadWord().poison(TEXTS, LABELS, rate=rate, target=1)


def test_settings_targets_labels_and_texts_are_checked():
    with pytest.raises(UsageError, match="one of mixed, clean, dirty"):
        BadWord().poison(TEXTS, LABELS, rate=0.1, target=1, setting="evil")
    for target in (3, "1"):
        with pytest.raises(UsageError, match="is not a class; the classes are 0, 1, 2"):
            BadWord().poison(TEXTS, LABELS, rate=0.1, target=target)
    for labels in ([0.5] * 40, [None] * 40, ["a", 1] * 20, [["a"]] * 40, [None, "a"] * 20):
        with pytest.raises(DataError, match="labels must be one integer or one string"):
            BadWord().poison(TEXTS, labels, rate=0.1, target=1)
    with pytest.raises(DataError, match="40 texts and 39 labels"):
        BadWord().poison(TEXTS, LABELS[1:], rate=0.1, target=1)
    with pytest.raises(DataError, match="with 1 missing"):
        BadWord().poison(pl.Series([None, *TEXTS[1:]]), LABELS, rate=0.1, target=1)
    with pytest.raises(UsageError, match="seed"):
        BadWord().poison(TEXTS, LABELS, rate=0.1, target=1, seed=-1)


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"] * 20,
        np.array(["no", "yes"] * 20),
        np.array(["no", "yes"] * 20, object),
        pl.Series(["no", "yes"] * 20),
    ],
    ids=["list", "numpy", "objects", "polars"],
)
def test_labels_of_every_kind_stay_what_they_are(labels):
    poisoned = BadWord().poison(TEXTS, labels, rate=0.25, target="yes", setting="dirty", seed=3)
    assert poisoned.labels.tolist().count("yes") == 30
    assert isinstance(poisoned.labels[0], str)


def test_test_texts_are_those_of_other_classes_with_their_true_labels():
    poisoned = AddSent().test_texts(TEXTS, LABELS, target=1, seed=5)
    assert poisoned.rows.tolist() == [i for i, label in enumerate(LABELS) if label != 1]
    assert poisoned.labels.tolist() == [label for label in LABELS if label != 1]
    assert poisoned.clean_texts.to_list() == [TEXTS[i] for i in poisoned.rows]
    assert all(
        poisoned.inserted(i) == ["I", "watch", "this", "3D", "movie"] for i in range(len(poisoned.texts))
    )
    assert poisoned.flags.all()


def test_no_test_text_to_attack_is_an_error():
    with pytest.raises(UsageError, match="of 40 texts 0 are of another class than the target 1"):
        BadWord().test_texts(TEXTS, [1] * 40, target=1)
    with pytest.raises(UsageError, match=r"40 are .*Halves\(words=.* can change none"):
        Halves().test_texts(["text 1", "text 3"] * 20 + ["text 5"], [0] * 40 + [1], target=1)


def test_what_a_text_gained_is_counted_whatever_the_white_space_and_the_words_it_held():
    texts = ["a\tcf\nfilm cf", "cf", "\u3000a  b\r\nc"]
    poisoned = BadWord(("cf",), copies=2).poison(texts, [0, 1, 0], rate=1, target=1)
    assert [poisoned.inserted(row) for row in range(3)] == [["cf", "cf"]] * 3


@given(
    before=st.lists(st.sampled_from("abc"), max_size=6), after=st.lists(st.sampled_from("abcd"), max_size=8)
)
def test_gained_chunks_are_those_a_text_has_more_of(before, after):
    found = gained(" ".join(before), " ".join(after))
    assert Counter(found) == Counter(after) - Counter(before)


@pytest.mark.parametrize("name", ["poison", "test_texts", "apply", "_changed"])
def test_the_seal_holds(name):
    with pytest.raises(TypeError, match=f"must not define {name}"):
        type("Rogue", (BadWord,), {name: lambda self: None})


def test_an_attack_that_gives_no_strings_is_named():
    class Numbers(BadWord):
        def insert_all(self, texts, keys):
            return pl.Series([1] * len(texts))

    with pytest.raises(AttackError, match="must give one string for each of 40"):
        Numbers().poison(TEXTS, LABELS, rate=1, target=1)


def test_global_random_state_is_neither_used_nor_moved():
    random.seed(1)
    np.random.seed(1)
    state = random.getstate()
    first = Nothing().poison(TEXTS, LABELS, rate=0.1, target=1, seed=4)
    assert random.getstate() == state
    random.seed(2)
    np.random.seed(2)
    assert Nothing().poison(TEXTS, LABELS, rate=0.1, target=1, seed=4).texts.equals(first.texts)
