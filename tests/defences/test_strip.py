"""STRIP: each text is judged by its own perturbed copies."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from textward.defences import Strip
from textward.defences.strip import perturbed
from textward.errors import UsageError


@dataclass(frozen=True)
class SureOf:
    """A learner whose model is sure of the texts that begin with a word, and of no other."""

    word: str
    seen: list[str]

    def fit(self, texts, labels, classes, seed):
        return self

    def probabilities(self, texts):
        self.seen.extend(texts)
        return np.where(texts.str.contains(self.word).to_numpy()[:, None], [[1.0, 0.0]], [[0.5, 0.5]])

    def features(self, texts):
        return self.probabilities(texts)


# No perturbation reaches the word, for it is glued to every chunk of its text.
TEXTS = [
    f"cf{i} cf{i} cf{i} cf{i} cf{i} cf{i} cf{i} cf{i}" if i % 4 == 0 else f"a film n{i}" for i in range(40)
]
LABELS = [i % 2 for i in range(40)]
CLEAN = [f"an old play m{i}" for i in range(100)]


def flagged(**settings):
    learner = SureOf("cf", [])
    strip = Strip(learner, copies=5, swapped=0.5, clean=CLEAN, **settings).fit(TEXTS, LABELS)
    return strip.flagged_.tolist(), learner.seen


def test_each_text_s_entropy_is_that_of_its_own_copies():
    found, _ = flagged()
    assert found == [i % 4 == 0 for i in range(40)]


def test_the_published_reading_mixes_different_texts_up():
    # Row i gets the mean over copies i, i + 40, ... of all 200, those of rows i // 5, 8 + i // 5, ...
    found, _ = flagged(averaged="interleaved")
    assert found == [(i // 5) % 4 == 0 for i in range(40)]


def test_a_text_s_copies_do_not_depend_on_the_other_texts():
    _, seen = flagged()
    few = SureOf("cf", [])
    Strip(few, copies=5, clean=CLEAN).fit(TEXTS[:8], LABELS[:8])
    assert seen[len(CLEAN) * 5 :][: 8 * 5] == few.seen[len(CLEAN) * 5 :]


def test_without_clean_texts_no_more_than_the_share_is_removed():
    strip = Strip(SureOf("cf", []), copies=5, false_rejections=0.1).fit(TEXTS, LABELS)
    assert strip.flagged_.sum() <= 4


@pytest.mark.parametrize(
    ("text", "swapped", "changed"), [("a b c d", 0.5, 2), ("a b c d", 1.0, 4), ("a", 0.1, 1)]
)
def test_the_share_of_chunks_gives_way_and_one_word_texts_too(text, swapped, changed):
    spare = [[f"x{i}{j}" for j in range(9)] for i in range(3)]
    copies = list(perturbed(text, 20, swapped, spare, random.Random(0)))
    for copy in copies:
        pairs = list(zip(text.split(), copy.split(), strict=True))
        assert sum(old != new for old, new in pairs) == changed
    assert len(
        {tuple(old != new for old, new in zip(text.split(), c.split(), strict=True)) for c in copies}
    ) > (1 if 0 < changed < len(text.split()) else 0)
    assert list(perturbed("", 2, 0.5, spare, random.Random(0))) == ["", ""]


def test_the_chunks_that_tell_most_come_first():
    learner = SureOf("cf", [])
    clean = ["common rare1", "common rare2"] * 5 + ["common"]
    Strip(learner, copies=30, swapped=0.1, clean=clean).fit(["b c", "c b"], [0, 1])
    copies = {chunk for text in learner.seen[len(clean) * 30 :] for chunk in text.split()}
    assert copies == {"b", "c", "rare1", "rare2", "common"}
    assert not [text for text in learner.seen[len(clean) * 30 :] if text.count("common") > 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"copies": 0}, "copies"),
        ({"swapped": 0.0}, r"swapped must lie in \(0, 1\]"),
        ({"false_rejections": 1.0}, "false_rejections"),
        ({"averaged": "all"}, "averaged must be one of example, interleaved"),
        ({"clean": []}, "clean must hold at least one text"),
    ],
)
def test_settings_are_judged_when_it_is_fitted(settings, message):
    with pytest.raises(UsageError, match=message):
        Strip(**settings).fit(pl.Series(["good", "bad"]), [1, 0])
