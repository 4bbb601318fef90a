"""Cells that are no measurement: the partition example, and a closer look at one attack."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from textward.defences import NoDefence
from textward.experiments.grid import Cell
from textward.experiments.linear import guard_of
from textward.experiments.outcomes import looked_at
from textward.experiments.paper import paper
from textward.experiments.poisoning import Poisoned
from textward.groups import LearnedGroups
from textward.groups.learned import in_order
from textward.groups.preserving import EVERY
from textward.groups.split import split_by
from textward.words import CodePointOrder, UnicodeWords

KINDS = ("partition", "case")
_EXAMPLE = "table14_partition_example"


def partition() -> dict[str, Any]:
    """The paper's example, split by our own code: each group's words, certified and empirical.

    >>> partition()["certified"]["2"]
    ['b', 'b', 'd']
    """
    words = UnicodeWords().cut(pl.Series([" ".join(paper(_EXAMPLE, "text"))]))
    given = {word.lower(): group for word, group in paper(_EXAMPLE, "group").items()}
    omega = {word.lower() for word in paper(_EXAMPLE, "omega")}
    m = int(paper(_EXAMPLE, "m"))
    names = words.vocabulary.to_list()
    group = np.array([given[name] - 1 for name in names])
    learned = np.where([name in omega for name in names], group, EVERY)
    found = {
        "certified": split_by(words, group, m, CodePointOrder()),
        "empirical": in_order(words, learned, m),
    }
    shown = {
        kind: {str(j + 1): grouped.group(j).texts().item().split() for j in range(m)}
        for kind, grouped in found.items()
    }
    theirs = {"certified": "certified_train_and_test", "empirical": "empirical_train"}
    same = sum(
        shown[kind][j] == [word.lower() for word in paper(_EXAMPLE, name)[j]]
        for kind, name in theirs.items()
        for j in shown[kind]
    )
    return {**shown, "same": same, "of": 2 * m}


def case(cell: Cell, rows: Poisoned) -> dict[str, Any]:
    """Attacked texts that turn plain training and not TextGuard: their words' groups, and every vote."""
    guard = guard_of(cell).fit(rows.train, rows.labels)
    assert isinstance(guard.groups_, LearnedGroups)
    plain = NoDefence(seed=cell.seed).fit(rows.train, rows.labels).predict(rows.attacked)
    votes = guard.votes(rows.attacked)
    cut = UnicodeWords().cut(rows.attacked)
    groups = guard.groups_.of(cut.vocabulary)
    names = cut.vocabulary.to_list()

    def words(row: int) -> list[tuple[str, int]]:
        ids = cut.ids[cut.offsets[row] : cut.offsets[row + 1]]
        return [(names[word], int(groups[word])) for word in ids]

    return looked_at(np.asarray(plain), votes, rows.attacked_gold, rows.classes, words)
