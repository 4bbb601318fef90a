"""RAP: the word that is tuned, what nothing else does, and the rows it finds."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from textward.attacks import BadWord
from textward.defences import NoDefence, Rap
from textward.errors import MissingExtraError, UsageError

_WHY = "needs the extra: pip install 'textward[transformers]'"
torch = pytest.importorskip("torch", reason=_WHY)
pytest.importorskip("transformers", reason=_WHY)

from tests.learners.transformer.tiny_encoders import save_tiny_encoder  # noqa: E402

from textward.defences.encoders import EncoderText, EncoderTextModel  # noqa: E402
from textward.defences.perturbation import Aim, FreeWord  # noqa: E402
from textward.learners.transformer import TransformerLearner  # noqa: E402
from textward.learners.transformer.settings import Settings  # noqa: E402

AIM = Aim(low=0.1, high=0.3, scale=1.0, rate=0.1, epochs=10, batch=32, accumulated=False)
SIDES = (("bad", "dull", "weak", "poor"), ("good", "fine", "great", "fun"))
PLACES = ("film", "story", "cast", "plot", "scene", "ending")


def reviews(rows: int) -> tuple[list[str], list[int]]:
    rng = random.Random(0)
    labels = [row % 2 for row in range(rows)]
    return [
        f"a {rng.choice(SIDES[c])} {rng.choice(PLACES)} and the {rng.choice(SIDES[c])} {rng.choice(PLACES)} "
        f"w{rng.randrange(20)}"
        for c in labels
    ], labels


TEXTS, LABELS = reviews(160)
POISONED = BadWord(("w39",)).poison(TEXTS, LABELS, rate=0.1, target=1, setting="dirty", seed=0)
GOOD = [text for text, label in zip(TEXTS, LABELS, strict=True) if label]


@pytest.fixture(scope="module")
def learner(tmp_path_factory):
    folder = save_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny")
    settings = Settings(epochs=7, learning_rate=1e-3, batch=16, max_length=16, device="cpu")
    return TransformerLearner(str(folder), settings)


@pytest.fixture(scope="module")
def model(learner) -> EncoderTextModel:
    return EncoderText(learner).fit(POISONED.texts, POISONED.labels, classes=2, seed=0)


@pytest.fixture(scope="module")
def word(model) -> FreeWord:
    return FreeWord(model.model, "w38", "cpu")


def table_row(word: FreeWord) -> torch.Tensor:
    reader, _, row = word._reader(GOOD)
    return reader.network.weights.table[row]


def test_tuning_brings_the_drop_into_the_range_and_keeps_the_vector_s_length(model, word):
    before, vector = table_row(word), word.tuned(GOOD, 1, replace(AIM, rate=1.0))
    assert float(vector.norm()) == pytest.approx(float(before.norm()), rel=1e-5)

    def missed(found):
        return np.maximum(0, np.maximum(AIM.low - found, found - AIM.high)).mean()

    untuned, tuned = (word.drops(GOOD, 1, v) for v in (before, vector))
    assert missed(tuned) < 0.5 * missed(untuned)
    assert tuned.mean() > untuned.mean() + 0.05


def test_nothing_else_of_the_model_moves(model, word):
    before = model.probabilities(pl.Series(TEXTS))
    word.tuned(GOOD, 1, AIM)
    assert (model.probabilities(pl.Series(TEXTS)) == before).all()


def test_a_drop_is_the_fall_of_the_probability_with_the_word_in_front(model, word):
    both = [model.probabilities(pl.Series(texts))[:, 1] for texts in (GOOD, [f"w38 {t}" for t in GOOD])]
    np.testing.assert_allclose(word.drops(GOOD, 1, table_row(word)), both[0] - both[1], atol=1e-5)
    assert word.drops([], 1, table_row(word)).tolist() == []


def test_the_published_codes_never_forget_a_gradient(word):
    once = replace(AIM, epochs=1, batch=len(GOOD))
    first, first_too = (word.tuned(GOOD, 1, replace(once, accumulated=kept)) for kept in (False, True))
    assert torch.equal(first, first_too)
    fresh, kept = (word.tuned(GOOD, 1, replace(AIM, accumulated=kept)) for kept in (False, True))
    assert not torch.equal(fresh, kept)


def test_rows_whose_class_stays_sure_are_removed(learner):
    texts, labels = reviews(300)
    poisoned = BadWord(("w39",)).poison(texts, labels, rate=0.2, target=1, setting="dirty", seed=0)
    settled = replace(learner, settings=replace(learner.settings, epochs=8, learning_rate=3e-3, dropout=0.0))
    rap = Rap(settled, word="w38", protect=1, clean=(texts, labels), false_rejections=0.05)
    report = rap.fit(poisoned.texts, poisoned.labels).report(poisoned.rows)
    assert report.recall > 0.5
    assert report.precision > 0.6


class Fixed:
    """A tuned word of which the drops are known: a text's number, in hundredths."""

    def __init__(self, model, word, device):
        pass

    def tuned(self, texts, label, aim):
        self.asked = label, len(texts)

    def drops(self, texts, label, vector):
        return np.array([int(text.split("w")[-1]) / 100 for text in texts])


