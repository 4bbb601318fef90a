"""config.json: what a model is, in a form that is checked to the letter when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from textward.data.messages import quoted, visible
from textward.errors import ModelError
from textward.influence import LEAST_ROWS, PER_TEXT

FORMAT = 1
EnsembleKind = Literal["linear", "scikit", "transformer", "embedding"]
Kind = Literal["linear", "scikit", "transformer", "embedding", "ballots"]


class _Checked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SettingsConfig(_Checked):
    """The estimator's arguments; `learner` and `words` by name where they are a user's own.

    >>> SettingsConfig(groups=7, learner="linear", hash="md5", seed=0, mode="certified", words="unicode",
    ...                own_words=False, order=None).groups
    7
    """

    groups: StrictInt | StrictStr
    """A number, "words", or the name of a design."""
    learner: str
    hash: str
    seed: int
    mode: str
    words: str
    own_words: bool
    order: str | None
    influential_words: int = PER_TEXT
    influential_rows: int = LEAST_ROWS
    row_groups: int = Field(default=1, ge=1)
    rows_by: str = "text"
    rule: str = "plurality"
    trigger_size: StrictInt | None = None


class TrainingConfig(_Checked):
    """The record of the training run.

    >>> TrainingConfig(n=2, class_counts={"0": 2}, digest="9f", versions={}, seconds=0.5).n
    2
    """

    n: int
    class_counts: dict[str, int]
    digest: str
    versions: dict[str, str]
    seconds: float


class DialsConfig(_Checked):
    """The constants of the ballots.

    >>> DialsConfig(sharpness=8.0, cap=0.1).cap
    0.1
    """

    sharpness: float = Field(gt=0, le=1_000)
    cap: float = Field(gt=0, le=1)


class SteadyConfig(_Checked):
    """The constant of ballots that are made to withstand an attacker's rows.

    >>> SteadyConfig(rows=10).rows
    10
    """

    rows: StrictInt


class CascadeConfig(_Checked):
    """The second stage of a cascade: its kind, and the lead below which it answers.

    >>> CascadeConfig(theta=2048, kind="scikit", learner="tfidf").theta
    2048
    """

    theta: StrictInt = Field(ge=0, le=2_000_000_000)
    """In 1/1024 of a whole ballot."""
    kind: EnsembleKind
    learner: str


class LendingConfig(_Checked):
    """The constants of ballots that borrow, whose list of neighbours is among the arrays.

    >>> LendingConfig(sharpness=12.0, cap=0.1, neighbours="9f").cap
    0.1
    """

    sharpness: float = Field(gt=0, le=1_000)
    cap: float = Field(gt=0, le=1)
    neighbours: str
    """The digest of the list."""


class Config(_Checked):
    """All of a model but its arrays.

    >>> sorted(Config.model_fields)[:3]
    ['assumptions', 'cascade', 'class_dtype']
    """

    format: int = Field(ge=1)
    textward: str
    """The version that wrote it."""
    kind: Kind
    classes: list[StrictBool | StrictInt | StrictFloat | StrictStr]
    class_dtype: str
    settings: SettingsConfig
    order: str
    """What the words of a sub-text are ordered by."""
    dials: DialsConfig | SteadyConfig | LendingConfig | None
    cascade: CascadeConfig | None = None
    obstacle: str | None
    """Why no certificate holds; None where one does."""
    learner_types: list[str]
    """Every type in the user's own scikit-learn learner."""
    assumptions: list[str]
    training: TrainingConfig


def read(file: Path) -> Config:
    """Read a config whose digest was checked, or say what is wrong with it."""
    try:
        return Config.model_validate_json(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ModelError(f"{visible(str(file))} is not UTF-8 ({error}). Save the model again.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ModelError(
            f"{visible(str(file))}, field {quoted(where)}: {first['msg']}. Save the model again."
        ) from error


def refuse_newer(file: Path) -> None:
    """Refuse the config of a later format, which may come with files that this version knows nothing of.

    Nothing else is said of it: whether it is whole and a config at all is for the manifest and `read`.
    """
    try:
        version = json.loads(file.read_text(encoding="utf-8"))["format"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return
    if isinstance(version, int) and version > FORMAT:
        raise ModelError(
            f"{visible(str(file))} has format {version}, and this textward reads formats up to {FORMAT}. "
            "Upgrade it: pip install --upgrade textward."
        )
