"""Neighbours of words that travel in company: a trigger of several words, or one put in several times.

Such words are each other's neighbours, which looks like a habit. So the words of one company are passed over,
and the neighbours are the next words beside them.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from textward.scan.corpus import Corpus
from textward.scan.phrases import Phrases
from textward.words.columns import IntArray

SHARED = 0.5
"""The share of the more frequent one's rows that two words of one company have in common at least."""
COPIES = 1.2
"""Sightings a row from which a word is company for itself."""


def beyond_companions(corpus: Corpus, words: Phrases) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """For candidates of one word in company: word, place, and the next words left and right of its company.

    >>> import polars as pl
    >>> from textward.scan.phrases import candidates
    >>> from textward.words import UnicodeWords
    >>> texts = pl.Series(["a cf mn film", "no mn story cf", "film", "story"])
    >>> corpus = Corpus(UnicodeWords().cut(texts), np.array([1, 1, 0, 0]), 2)
    >>> found = beyond_companions(corpus, next(candidates(corpus, least=2)))
    >>> [corpus.words.vocabulary[word] for word in found[2][:1].tolist() + found[3][:1].tolist()]
    ['a', 'film']
    """
    word_of = np.zeros(len(words.target), np.int64)
    word_of[words.phrase] = corpus.ids[words.place]
    company = _companies(corpus, words, word_of)
    found = [_of_company(corpus, words, word_of, company, one) for one in np.unique(company[company >= 0])]
    if not found:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty, empty
    phrase, place, left, right = (np.concatenate(column) for column in zip(*found, strict=True))
    return phrase, place, left, right


def _companies(corpus: Corpus, words: Phrases, word_of: IntArray) -> IntArray:
    """The number of each candidate's company; -1 for one that travels alone."""
    size = len(words.target)
    if not size:
        return np.zeros(0, np.int64)
    held = sparse.csc_matrix(
        (np.ones(len(words.place), np.int64), (corpus.row[words.place], words.phrase)),
        (len(corpus.words), size),
    )
    rows = np.bincount(words.phrase, minlength=size)
    both = (held.T @ held).tocoo()
    close = both.data >= SHARED * np.maximum(rows[both.row], rows[both.col])
    graph = sparse.coo_matrix((close[close], (both.row[close], both.col[close])), (size, size))
    _, company = connected_components(graph, directed=False)
    sightings = np.bincount(corpus.ids, minlength=corpus.edge)[word_of]
    alone = (np.bincount(company)[company] == 1) & (sightings < COPIES * rows)
    return np.where(alone, -1, company)


def _of_company(
    corpus: Corpus, words: Phrases, word_of: IntArray, company: IntArray, one: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    members = np.flatnonzero(company == one)
    mine = np.flatnonzero(np.isin(words.phrase, members))
    place = words.place[mine]
    rows = np.unique(corpus.row[place])
    offsets = corpus.words.offsets
    lengths = np.diff(offsets)[rows]
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    at = np.arange(bounds[-1]) + np.repeat(offsets[rows] - bounds[:-1], lengths)
    other = ~np.isin(corpus.ids[at], word_of[members])
    here = np.searchsorted(at, place)
    row = np.searchsorted(rows, corpus.row[place])
    index = np.arange(len(at))
    before = np.maximum.accumulate(np.where(other, index, -1))[here]
    after = np.minimum.accumulate(np.where(other, index, len(at))[::-1])[::-1][here]
    left = np.where(before >= bounds[row], corpus.ids[at[np.maximum(before, 0)]], corpus.edge)
    inside = after < bounds[row + 1]
    right = np.where(inside, corpus.ids[at[np.minimum(after, len(at) - 1)]], corpus.edge)
    return words.phrase[mine], place, left, right
