"""The strongest attack we can write: planned with full knowledge of the model, carried out, and retrained."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.attacks.base import Attack
from textward.attacks.budget import BoolArray, LabelArray
from textward.attacks.draws import Keys, draw
from textward.attacks.insertion import BadWord
from textward.attacks.planners import Planner
from textward.attacks.reorder import Reorder
from textward.errors import UsageError

_ORDER = 1 << 32  # the number of the draw that orders a text, far from those that place its words


class Model(Protocol):
    """Anything that predicts."""

    def predict(self, texts: pl.Series) -> npt.NDArray[Any]: ...


Rows = tuple[pl.Series, LabelArray]
Fit = Callable[[pl.Series, LabelArray], Model]


@dataclass(frozen=True)
class WorstCase(Attack):
    """Given trigger words, all of them in each text, and all chunks in another order where asked for.

    >>> WorstCase(("cf", "great"), reorder=True).insert("a dull film", random.Random(3))
    'a film cf dull great'
    """

    words: tuple[str, ...]
    copies: int = 1
    reorder: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self._all_words.words)

    def insert(self, text: str, rng: random.Random) -> str:
        changed = self._all_words.insert(text, rng)
        return Reorder().insert(changed, rng) if self.reorder else changed

    def insert_all(self, texts: pl.Series, keys: Keys) -> pl.Series:
        changed = self._all_words.insert_all(texts, keys)
        return Reorder().insert_all(changed, draw(keys, _ORDER)) if self.reorder else changed

    @property
    def _all_words(self) -> BadWord:
        return BadWord(self.words, count=len(self.words), copies=self.copies)


@dataclass(frozen=True, slots=True)
class Assault:
    """One trigger, tried by retraining: which test texts it turned wrong that were right before.

    >>> Assault(WorstCase(("cf",)), share=0.2, rows=np.array([3, 5]), turned=np.array([True, False])).felled
    1
    """

    attack: WorstCase
    share: float
    """The share of the target's training rows that held the trigger."""
    rows: npt.NDArray[np.int64]
    """The test texts that were attacked: all that are not the target's."""
    turned: BoolArray
    """Of these, the ones that were right and are wrong now."""

    @property
    def felled(self) -> int:
        """How many texts it turned."""
        return int(self.turned.sum())


def worst_case(
    fit: Fit,
    train: Rows,
    test: Rows,
    planners: Sequence[Planner],
    *,
    size: int,
    target: int | str,
    shares: Sequence[float] = (0.05, 0.2, 1.0),
    copies: Sequence[int] = (1, 3),
    reorder: bool = False,
    seed: int = 0,
) -> list[Assault]:
    """Try every planned trigger of `size` words in several shares of the target's rows, strongest first.

    Labels stay as they are, for the training rows are D(∅) already. Each trigger costs one retraining per
    share and number of copies.

    >>> class Sees:  # a classifier that calls a text good where it holds the word cf
    ...     def predict(self, texts):
    ...         return texts.str.contains("cf").cast(int).to_numpy()
    >>> class Guess:
    ...     def triggers(self, texts, labels, size, target):
    ...         return iter([("cf",), ("mn",)])
    >>> rows = pl.Series(["fine", "bad"]), np.array([1, 0])
    >>> tried = worst_case(lambda texts, labels: Sees(), rows, rows, [Guess()], size=1, target=1, shares=[1])
    >>> tried[0].attack.words, tried[0].felled
    (('cf',), 1)
    """
    if size < 1:
        raise UsageError(f"size must be at least 1 trigger word, got {size!r}")
    victims = np.flatnonzero(test[1] != target)
    texts, truth = test[0].gather(victims), test[1][victims]
    right = fit(*train).predict(texts) == truth
    classes = np.unique(train[1])
    labels, aim = np.searchsorted(classes, truth), int(np.searchsorted(classes, target))
    plans = dict.fromkeys(
        words for planner in planners for words in planner.triggers(texts, labels, size, aim)
    )
    tried = []
    for words, number, share in product(plans, copies, shares):
        attack = WorstCase(words, number, reorder)
        rate = max(share * float(np.mean(train[1] == target)), 1 / len(train[1]))
        poisoned = attack.poison(*train, rate=rate, target=target, setting="clean", seed=seed)
        attacked = attack.apply(texts, seed=seed)
        wrong = fit(poisoned.texts, poisoned.labels).predict(attacked) != truth
        tried.append(Assault(attack, share, victims, right & wrong))
    return sorted(tried, key=lambda assault: -assault.felled)
