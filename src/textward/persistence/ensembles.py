"""Base models of hashed groups, and the one of a cascade's second stage, to and from their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textward.errors import ModelError
from textward.learners import EachGroup, Ensemble, Grid, LinearEach, LinearModel
from textward.persistence import encoders, scikit
from textward.persistence.config import EnsembleKind
from textward.persistence.tensors import Arrays, Tensors, pack_strings

TENSORS = "model.safetensors"
_INT32 = np.iinfo(np.int32)


@dataclass(frozen=True, slots=True)
class Store:
    """The files of a saved model, as far as base models may need them.

    >>> Store({}, None, (), ()).needed()
    Traceback (most recent call last):
    textward.errors.ModelError: manifest.json names no model.safetensors, which the model is in. Get it again.
    """

    files: dict[str, Path]
    tensors: Tensors | None
    types: Sequence[str]
    """Every type in the user's own scikit-learn learner."""
    trust: Sequence[str]

    def needed(self) -> Tensors:
        """The arrays, which there must be."""
        if self.tensors is None:
            raise ModelError(f"manifest.json names no {TENSORS}, which the model is in. Get it again.")
        return self.tensors


def write_ensemble(
    directory: Path, ensemble: Ensemble, learner: Any, prefix: str = ""
) -> tuple[EnsembleKind, Arrays, list[str]]:
    """Write base models; return their kind, the arrays still to be written, and the types in them.

    >>> from textward import TextGuard
    >>> voters = TextGuard(3).fit(["good", "bad"], [1, 0]).model_.voters
    >>> write_ensemble(Path(), voters.ensemble, "linear")[0]
    'linear'
    """
    if isinstance(ensemble, Grid):
        ensemble = _flat(ensemble)
    if isinstance(ensemble, LinearEach):
        return "linear", _linear_each(ensemble), []
    if isinstance(ensemble, LinearModel):
        arrays = {f"{prefix}{name}": array for name, array in ensemble.arrays().items()}
        return "linear", pack_strings(f"{prefix}vocabulary", ensemble.vocabulary) | arrays, []
    if isinstance(ensemble, EachGroup):
        return "scikit", {}, scikit.save_each(directory / scikit.FILE, ensemble, learner)
    if isinstance(ensemble, encoders.OnDisk):
        return encoders.save(directory, ensemble), {}, []
    raise ModelError(f"an ensemble of the type {type(ensemble).__name__} cannot be saved")


def read_ensemble(
    kind: EnsembleKind, store: Store, groups: int, classes: int, *, each: bool = False, prefix: str = ""
) -> tuple[Ensemble, Any]:
    """Return the base models and the learner they came from; `each` linear one may have its own arrays."""
    if kind == "linear":
        if each:
            return LinearEach(
                tuple(_linear(store.needed(), 1, classes, f"{j}.") for j in range(groups))
            ), kind
        return _linear(store.needed(), groups, classes, prefix), kind
    if kind in ("transformer", "embedding"):
        return encoders.load(kind, store.files, groups, classes)
    if scikit.FILE not in store.files:
        raise ModelError(
            f"manifest.json names no {scikit.FILE}, which the learner is in. Get the model again."
        )
    return scikit.load_each(store.files[scikit.FILE], store.types, store.trust, groups, classes)


def gridded(ensemble: Ensemble, columns: int, classes: int) -> Grid:
    """Return the grid that base models in one row were saved from.

    >>> from textward.learners import ConstantModel
    >>> gridded(EachGroup((ConstantModel(0), ConstantModel(1)), 2), columns=1, classes=2).columns
    1
    """
    if not isinstance(ensemble, (LinearEach, EachGroup)):
        raise ModelError("config.json: base models of this kind have no parts of rows. Save the model again.")
    return Grid(tuple(ensemble.models), columns, classes)


def _flat(grid: Grid) -> LinearEach | EachGroup:
    """A grid's models in one row; its columns are known from the groups."""
    linear = [model for model in grid.models if isinstance(model, LinearModel)]
    if len(linear) == len(grid.models):
        return LinearEach(tuple(linear))
    return EachGroup(grid.models, grid.classes)


def _linear(tensors: Tensors, groups: int, classes: int, prefix: str = "") -> LinearModel:
    vocabulary = tensors.vocabulary(f"{prefix}vocabulary")
    shape = (len(vocabulary), classes)
    return LinearModel(
        vocabulary,
        tensors.take(f"{prefix}weights", np.int32, shape, _INT32.min, _INT32.max),
        tensors.take(f"{prefix}wordless", np.int32, (groups,), 0, classes - 1),
    )


def _linear_each(ensemble: LinearEach) -> Arrays:
    """The arrays of every group's own model, under its number."""
    found: Arrays = {}
    for j, model in enumerate(ensemble.models):
        own = pack_strings("vocabulary", model.vocabulary) | model.arrays()
        found |= {f"{j}.{name}": array for name, array in own.items()}
    return found
