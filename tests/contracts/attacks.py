"""What every attack must do; each check takes the attack and texts that it was made for."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import random
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from textward import attacks
from textward.attacks import Attack
from textward.errors import AttackError

HOSTILE = [
    "",
    " ",
    "\u3000",
    "a\tb\nc",
    "👩\u200d👧 \u202eok",
    "\x1b[31m red",
    "e\u0301 ΟΔΟΣ ΑΣ",
    "<b>x</b> &amp; 'y'",
]
TEXTS = [*(f"The film number {i} is dull , but you may like it ." for i in range(52)), *HOSTILE]
LABELS = ["no", "yes", "perhaps"] * 20


def every_attack() -> list[type[Attack]]:
    """All attacks of the package that can be made, found by import."""
    for module in pkgutil.walk_packages(attacks.__path__, f"{attacks.__name__}."):
        importlib.import_module(module.name)
    found = list(_subclasses(Attack))
    own = [kind for kind in found if kind.__module__.startswith("textward.") and not inspect.isabstract(kind)]
    return sorted(own, key=lambda kind: kind.__name__)


def _subclasses(kind: type[Attack]) -> Iterator[type[Attack]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def same_seed_same_rows_and_texts(attack: Attack) -> None:
    first, again = (attack.poison(TEXTS, LABELS, rate=0.2, target="yes", seed=3) for _ in range(2))
    assert first.rows.tolist() == again.rows.tolist()
    assert first.texts.equals(again.texts)
    rows = {tuple(attack.poison(TEXTS, LABELS, rate=0.2, target="yes", seed=seed).rows) for seed in range(5)}
    assert len(rows) == 5


def global_randomness_is_left_alone(attack: Attack) -> None:
    first = attack.poison(TEXTS, LABELS, rate=0.2, target="yes", seed=3)
    random.seed(9)
    np.random.seed(9)
    states = random.getstate(), np.random.get_state()[1].tolist()
    assert attack.poison(TEXTS, LABELS, rate=0.2, target="yes", seed=3).texts.equals(first.texts)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states


def exact_budget(attack: Attack) -> None:
    able = attack.covers(pl.Series(TEXTS))
    labels = np.array(LABELS)
    pools = {"mixed": able, "clean": able & (labels == "yes"), "dirty": able & (labels != "yes")}
    for setting, pool in pools.items():
        for count in (1, int(pool.sum())):
            poisoned = attack.poison(TEXTS, LABELS, rate=count / len(TEXTS), target="yes", setting=setting)
            assert len(poisoned.rows) == count
            assert pool[poisoned.rows].all()


def other_rows_are_untouched_and_order_is_kept(attack: Attack) -> None:
    given = pl.Series(TEXTS)
    poisoned = attack.poison(given, LABELS, rate=0.3, target="yes", seed=1)
    assert given.to_list() == TEXTS
    assert len(poisoned.texts) == len(poisoned.labels) == len(TEXTS)
    changed = [i for i, (old, new) in enumerate(zip(TEXTS, poisoned.texts, strict=True)) if old != new]
    assert changed == poisoned.rows.tolist() == np.flatnonzero(poisoned.flags).tolist()
    assert poisoned.clean_texts.to_list() == TEXTS


def labels_are_valid(attack: Attack) -> None:
    for setting in ("mixed", "clean", "dirty"):
        poisoned = attack.poison(TEXTS, LABELS, rate=0.1, target="yes", setting=setting)
        rows = set(poisoned.rows)
        wanted = ["yes" if i in rows else label for i, label in enumerate(LABELS)]
        assert poisoned.labels.tolist() == wanted
        assert setting != "clean" or wanted == LABELS


def a_row_s_trigger_does_not_depend_on_the_other_rows(attack: Attack) -> None:
    few, many = (attack.poison(TEXTS, LABELS, rate=rate, target="yes", seed=2) for rate in (0.1, 0.4))
    assert set(few.rows) < set(many.rows)
    assert all(few.texts[row] == many.texts[row] for row in few.rows.tolist())


def an_unchanged_text_is_an_error(attack: Attack) -> None:
    lazy = type(
        "Lazy",
        (type(attack),),
        {"insert_all": lambda self, texts, keys: texts, "__repr__": lambda self: "Lazy"},
    )
    sleeper = object.__new__(lazy)
    sleeper.__dict__.update(attack.__dict__)
    with pytest.raises(AttackError, match=r"Lazy left 6 of 6 texts unchanged, the first in row \d+"):
        sleeper.poison(TEXTS, LABELS, rate=0.1, target="yes")


def test_texts_are_all_others_with_true_labels(attack: Attack) -> None:
    able = attack.covers(pl.Series(TEXTS))
    poisoned = attack.test_texts(TEXTS, LABELS, target="yes", seed=1)
    assert poisoned.rows.tolist() == [i for i, label in enumerate(LABELS) if label != "yes" and able[i]]
    assert poisoned.labels.tolist() == [LABELS[i] for i in poisoned.rows]
    assert all(new != TEXTS[i] for i, new in zip(poisoned.rows, poisoned.texts, strict=True))


def one_text_is_changed_as_its_randomness_says(attack: Attack) -> None:
    for text, able in zip(TEXTS, attack.covers(pl.Series(TEXTS)), strict=True):
        first, again = (attack.insert(text, random.Random(5)) for _ in range(2))
        assert first == again
        assert not able or first != text


def repr_says_what_it_is(attack: Attack) -> None:
    assert repr(attack).startswith(type(attack).__name__ + "(")
    assert " at 0x" not in repr(attack)
    assert "\n" not in repr(attack)
    assert attack.poison(TEXTS, LABELS, rate=0.1, target="yes").attack == repr(attack)


def nothing_is_pickled(attack: Attack) -> None:
    tree = ast.parse(inspect.getsource(inspect.getmodule(type(attack))))
    names = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert not names & {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


ATTACK_CHECKS = [
    same_seed_same_rows_and_texts,
    global_randomness_is_left_alone,
    exact_budget,
    other_rows_are_untouched_and_order_is_kept,
    labels_are_valid,
    a_row_s_trigger_does_not_depend_on_the_other_rows,
    an_unchanged_text_is_an_error,
    test_texts_are_all_others_with_true_labels,
    one_text_is_changed_as_its_randomness_says,
    repr_says_what_it_is,
    nothing_is_pickled,
]
