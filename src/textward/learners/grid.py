"""A grid of base models: parts of the rows x groups of words, for two budgets at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from textward.engine import HERE, Engine, Progress, run_pieces
from textward.groups import Grouped, RowGroups, SubTexts
from textward.learners.each import Piece, shares_by, trains_again, voted
from textward.learners.linear import LinearModel, train_linear
from textward.learners.protocol import GroupLearner, GroupModel
from textward.learners.seeds import group_seed
from textward.words.columns import IntArray


class LinearCells:
    """The built-in naive Bayes as the learner of one cell; nothing is drawn, so the seed changes nothing.

    >>> texts = SubTexts(pl.Series(["bad", "good"]), np.array([0, 1]), np.array([0, 1, 2]))
    >>> LinearCells().fit(texts, np.array([0, 1]), classes=2, seed=0).predict(texts).tolist()
    [0, 1]
    """

    def fit(self, texts: SubTexts, labels: IntArray, classes: int, seed: int) -> LinearModel:
        """Train on sub-texts and class indexes."""
        return train_linear(texts.alone(), labels, classes)


@dataclass(frozen=True, slots=True)
class Grid:
    """One base model a cell: that of part a and group j is number a * columns + j.

    >>> from textward.groups import HashGroups
    >>> from textward.learners import ConstantModel
    >>> from textward.words import UnicodeWords
    >>> grouped = HashGroups(2).split(UnicodeWords().cut(pl.Series(["a b", ""])))
    >>> models = tuple(map(ConstantModel, (0, 1, 1, 1)))
    >>> Grid(models, columns=2, classes=2).votes(grouped).tolist()
    [[0, 1, 1, 1], [0, 1, 1, 1]]
    """

    models: tuple[GroupModel, ...]
    columns: int
    classes: int

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each cell votes for: texts x cells."""
        return np.stack([voted(*cell, self.classes) for cell in self._cells(grouped)], axis=1)

    def shares(self, grouped: Grouped) -> IntArray:
        """Return how sure each cell is: texts x cells x classes, in 1/2**20."""
        return np.stack([shares_by(*cell, self.classes) for cell in self._cells(grouped)], axis=1)

    def _cells(self, grouped: Grouped) -> Iterator[tuple[GroupModel, SubTexts]]:
        texts = [grouped.group(j) for j in range(self.columns)]
        for number, model in enumerate(self.models):
            yield model, texts[number % self.columns]


def train_grid(
    learner: GroupLearner,
    grouped: Grouped,
    rows: RowGroups,
    labels: IntArray,
    classes: int,
    seed: int,
    *,
    engine: Engine = HERE,
    progress: Progress | None = None,
) -> tuple[Grid, bool]:
    """Train every cell with a seed of its own; also say whether one trained twice is the same.

    >>> from textward.groups import HashGroups
    >>> from textward.words import UnicodeWords
    >>> grouped = HashGroups(2).split(UnicodeWords().cut(pl.Series(["good fun", "bad", "fun", "bad"])))
    >>> grid, repeatable = train_grid(LinearCells(), grouped, RowGroups(3), np.array([1, 0, 1, 0]), 2, seed=0)
    >>> len(grid.models), grid.votes(grouped).shape, repeatable
    (6, (4, 6), True)
    """
    pieces = _pieces(learner, grouped, rows, labels, classes, seed)
    models = run_pieces(Piece.train, pieces, engine=engine, progress=progress, name="cell")
    sizes = [len(piece.texts.ids) or 1 << 62 for piece in pieces]
    known = sizes.index(min(sizes))
    repeatable = trains_again(pieces[known], models[known], pieces[(known + 1) % len(pieces)].texts)
    return Grid(tuple(models), grouped.groups, classes), repeatable


def _pieces(
    learner: GroupLearner, grouped: Grouped, rows: RowGroups, labels: IntArray, classes: int, seed: int
) -> Sequence[Piece]:
    columns = [grouped.group(j) for j in range(grouped.groups)]
    parts = [rows.of(column) for column in columns]
    pieces: list[Piece] = []
    for part in range(rows.parts):
        for column, part_of in zip(columns, parts, strict=True):
            mine = part_of == part
            pieces.append(
                Piece(
                    learner,
                    seen(column.rows(mine)),
                    labels[mine],
                    classes,
                    group_seed(seed, len(pieces)),
                )
            )
    return pieces


def seen(texts: SubTexts) -> SubTexts:
    """The same sub-texts with a vocabulary of the words that do occur in them.

    >>> seen(SubTexts(pl.Series(["a", "b"]), np.array([1, 1]), np.array([0, 1, 2]))).vocabulary.to_list()
    ['b']
    """
    known, ids = np.unique(texts.ids, return_inverse=True)
    return SubTexts(texts.vocabulary.gather(known), ids.reshape(-1), texts.offsets)
