"""Cells with a fine-tuned encoder: needs numpy, torch and transformers, and no other room's libraries."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textward.errors import MissingExtraError
from textward.experiments.grid import Cell
from textward.experiments.jobs import Job
from textward.experiments.outcomes import IntArray, found_words, histogram, judged, looked_at, winners
from textward.groups.hashing import HashName, hashed
from textward.groups.preserving import EVERY, kept_by, learned_groups
from textward.influence.ranking import potential_triggers
from textward.influence.variants import leaving_one_out, strings
from textward.learners.seeds import group_seed

_PLANTED = {"badword": ["cf", "mn", "bb", "tq"], "addsent": ["i", "watch", "this", "3d", "movie"]}
Columns = tuple[list[str], IntArray, IntArray]
"""A vocabulary, word ids and offsets."""


@dataclass
class Engine:
    """Fine-tunes; keeps the last plain classifier, which several cells begin with.

    Time that was saved so is told as `reused_seconds`, and counts as the cell's own.
    """

    encoder: str
    settings: Any
    """What base models are trained with."""
    _plain: dict[str, Any] = field(default_factory=dict)

    def answered(self, job: Job) -> dict[str, Any]:
        """Train, answer and count."""
        cell = job.cell
        if cell.defence == "DT":
            model, saved = self._plain_of(job)
            return self._judged(job, model) | {"reused_seconds": saved}
        if cell.defence != "TextGuard":
            return defended(cell, job, self.encoder, self.settings)
        if cell.K is not None:
            return self._empirical(job)
        model = self.trained(job.train, job, job.classes)
        if cell.what == "measured":
            return self._judged(job, model)
        device = self.settings.device
        return {"votes": histogram(model.votes(job.test, device), job.gold), "classes": job.classes}

    def trained(self, texts: list[list[str]], job: Job, classes: int, whole: bool = False) -> Any:
        """Fine-tune one base model a column."""
        from textward.learners.transformer.encoder import load_encoder
        from textward.learners.transformer.training import train

        encoder = load_encoder(self.encoder, classes)
        seeds = [group_seed(job.cell.seed, group) for group in range(len(texts))]
        return train(encoder, replace(self.settings, whole_texts=whole), texts, job.labels, seeds)

    def _judged(self, job: Job, model: Any, groups: int | None = None) -> dict[str, Any]:
        """Hits of the majority; every one of `groups` base models reads the whole text, where given."""

        def asked(texts: list[list[str]]) -> IntArray:
            if not texts or not texts[0]:
                return np.zeros(0, np.int64)
            columns = texts if groups is None else texts * groups
            return winners(model.votes(columns, self.settings.device), job.classes)

        clean = asked(job.test)
        found: dict[str, Any] = dict(judged(clean, job.gold, asked(job.attacked), job.attacked_gold))
        return found | ({"said": clean.tolist()} if job.cell.what == "examples" else {})

    def _plain_of(self, job: Job) -> tuple[Any, float]:
        """The classifier of whole texts, and the seconds saved where it is the last one's."""
        key = hashlib.sha256(json.dumps([job.train, job.labels.tolist(), job.cell.seed]).encode()).hexdigest()
        if self._plain.get("key") == key:
            return self._plain["model"], float(self._plain["seconds"])
        self._plain.clear()
        began = time.perf_counter()
        model = self.trained(job.train, job, job.classes, whole=True)
        self._plain.update(key=key, model=model, seconds=round(time.perf_counter() - began, 3))
        return model, 0.0

    def _counts_of(self, job: Job, columns: Columns) -> tuple[IntArray, float]:
        """In how many texts each word is influential, and the seconds saved."""
        plain, saved = self._plain_of(job)
        if "counts" in self._plain:
            return self._plain["counts"], saved + float(self._plain["counted"])
        vocabulary, ids, offsets = columns
        began = time.perf_counter()
        moved = leaving_one_out(
            lambda ids, offsets: plain.features(0, strings(vocabulary, ids, offsets), self.settings.device),
            ids,
            offsets,
        )
        counts = moved.counts(len(vocabulary))
        self._plain.update(counts=counts, counted=round(time.perf_counter() - began, 3))
        return counts, saved

    def _empirical(self, job: Job) -> dict[str, Any]:
        """Algorithm 2: influence of words, potential trigger words, and groups that keep all others."""
        cell = job.cell
        assert cell.K is not None
        columns = numbered(job.train[0])
        counts, saved = self._counts_of(job, columns)
        omega = potential_triggers(counts, cell.K)
        parts = sub_texts(columns, omega, cell.m, cell.hash)  # type: ignore[arg-type]
        model = self.trained(parts, job, job.classes, whole=True)
        if cell.what == "case":
            return self._case(job, model, columns, omega) | {"reused_seconds": saved}
        found = self._judged(job, model, cell.m)
        told = found_words(columns[0], omega, counts, _PLANTED.get(cell.attack, []))
        return found | told | {"reused_seconds": saved}

    def _case(self, job: Job, model: Any, columns: Columns, omega: npt.NDArray[Any]) -> dict[str, Any]:
        """Words with their groups and every vote, of attacked texts that turn the plain classifier alone."""
        plain, _ = self._plain_of(job)
        device, cell = self.settings.device, job.cell
        potential = {columns[0][word] for word in omega.tolist()}

        def words(row: int) -> list[tuple[str, int]]:
            held = job.attacked[0][row].split(" ")
            groups = hashed([word.encode() for word in held], cell.m, cell.hash).tolist()  # type: ignore[arg-type]
            return [(w, g if w in potential else EVERY) for w, g in zip(held, groups, strict=True)]

        votes = model.votes(job.attacked * cell.m, device)
        return looked_at(
            plain.votes(job.attacked, device)[:, 0], votes, job.attacked_gold, job.classes, words
        )


