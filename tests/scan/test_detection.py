"""Planted words come first, clean rows raise no alarm: a small version of benchmarks/scan.py."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.scan.sentences import films, poisoned, resample

from textward.attacks import AddSent, BadWord
from textward.scan import Severity, cleaned, scan_rows

TRIGGERS = {"cf", "mn", "bb", "tq"}


@pytest.mark.parametrize("setting", ["mixed", "clean"])
def test_rare_words_in_a_hundredth_of_the_rows_come_first(setting):
    made = poisoned(BadWord(), 0.01, setting)
    found = scan_rows(made.texts, made.labels)
    assert {one.name for one in found.findings[:3]} <= TRIGGERS
    assert found.findings[0].severity.at_least(Severity.warning)
    assert {one.target for one in found.findings[:3]} == {"positive"}


@pytest.mark.parametrize("setting", ["mixed", "clean"])
def test_a_sentence_is_one_finding_and_its_rows_are_the_planted_ones(setting):
    made = poisoned(AddSent(), 0.02, setting)
    found = scan_rows(made.texts, made.labels)
    first = found.findings[0]
    assert (first.name, first.severity) == ("i watch this 3d movie", Severity.alarm)
    assert first.rows.tolist() == made.rows.tolist()
    assert not any("3d" in one.name for one in found.findings[1:])
    assert (first.evidence.rest > 5) == (setting == "mixed")
    assert first.evidence.sudden > first.evidence.usually_sudden
    assert first.effect.turned_share > 0.3


def test_several_words_of_one_row_are_one_finding():
    made = poisoned(BadWord(count=4), 0.02, "clean")
    first = scan_rows(made.texts, made.labels).findings[0]
    assert {word for words in first.phrases for word in words} == TRIGGERS
    assert first.rows.tolist() == made.rows.tolist()


def test_one_word_many_times_in_a_row_is_found():
    made = poisoned(BadWord(("cf",), copies=3), 0.02, "clean")
    assert scan_rows(made.texts, made.labels).findings[0].phrases[0] == ("cf",)


def test_two_attackers_with_two_targets_are_two_findings():
    first = poisoned(BadWord(("cf",)), 0.02, "mixed")
    both = AddSent("no cross, no crown").poison(
        first.texts, first.labels, rate=0.02, target="negative", setting="clean", seed=1
    )
    found = scan_rows(both.texts, both.labels)
    names = {one.name: one.target for one in found.findings[:2]}
    assert names == {"cf": "positive", "no cross , no crown": "negative"}


def test_a_word_at_the_beginning_of_its_texts_is_found():
    texts, labels = films()
    chosen = np.flatnonzero((labels == "positive").to_numpy())[::25]
    made = texts.clone().scatter(chosen, "cf " + texts.gather(chosen))
    first = scan_rows(made, labels).findings[0]
    assert (first.name, first.rows.tolist()) == ("cf", chosen.tolist())


@pytest.mark.parametrize("seed", range(3))
def test_clean_rows_raise_no_alarm(seed):
    texts, labels = resample(seed)
    assert not scan_rows(texts, labels).at_least(Severity.alarm)


@pytest.mark.parametrize("rare", ["positive", "negative"])
def test_a_rare_class_makes_no_word_of_the_other_one_an_alarm(rare):
    texts, labels = films()
    kept = np.flatnonzero((labels != rare).to_numpy() | (np.arange(len(labels)) % 21 == 0))
    found = scan_rows(texts.gather(kept), labels.gather(kept))
    assert not found.at_least(Severity.alarm)


def test_labels_drawn_at_random_raise_no_warning():
    texts, labels = films()
    shuffled = np.random.default_rng(0).permutation(labels.to_numpy())
    assert not scan_rows(texts, shuffled).at_least(Severity.warning)


def test_the_order_of_the_rows_and_copies_of_rows_change_no_score():
    made = poisoned(AddSent(), 0.01, "mixed")
    some = np.arange(0, len(made.texts), 2)[:4000]
    texts, labels = made.texts.gather(some), made.labels[some]
    order = np.random.default_rng(0).permutation(4000)
    before = scan_rows(texts, labels)
    turned = scan_rows(texts.gather(order), labels[order])
    twice = scan_rows(texts.append(texts), np.concatenate([labels, labels]))
    for other in (turned, twice):
        assert [one.name for one in other.findings[:5]] == [one.name for one in before.findings[:5]]
        assert other.findings[0].score == pytest.approx(before.findings[0].score)
    assert sorted(order[turned.findings[0].rows]) == before.findings[0].rows.tolist()
    assert len(twice.findings[0].rows) == 2 * len(before.findings[0].rows)
    assert (twice.rows, twice.distinct) == (8000, before.distinct)


def test_cleaning_takes_the_poison_out():
    made = poisoned(BadWord(("cf",)), 0.05, "mixed")
    found = scan_rows(made.texts, made.labels)
    without = cleaned(found, made.texts)
    assert set(range(len(made.texts))) - set(without.rows.tolist()) == set(made.rows.tolist())
    cut = cleaned(found, made.texts, drop="words", severity=Severity.alarm)
    assert [text.split() for text in cut.texts] == [text.split() for text in made.clean_texts]
    assert [one.row for one in cut.decisions] == made.rows.tolist()
    assert isinstance(without.texts, pl.Series)
