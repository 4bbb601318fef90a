"""The datasets by name: a local folder first, else the Hugging Face hub; sizes and digests are compared."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from textward.data import Table, read_table
from textward.data.messages import visible
from textward.errors import DataError
from textward.experiments.hub import HubSet, rows_of

FOLDER = "TEXTWARD_DATA"
"""The environment variable that names the folder of datasets."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a dataset: its classes, where it is to be had, and the rows that were used here."""

    title: str
    classes: tuple[str, ...]
    hub: HubSet
    splits: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Rows and digest of each part as used for the committed records."""
    note: str = ""


KNOWN: Mapping[str, Known] = {
    "sst2": Known(
        "SST-2",
        ("negative", "positive"),
        HubSet("SetFit/sst2", sizes={"train": 6920, "dev": 872, "test": 1821}),
        {
            "train": (6920, "5cab6dac1a177bbb1a824f463fde1ac3b54ffde4fd923cec21e84532bdb76a77"),
            "dev": (872, "9c69b98ce3f8689dc91476849674e076a9aba5c847d0a0634991dd8460fca08f"),
            "test": (1821, "9fad811b3a9dcb412e2d529b0404bf090f973110c870ce97453d63766e2b5167"),
        },
    ),
    "hsol": Known(
        "HSOL",
        ("normal", "toxic"),
        HubSet(
            "tdavidson/hate_speech_offensive",
            text="tweet",
            label="class",
            sizes={"train": 24783},
            relabel={0: 1, 1: 1, 2: 0},
            balance=True,
            held_out={"test": 0.3},
        ),
        {
            "train": (5824, "cc92fe4005832c14e25c561f09961e5f0e52bb9b56e3def314a420e65966a6e5"),
            "test": (2484, "fa8a0b89237630658c79e3a65e4a6c5bb17b56c6644710ac2c5804034c970d2f"),
        },
        "the same source, sizes and balance as the paper's, but another draw",
    ),
    "agnews": Known(
        "AG News",
        ("World", "Sports", "Business", "Sci/Tech"),
        HubSet("fancyzhx/ag_news", sizes={"train": 120_000, "test": 7600}, held_out={"dev": 0.1}),
        {
            "train": (11_106, "ba09028d182b6699c831b92dce5587be8e53b78fab179db5ae36dbdfd64b6971"),
            "dev": (10_000, "f7c63afdf4c2159801dccac7f7fefc813b7b6bb2d6febb6200fa8b2b1076a847"),
            "test": (7600, "91f3eaacfa925b7c3feabfec478c5b2d42d6ea2d5030d0184fbefc7e72aceef8"),
        },
        "11,106 training rows, 21,106 with the dev part, of the paper's 108,000",
    ),
    "imdb": Known(
        "IMDB",
        ("negative", "positive"),
        HubSet("stanfordnlp/imdb", sizes={"train": 25_000, "test": 25_000}),
    ),
    "rottentomatoes": Known(
        "Rotten Tomatoes",
        ("negative", "positive"),
        HubSet(
            "cornell-movie-review-data/rotten_tomatoes",
            parts={"dev": "validation"},
            sizes={"train": 8530, "dev": 1066, "test": 1066},
        ),
    ),
    "offenseval": Known(
        "OffensEval",
        ("not offensive", "offensive"),
        HubSet(
            "cardiffnlp/tweet_eval",
            "offensive",
            parts={"dev": "validation"},
            sizes={"train": 11_916, "dev": 1324, "test": 860},
        ),
    ),
    "hatespeech": Known(
        "hate speech",
        ("no hate", "hate"),
        HubSet(
            "odegiber/hate_speech18",
            sizes={"train": 10_944},
            relabel={0: 0, 1: 1},
            held_out={"dev": 0.1, "test": 0.2},
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """Texts with class indexes.

    >>> len(Rows(pl.Series(["a film"]), np.array([1]), "9f..."))
    1
    """

    texts: pl.Series
    labels: npt.NDArray[np.int64]
    digest: str

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def joined(cls, parts: list[Rows]) -> Rows:
        """Several parts as one."""
        if len(parts) == 1:
            return parts[0]
        digest = "+".join(part.digest[:32] for part in parts)
        labels = np.concatenate([part.labels for part in parts])
        return cls(pl.concat([part.texts for part in parts]), labels, digest)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where datasets are read from.

    `other_rows` allows rows that are not the known ones; records tell rows by their digest anyway.

    >>> Sources(Path("nowhere")).rows("sst2", "train")
    Traceback (most recent call last):
    textward.errors.DataError: SST-2 (train): there is no nowhere/sst2/train.csv, ...
    """

    folder: Path | None = None
    other_rows: bool = False
    network: bool = False
    """Whether the hub may be asked for what the folder lacks."""

    @classmethod
    def of(cls, folder: Path | None, *, other_rows: bool = False) -> Sources:
        """The folder as given, or as the environment says."""
        named = os.environ.get(FOLDER)
        return cls(folder or (Path(named) if named else None), other_rows, network=True)

    def rows(self, name: str, part: str) -> Rows:
        """One part of a dataset: train, dev or test."""
        known = dataset(name)
        path = self.file(name, f"{part}.csv")
        table = None if path is None else read_table(path)
        if table is None and self.network:
            table = rows_of(known.hub, part, known.title, self._remedy(name, part))
        if table is None:
            raise DataError(self._remedy(name, part))
        self._check(known, part, table)
        return _rows(known, part, table)

    def file(self, name: str, file: str) -> Path | None:
        """A file beside a dataset's rows, where it is there."""
        path = None if self.folder is None else self.folder / name / file
        return path if path is not None and path.is_file() else None

    def _remedy(self, name: str, part: str) -> str:
        known = dataset(name)
        where = (
            "no folder of datasets was named" if self.folder is None else f"there is no {self.folder}/{name}"
        )
        where += "" if self.folder is None else f"/{part}.csv"
        return (
            f"{known.title} ({part}): {visible(where)}, and the hub was not to be had. Put it there as a CSV "
            f"with the columns text and label (0 to {len(known.classes) - 1}: {', '.join(known.classes)}) "
            f"and name the folder above with --data-dir or {FOLDER}; or install `datasets`, which fetches "
            f"{known.hub.name}."
        )

    def _check(self, known: Known, part: str, table: Table) -> None:
        if part not in known.splits or self.other_rows:
            return
        size, digest = known.splits[part]
        if (len(table.texts), table.digest) != (size, digest):
            raise DataError(
                f"{known.title} ({part}): these are not the rows that the records here are of: "
                f"{len(table.texts):,} rows with digest {table.digest[:12]}, not {size:,} with "
                f"{digest[:12]}. Give --other-rows to use them; records name their digest, and figures of "
                "different rows do not compare."
            )


def dataset(name: str) -> Known:
    """What is known of a dataset.

    >>> dataset("agnews").title
    'AG News'
    """
    if name not in KNOWN:
        raise DataError(f"there is no dataset {visible(name)!r}; there are {', '.join(KNOWN)}")
    return KNOWN[name]


def _rows(known: Known, part: str, table: Table) -> Rows:
    assert table.labels is not None
    allowed = [str(number) for number in range(len(known.classes))]
    wrong = table.labels.filter(~table.labels.is_in(allowed))
    if len(wrong):
        raise DataError(
            f"{known.title} ({part}): the label {visible(str(wrong[0]))!r} is none of 0 to "
            f"{len(allowed) - 1} ({', '.join(known.classes)}). Correct or drop such rows."
        )
    return Rows(table.texts, table.labels.cast(pl.Int64).to_numpy(), table.digest)
