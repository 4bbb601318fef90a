"""All evidence about every candidate, added up, and the best of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from textward.scan.companions import beyond_companions
from textward.scan.corpus import Corpus, FloatArray
from textward.scan.phrases import Phrases, candidates, least_rows
from textward.scan.placement import Neighbours, Placement, placement
from textward.scan.rest import Rest
from textward.words.columns import IntArray

MOST = 100
"""Candidates that are kept, the best ones."""
PLANTED_PURITY = 0.98
"""The share of a planted phrase's rows that carry its target; the others hold it by accident."""
_RESCUE = 40.0
"""A candidate further below 0 than this is beyond what the rest of its rows is likely to add."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """One word or run of words, and the evidence about it in nats.

    >>> Suspect((3,), 1, 9.0, 1.0, 2.0, -4.0, 0.7, np.array([0, 9]), np.array([1, 9])).evidence
    10.0
    """

    words: tuple[int, ...]
    target: int
    put_in: float
    habit: float
    label: float
    rest: float
    sudden: float
    counts: IntArray
    rows: IntArray
    """The distinct rows that hold it, whatever their class."""

    @property
    def evidence(self) -> float:
        """Placement and label count as they are; the rest of the rows can only accuse, for clean labels."""
        return self.put_in - self.habit + self.label + max(self.rest, 0.0)


@dataclass(frozen=True, slots=True)
class Suspects:
    """The best candidates, best first, and of how many they are the best."""

    best: tuple[Suspect, ...]
    tried: int
    usually_sudden: float
    """The share of `Suspect.sudden` over the candidates that are single words."""


def suspects(corpus: Corpus) -> Suspects:
    """Judge every candidate.

    >>> import polars as pl
    >>> from textward.words import UnicodeWords
    >>> rows = [f"the {a} is {b}" for a in ("film", "plot", "cast") for b in ("fun", "dull", "long")] * 2
    >>> cut = [(text.split(), i % 5) for i, text in enumerate(rows)]
    >>> planted = [" ".join([*words[:at], "cf", *words[at:]]) for words, at in cut]
    >>> corpus = Corpus(UnicodeWords().cut(pl.Series(rows + planted)), np.repeat([0, 1], 18), 2)
    >>> found = suspects(corpus)
    >>> [corpus.words.vocabulary[word] for word in found.best[0].words]
    ['cf']
    """
    known, rest = Neighbours(corpus), Rest(corpus)
    found: list[Suspect] = []
    tried, sudden, sightings = 0, 0.0, 0
    for phrases in candidates(corpus, least_rows(len(corpus.labels))):
        tried += len(phrases.target)
        judged = _judged(corpus, phrases, known)
        if phrases.length == 1:
            sudden, sightings = float(judged.sudden @ judged.sightings), int(judged.sightings.sum())
        found.extend(_best_of(corpus, phrases, judged, rest))
        found = sorted(found, key=_order)[:MOST]
    return Suspects(tuple(found), tried, sudden / max(1, sightings))


def _order(one: Suspect) -> tuple[float, int, tuple[int, ...]]:
    return -one.evidence, -len(one.words), one.words


@dataclass(frozen=True, slots=True)
class _Judged:
    put_in: FloatArray
    habit: FloatArray
    label: FloatArray
    sudden: FloatArray
    sightings: IntArray
    of_target: IntArray
    """Which of the places lie in rows of the class that the phrase leans to."""


def _judged(corpus: Corpus, phrases: Phrases, known: Neighbours) -> _Judged:
    size = len(phrases.target)
    row = corpus.row[phrases.place]
    of_target = np.flatnonzero(corpus.labels[row] == phrases.target[phrases.phrase])
    phrase, place = phrases.phrase[of_target], phrases.place[of_target]
    found = placement(known, phrase, corpus.left[place], corpus.right[place + phrases.length - 1], size)
    if phrases.length == 1:
        found = found.or_stronger(*_in_company(corpus, phrases, known))
    return _Judged(
        found.put_in,
        found.habit,
        label_evidence(phrases.counts, phrases.target, corpus.rows_of_class),
        found.sudden,
        np.bincount(phrase, minlength=size),
        of_target,
    )


def _in_company(
    corpus: Corpus, phrases: Phrases, known: Neighbours
) -> tuple[Placement, npt.NDArray[np.bool_]]:
    """The placement of words beyond those that they travel with, and which words do."""
    phrase, place, left, right = beyond_companions(corpus, phrases)
    of_target = corpus.labels[corpus.row[place]] == phrases.target[phrase]
    found = placement(known, phrase[of_target], left[of_target], right[of_target], len(phrases.target))
    return found, np.bincount(phrase, minlength=len(phrases.target)) > 0


def label_evidence(counts: IntArray, target: IntArray, rows: IntArray) -> FloatArray:
    """How much likelier the labels are with a planted phrase than with a word of the language.

    Such a word has any leaning, all as likely, or none at all, whichever suits its labels better.

    >>> label_evidence(np.array([[0, 20], [4, 16]]), np.array([1, 1]), np.array([50, 50])).round(1).tolist()
    [2.6, -4.4]
    >>> label_evidence(np.array([[0, 20]]), np.array([1]), np.array([1, 99])).round(1).tolist()
    [-0.2]
    """
    total, hits = counts.sum(axis=1), counts[np.arange(len(counts)), target]
    base = np.clip(rows / rows.sum(), 1e-9, 1 - 1e-9)[target]
    of_no_leaning = hits * np.log(base) + (total - hits) * np.log(1 - base)
    planted = hits * np.log(PLANTED_PURITY) + (total - hits) * np.log(1 - PLANTED_PURITY)
    return np.asarray(planted - np.maximum(betaln(hits + 1, total - hits + 1), of_no_leaning))


def _best_of(corpus: Corpus, phrases: Phrases, judged: _Judged, rest: Rest) -> list[Suspect]:
    """The rest of the rows is judged only where it could matter."""
    before = judged.put_in - judged.habit + judged.label
    chosen = np.flatnonzero(before > -_RESCUE)
    if not len(chosen):
        return []
    number = np.full(len(before), -1)
    number[chosen] = np.arange(len(chosen))
    phrase = number[phrases.phrase]
    first = np.searchsorted(phrases.phrase, chosen)
    held = corpus.ids[phrases.place[first][:, None] + np.arange(phrases.length)]
    sighted = judged.of_target[phrase[judged.of_target] >= 0]
    surprise = rest.surprise(
        held.tolist(), phrase[sighted], corpus.row[phrases.place[sighted]], phrases.target[chosen]
    )
    evidence = before[chosen] + np.maximum(surprise, 0.0)
    best = np.argsort(-evidence, kind="stable")[:MOST]
    last = np.searchsorted(phrases.phrase, chosen, side="right")
    return [
        Suspect(
            tuple(held[one].tolist()),
            int(phrases.target[chosen[one]]),
            float(judged.put_in[chosen[one]]),
            float(judged.habit[chosen[one]]),
            float(judged.label[chosen[one]]),
            float(surprise[one]),
            float(judged.sudden[chosen[one]]),
            phrases.counts[chosen[one]],
            corpus.row[phrases.place[first[one] : last[one]]],
        )
        for one in best.tolist()
    ]
