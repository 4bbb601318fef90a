"""A whole model to and from its directory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from textward.data.messages import listing, visible
from textward.errors import ModelError, UsageError
from textward.estimator import TextGuard
from textward.persistence import card, manifest
from textward.persistence.atomic import replacing
from textward.persistence.config import Config, read, refuse_newer
from textward.persistence.parts import KNOWN, read_parts, write_parts

CONFIG = "config.json"
FILES = KNOWN | {CONFIG, card.NAME}
"""Patterns of every file that a model may have."""


def save(guard: TextGuard, path: str | Path) -> None:
    """Write a fitted model; whatever goes wrong, `path` holds the old model or the new one.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model"
    >>> save(TextGuard(groups=3).fit(["good", "bad"], [1, 0]), path)
    >>> load(path).predict(["good"]).tolist()
    [1]
    """
    target = Path(path).absolute()
    check_target(target)
    with replacing(target) as directory:
        config = write_parts(directory, guard)
        text = config.model_dump_json(indent=2) + "\n"
        (directory / CONFIG).write_text(text, encoding="utf-8")
        (directory / card.NAME).write_text(card.card(config), encoding="utf-8")
        manifest.write_manifest(directory)


def load(
    path: str | Path,
    trust: Sequence[str] = (),
    words: Callable[[str], list[str]] | None = None,
) -> TextGuard:
    """Read a model; `trust` names types of a user's own learner, `words` is a user's own tokenizer.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model"
    >>> save(TextGuard(groups="words").fit(["good", "bad"], ["+", "-"]), path)
    >>> load(path).predict(["good"]).tolist()
    ['+']
    """
    if isinstance(trust, str):
        raise UsageError(f"trust must be a list of names of types, got one string. Write trust=[{trust!r}].")
    files = _files(path)
    config = read(files[CONFIG])
    return read_parts(config, files, trust, words)


def read_config(path: str | Path) -> Config:
    """Return what a model says of itself, without loading it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model"
    >>> save(TextGuard(groups=3).fit(["good", "bad"], [1, 0]), path)
    >>> read_config(path).kind
    'linear'
    """
    return read(_files(path)[CONFIG])


def write_card(path: str | Path, certified: card.Certified) -> None:
    """Put a certificate table into a saved model's card; every other file stays as it is.

    >>> import tempfile
    >>> path, guard = Path(tempfile.mkdtemp()) / "model", TextGuard(groups=3).fit(["good", "bad"], [1, 0])
    >>> save(guard, path)
    >>> accuracy = guard.certified_accuracy(["good"], [1], range(2))
    >>> write_card(path, card.Certified("test.csv", "9f", [accuracy]))
    >>> "test.csv" in (path / "README.md").read_text(), load(path).predict(["good"]).tolist()
    (True, [1])
    """
    model = Path(path).absolute()
    text = card.card(read_config(model), certified)
    with replacing(model) as directory:
        card.copied_with_card(model, directory, text, leave=manifest.NAME)
        manifest.write_manifest(directory)


def _files(path: str | Path) -> dict[str, Path]:
    directory = Path(path)
    refuse_newer(directory / CONFIG)
    files = manifest.checked_files(directory, FILES)
    if CONFIG not in files:
        raise ModelError(
            f"{visible(str(directory))}: {manifest.NAME} names no {CONFIG}. Get the model again."
        )
    return files


def check_target(target: Path) -> None:
    """Refuse to write a model where something else stands: before training, not only after it."""
    if not target.exists():
        return
    where = visible(str(target))
    if not target.is_dir():
        raise ModelError(f"{where} is a file, and a model is a directory. Choose another path.")
    entries = {entry.name for entry in target.iterdir()}
    foreign = sorted(entries - {pattern.split("/")[0] for pattern in FILES} - {manifest.NAME})
    if foreign or (entries and manifest.NAME not in entries):
        held = listing(foreign or sorted(entries))
        raise ModelError(
            f"{where} exists and is not just a textward model: it holds {held}. "
            "Choose another path, or remove it yourself."
        )
