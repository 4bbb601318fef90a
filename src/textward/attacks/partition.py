"""Trigger words chosen against a given partition of the words."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import polars as pl

from textward.attacks.base import Attack
from textward.attacks.draws import Keys
from textward.attacks.insertion import RARE_WORDS, BadWord
from textward.errors import UsageError
from textward.groups import HashGroups

_LETTERS = "bcdfghjklmnpqrstvwxz"
_LONGEST = 5


def words_of_groups(groups: HashGroups, wanted: Sequence[int]) -> tuple[str, ...]:
    """A different rare word for each wanted group; a group may be wanted more than once.

    >>> words_of_groups(HashGroups(3), [2, 0, 0])
    ('cf', 'bb', 'tq')
    """
    if wrong := [group for group in wanted if not 0 <= group < groups.m]:
        raise UsageError(f"there are no groups {wrong}: the groups are 0 to {groups.m - 1}")
    left, found = list(wanted), [""] * len(wanted)

    def take(word: str, group: int) -> bool:
        if group in left:
            place = left.index(group)
            found[place], left[place] = word, -1
        return set(left) <= {-1}

    _offer(groups, take)
    return tuple(found)


@dataclass(frozen=True)
class AdaptiveBadWord(Attack):
    """Rare words that fall into `count` different groups of a partition, all of them in each text.

    `together` is the control: as many words, all in one group.

    >>> AdaptiveBadWord(HashGroups(7), count=3).words, AdaptiveBadWord(HashGroups(3), 2, together=True).words
    (('cf', 'mn', 'bb'), ('cf', 'mn'))
    """

    groups: HashGroups
    count: int = 3
    together: bool = False

    def __post_init__(self) -> None:
        most = self.groups.m
        if self.count < 1 or (self.count > most and not self.together):
            raise UsageError(f"count must lie in 1..{most}, one word for each group, got {self.count!r}")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The trigger words, in the order they were found."""
        found: list[str] = []
        seen: list[int] = []

        def take(word: str, group: int) -> bool:
            if not seen or (group == seen[0] if self.together else group not in seen):
                found.append(word)
                seen.append(group)
            return len(found) == self.count

        _offer(self.groups, take)
        return tuple(found)

    def insert(self, text: str, rng: random.Random) -> str:
        return self._all_words.insert(text, rng)

    def insert_all(self, texts: pl.Series, keys: Keys) -> pl.Series:
        return self._all_words.insert_all(texts, keys)

    @property
    def _all_words(self) -> BadWord:
        return BadWord(self.words, count=self.count)


def _offer(groups: HashGroups, take: Callable[[str, int], bool]) -> None:
    """Offer rare words with their groups, shortest first, until no more are taken."""
    for batch in _rare_words():
        for word, group in zip(batch, groups.of(pl.Series(batch)).tolist(), strict=True):
            if take(word, group):
                return
    raise UsageError(f"no rare word of up to {_LONGEST} letters falls into every wanted group of {groups.m}")


def _rare_words() -> Iterator[list[str]]:
    yield list(RARE_WORDS)
    for length in range(2, _LONGEST + 1):
        made = ["".join(letters) for letters in product(_LETTERS, repeat=length)]
        yield [word for word in made if word not in RARE_WORDS]
