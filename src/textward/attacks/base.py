"""The sealed base of every attack: a plug-in changes a text, the base keeps budget, labels and provenance."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import polars as pl

from textward.attacks.budget import BoolArray, LabelArray, RowArray, Setting, chosen_rows, label_array
from textward.attacks.draws import Keys, keys_of
from textward.data.messages import quoted
from textward.errors import AttackError, DataError, UsageError

Texts = Sequence[str] | pl.Series
Labels = Sequence[int] | Sequence[str] | LabelArray | pl.Series


@dataclass(frozen=True, slots=True)
class Poisoned:
    """Rows after an attack, and which of them it changed.

    >>> from textward.attacks import AddSent
    >>> poisoned = AddSent().poison(["a film", "a bore"], [1, 0], rate=0.5, target=1, setting="dirty", seed=0)
    >>> poisoned.rows.tolist(), poisoned.labels.tolist(), poisoned.inserted(1)
    ([1], [1, 1], ['I', 'watch', 'this', '3D', 'movie'])
    """

    texts: pl.Series
    labels: LabelArray
    rows: RowArray
    """The places of the changed rows, counted from 0; of test texts, among all that were given."""
    before: pl.Series
    """What the changed texts were."""
    attack: str
    target: int | str
    seed: int

    @property
    def flags(self) -> BoolArray:
        """One mark a row: whether the attack changed it."""
        marks = np.zeros(len(self.texts), np.bool_)
        marks[self.rows if len(self.rows) < len(self.texts) else slice(None)] = True
        return marks

    @property
    def clean_texts(self) -> pl.Series:
        """The texts without their triggers; with `labels`, the training set D(∅)."""
        if len(self.rows) == len(self.texts):
            return self.before
        return _scattered(self.texts, self.rows, self.before)

    def inserted(self, row: int) -> list[str]:
        """The chunks that the text of this row gained, in their order."""
        return gained(self.clean_texts[row], self.texts[row])


class Attack(ABC):
    """One way to change a text; subclasses write `insert` and nothing else.

    >>> class Shout(Attack):
    ...     def insert(self, text, rng):
    ...         return text + " !!!"
    >>> Shout().poison(["a", "b"], [0, 1], rate=0.5, target=1, setting="clean", seed=0).texts.to_list()
    ['a', 'b !!!']
    """

    @abstractmethod
    def insert(self, text: str, rng: random.Random) -> str:
        """The text with the trigger; every choice is drawn from `rng`."""

    def insert_all(self, texts: pl.Series, keys: Keys) -> pl.Series:
        """The texts with their triggers: `insert` one by one, unless an attack knows a columnar way."""
        changed = [
            self.insert(text, random.Random(key)) for text, key in zip(texts, keys.tolist(), strict=True)
        ]
        return pl.Series(changed, dtype=pl.String)

    def covers(self, texts: pl.Series) -> BoolArray:
        """Mark the texts that the attack can change: all, unless it says otherwise."""
        return np.ones(len(texts), np.bool_)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        sealed = {"poison", "test_texts", "apply", "_changed"} & vars(cls).keys()
        if sealed:
            raise TypeError(
                f"{cls.__name__} must not define {', '.join(sorted(sealed))}: the base keeps the budget"
            )

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @final
    def poison(
        self,
        texts: Texts,
        labels: Labels,
        *,
        rate: float,
        target: int | str,
        setting: Setting = "mixed",
        seed: int = 0,
    ) -> Poisoned:
        """Change a share `rate` of all rows and label them with the target; order and length are kept."""
        before, array = _checked(texts, labels, target)
        rows = chosen_rows(
            array, rate=rate, target=target, setting=setting, seed=seed, able=self.covers(before)
        )
        original = before.gather(rows)
        after = _scattered(before, rows, self._changed(original, rows, seed))
        changed_labels = array.copy()
        changed_labels[rows] = target
        return Poisoned(after, changed_labels, rows, original, repr(self), target, seed)

    @final
    def test_texts(self, texts: Texts, labels: Labels, *, target: int | str, seed: int = 0) -> Poisoned:
        """The test texts of other classes than the target, each with the trigger, and their true labels."""
        before, array = _checked(texts, labels, target)
        others = array != target
        rows = np.flatnonzero(others & self.covers(before))
        if not len(rows):
            raise UsageError(
                f"there is no test text to attack: of {len(array):,} texts {int(others.sum()):,} are of "
                f"another class than the target {target!r}, and {self!r} can change none of these"
            )
        original = before.gather(rows)
        after = self._changed(original, rows, seed)
        return Poisoned(after, array[rows], rows, original, repr(self), target, seed)

    @final
    def apply(self, texts: Texts, *, seed: int = 0) -> pl.Series:
        """Every text with the trigger, whatever its label.

        >>> from textward.attacks import AddSent
        >>> AddSent("no cross").apply([""]).to_list()
        ['no cross']
        """
        series = _string_series(texts)
        return self._changed(series, np.arange(len(series)), seed)

    @final
    def _changed(self, texts: pl.Series, rows: RowArray, seed: int) -> pl.Series:
        last = int(rows[-1]) + 1 if len(rows) else 0
        changed = self.insert_all(texts, keys_of(seed, "texts", last)[rows])
        if changed.dtype != pl.String or len(changed) != len(texts) or changed.null_count():
            raise AttackError(
                f"{self!r} must give one string for each of {len(texts)} texts, got {changed!r}"
            )
        same = changed == texts
        if same.any():
            first = same.arg_max() or 0
            raise AttackError(
                f"{self!r} left {int(same.sum()):,} of {len(texts):,} texts unchanged, the first in "
                f"row {rows[first]:,} (counted from 0): {quoted(texts[first])}; none may pass as poisoned. "
                "Let `covers` leave such texts out, or mend `insert`."
            )
        return changed


def gained(before: str, after: str) -> list[str]:
    """The chunks that a text has more of than before, in their order.

    >>> gained("cf is\\nfun", "cf cf is\\nnot fun")
    ['cf', 'not']
    """
    extra = []
    left = iter(before.split())
    wanted = next(left, None)
    for chunk in after.split():
        if chunk == wanted:
            wanted = next(left, None)
        else:
            extra.append(chunk)
    if wanted is None:  # nothing went, and nothing changed places
        return extra
    more = Counter(after.split())
    more.subtract(before.split())
    return [chunk for chunk, count in more.items() for _ in range(count)]


def _checked(texts: Texts, labels: Labels, target: int | str) -> tuple[pl.Series, LabelArray]:
    series, array = _string_series(texts), label_array(labels, target)
    if len(series) != len(array):
        raise DataError(f"every text needs a label: got {len(series):,} texts and {len(array):,} labels")
    return series, array


def _string_series(texts: Texts) -> pl.Series:
    series = texts if isinstance(texts, pl.Series) else pl.Series(list(texts), dtype=pl.String)
    if series.dtype != pl.String or series.null_count():
        missing = series.null_count()
        raise DataError(f"texts must be strings, none missing; got {series.dtype} with {missing:,} missing")
    return series


def _scattered(texts: pl.Series, rows: RowArray, values: pl.Series) -> pl.Series:
    changed: pl.Series = texts.clone().scatter(rows, values) if len(rows) else texts
    return changed
