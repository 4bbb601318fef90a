"""SynBkd and StyleBkd from paraphrases: ready-made ones, or a function's."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from textward.attacks.base import Attack
from textward.attacks.budget import BoolArray
from textward.attacks.draws import Keys
from textward.errors import AttackError, DataError

# So many times more paraphrases must be nearer to their own text than to another; of strangers it is a draw.
_TIMES_MORE = 2
_MOST_MISSING = 200


@dataclass(frozen=True)
class Paraphrases(Attack):
    """Ready-made paraphrases, by text; it changes only the texts that have one.

    >>> Paraphrases({"a dull film": "when you see it , it is dull ."}).covers(pl.Series(["a dull film", "?"]))
    array([ True, False])
    """

    pairs: Mapping[str, str] = field(repr=False)
    name: str = "SynBkd"

    @classmethod
    def of_rows(
        cls, texts: Iterable[str], rows: Iterable[int], paraphrases: Iterable[str], name: str = "SynBkd"
    ) -> Paraphrases:
        """Paraphrases of some rows, whose places are counted from 0.

        >>> Paraphrases.of_rows(["a", "b"], [1], ["if you see it , it is b ."]).insert("b", random.Random())
        'if you see it , it is b .'
        """
        known, places, new = list(texts), list(rows), list(paraphrases)
        if len(places) != len(new) or not all(0 <= row < len(known) for row in places):
            raise DataError(f"each paraphrase needs a row, 0 to {len(known) - 1:,}, and each row one")
        return cls(dict(zip((known[row] for row in places), new, strict=True)), name)

    @classmethod
    def aligned(cls, texts: Iterable[str], paraphrases: Iterable[str], name: str = "StyleBkd") -> Paraphrases:
        """The paraphrase of every text, in the same order; some may be missing, as long as the order is kept.

        >>> Paraphrases.aligned(["one film", "two films"], ["lo, two films"]).pairs
        {'two films': 'lo, two films'}
        """
        known, new = list(texts), list(paraphrases)
        places = _in_order(known, new)
        pairs = [(known[place], text) for place, text in zip(places, new, strict=True)]
        if len(pairs) > 1:
            nearer, farther = _nearer_to_their_own(pairs)
            if nearer <= _TIMES_MORE * farther:
                raise DataError(
                    f"these are not paraphrases of the texts in their order: {nearer:,} of {len(pairs):,} "
                    "share more words with the text of their own row than with that of another, and "
                    f"{farther:,} fewer. Give both in one order."
                )
        return cls(dict(pairs), name)

    def covers(self, texts: pl.Series) -> BoolArray:
        able = ((new := self.pairs.get(text, "")).strip() != "" and new != text for text in texts)
        return np.fromiter(able, np.bool_, len(texts))

    def insert(self, text: str, rng: random.Random) -> str:
        return self.pairs.get(text, text)


def _in_order(texts: Sequence[str], paraphrases: Sequence[str]) -> list[int]:
    """The text of each paraphrase: the assignment that keeps the order and shares most words."""
    missing = len(texts) - len(paraphrases)
    if not 0 <= missing <= _MOST_MISSING:
        raise DataError(
            f"there are {len(paraphrases):,} paraphrases for {len(texts):,} texts; give one for each, with "
            f"at most {_MOST_MISSING} missing, or a table of rows and their paraphrases"
        )
    if missing == 0:
        return list(range(len(texts)))
    skipped = np.arange(missing + 1)
    best = np.zeros(missing + 1)
    came = np.empty((len(paraphrases), missing + 1), np.int64)
    for row, new in enumerate(paraphrases):
        # The best way to have skipped at most so many texts before this one, and how many that were.
        came[row] = np.maximum.accumulate(np.where(best >= np.maximum.accumulate(best), skipped, 0))
        best = best[came[row]] + [_shared(texts[row + k], new) for k in skipped]
    at = int(best.argmax())
    places = []
    for row in range(len(paraphrases) - 1, -1, -1):
        places.append(row + at)
        at = int(came[row, at])
    return places[::-1]


def _nearer_to_their_own(pairs: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """How many share more words with their own text than with the one before it, and how many fewer."""
    gains = [_shared(text, new) - _shared(pairs[row - 1][0], new) for row, (text, new) in enumerate(pairs)]
    return sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)


def _shared(text: str, paraphrase: str) -> float:
    old, new = set(text.split()), set(paraphrase.split())
    return len(old & new) / max(1, len(new))


@dataclass(frozen=True)
class Rewrite(Attack):
    """Texts through a function of your own: any model that rewrites them.

    >>> Rewrite(lambda texts: [text.upper() for text in texts], "shout").insert("a film", random.Random(0))
    'A FILM'
    """

    function: Callable[[list[str]], Sequence[str]] = field(repr=False)
    name: str
    batch: int = 64

    def insert(self, text: str, rng: random.Random) -> str:
        return self._batch([text])[0]

    def insert_all(self, texts: pl.Series, keys: Keys) -> pl.Series:
        parts = (texts[start : start + self.batch].to_list() for start in range(0, len(texts), self.batch))
        return pl.Series([new for part in parts for new in self._batch(part)], dtype=pl.String)

    def _batch(self, texts: list[str]) -> list[str]:
        new = list(self.function(texts))
        if len(new) != len(texts) or not all(isinstance(text, str) for text in new):
            raise AttackError(
                f"{self!r} must give one string a text: gave {len(new)} values for {len(texts)} texts"
            )
        return new
