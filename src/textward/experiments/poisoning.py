"""A cell -> its rows: the training set as poisoned, the clean test texts, and those with the trigger."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.attacks import AdaptiveBadWord, AddSent, Attack, BadWord, Paraphrases, SynBkd, relabelled
from textward.attacks.budget import Setting
from textward.errors import DataError
from textward.experiments.grid import TARGET, Cell
from textward.experiments.paper import paper
from textward.experiments.sources import Rows, Sources, dataset
from textward.groups import HashGroups

IntArray = npt.NDArray[np.int64]
_TRAIN = {"agnews": ("train", "dev")}
"""Parts that certified cells train on, where a plain training part is small."""


@dataclass(frozen=True, slots=True)
class Poisoned:
    """What a cell works on."""

    train: pl.Series
    labels: IntArray
    test: pl.Series
    gold: IntArray
    attacked: pl.Series
    """Test texts of other classes than the target, each with the trigger; none where nothing is attacked."""
    attacked_gold: IntArray
    classes: int
    digests: tuple[str, str]
    """Of the clean training rows and of the test rows."""


@dataclass
class Workshop:
    """Reads each dataset once, and makes each attack's test texts once.

    `rows` is the most training rows there may be, and twice the test rows: for quick runs of an encoder.
    """

    sources: Sources
    parser: str = "en_core_web_sm"
    rows: int | None = None
    _kept: dict[Any, Any] = field(default_factory=dict)

    def poisoned(self, cell: Cell) -> Poisoned:
        """The rows of a cell."""
        train = self.train(cell)
        test = _sentences() if cell.what == "examples" else self.part(cell.data, "test")
        none = pl.Series([], dtype=pl.String), np.zeros(0, np.int64)
        classes, digests = len(dataset(cell.data).classes), (train.digest, test.digest)
        if cell.attack == "none":
            labels = relabelled(
                train.labels,
                rate=cell.rate,
                target=TARGET,
                setting=cast(Setting, cell.setting),
                seed=cell.seed,
            )
            return Poisoned(train.texts, labels, test.texts, test.labels, *none, classes, digests)
        made = self.attack(cell).poison(
            train.texts, train.labels, rate=cell.rate, target=TARGET, setting=cast(Setting, cell.setting),
            seed=cell.seed,
        )  # fmt: skip
        attacked = self.attacked(cell)
        return Poisoned(made.texts, made.labels, test.texts, test.labels, *attacked, classes, digests)

    def train(self, cell: Cell) -> Rows:
        """The clean training rows."""
        parts = _TRAIN.get(cell.data, ("train",)) if cell.what == "certified" else ("train",)
        return Rows.joined([self.part(cell.data, part) for part in parts])

    def part(self, name: str, part: str) -> Rows:
        """One part of a dataset, cut to size."""
        if (name, part) not in self._kept:
            found = self.sources.rows(name, part)
            if self.rows is not None and len(found) > self.rows:
                most = self.rows
                found = Rows(found.texts[:most], found.labels[:most], f"{found.digest}[:{most}]")
            self._kept[name, part] = found
        return cast(Rows, self._kept[name, part])

    def attack(self, cell: Cell) -> Attack:
        """The attack of a cell."""
        if cell.attack == "badword":
            return BadWord(count=cell.words)
        if cell.attack == "addsent":
            return AddSent()
        if cell.attack in ("adaptive", "together"):
            groups = HashGroups(cell.m, cell.hash)  # type: ignore[arg-type]
            return AdaptiveBadWord(groups, cell.words, together=cell.attack == "together")
        if cell.attack not in ("synbkd", "stylebkd"):
            raise DataError(f"there is no attack {cell.attack!r} in these experiments")
        return cast(Attack, self._once((cell.data, cell.attack), lambda: self._paraphrases(cell)))

    def attacked(self, cell: Cell) -> tuple[pl.Series, IntArray]:
        """The test texts with the trigger, and their true labels."""
        ours = cell.m if cell.attack in ("adaptive", "together") else 0
        key = cell.data, cell.attack, cell.words, ours, cell.hash
        return cast("tuple[pl.Series, IntArray]", self._once(key, lambda: self._attacked(cell)))

    def _attacked(self, cell: Cell) -> tuple[pl.Series, IntArray]:
        test = self.part(cell.data, "test")
        ready = self._ready_made(cell)
        if ready is not None:
            return ready
        made = self.attack(cell).test_texts(test.texts, test.labels, target=TARGET, seed=0)
        return made.texts, made.labels

    def _ready_made(self, cell: Cell) -> tuple[pl.Series, IntArray] | None:
        """The attack's authors' own test texts, where there are any with our target."""
        others = self.sources.rows(cell.data, "test").labels
        if cell.attack == "stylebkd":
            frame = pl.read_csv(self._beside(cell, "stylebkd-test.csv"))
            texts = frame["text"].fill_null("")
            able = (others != TARGET) & (texts != "").to_numpy()
        elif cell.attack == "synbkd" and self.sources.file(cell.data, "synbkd-pairs.csv") is not None:
            texts = pl.read_csv(self._beside(cell, "synbkd-test.csv"))["text"]
            others = others[others != TARGET]
            if len(texts) != len(others):
                raise DataError(f"{cell.data}: {len(texts):,} SynBkd test texts for {len(others):,} rows")
            able = np.ones(len(texts), np.bool_)
        else:
            return None
        rows = np.flatnonzero(able)[: self.rows]
        return texts.gather(rows), others[rows]

    def _paraphrases(self, cell: Cell) -> Attack:
        texts = self.sources.rows(cell.data, "train").texts
        if cell.attack == "stylebkd":
            new = pl.read_csv(self._beside(cell, "stylebkd-train.csv"))["text"].fill_null("")
            return Paraphrases.aligned(texts, new, "StyleBkd")
        pairs = self.sources.file(cell.data, "synbkd-pairs.csv")
        if pairs is None:
            return SynBkd(self.parser)
        table = pl.read_csv(pairs)
        return Paraphrases.of_rows(texts, table["row"], table["paraphrase"])

    def _beside(self, cell: Cell, file: str) -> Path:
        path = self.sources.file(cell.data, file)
        if path is None:
            raise DataError(
                f"{dataset(cell.data).title}: there are no ready-made {cell.attack} texts "
                f"({cell.data}/{file} in the folder of datasets), and none are made here: transfer every "
                "row's style with a model of your own (textward poison --attack stylebkd --model DIR) and "
                "put the texts there, in the rows' order"
            )
        return path

    def _once(self, key: Any, make: Any) -> Any:
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


def _sentences() -> Rows:
    """The paper's four sentences whose meaning hangs on the order of their words."""
    pairs = paper("table13_bow_sst2", "examples BoW gets wrong, TextGuard right")
    texts = pl.Series([text for text, _ in pairs])
    return Rows(texts, np.array([label for _, label in pairs], np.int64), "the paper's sentences")
