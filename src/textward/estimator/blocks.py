"""Training from many files: fragments counted wherever the engine runs them, added up here."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.data import Fragment, SumDigest, Wanted, class_names, encode_labels, read_fragment
from textward.data.dataset import rows_or_none
from textward.data.messages import quoted
from textward.engine import HERE, Engine, Failure, Progress
from textward.engine.protocol import ONE_CPU
from textward.errors import DataError, LostWorkerError, UsageError
from textward.estimator.fitting import Fitted, unstable
from textward.estimator.settings import Settings
from textward.estimator.training import Skipped, Training, library_versions
from textward.estimator.voters import BallotVoters, HashedVoters
from textward.groups import BlockGroups, HashGroups
from textward.learners.ballots import from_counts
from textward.learners.gathering import Counted, Gatherer, count_batches
from textward.words import Cutter

OnBadBlock = Literal["stop", "skip"]
BAD = (DataError, LostWorkerError)
"""What a block may do that passes over it; anything else is a fault of the program or the wish."""


def is_counted(chosen: Settings) -> bool:
    """Whether a model is made of counts alone, so that its rows need not be held.

    >>> from textward.estimator.settings import settings
    >>> is_counted(settings(3, "linear", "md5", 0, "certified", "unicode", None))
    True
    """
    return chosen.learner is None and chosen.potential is None and chosen.cascade is None


def fit_blocks(
    chosen: Settings,
    files: Sequence[Fragment],
    wanted: Wanted,
    engine: Engine,
    on_bad_block: OnBadBlock = "stop",
    progress: Progress | None = None,
) -> Fitted:
    """Train ballots or naive Bayes on fragments; only counts travel, and their order changes nothing.

    >>> import tempfile
    >>> from textward.data import fragments
    >>> from textward.engine import Local
    >>> from textward.estimator.settings import settings
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> pl.DataFrame({"text": ["fun", "dull"], "label": [1, 0]}).write_parquet(folder / "a.parquet")
    >>> chosen = settings("words", "ballots", "md5", 0, "certified", "unicode", None)
    >>> fit_blocks(chosen, fragments(folder), Wanted(), Local()).training.n
    2
    """
    started = time.perf_counter()
    if isinstance(chosen.groups, BlockGroups) or chosen.row_groups is not None:
        raise UsageError(
            "designs and row_groups need all rows at once: call fit, or train ballots or plain groups"
        )
    groups = chosen.groups if isinstance(chosen.groups, HashGroups) else None
    gatherer, skipped = Gatherer(groups), list[Skipped]()
    count = partial(_count, wanted, chosen.cutter, groups)
    for number, outcome in enumerate(engine.outcomes(count, files, ONE_CPU)):
        if isinstance(outcome, Failure):
            skipped.append(passed_over(outcome, files, number, on_bad_block))
        else:
            gatherer.add(outcome)
        if progress is not None:
            progress(number + 1, len(files))
    if len(skipped) == len(files):
        raise _nothing(skipped)
    found, classes = _classed(gatherer.counted())
    obstacle = None if chosen.cutter.stable else unstable(chosen.cutter, _sample(files, wanted, skipped))
    voters = _voters(chosen, found)
    counts = dict(zip(found.labels, found.counts.rows.tolist(), strict=True))
    seconds = time.perf_counter() - started
    digest = SumDigest(found.digest).hexdigest()
    return Fitted(
        classes,
        voters,
        obstacle,
        Training(found.n, counts, digest, library_versions(), seconds),
        tuple(skipped),
    )


def read_whole(
    files: Sequence[Fragment], wanted: Wanted, on_bad_block: OnBadBlock
) -> tuple[tuple[pl.Series, npt.NDArray[Any]], tuple[Skipped, ...]]:
    """Read all rows, for learners that need them at once.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from textward.data import fragments
    >>> folder = Path(tempfile.mkdtemp())
    >>> pl.DataFrame({"text": ["fun", "dull"], "label": [1, 0]}).write_csv(folder / "a.csv")
    >>> read_whole(fragments(folder), Wanted(), "stop")[0][1].tolist()
    [1, 0]
    """
    texts, labels, skipped = list[pl.Series](), list[pl.Series](), list[Skipped]()
    read = partial(_whole, wanted)
    for number, outcome in enumerate(HERE.outcomes(read, files)):
        if isinstance(outcome, Failure):
            skipped.append(passed_over(outcome, files, number, on_bad_block))
        else:
            texts.append(outcome[0])
            labels.append(outcome[1])
    if not texts:
        raise _nothing(skipped)
    spelled = pl.concat(labels)
    names = class_names(spelled)
    values = np.array(names)[encode_labels(spelled, names)]
    return (pl.concat(texts), values), tuple(skipped)


def _whole(wanted: Wanted, file: Fragment) -> tuple[pl.Series, pl.Series]:
    batches = list(read_fragment(file, wanted))
    return pl.concat(b.texts for b in batches), pl.concat(b.labels for b in batches if b.labels is not None)


def passed_over(
    failure: Failure, files: Sequence[Fragment], number: int, on_bad_block: OnBadBlock
) -> Skipped:
    """Name a block that failed, or raise the error for it where that is what was asked.

    >>> from textward.data import Fragment
    >>> failure = Failure(DataError, "a.csv: is empty", DataError())
    >>> passed_over(failure, [Fragment("a.csv", "/a.csv")], 0, "skip")
    Skipped(name='a.csv', rows=None, why='a.csv: is empty')
    """
    file = files[number]
    if on_bad_block == "stop" or not issubclass(failure.kind, BAD):
        hint = " To leave such blocks out: --on-bad-block skip." if issubclass(failure.kind, BAD) else ""
        where = f"block {number + 1:,} of {len(files):,} ({file}) failed"
        raise failure.kind(f"{where}: {failure.message}{hint}") from failure.cause
    return Skipped(str(file), rows_or_none(file), failure.message)


def _nothing(skipped: Sequence[Skipped]) -> DataError:
    return DataError(f"every block was passed over, the first because {skipped[0].why}")


def check_on_bad_block(asked: str) -> OnBadBlock:
    """Return what to do with a bad block, or say what it may be.

    >>> check_on_bad_block("stop")
    'stop'
    """
    if asked not in ("stop", "skip"):
        raise UsageError(f"on_bad_block must be 'stop' or 'skip', got {asked!r}")
    return cast(OnBadBlock, asked)


def _count(wanted: Wanted, cutter: Cutter, groups: HashGroups | None, file: Fragment) -> Counted:
    return count_batches(read_fragment(file, wanted), cutter, groups)


def _classed(counted: Counted) -> tuple[Counted, npt.NDArray[Any]]:
    names = class_names(counted.labels)
    if len(names) < 2:
        raise DataError(
            f"every row has the label {quoted(str(names[0]))}, and one class cannot be told from another. "
            "Give rows of at least two classes, or name the column of labels with --label-column."
        )
    return counted.in_order(list(map(str, names))), np.array(names)


def _voters(chosen: Settings, found: Counted) -> BallotVoters | HashedVoters:
    if isinstance(chosen.groups, HashGroups):
        linear, classes = found.linear(chosen.groups), len(found.labels)
        return HashedVoters(chosen.groups, chosen.order, linear, classes, rule=chosen.rule)
    return BallotVoters(from_counts(found.counts, chosen.dials(len(found.labels))))


def _sample(files: Sequence[Fragment], wanted: Wanted, skipped: Sequence[Skipped]) -> pl.Series:
    """Some texts to try a user's tokenizer on: the first batch that can be read."""
    bad = {one.name for one in skipped}
    batches: Iterator[pl.Series] = (
        batch.texts
        for batch in chain.from_iterable(read_fragment(f, wanted) for f in files if str(f) not in bad)
    )
    return pl.concat(islice(batches, 1))
