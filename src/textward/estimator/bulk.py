"""Predictions of many files: one part of Parquet a fragment, so that a run that stopped goes on."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.data import Batch, Fragment, Wanted, encode_labels, read_fragment
from textward.data.messages import visible
from textward.data.parquet import count_rows
from textward.engine import Depot, Engine, Failure, Progress, Shared
from textward.engine.protocol import ONE_CPU
from textward.errors import NotCertifiableError, UsageError
from textward.estimator.blocks import OnBadBlock, passed_over
from textward.estimator.guard import GuardModel
from textward.estimator.training import Skipped

PLAN, DONE = "_plan.json", "_done.json"


@dataclass(frozen=True, slots=True)
class Predicted:
    """What a run wrote: exactly one row for each row of the blocks that were not passed over.

    >>> Predicted(rows=10, parts=2, found=1, skipped=()).rows
    10
    """

    rows: int
    parts: int
    found: int
    """Parts that an earlier run had finished."""
    skipped: tuple[Skipped, ...]


def predict_files(
    model: GuardModel,
    fingerprint: str,
    files: Sequence[Fragment],
    wanted: Wanted,
    out: Path,
    engine: Engine,
    on_bad_block: OnBadBlock = "stop",
    progress: Progress | None = None,
) -> Predicted:
    """Write labels, votes and radii into a folder; call it again after a stop, and only the rest is done.

    >>> import tempfile
    >>> from textward import TextGuard
    >>> from textward.data import fragments
    >>> from textward.engine import Local
    >>> here = Path(tempfile.mkdtemp())
    >>> pl.DataFrame({"text": ["good", "bad"]}).write_parquet(here / "a.parquet")
    >>> model = TextGuard(groups=3).fit(["good", "bad"], [1, 0]).model_
    >>> predict_files(model, "9f", fragments(here), Wanted(label_column=None), here / "out", Local()).rows
    2
    >>> pl.read_parquet(here / "out" / "*.parquet")["label"].to_list()
    [1, 0]
    """
    _agree(out, fingerprint, files, wanted)
    names = [f"part-{number:06d}.parquet" for number in range(len(files))]
    rows = {
        number: count_rows(name, out / name) for number, name in enumerate(names) if (out / name).exists()
    }
    found, skipped = len(rows), list[Skipped]()
    left = [number for number in range(len(files)) if number not in rows]
    predict = partial(_predict, engine.share(model), engine.depot(out), wanted)
    pieces = [(names[number], files[number]) for number in left]
    for number, outcome in zip(left, engine.outcomes(predict, pieces, ONE_CPU), strict=True):
        if isinstance(outcome, Failure):
            skipped.append(passed_over(outcome, files, number, on_bad_block))
        else:
            rows[number] = outcome
        if progress is not None:
            progress(len(rows) + len(skipped), len(files))
    for half in out.glob(".part-*.half"):  # of a worker that was lost
        half.unlink()
    made = Predicted(sum(rows.values()), len(rows), found, tuple(skipped))
    _write(out / DONE, asdict(made))
    return made


def _agree(out: Path, fingerprint: str, files: Sequence[Fragment], wanted: Wanted) -> None:
    """Refuse a folder that holds anything but parts of this very run."""
    shown = visible(str(out))
    plan = {"model": fingerprint, "wanted": asdict(wanted), "files": [_identity(file) for file in files]}
    if (out / PLAN).exists():
        if json.loads((out / PLAN).read_text(encoding="utf-8")) != plan:
            raise UsageError(
                f"{shown}: holds predictions of another model, of other files or of files that were changed "
                "since. Choose another folder, or remove it."
            )
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{shown}: is there and not empty. Choose another folder, or remove it.")
    out.mkdir(parents=True, exist_ok=True)
    _write(out / PLAN, plan)


def _identity(file: Fragment) -> dict[str, Any]:
    path = Path(file.path)
    about = path.stat() if "://" not in file.path and path.exists() else None
    return asdict(file) | {"size": about and about.st_size, "changed": about and about.st_mtime_ns}


def _write(path: Path, value: dict[str, Any]) -> None:
    half = path.with_name(f"{path.name}.half")
    half.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    half.replace(path)


def _predict(model: Shared[GuardModel], depot: Depot, wanted: Wanted, piece: tuple[str, Fragment]) -> int:
    name, file = piece
    made = pl.concat(_answers(model.get(), file, batch) for batch in read_fragment(file, wanted))
    path = depot.place(name)
    half = path.with_name(f".{name}.{secrets.token_hex(4)}.half")
    made.write_parquet(half)
    half.replace(path)
    depot.keep(name)
    return len(made)


def _answers(model: GuardModel, file: Fragment, batch: Batch) -> pl.DataFrame:
    try:
        found = model.certify(batch.texts)
        winners, tally = found.winners, found.tally
        # Of what a cascade hands over nothing is certified.
        radius = pl.Series(found.radius, dtype=pl.Int64).set(pl.Series(found.handed_over), None)
    except NotCertifiableError:
        tally = model.tally(batch.texts)
        winners, radius = model.winners(batch.texts), pl.repeat(None, len(tally), dtype=pl.Int64, eager=True)
    classes = pl.Series(model.classes)
    votes = pl.DataFrame({str(name): tally[:, c] for c, name in enumerate(model.classes)})
    columns = {
        "file": pl.repeat(file.name, len(tally), dtype=pl.String, eager=True),
        "row": pl.int_range(batch.first_row, batch.first_row + len(tally), eager=True),
        "label": classes.gather(winners),
        "votes": votes.to_struct("votes"),
        "radius": radius,
    }
    if batch.labels is not None:
        truth = encode_labels(batch.labels, _names(model), first_row=batch.first_row, source=file.name)
        columns |= {"truth": classes.gather(truth), "right": pl.Series(np.asarray(winners) == truth)}
    return pl.DataFrame(columns)


def _names(model: GuardModel) -> list[str]:
    return [str(name) for name in model.classes]


def fingerprint_of(*facts: object) -> str:
    """A digest of what tells one model from another.

    >>> fingerprint_of(3, "linear") == fingerprint_of(5, "linear")
    False
    """
    return hashlib.sha256(repr(facts).encode()).hexdigest()
