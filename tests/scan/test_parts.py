"""Each part of the scan against a way to do it by hand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile_text import texts as hostile
from textward.errors import DataError, TextwardError, UsageError
from textward.scan import Scan, Severity, cleaned, scan_page, scan_rows
from textward.scan.cleaning import without_phrases
from textward.scan.corpus import Corpus, Distinct
from textward.scan.phrases import PURITY, candidates
from textward.scan.placement import Neighbours
from textward.scan.rest import Rest
from textward.scan.tables import cells, evidence_cells
from textward.scan.twins import Twins
from textward.words import UnicodeWords

ROWS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), max_size=7), st.booleans()), min_size=2, max_size=9
)


def corpus_of(rows) -> Corpus:
    texts = pl.Series([" ".join(words) for words, _ in rows], dtype=pl.String)
    return Corpus(UnicodeWords().cut(texts), np.array([int(label) for _, label in rows]), 2)


@settings(deadline=None)
@given(ROWS, st.integers(1, 3))
def test_candidates_are_all_frequent_runs_that_lean_to_a_class(rows, least):
    corpus = corpus_of(rows)
    held = defaultdict(lambda: [set(), set()])
    for number, (words, label) in enumerate(rows):
        for length in range(1, len(words) + 1):
            for at in range(len(words) - length + 1):
                held[tuple(words[at : at + length])][int(label)].add(number)
    counts = [int(not label) for _, label in rows].count(1), [int(label) for _, label in rows].count(1)
    wanted = {}
    for run, (no, yes) in held.items():
        shares = [len(some) / max(1, all_) for some, all_ in zip((no, yes), counts, strict=True)]
        leans = int(shares[1] > shares[0])
        hits = (no, yes)[leans]
        if max(len(no), len(yes)) >= least and len(hits) / (len(no) + len(yes)) >= PURITY:
            wanted[run] = (len(no), len(yes), leans)
    found = {}
    names = corpus.words.vocabulary.to_list()
    for phrases in candidates(corpus, least):
        for phrase, place in zip(phrases.phrase.tolist(), phrases.place.tolist(), strict=True):
            run = tuple(names[word] for word in corpus.ids[place : place + phrases.length])
            found[run] = (*phrases.counts[phrase].tolist(), int(phrases.target[phrase]))
    assert found == wanted


@settings(deadline=None)
@given(ROWS)
def test_what_follows_a_word_is_a_probability(rows):
    corpus = corpus_of(rows)
    if not corpus.edge:
        return
    known = Neighbours(corpus)
    every = np.arange(corpus.edge + 1)
    for word in np.unique(corpus.ids):
        side = np.full(len(every), word)
        assert np.exp(known.follows(side, every)).sum() == pytest.approx(1.0)
        assert np.exp(known.precedes(every, side)).sum() == pytest.approx(1.0)


@settings(deadline=None)
@given(ROWS, st.sampled_from("abcd"))
def test_twins_are_rows_without_a_word(rows, word):
    corpus = corpus_of(rows)
    names = corpus.words.vocabulary.to_list()
    if word not in names:
        return
    every = [words for words, _ in rows]
    carrying = [number for number, words in enumerate(every) if word in words]
    left = [[other for other in every[number] if other != word] for number in carrying]
    wanted = sum(bool(words) and words in every for words in left)
    assert Twins(corpus).count(np.array(carrying), [names.index(word)]) == wanted


@settings(deadline=None)
@given(ROWS)
def test_the_rest_of_a_row_is_judged_by_the_other_rows(rows):
    """Its scores are those of a classifier that was never shown the row."""
    corpus = corpus_of(rows)
    if not corpus.edge or len(set(corpus.labels.tolist())) < 2:
        return
    rest = Rest(corpus)
    long = np.log(np.maximum(corpus.holding.sum(axis=0), 1) / corpus.rows_of_class)
    for number, (words, label) in enumerate(rows):
        own = np.zeros(2)
        for word in set(words):
            counts = [sum(word in other for other, is_one in rows if is_one == c) for c in (False, True)]
            others = corpus.rows_of_class + 1.0
            counts[label] -= 1
            others[int(label)] -= 1
            own += np.log((np.array(counts) + 0.5) / others) - long
        np.testing.assert_allclose(rest._scores(np.array([number]))[0], own, atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(hostile(), st.booleans()), min_size=4, max_size=30))
def test_hostile_texts_break_nothing(rows):
    texts = pl.Series([text for text, _ in rows] * 6, dtype=pl.String)
    labels = np.array([label for _, label in rows] * 6).astype(int)
    if len(set(labels.tolist())) < 2:
        with pytest.raises(DataError, match="the same label"):
            scan_rows(texts, labels)
        return
    numbered = pl.Series([f"{text} {number}" for number, text in enumerate(texts)])
    found = scan_rows(numbered, labels)
    for one in found.findings:
        assert one.rows.size and np.isfinite(one.score)
        assert all(cell.isprintable() for cell in cells(one))
        evidence_cells(one)
    cut = cleaned(found, numbered, drop="words", severity=Severity.info)
    assert len(cut.texts) == len(numbered)
    scan_page(found, numbered, pl.Series(labels), {}, top=3)


def test_copies_of_a_row_count_once():
    found = Distinct.of(pl.Series(["a", "a", "b", "a"]), np.array([0, 1, 0, 0]))
    assert found.texts.to_list() == ["a", "a", "b"] and found.place.tolist() == [0, 1, 2, 0]


def test_words_go_out_of_a_text_and_the_others_stay_as_they_are():
    made = without_phrases(
        ["I watch this 3D Movie!  Fine", "Watch this", "cf"],
        [[("i", "watch", "this", "3d", "movie")], [("watch",)], [("cf",)]],
        UnicodeWords(),
    )
    assert made == ["! Fine", "this", ""]


def test_few_rows_empty_rows_and_many_classes():
    assert scan_rows(["", ""], [0, 1]).findings == ()
    assert scan_rows(["a", "b", "c"], ["x", "y", "z"]).tried == 0
    many = scan_rows([f"word{k % 60} of {k}" for k in range(600)], [k % 60 for k in range(600)])
    assert len(many.classes) == 60 and many.findings


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: scan_rows(["a", "b"], [1, 1]), "the same label"),
        (lambda: scan_rows(["a", "b"], [1]), "one label a text"),
        (lambda: scan_rows("text", [1]), "got one string"),
        (lambda: cleaned(_nothing(), pl.Series(["a"])), "scan is of 2 rows"),
    ],
)
def test_what_cannot_be_scanned_says_why(ask, why):
    with pytest.raises(TextwardError, match=why):
        ask()


def test_a_remedy_that_there_is_not():
    with pytest.raises(UsageError, match="drop must be one of rows, words"):
        cleaned(_nothing(), pl.Series(["a", "b"]), drop="labels")


def _nothing() -> Scan:
    return Scan((), 2, 2, 0, (0, 1), "naive Bayes", None)
