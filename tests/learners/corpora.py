"""Small corpora for learners, as strategies and by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import polars as pl
from hypothesis import strategies as st

from textward.groups import Grouped, HashGroups
from textward.words import WhitespaceWords

WORDS = [f"w{number}" for number in range(12)]


def grouped(texts: Sequence[str], groups: int) -> Grouped:
    """Texts, cut at white space and split by MD5."""
    return HashGroups(groups).split(WhitespaceWords().cut(pl.Series(texts, dtype=pl.String)))


@cache
def group_of(word: str, groups: int) -> int:
    """The group of a word."""
    return int(HashGroups(groups).of(pl.Series([word]))[0])


@st.composite
def corpora(draw: st.DrawFn, classes: int) -> tuple[list[str], np.ndarray]:
    """Texts of a few words, and labels in which every class occurs."""
    texts = draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=classes, max_size=10))
    extra = st.lists(
        st.integers(0, classes - 1), min_size=len(texts) - classes, max_size=len(texts) - classes
    )
    labels = draw(st.permutations([*range(classes), *draw(extra)]))
    return [" ".join(words) for words in texts], np.array(labels)
