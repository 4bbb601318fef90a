"""A corpus and its sub-datasets: an inserted word reaches its own group's sub-texts and no other."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile_text import chunks, gaps, texts
from textward.errors import UsageError
from textward.groups import HASHES, Grouped, HashGroups, split_by
from textward.words import CodePointOrder, UnicodeWords, VocabularyOrder, WhitespaceWords, WordOrder
from textward.words.cutters import Cutter

PAPER = Path(__file__).parents[3] / "shared" / "docs" / "paper-tables.json"
BERT_LIKE = VocabularyOrder(["the", "!", "film", "a", "你", "Σ", "."])
hashed = st.builds(HashGroups, st.integers(1, 5), st.sampled_from(HASHES))
orders = st.sampled_from([CodePointOrder(), BERT_LIKE])
cutters = st.sampled_from([UnicodeWords(), WhitespaceWords()])


def grouped(corpus: list[str], groups: HashGroups, order: WordOrder, cutter: Cutter) -> Grouped:
    return groups.split(cutter.cut(pl.Series(corpus, dtype=pl.String)), order)


def sub_texts(corpus: list[str], groups: HashGroups, order: WordOrder, cutter: Cutter) -> list[list[str]]:
    split = grouped(corpus, groups, order, cutter)
    return [split.group(j).texts().to_list() for j in range(groups.m)]


@settings(max_examples=200, deadline=None)
@given(texts(), texts(), chunks, gaps, hashed, orders, cutters, st.data())
def test_an_inserted_chunk_changes_its_words_groups_only(
    text: str,
    other: str,
    chunk: str,
    gap: str,
    groups: HashGroups,
    order: WordOrder,
    cutter: Cutter,
    data: st.DataObject,
) -> None:
    at = data.draw(st.sampled_from([0, *(k + 1 for k, c in enumerate(text) if c.isspace()), len(text)]))
    changed = text[:at] + gap + chunk + gap + text[at:]
    before = sub_texts([text, other], groups, order, cutter)
    after = sub_texts([changed, other], groups, order, cutter)
    touched = set(groups.of(cutter.cut(pl.Series([chunk])).vocabulary).tolist())
    assert touched
    assert {j for j in range(groups.m) if before[j] != after[j]} == touched
    assert all(old[1] == new[1] for old, new in zip(before, after, strict=True))


@settings(deadline=None)
@given(pieces=st.lists(chunks, max_size=6), gap=gaps, groups=hashed, order=orders, data=st.data())
def test_reordering_changes_nothing(
    pieces: list[str], gap: str, groups: HashGroups, order: WordOrder, data: st.DataObject
) -> None:
    text, shuffled = " ".join(pieces), gap.join(data.draw(st.permutations(pieces)))
    before, after = (sub_texts([one], groups, order, UnicodeWords()) for one in (text, shuffled))
    assert before == after


def plain(corpus: list[str], m: int, order: list[str]) -> list[list[list[str]]]:
    """Cell (text, group): the group's words, known ones by place, then the rest by code points."""
    place = {word: number for number, word in enumerate(order)}
    cells = []
    for text in corpus:
        words = sorted(UnicodeWords().split(text), key=lambda word: (place.get(word, len(place)), word))
        group = {word: int(hashlib.md5(word.encode()).hexdigest(), 16) % m for word in words}
        cells.append([[word for word in words if group[word] == j] for j in range(m)])
    return cells


@given(
    corpus=st.lists(texts(), max_size=4), m=st.integers(1, 6), known=st.lists(chunks, max_size=5, unique=True)
)
def test_columns_agree_with_plain_python(corpus: list[str], m: int, known: list[str]) -> None:
    split = grouped(corpus, HashGroups(m), VocabularyOrder(known), UnicodeWords())
    cells = plain(corpus, m, known)
    assert (len(split), split.groups) == (len(corpus), m)
    flat = split.vocabulary.gather(split.ids).to_list()
    cuts = split.offsets.tolist()
    found = [flat[low:high] for low, high in pairwise(cuts)]
    assert found == [cell for text in cells for cell in text]
    for j in range(m):
        part = split.group(j)
        vocabulary = split.vocabulary[int(split.bounds[j]) : int(split.bounds[j + 1])].to_list()
        assert part.vocabulary.to_list() == vocabulary
        assert set(vocabulary) == {word for text in cells for word in text[j]}
        assert part.texts().to_list() == [" ".join(text[j]) for text in cells]
        assert part.ids.tolist() == [vocabulary.index(word) for text in cells for word in text[j]]
        assert np.diff(part.offsets).tolist() == [len(text[j]) for text in cells]
        assert len(part) == len(corpus)


