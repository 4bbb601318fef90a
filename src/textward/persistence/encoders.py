"""Encoders on disk: the learner's own folder within the model's, under the same manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from textward.data.messages import listing, visible
from textward.errors import ModelError
from textward.learners import Ensemble
from textward.persistence.config import EnsembleKind

FOLDER = "base"
_TOKENIZER = ("*.json", "*.txt", "*.model", "*.jinja", "*.safetensors")
FILES = (
    *(f"{FOLDER}/{name}.safetensors" for name in ("shared", "group-*", "heads")),
    f"{FOLDER}/transformer.json",
    f"{FOLDER}/embedding.json",
    *(f"{FOLDER}/encoder/{pattern}" for pattern in _TOKENIZER),
)


@runtime_checkable
class OnDisk(Protocol):
    """An ensemble that writes itself into a folder.

    >>> from textward.learners import ConstantModel
    >>> isinstance(ConstantModel(0), OnDisk)
    False
    """

    kind: EnsembleKind

    def save(self, folder: Path) -> None:
        """Write the model into a folder."""
        ...

    def votes(self, grouped: Any) -> Any:
        """As every ensemble."""
        ...


def save(directory: Path, ensemble: OnDisk) -> EnsembleKind:
    """Write an ensemble; return its kind."""
    ensemble.save(directory / FOLDER)
    return ensemble.kind


def load(kind: EnsembleKind, files: dict[str, Path], groups: int, classes: int) -> tuple[Ensemble, Any]:
    """Return an ensemble and the learner it came from."""
    from textward.learners import transformer

    inner = next((file.parent for name, file in files.items() if name.count("/") == 1), None)
    if inner is None:
        raise ModelError(f"manifest.json names no files in {FOLDER}, which the model is in. Get it again.")
    listed = {name for name in files if "/" in name}
    found = {file.relative_to(inner.parent).as_posix() for file in inner.rglob("*") if file.is_file()}
    if found - listed:
        raise ModelError(
            f"{visible(str(inner))} holds {listing(sorted(found - listed))}, which manifest.json does not "
            "name. Get the model again from where it was saved."
        )
    read = transformer.TransformerEnsemble if kind == "transformer" else transformer.EmbeddingEnsemble
    ensemble = read.load(inner)
    if (ensemble.groups, ensemble.classes) != (groups, classes):
        raise ModelError(
            f"config.json speaks of {groups} groups and {classes} classes, the folder {FOLDER} holds "
            f"{ensemble.groups} and {ensemble.classes}. Save the model again."
        )
    return ensemble, ensemble.learner
