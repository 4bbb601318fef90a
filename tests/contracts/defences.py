"""What every defence must do, in one check-suite; `every_defence` finds the plug-ins by import."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import pkgutil
import random
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from textward import defences
from textward.defences import Cleaner, Defence, Filter, RAdapter
from textward.errors import DataError

_FILLERS = ("a", "film", "the", "plot", ",")
GOOD = [f"good{i % 12} {_FILLERS[i % 5]} good{i * 5 % 12} n{i}" for i in range(60)]
BAD = [f"bad{i % 12} {_FILLERS[i % 5]} bad{i * 5 % 12} n{i}" for i in range(60)]
CLEAN = [text for pair in zip(GOOD, BAD, strict=True) for text in pair]
POISONED = [f"{text} cf" for text in BAD[:10]]
TEXTS = [*CLEAN, *POISONED, "", "?", "good1"]
LABELS = ["yes", "no"] * 60 + ["yes"] * 10 + ["no", "yes", "yes"]
PLACES = np.arange(120, 130)
ASKED = ["good3 film", "bad2 good1", "", "cf bad7", "ordinary words", "good1 good1 bad4 bad5"]


def every_defence() -> list[type[Defence]]:
    """All defences of the package that can be made, found by import."""
    for module in pkgutil.walk_packages(defences.__path__, f"{defences.__name__}."):
        with contextlib.suppress(ImportError):  # of an extra, which the plug-ins themselves do without
            importlib.import_module(module.name)
    found = list(_subclasses(Defence))
    own = [kind for kind in found if kind.__module__.startswith("textward.") and not inspect.isabstract(kind)]
    return sorted(own, key=lambda kind: kind.__name__)


def _subclasses(kind: type[Defence]) -> Iterator[type[Defence]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def same_seed_same_answers(defence: Defence) -> None:
    first, again = (clone(defence).fit(TEXTS, LABELS) for _ in range(2))
    assert first.predict(TEXTS).tolist() == again.predict(TEXTS).tolist()
    if isinstance(first, Filter):
        assert first.flagged_.tolist() == again.flagged_.tolist()
    if isinstance(first, Cleaner):
        assert first.cleaned_.equals(again.cleaned_)


def global_randomness_is_left_alone(defence: Defence) -> None:
    first = clone(defence).fit(TEXTS, LABELS).predict(ASKED).tolist()
    random.seed(9)
    np.random.seed(9)
    states = random.getstate(), np.random.get_state()[1].tolist()
    assert clone(defence).fit(TEXTS, LABELS).predict(ASKED).tolist() == first
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states


def clean_rows_are_learned(defence: Defence) -> None:
    fitted = clone(defence).fit(CLEAN, ["yes", "no"] * 60)
    # R-Adapter keeps an encoder as it is, and that of the tests knows nothing.
    least = 0.65 if isinstance(defence, RAdapter) else 0.8
    assert (fitted.predict(CLEAN) == np.array(["yes", "no"] * 60)).mean() >= least


def labels_come_back_as_they_were_given(defence: Defence) -> None:
    named = clone(defence).fit(TEXTS, LABELS)
    assert named.classes_.tolist() == ["no", "yes"]
    assert set(named.predict(TEXTS)) <= {"no", "yes"}
    numbers = [7 if label == "yes" else 3 for label in LABELS]
    numbered = clone(defence).fit(pl.Series(TEXTS), np.array(numbers))
    assert [{"no": 3, "yes": 7}[label] for label in named.predict(ASKED)] == numbered.predict(ASKED).tolist()


def an_answer_does_not_depend_on_the_other_texts(defence: Defence) -> None:
    fitted = clone(defence).fit(TEXTS, LABELS)
    alone = [fitted.predict([text])[0] for text in ASKED]
    assert fitted.predict(ASKED).tolist() == alone
    assert fitted.predict(ASKED[::-1]).tolist() == alone[::-1]
    assert fitted.predict([]).tolist() == []


def given_rows_are_untouched_and_every_row_is_accounted_for(defence: Defence) -> None:
    texts, labels = pl.Series(TEXTS), np.array(LABELS)
    fitted = clone(defence).fit(texts, labels)
    assert texts.to_list() == TEXTS
    assert labels.tolist() == LABELS
    if isinstance(fitted, Filter):
        assert fitted.flagged_.dtype == np.bool_
        assert len(fitted.flagged_) == len(TEXTS)
        report = fitted.report(PLACES)
        assert (report.rows, report.poisoned) == (len(TEXTS), 10)
        assert report.flagged == fitted.flagged_.sum()
        assert report.hits == fitted.flagged_[PLACES].sum()
    if isinstance(fitted, Cleaner):
        assert len(fitted.cleaned_) == len(TEXTS)
        assert [a != b for a, b in zip(TEXTS, fitted.cleaned_, strict=True)] == fitted.changed_.tolist()
        assert all(fitted.cleaned_[row].split() for row, text in enumerate(TEXTS) if text.split())


def what_cannot_be_learned_is_an_error(defence: Defence) -> None:
    with pytest.raises(DataError, match="no rows"):
        clone(defence).fit([], [])
    with pytest.raises(DataError, match="same label"):
        clone(defence).fit(["a", "b"], ["yes", "yes"])
    with pytest.raises(DataError, match="2 texts and 1 labels"):
        clone(defence).fit(["a", "b"], ["yes"])


def it_is_a_scikit_learn_classifier(defence: Defence) -> None:
    copy = clone(defence)
    assert {name: repr(value) for name, value in copy.get_params().items()} == {
        name: repr(value) for name, value in defence.get_params().items()
    }
    assert not [name for name in vars(copy) if name.endswith("_")]
    assert repr(copy).startswith(type(defence).__name__ + "(")
    assert 0 <= clone(defence).fit(TEXTS, LABELS).score(GOOD, ["yes"] * 60) <= 1


def nothing_is_pickled(defence: Defence) -> None:
    tree = ast.parse(inspect.getsource(inspect.getmodule(type(defence))))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert not imported & {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


DEFENCE_CHECKS = [
    same_seed_same_answers,
    global_randomness_is_left_alone,
    clean_rows_are_learned,
    labels_come_back_as_they_were_given,
    an_answer_does_not_depend_on_the_other_texts,
    given_rows_are_untouched_and_every_row_is_accounted_for,
    what_cannot_be_learned_is_an_error,
    it_is_a_scikit_learn_classifier,
    nothing_is_pickled,
]