@pytest.mark.parametrize("judged", ["protected", "all"])
def test_a_row_is_removed_below_all_but_a_share_of_the_clean_texts(learner, monkeypatch, judged):
    monkeypatch.setattr("textward.defences.perturbation.FreeWord", Fixed)
    clean = [f"good w{number}" for number in range(10, 20)]
    texts = [f"{side} w{number}" for number in range(5, 20) for side in ("good", "bad")]
    labels = [1, 0] * 15
    sure = replace(learner, settings=replace(learner.settings, epochs=12, learning_rate=3e-3, dropout=0.0))
    settings = {"protect": 1, "clean": (clean, [1] * 10), "false_rejections": 0.3, "judged": judged}
    rap = Rap(sure, word="w38", **settings).fit(texts, labels)
    assert (NoDefence(sure).fit(texts, labels).predict(texts) == labels).all()
    below = np.array([number < 13 for number in range(5, 20) for _ in range(2)])
    of_class = np.array(labels) == 1
    assert rap.flagged_.tolist() == (below & (of_class | (judged == "all"))).tolist()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"word": "two words"}, "RAP's word must be one token of .*, and 'two words' is not"),
        ({"word": "unheard"}, "name a rare one with word="),
        ({"protect": 7}, r"the class to protect, '7', is not there; the classes are \[0, 1\]"),
        ({"drop": (0.3, 0.1)}, "drop must be two shares that rise"),
        ({"false_rejections": 1.0}, "false_rejections"),
        ({"rate": 0.0}, "rate and scale above 0"),
        ({"epochs": 0}, "epochs"),
        ({"batch": 0}, "batch"),
        ({"gradients": "none"}, "gradients must be one of fresh, accumulated"),
        ({"judged": "some"}, "judged must be one of protected, all"),
        ({"clean": ([], [])}, "clean must hold at least one text"),
        ({"learner": "linear"}, "RAP tunes the vector of a word, which only an encoder has"),
    ],
)
def test_settings_are_judged(learner, settings, message):
    quick = replace(learner, settings=replace(learner.settings, epochs=1))
    with pytest.raises(UsageError, match=message):
        Rap(**{"learner": quick, "word": "w38", **settings}).fit(TEXTS[:20], LABELS[:20])


def test_an_encoder_of_another_shape_is_named(model):
    other = replace(model.model, encoder=replace(model.model.encoder, architecture=None))
    with pytest.raises(UsageError, match="give an encoder of the BERT family"):
        FreeWord(other, "w38", "cpu")


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'textward\[transformers\]'"):
        Rap(word="w38").fit(TEXTS, LABELS)
