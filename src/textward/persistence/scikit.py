"""A user's own scikit-learn learner on disk: through skops, with every type named, never unpickled."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from textward.data.messages import listing, visible
from textward.errors import ModelError
from textward.learners import ConstantModel, EachGroup, ScikitModel

FILE = "learner.skops"


def save_each(file: Path, ensemble: EachGroup, learner: Any) -> list[str]:
    """Write a learner and its base models; return every type in the file."""
    import skops.io  # takes seconds, for it looks at every array library there is

    models = [_plain(model) for model in ensemble.models]
    kind = type(learner).__name__
    try:
        skops.io.dump({"learner": learner, "models": models}, file)
        types = types_in(file)
        skops.io.load(file, trusted=skops.io.get_untrusted_types(file=file))
    except Exception as error:
        raise ModelError(
            f"the learner {kind} cannot be saved: skops says {type(error).__name__}: {error}. {_REMEDY}"
        ) from error
    nameless = [name for name in types if "<" in name]
    if nameless:
        raise ModelError(f"the learner {kind} cannot be saved: it holds {listing(nameless)}. {_REMEDY}")
    return types


def load_each(
    file: Path, types: Sequence[str], trust: Sequence[str], groups: int, classes: int
) -> tuple[EachGroup, Any]:
    """Read what `save_each` wrote, if all its types are trusted by skops or named in `trust`."""
    import skops.io

    where = visible(str(file))
    try:
        found = types_in(file)
        untrusted = sorted(set(skops.io.get_untrusted_types(file=file)) - set(trust))
    except Exception as error:
        raise ModelError(
            f"{where} cannot be read ({type(error).__name__}: {error}). Save the model again."
        ) from error
    if found != list(types):
        raise ModelError(f"{where} holds other types than config.json says. Save the model again.")
    if untrusted:
        raise ModelError(
            f"{where} holds types that skops does not trust by itself: {listing(untrusted)}. Loading it runs "
            f"their code. If you know who made the model, name them: load(path, trust={untrusted!r}), or "
            "--trust before each on the command line."
        )
    try:
        read = skops.io.load(file, trusted=list(trust))
        models = tuple(_model(model, classes) for model in read["models"])
        learner = read["learner"]
    except Exception as error:
        raise ModelError(
            f"{where} cannot be read ({type(error).__name__}: {error}). Load it with the versions that "
            "config.json names under training, or save the model again."
        ) from error
    if len(models) != groups:
        raise ModelError(
            f"{where} holds {len(models)} base models for {groups} groups. Save the model again."
        )
    return EachGroup(models, classes), learner


def types_in(file: Path) -> list[str]:
    """Return the full name of every type and function in a skops file."""
    with zipfile.ZipFile(file) as archive:
        schema = json.loads(archive.read("schema.json"))
    return sorted(set(_types(schema)))


_REMEDY = (
    "Use named functions of an importable module in place of lambdas and methods, or a learner made of "
    "scikit-learn's own parts."
)


def _types(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "__class__" in node:
            yield f"{node.get('__module__')}.{node['__class__']}"
        for value in node.values():
            yield from _types(value)
    elif isinstance(node, list):
        for value in node:
            yield from _types(value)


def _plain(model: Any) -> Any:
    if isinstance(model, ConstantModel):
        return model.label
    if isinstance(model, ScikitModel):
        return model.estimator
    raise ModelError(
        f"base models of the type {type(model).__name__} cannot be saved. Train with 'linear', with ballots "
        "or with a scikit-learn classifier, or save them yourself."
    )


def _model(found: Any, classes: int) -> ConstantModel | ScikitModel:
    if isinstance(found, int) and 0 <= found < classes:
        return ConstantModel(found)
    if hasattr(found, "predict"):
        return ScikitModel(found)
    raise ValueError(f"{type(found).__name__} is no base model")
