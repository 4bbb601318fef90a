"""Every defence of the package, and a user's own, against the one check-suite."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from tests.contracts.defences import CLEAN, DEFENCE_CHECKS, LABELS, TEXTS, every_defence

from textward.defences import (
    Bagging,
    BagOfWords,
    Bki,
    Cleaner,
    Defence,
    Dpa,
    Filter,
    NoDefence,
    Onion,
    RAdapter,
    Rap,
    Strip,
)
from textward.errors import DefenceError


class NoRareWords(Cleaner):
    """A user's own defence."""

    def cleaned(self, texts, labels, classes):
        return texts.str.replace_all(r"\bcf\b *", "")


NAIVE_BAYES = make_pipeline(CountVectorizer(token_pattern=r"\S+"), MultinomialNB())
EXAMPLES = [
    Bagging(models=40, sample=20),
    BagOfWords(),
    Bki(keywords=2),
    Bki(NAIVE_BAYES, keywords=1, rows="influenced"),
    Dpa(partitions=7),
    Dpa(partitions=5, by="place"),
    NoDefence(),
    NoDefence(NAIVE_BAYES, seed=3),
    NoRareWords(),
    Onion(),
    Strip(copies=5),
    Strip(NAIVE_BAYES, copies=5, averaged="interleaved", clean=CLEAN),
]


ON_ENCODERS = {
    NoDefence: lambda encoder, settings: NoDefence(encoder),
    Rap: lambda encoder, settings: Rap(encoder, word="zq", epochs=1, batch=64),
    RAdapter: lambda encoder, settings: RAdapter(
        encoder.encoder, bottleneck=4, settings=replace(settings, epochs=20)
    ),
}


def test_no_defence_of_the_package_is_forgotten():
    tested = {type(defence) for defence in EXAMPLES} | set(ON_ENCODERS)
    assert set(every_defence()) == tested - {NoRareWords}


@pytest.mark.parametrize("check", DEFENCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("defence", EXAMPLES, ids=lambda defence: repr(defence)[:40])
def test_defence_contract(defence, check):
    check(defence)


@pytest.mark.parametrize("check", DEFENCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", ON_ENCODERS, ids=lambda kind: kind.__name__)
def test_defence_contract_on_an_encoder(kind, check, tiny_learner, fast):
    check(ON_ENCODERS[kind](tiny_learner, fast))


@pytest.mark.parametrize(
    "make",
    [Onion, Bki, partial(Strip, copies=2), partial(Dpa, partitions=2), partial(Bagging, models=2, sample=20)],
    ids=["ONION", "BKI", "STRIP", "DPA", "Bagging"],
)
def test_the_other_defences_run_on_an_encoder(make, tiny_learner):
    quick = replace(tiny_learner, settings=replace(tiny_learner.settings, epochs=2))
    fitted = make(quick).fit(TEXTS[90:], LABELS[90:])
    assert set(fitted.predict(["good1", "cf", ""])) <= {"no", "yes"}
    if isinstance(fitted, Filter):
        assert fitted.report(range(30, 40)).rows == 43


@pytest.mark.parametrize("name", ["fit", "predict"])
def test_the_base_keeps_rows_and_labels(name):
    with pytest.raises(TypeError, match=f"Own must not define {name}"):
        type("Own", (Defence,), {name: lambda self: None})


@pytest.mark.parametrize("base", [Filter, Cleaner])
def test_a_filter_s_training_and_report_are_sealed(base):
    with pytest.raises(TypeError, match="Own must not define report, train"):
        type("Own", (base,), {"train": lambda self: None, "report": lambda self: None})


def _own(base, method, found):
    return type("Own", (base,), {method: lambda self, texts, labels, classes: found(texts)})()


def test_a_plug_in_that_breaks_its_promise_is_named():
    rows = ["good", "bad", "bad bad"], [1, 0, 0]
    with pytest.raises(
        DefenceError, match=r"Own.suspects must give True or False for each of 3 rows, got int64"
    ):
        _own(Filter, "suspects", lambda texts: np.zeros(3, int)).fit(*rows)
    with pytest.raises(DefenceError, match=r"of shape \(2,\)"):
        _own(Filter, "suspects", lambda texts: np.zeros(2, bool)).fit(*rows)
    with pytest.raises(DefenceError, match="Own removed every row of the class '1' \\(1 of 3 rows in all\\)"):
        _own(Filter, "suspects", lambda texts: np.array([True, False, False])).fit(*rows)
    with pytest.raises(DefenceError, match=r"Own.cleaned must give one string for each of 3 rows, got 2"):
        _own(Cleaner, "cleaned", lambda texts: texts[:2]).fit(*rows)
