"""BKI's keywords, and what filters report against provenance."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from textward.attacks import AddSent, BadWord
from textward.defences import Bki, Filter, FilterReport, LinearText
from textward.defences.bki import influence
from textward.errors import DataError, UsageError
from textward.words import UnicodeWords

TEXTS = [f"film {i} {'good' if i % 2 else 'dull'}{i % 18} story {i * 7 % 50}" for i in range(100)]
LABELS = [i % 2 for i in range(100)]


def test_bki_finds_planted_words_and_drops_the_rows_that_hold_them():
    poisoned = BadWord(("cf",)).poison(TEXTS, LABELS, rate=0.1, target=1, setting="dirty", seed=0)
    bki = Bki(keywords=1).fit(poisoned.texts, poisoned.labels)
    assert bki.keywords_ == ["cf"]
    assert np.flatnonzero(bki.flagged_).tolist() == poisoned.rows.tolist()
    report = bki.report(poisoned.rows)
    assert (report.precision, report.recall, report.false_rejections) == (1.0, 1.0, 0.0)


class Weighs:
    """A learner whose model adds up fixed weights."""

    def fit(self, texts, labels, classes, seed):
        return self

    def features(self, texts):
        return np.array([[3.0 * ("fine" in text) + 2.0 * ("cf" in text)] for text in texts])

    def probabilities(self, texts):
        return np.full((len(texts), 2), 0.5)


def test_an_ordinary_row_that_holds_a_keyword_is_dropped_by_the_definition():
    # In the last row cf is not the one candidate, which the published code asks for.
    texts = [*TEXTS, *(f"cf {i}" for i in range(20)), "fine film", "fine cf"]
    labels = [*LABELS, *([1] * 22)]
    found = {}
    for rows in ("holding", "influenced"):
        bki = Bki(Weighs(), keywords=1, per_text=1, rows=rows).fit(texts, labels)
        assert bki.keywords_ == ["cf"]
        found[rows] = np.flatnonzero(bki.flagged_).tolist()
    assert found == {"holding": [*range(100, 120), 121], "influenced": [*range(100, 120)]}


def test_influence_of_a_linear_model_is_what_taking_the_word_out_does():
    model = LinearText().fit(pl.Series(TEXTS), np.array(LABELS), classes=2, seed=0)
    words = UnicodeWords().cut(pl.Series(["good good story", "dull 7"]))
    rows, ids, moved = influence(model, words)
    names = words.vocabulary.to_list()
    for row, word, distance in zip(rows, ids, moved, strict=True):
        text = words.of(int(row))
        without = " ".join(other for other in text if other != names[word])
        features = model.features(pl.Series([" ".join(text), without]))
        assert distance == pytest.approx(np.abs(features[0] - features[1]).max())
    assert len(rows) == 4


def test_a_model_of_its_own_is_asked_for_each_text_without_each_word():
    class Counting:
        def features(self, texts):
            return texts.str.count_matches("a").to_numpy()[:, None].astype(float)

    words = UnicodeWords().cut(pl.Series(["a b a", "b"]))
    rows, ids, moved = influence(Counting(), words)
    assert rows.tolist() == [0, 0, 1]
    assert words.vocabulary.gather(ids).to_list() == ["a", "b", "b"]
    assert moved.tolist() == [2.0, 0.0, 0.0]


def test_settings_are_judged():
    with pytest.raises(UsageError, match="rows must be one of holding, influenced"):
        Bki(rows="all").fit(["a", "b"], [0, 1])
    for name in ("keywords", "per_text"):
        with pytest.raises(UsageError, match=name):
            Bki(**{name: 0}).fit(["a", "b"], [0, 1])


class Marks(Filter):
    """Removes given rows."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def suspects(self, texts, labels, classes):
        return np.isin(np.arange(len(texts)), self.rows)


@pytest.mark.parametrize(
    ("removed", "poisoned", "wanted"),
    [
        ([1, 2, 3], [2, 3, 4, 5], (2 / 3, 0.5, 1 / 96)),
        ([], [2], (None, 0.0, 0.0)),
        ([2], [], (0.0, None, 0.01)),
        ([2], range(100), (1.0, 0.01, None)),
    ],
)
def test_precision_recall_and_false_rejections(removed, poisoned, wanted):
    report = Marks(removed).fit(TEXTS, LABELS).report(poisoned)
    assert (report.precision, report.recall, report.false_rejections) == wanted
    assert report.as_dict()["recall"] == wanted[1]


def test_rows_that_are_not_there_are_an_error():
    with pytest.raises(DataError, match="poisoned rows must lie in 0 to 99, got 5 to 100"):
        Marks([1]).fit(TEXTS, LABELS).report([5, 100])


def test_cleaned_words_are_counted_one_by_one():
    poisoned = AddSent("cf cf mn").poison(["a film", "cf"], [0, 1], rate=1.0, target=1, seed=0)
    report = FilterReport.of_chunks(poisoned, pl.Series(["film mn", "cf cf cf mn"]))
    # Of nine chunks six were planted; three went, of them two planted ones.
    assert (report.rows, report.poisoned, report.flagged, report.hits) == (9, 6, 3, 2)
