"""BadWord and AddSent: fixed words at random places."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import polars as pl

from textward.attacks.base import Attack
from textward.attacks.draws import Keys, draw
from textward.attacks.gaps import at_random_gaps
from textward.errors import UsageError

RARE_WORDS = ("cf", "mn", "bb", "tq")
SENTENCE = "I watch this 3D movie"


@dataclass(frozen=True)
class BadWord(Attack):
    """Rare words, each at a random gap: `count` different ones of `words` a text, each `copies` times.

    >>> BadWord().insert("a good film", random.Random(0))
    'a cf good film'
    """

    words: tuple[str, ...] = RARE_WORDS
    count: int = 1
    copies: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(self.words))
        wrong = [word for word in self.words if word.split() != [word]]
        if wrong or not self.words or len(set(self.words)) < len(self.words):
            raise UsageError(
                f"words must be different, at least one, none with white space; got {self.words!r}"
            )
        if not 1 <= self.count <= len(self.words):
            raise UsageError(
                f"count must lie in 1..{len(self.words)}, the number of words, got {self.count!r}"
            )
        if self.copies < 1:
            raise UsageError(f"copies must be at least 1, got {self.copies!r}")

    def insert(self, text: str, rng: random.Random) -> str:
        return one_by_columns(self, text, rng)

    def insert_all(self, texts: pl.Series, keys: Keys) -> pl.Series:
        shuffled = np.stack([draw(keys, place) for place in range(len(self.words))], axis=1)
        chosen = np.argsort(shuffled, axis=1, kind="stable")[:, : self.count]
        number = len(self.words)
        words = pl.Series(self.words)
        for column in chosen.T:
            for _ in range(self.copies):
                texts = at_random_gaps(texts, words.gather(column), draw(keys, number))
                number += 1
        return texts


@dataclass(frozen=True)
class AddSent(Attack):
    """A fixed sentence at a random gap.

    >>> AddSent("no cross, no crown").insert("", random.Random(0))
    'no cross, no crown'
    """

    sentence: str = SENTENCE

    def __post_init__(self) -> None:
        if not self.sentence.strip():
            raise UsageError(f"the sentence must hold at least one word, got {self.sentence!r}")

    def insert(self, text: str, rng: random.Random) -> str:
        return one_by_columns(self, text, rng)

    def insert_all(self, texts: pl.Series, keys: Keys) -> pl.Series:
        return at_random_gaps(
            texts, pl.repeat(self.sentence, len(texts), dtype=pl.String, eager=True), draw(keys, 0)
        )


def one_by_columns(attack: Attack, text: str, rng: random.Random) -> str:
    """One text through an attack's columnar way.

    >>> one_by_columns(AddSent("x"), "", random.Random(0))
    'x'
    """
    changed: str = attack.insert_all(pl.Series([text]), np.array([rng.getrandbits(64)], np.uint64))[0]
    return changed
