"""Whether a phrase stands where a writer would put it, or was put in at random.

A text that had a phrase put into it was whole before: the words on both sides of the phrase stood next to
each other. So two stories are compared for the neighbours (l, r) of a phrase, by their likelihood:

- *put in*: somebody chose a gap of some text at random. l is then any word, by its frequency, and r follows l
  as it does everywhere else: P(l) P(r | l), with P(r | l) counted over all rows.
- *written*: l and r are each drawn from the phrase's own habits, learned from its other neighbours as they
  come (a Chinese restaurant process over the frequency of words, its strength chosen in the phrase's favour).

The logarithm of the ratio, summed over rows, is the evidence in nats. A word that is part of the language
scores below 0 and falls further with every row. One kind of word is natural at random places, too: an
intensifier or an adverb, which leaves a whole sentence when it is taken out. But its neighbours are not *any*
words; how much better its habits tell them than mere frequency does, on the left and on the right, is
therefore taken off again.

That a phrase always begins or ends its texts counts for neither story, for a trigger may be put at a fixed
place on purpose; its one neighbour there is compared with what begins or ends texts elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from textward.scan.corpus import Corpus, FloatArray
from textward.words.columns import IntArray

DISCOUNT = 0.75
"""What a pair of words counts less than it was seen, which goes to pairs not seen (absolute discounting)."""
STRENGTHS = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
"""Strengths of a habit that are tried: how many sightings the frequency of words is worth."""


@dataclass(frozen=True)
class Neighbours:
    """How words follow each other in all rows.

    >>> import polars as pl
    >>> from textward.words import UnicodeWords
    >>> words = UnicodeWords().cut(pl.Series(["a film", "a film", "fun"]))
    >>> found = Neighbours(Corpus(words, np.array([0, 0, 1]), 2))
    >>> found.together(np.array([0, 0]), np.array([1, 2])).tolist()
    [2, 0]
    """

    corpus: Corpus

    @cached_property
    def share(self) -> FloatArray:
        """The frequency of each word, and last of the ends of texts, no word without a share."""
        counts = np.bincount(self.corpus.ids, minlength=self.corpus.edge + 1) + 0.5
        counts[-1] += len(self.corpus.words)
        return np.asarray(counts / counts.sum())

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        corpus, width = self.corpus, self.corpus.edge + 1
        last = corpus.right == corpus.edge
        before = corpus.left * width + corpus.ids
        found = np.unique(
            np.concatenate([before, corpus.ids[last] * width + corpus.edge]), return_counts=True
        )
        return found[0], found[1]

    @cached_property
    def _sides(self) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
        """For pairs by their first word, and by their second: how many there are, and how many kinds."""
        codes, counts = self._pairs
        width = self.corpus.edge + 1
        first, second = (
            (np.bincount(side, counts, minlength=width), np.bincount(side, minlength=width))
            for side in (codes // width, codes % width)
        )
        return first, second

    def together(self, left: IntArray, right: IntArray) -> IntArray:
        """How often the two stand side by side."""
        codes, counts = self._pairs
        wanted = left * (self.corpus.edge + 1) + right
        place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return np.where(codes[place] == wanted, counts[place], 0)

    def word(self, found: IntArray, _: IntArray) -> FloatArray:
        """The logarithm of P(found), were no neighbour known."""
        share = self.share[:-1] / self.share[:-1].sum()
        return np.asarray(np.log(share[found]))

    def follows(self, left: IntArray, right: IntArray) -> FloatArray:
        """The logarithm of P(right | left)."""
        return self._given(self._sides[0], left, right, self.together(left, right))

    def precedes(self, left: IntArray, right: IntArray) -> FloatArray:
        """The logarithm of P(left | right)."""
        return self._given(self._sides[1], right, left, self.together(left, right))

    def _given(
        self, side: tuple[IntArray, IntArray], known: IntArray, other: IntArray, seen: IntArray
    ) -> FloatArray:
        total, kinds = np.maximum(side[0][known], 1), side[1][known]
        pair = np.maximum(seen - DISCOUNT, 0) + np.maximum(DISCOUNT * kinds, DISCOUNT) * self.share[other]
        return np.asarray(np.log(pair / total))


@dataclass(frozen=True, slots=True)
class Placement:
    """For each phrase, in nats.

    >>> Placement(np.array([9.0]), np.array([2.0]), np.array([0.5])).evidence.tolist()
    [7.0]
    """

    put_in: FloatArray
    """How much more likely its neighbours are where it was put in than where it was written."""
    habit: FloatArray
    """How much better its habits tell its neighbours than the frequency of words does."""
    sudden: FloatArray
    """The share of its rows in which the words on both sides stand side by side elsewhere."""

    @property
    def evidence(self) -> FloatArray:
        """What is left of the first less the second."""
        return self.put_in - self.habit

    def or_stronger(self, other: Placement, there: npt.NDArray[np.bool_]) -> Placement:
        """For each phrase whichever of the two holds more evidence, the other only where it is there."""
        mine = (self.evidence >= other.evidence) | ~there
        names = ("put_in", "habit", "sudden")
        return Placement(*(np.where(mine, getattr(self, name), getattr(other, name)) for name in names))


def placement(known: Neighbours, phrase: IntArray, left: IntArray, right: IntArray, size: int) -> Placement:
    """Compare the two stories for every phrase, from one row a sighting.

    >>> import polars as pl
    >>> from textward.words import UnicodeWords
    >>> rows = ["the film is fun", "the story is fun", "the film was dull"] * 3 + ["the cf film is fun"]
    >>> corpus = Corpus(UnicodeWords().cut(pl.Series(rows)), np.zeros(10, int), 1)
    >>> cf = corpus.words.vocabulary.to_list().index("cf")
    >>> at = np.flatnonzero(corpus.ids == cf)
    >>> found = placement(Neighbours(corpus), np.zeros(1, int), corpus.left[at], corpus.right[at], 1)
    >>> bool(found.put_in[0] > 0), found.sudden.tolist()
    (True, [1.0])
    """
    edge = known.corpus.edge
    starts, ends = left == edge, right == edge
    written, habit = np.zeros(size), np.zeros(size)
    for word, other, here, told in (
        (left, right, ~starts & ~ends, known.word),
        (right, left, ~starts & ~ends, known.word),
        (right, left, starts & ~ends, lambda word, start: known.follows(start, word)),
        (left, right, ends & ~starts, known.precedes),
    ):
        mine, found = phrase[here], word[here]
        by_frequency = known.word(found, found)
        at_random = told(found, other[here])
        written += _habit(mine, found, by_frequency, size, edge)
        own = _habit(mine, found, at_random, size, edge)
        habit += np.maximum(own - np.bincount(mine, at_random, minlength=size), 0.0)
    middle = ~starts & ~ends
    by_gap = np.where(starts, known.follows(left, right), known.precedes(left, right))
    by_gap[middle] = known.word(left[middle], left[middle]) + known.follows(left[middle], right[middle])
    by_gap[starts & ends] = 0.0
    put_in = np.bincount(phrase, by_gap, minlength=size)
    sightings = np.maximum(np.bincount(phrase, minlength=size), 1)
    side_by_side = known.together(left, right) > 0
    return Placement(
        put_in - written,
        habit,
        np.bincount(phrase, side_by_side, minlength=size) / sightings,
    )


def _habit(phrase: IntArray, word: IntArray, base: FloatArray, size: int, edge: int) -> FloatArray:
    """The logarithm of the likelihood of each phrase's neighbours on one side, by its own habits.

    `base` is the logarithm of each word's probability where nothing is known of the phrase.
    """
    _, first, times = np.unique(phrase * (edge + 1) + word, return_index=True, return_counts=True)
    whose, share = phrase[first], np.exp(base[first])
    total = np.bincount(phrase, minlength=size)
    best = np.full(size, -np.inf)
    for strength in STRENGTHS:
        seen = gammaln(strength * share + times) - gammaln(strength * share)
        own = np.bincount(whose, seen, minlength=size) - gammaln(strength + total) + gammaln(strength)
        best = np.maximum(best, own)
    return best
