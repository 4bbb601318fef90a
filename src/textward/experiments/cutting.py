"""A cell's rows -> the strings that an encoder reads: whole texts, texts of words, or sub-texts by group."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from textward.experiments.grid import Cell
from textward.experiments.jobs import Job
from textward.experiments.poisoning import Poisoned
from textward.groups import HashGroups
from textward.groups.assign import CODE_POINTS
from textward.words import UnicodeWords, WordOrder


def job_of(cell: Cell, rows: Poisoned, order: WordOrder = CODE_POINTS) -> Job:
    """Cut the rows of a cell for an encoder.

    TextGuard and plain training read words joined by a space; other defences read the texts as they stand.
    """
    parts = (rows.train, rows.test, rows.attacked)
    if cell.defence == "TextGuard" and cell.K is None:
        train, test, attacked = (_by_group(cell, texts, order) for texts in parts)
    elif cell.defence in ("TextGuard", "DT"):
        train, test, attacked = ([in_words(texts)] for texts in parts)
    else:
        train, test, attacked = ([texts.to_list()] for texts in parts)
    return Job(
        cell, train, rows.labels, test, rows.gold, attacked, rows.attacked_gold, rows.classes, rows.digests
    )


def in_words(texts: pl.Series) -> list[str]:
    """Each text as its words, joined by one space.

    >>> in_words(pl.Series(["A film.", ""]))
    ['a film .', '']
    """
    cut = UnicodeWords().cut(texts)
    words, bounds = cut.vocabulary.gather(cut.ids).to_list(), cut.offsets.tolist()
    return [" ".join(words[low:high]) for low, high in pairwise(bounds)]


def _by_group(cell: Cell, texts: pl.Series, order: WordOrder) -> list[list[str]]:
    groups = HashGroups(cell.m, cell.hash)  # type: ignore[arg-type]
    grouped = groups.split(UnicodeWords().cut(texts), order)
    return [grouped.group(j).texts().to_list() for j in range(cell.m)]