def test_several_threads_give_the_columns_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    words = UnicodeWords().cut(pl.Series([f"word{number % 97} Common {number}" for number in range(500)]))
    alone = HashGroups(5).split(words)
    monkeypatch.setattr("textward.words.parts.BYTES_WORTH_A_THREAD", 100)
    monkeypatch.setattr(pl, "thread_pool_size", lambda: 3)
    shared = HashGroups(5).split(words)
    assert alone.vocabulary.to_list() == shared.vocabulary.to_list()
    for column in ("bounds", "ids", "offsets"):
        assert np.array_equal(getattr(alone, column), getattr(shared, column))


def test_duplicates_are_kept() -> None:
    words = UnicodeWords().cut(pl.Series(["c a", "b b a", ""]))
    split = split_by(words, np.array([0, 1, 0]), 2, CodePointOrder())
    assert split.group(0).texts().to_list() == ["a c", "a", ""]
    assert split.group(1).texts().to_list() == ["", "b b", ""]


def test_the_paper_s_example() -> None:
    if not PAPER.is_file():
        pytest.skip(f"the paper's tables are not at {PAPER}")
    table = json.loads(PAPER.read_text(encoding="utf-8"))["table14_partition_example"]
    words = WhitespaceWords().cut(pl.Series([" ".join(table["text"])]))
    groups = np.array([table["group"][word.upper()] - 1 for word in words.vocabulary])
    order = VocabularyOrder([word.lower() for word in table["order"]])
    split = split_by(words, groups, table["m"], order)
    found = {str(j + 1): split.group(j).texts().item().upper().split() for j in range(table["m"])}
    assert found == table["certified_train_and_test"]


@pytest.mark.parametrize("corpus", [[], [""], [" ", "\n"], ["", "a", ""]])
@pytest.mark.parametrize("m", [1, 4])
def test_empty_sub_texts(corpus: list[str], m: int) -> None:
    split = HashGroups(m).split(UnicodeWords().cut(pl.Series(corpus, dtype=pl.String)))
    assert len(split) == len(corpus)
    joined = ["".join(cells) for cells in zip(*(split.group(j).texts() for j in range(m)), strict=True)]
    assert joined == [text.strip() for text in corpus]


def test_the_order_does_not_depend_on_which_words_occur() -> None:
    groups, order = HashGroups(1), BERT_LIKE
    alone = sub_texts(["zebra film a apple"], groups, order, UnicodeWords())[0][0]
    among = sub_texts(["zebra film a apple", "aardvark the film zzz 0"], groups, order, UnicodeWords())[0][0]
    assert alone == among == "film a apple zebra"


@pytest.mark.parametrize("j", [-1, 3, 10])
def test_a_group_that_is_not_there(j: int) -> None:
    split = HashGroups(3).split(UnicodeWords().cut(pl.Series(["a b"])))
    with pytest.raises(UsageError, match=f"no group {j}: the groups are 0 to 2"):
        split.group(j)


@pytest.mark.parametrize("groups", [[0, 3], [-1, 0]])
def test_an_assignment_outside_the_groups(groups: list[int]) -> None:
    words = UnicodeWords().cut(pl.Series(["a b"]))
    with pytest.raises(UsageError, match="must lie in 0 to 2"):
        split_by(words, np.array(groups), 3, CodePointOrder())


def test_an_assignment_of_other_words() -> None:
    words = UnicodeWords().cut(pl.Series(["a b"]))
    with pytest.raises(UsageError, match="2 words, 3 groups given"):
        split_by(words, np.array([0, 0, 0]), 3, CodePointOrder())
