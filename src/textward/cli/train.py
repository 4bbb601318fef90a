"""textward train: rows -> a model folder, whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from textward.certificates.ballots import UNIT
from textward.cli.cascades import CascadeWish
from textward.cli.encoders import ENCODERS, EncoderWish, forget, watched
from textward.cli.parsing import group_count
from textward.cli.screen import Progress, Screen
from textward.cli.spreading import HERE, Spread, tell_skipped
from textward.cli.stdin import standard_input
from textward.data import class_names, read_batches, read_table
from textward.data.messages import quoted, visible
from textward.errors import DataError, UsageError
from textward.estimator import TextGuard
from textward.estimator.settings import BALLOTS
from textward.groups import LearnedGroups, is_design
from textward.persistence import check_target


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    groups: str | None
    learner: str | None
    hash: str
    seed: int
    mode: str
    words: str
    order: Path | None
    jobs: int | None
    encoder: EncoderWish
    potential: tuple[int | None, int | None] = (None, None)
    """Influential words of a text, and the texts a potential trigger word is influential in."""
    rows: int = 0
    neighbours: Path | None = None
    trigger_size: int | None = None
    spread: Spread = HERE
    cascade: CascadeWish = field(default_factory=CascadeWish)
    row_groups: tuple[int, str] = (1, "text")
    """Parts of the rows, and what they are split by."""
    rule: str = "plurality"

    def guard(self, out: Path) -> TextGuard:
        """The untrained model."""
        second, of_second = self.cascade.learner(self.encoder, out)
        asked = BALLOTS if second and self.learner is None and self.groups is None else self.learner
        name, made = (asked, asked) if second is not None else self.encoder.learner(asked, out)
        groups, learner = group_count(self.groups, name)
        if self.jobs == 0:
            raise UsageError("--jobs 0: give a number of processes such as 2, or -1 for every core")
        return TextGuard(
            groups,
            made if name in ENCODERS else learner,
            self.hash,
            self.seed,
            mode=self.mode,
            rows=self.rows,
            cascade=of_second,
            theta=self.cascade.theta,
            row_groups=self.row_groups[0],
            rows_by=self.row_groups[1],
            rule=self.rule,
            neighbours=self.neighbours,
            trigger_size=self.trigger_size,
            words=self.words,
            order=self.order,
            n_jobs=self.jobs,
            engine=self.spread.engine_of(self.jobs),
            **self._potential(),
        )

    def _potential(self) -> dict[str, Any]:
        names = ("influential_words", "influential_rows")
        given = {name: told for name, told in zip(names, self.potential, strict=True) if told is not None}
        if given and self.mode != "empirical":
            option = f"--{next(iter(given)).replace('_', '-')}"
            raise UsageError(f"{option} is for potential trigger words: add --mode empirical")
        return given


@dataclass(frozen=True, slots=True)
class Rows:
    """The training rows, which may be read more than once."""

    source: str
    stdin: BinaryIO | None
    text_column: str
    label_column: str

    @property
    def name(self) -> str:
        return "standard input" if self.source == "-" else visible(self.source)

    def batches(self) -> Iterator[tuple[Any, Any]]:
        if self.stdin is not None:
            self.stdin.seek(0)
        for batch in read_batches(
            self.source, text_column=self.text_column, label_column=self.label_column, stdin=self.stdin
        ):
            yield batch.texts, batch.labels

    def table(self) -> tuple[Any, Any]:
        if self.stdin is not None:
            self.stdin.seek(0)
        table = read_table(
            self.source, text_column=self.text_column, label_column=self.label_column, stdin=self.stdin
        )
        return table.texts, table.labels


def train(
    screen: Screen,
    data: str,
    out: Path,
    wish: Wish,
    *,
    text_column: str,
    label_column: str,
    as_json: bool,
) -> None:
    """Train and save."""
    guard = wish.guard(out)
    if not wish.encoder.resume:
        forget(guard.learner)
        forget(guard.cascade)
    check_target(out.absolute())
    by_blocks = wish.spread.takes(data)
    with _rows(data, text_column, label_column) as rows:
        if wish.cascade.trusted is not None:
            wish.cascade.choose(screen, guard, rows.table()[0], text_column, label_column)
        if by_blocks:
            _train_by_blocks(screen, guard, rows, wish.spread)
        elif guard.groups == "words" and guard.cascade is None:
            _train_by_batches(screen, guard, rows)
        else:
            _train_at_once(screen, guard, rows)
    guard.save(out)
    forget(guard.learner)
    forget(guard.cascade)
    found = summary(guard, out)
    if as_json:
        screen.json(found)
    classes = ", ".join(f"{quoted(name)} {count:,}" for name, count in found["class_counts"].items())
    if "potential_triggers" in found:
        screen.say(
            f"{found['potential_triggers']:,} potential trigger words lie in one group each; the model has "
            "no certificate: for one, train with --mode certified"
        )
    screen.say(
        f"{visible(str(out))}: trained on {found['n']:,} rows of {rows.name} ({classes}) "
        f"in {found['seconds']:.1f} s"
    )


def groups_in_words(guard: TextGuard) -> str:
    """How many base models of what kind are trained.

    >>> groups_in_words(TextGuard(groups=3)), groups_in_words(TextGuard(groups="fano", row_groups=5))
    ('3 groups', 'the design fano, rows in 5 parts')
    """
    words = f"the design {guard.groups}" if is_design(guard.groups) else f"{guard.groups} groups"
    return words + (f", rows in {guard.row_groups} parts" if guard.row_groups > 1 else "")


def summary(guard: TextGuard, out: Path) -> dict[str, Any]:
    """What was trained, ready for JSON."""
    training, groups = guard.training_, guard.groups_
    learned: dict[str, Any] = {}
    if isinstance(groups, LearnedGroups):
        learned["potential_triggers"] = len(groups.omega)
    if guard.skipped_:
        learned["skipped"] = [{"block": one.name, "rows": one.rows, "why": one.why} for one in guard.skipped_]
    if guard.model_.cascade is not None:
        learned["theta"] = guard.model_.cascade.theta / UNIT
    return learned | {
        "model": str(out),
        "n": training.n,
        "classes": guard.classes_.tolist(),
        "class_counts": dict(training.class_counts),
        "digest": training.digest,
        "seconds": round(training.seconds, 3),
    }


@contextmanager
def _rows(data: str, text_column: str, label_column: str) -> Iterator[Rows]:
    if data != "-":
        yield Rows(data, None, text_column, label_column)
        return
    # Standard input can be read once, and ballots need two passes: it waits on disk, not in memory.
    with tempfile.TemporaryFile() as spool:
        shutil.copyfileobj(standard_input(), spool)
        spool.seek(0)
        yield Rows(data, cast(BinaryIO, spool), text_column, label_column)


def _train_at_once(screen: Screen, guard: TextGuard, rows: Rows) -> None:
    with screen.progress(f"Reading {rows.name}"):
        texts, spelled = rows.table()
    values = _values(rows, class_names(spelled))
    labels = np.array([values[label] for label in spelled])
    what = groups_in_words(guard) if guard.cascade is None else "a cascade"
    with screen.progress(f"Training {what}") as progress:
        guard.set_params(learner=watched(guard.learner, progress), cascade=watched(guard.cascade, progress))
        guard.fit(texts, labels, progress=progress)


def _train_by_blocks(screen: Screen, guard: TextGuard, rows: Rows, spread: Spread) -> None:
    with screen.progress("Working at blocks") as progress:
        guard.set_params(learner=watched(guard.learner, progress))
        guard.fit_files(
            rows.source,
            text_column=rows.text_column,
            label_column=rows.label_column,
            on_bad_block=spread.on_bad_block,
            progress=progress,
        )
    tell_skipped(screen, guard.skipped_)


def _train_by_batches(screen: Screen, guard: TextGuard, rows: Rows) -> None:
    # A label is a number only where every label is one, which the last row decides.
    spelled: set[str] = set()
    with screen.progress(f"Reading {rows.name}") as progress:
        for _, labels in _counted(rows.batches(), progress):
            spelled.update(labels.unique())
    values = _values(rows, class_names(spelled))
    with screen.progress("Counting words") as progress:
        guard.fit_batches(
            (texts, np.array([values[label] for label in labels]))
            for texts, labels in _counted(rows.batches(), progress)
        )


def _counted(batches: Iterator[tuple[Any, Any]], progress: Progress) -> Iterator[tuple[Any, Any]]:
    done = 0
    for texts, labels in batches:
        yield texts, labels
        done += len(texts)
        progress(done, None)


def _values(rows: Rows, names: list[str] | list[int]) -> dict[str, str | int]:
    if len(names) < 2:
        raise DataError(
            f"{rows.name}: every row has the label {quoted(str(names[0]))}, and one class cannot be told "
            "from another. Give rows of at least two classes, or name the column of labels with "
            "--label-column."
        )
    return {str(name): name for name in names}