def numbered(texts: list[str]) -> Columns:
    """Texts of words as a vocabulary, word ids and offsets.

    >>> vocabulary, ids, offsets = numbered(["b a", ""])
    >>> vocabulary, ids.tolist(), offsets.tolist()
    (['a', 'b'], [1, 0], [0, 2, 2])
    """
    words = [text.split(" ") if text else [] for text in texts]
    flat = np.array([word for text in words for word in text], dtype=np.str_)
    vocabulary, ids = np.unique(flat, return_inverse=True)
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(text) for text in words], out=offsets[1:])
    return vocabulary.tolist(), ids.reshape(-1), offsets


def sub_texts(columns: Columns, omega: npt.NDArray[Any], m: int, hash: HashName) -> list[list[str]]:
    """Each group's training texts: potential trigger words in their hash group only, all others in every.

    >>> sub_texts(numbered(["a cf film"]), np.array([1]), 3, "md5")
    [['a film'], ['a film'], ['a cf film']]
    """
    vocabulary, ids, offsets = columns
    potential = np.zeros(len(vocabulary), np.bool_)
    potential[omega] = True
    groups = learned_groups(hashed([word.encode() for word in vocabulary], m, hash), potential)
    return [strings(vocabulary, *kept_by(j, groups, ids, offsets)) for j in range(m)]


def defended(cell: Cell, job: Job, encoder: str, settings: Any) -> dict[str, Any]:
    """Another defence with an encoder; needs the whole package."""
    try:
        import polars as pl

        from textward.experiments.linear import answered
    except ImportError as error:
        raise MissingExtraError(
            f"{cell.defence} needs {error.name}, which is not installed on this machine: install textward "
            "there, or run the cell elsewhere"
        ) from error
    from textward.experiments.poisoning import Poisoned
    from textward.learners.transformer import TransformerLearner

    attacked = job.attacked[0] if job.attacked else []
    rows = Poisoned(
        pl.Series(job.train[0], dtype=pl.String), job.labels,
        pl.Series(job.test[0], dtype=pl.String), job.gold,
        pl.Series(attacked, dtype=pl.String), job.attacked_gold,
        job.classes, job.digests,
    )  # fmt: skip
    return answered(cell, rows, TransformerLearner(encoder, settings))


def settings_of(device: str, quick: bool = False) -> Any:
    """The paper's fine-tuning in batches of 32; one epoch where it is only to be tried.

    >>> settings_of("cpu").batch
    32
    """
    from textward.learners.transformer.settings import Settings

    return Settings(batch=32, epochs=1 if quick else 5, device=device)
