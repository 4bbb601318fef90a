"""A trained estimator <-> its config and the files of its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from textward import __version__
from textward.data.messages import quoted
from textward.errors import ModelError, UsageError
from textward.estimator import BallotVoters, HashedVoters, TextGuard, Training
from textward.estimator.fitting import Fitted, unstable
from textward.estimator.settings import Settings, cutter_of
from textward.estimator.textguard import assemble
from textward.groups import EveryWord, HashGroups
from textward.learners import EachGroup, LinearModel
from textward.learners.ballots import UNIT, BallotModel, Dials
from textward.persistence import encoders, scikit
from textward.persistence.config import FORMAT, Config, DialsConfig, Kind, SettingsConfig, TrainingConfig
from textward.persistence.tensors import Arrays, Tensors, pack_strings, write_tensors
from textward.words import CodePointOrder, VocabularyOrder, WordOrder

TENSORS = "model.safetensors"
KNOWN = {TENSORS, scikit.FILE, *encoders.FILES}
_Made = TypeVar("_Made")
_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


def write_parts(directory: Path, guard: TextGuard) -> Config:
    """Write a fitted estimator's arrays and learner; return its config."""
    model = guard.model_
    kind, arrays, types = _parts(directory, guard)
    order = CodePointOrder() if isinstance(model.voters, BallotVoters) else model.voters.order
    if isinstance(order, VocabularyOrder):
        arrays |= pack_strings("order", pl.Series(order.words, dtype=pl.String))
    elif not isinstance(order, CodePointOrder):
        raise ModelError(
            f"an order of the type {type(order).__name__} cannot be saved: give the path of a vocab.txt"
        )
    if arrays:
        write_tensors(directory / TENSORS, arrays)
    return Config(
        format=FORMAT,
        textward=__version__,
        kind=kind,
        classes=guard.classes_.tolist(),
        class_dtype=guard.classes_.dtype.str,
        settings=_settings_config(guard),
        order=order.name,
        dials=_dials_config(model.voters),
        obstacle=model.obstacle,
        learner_types=types,
        assumptions=guard.assumptions(),
        training=TrainingConfig(
            **{name: getattr(guard.training_, name) for name in TrainingConfig.model_fields}
        ),
    )


def read_parts(
    config: Config, files: dict[str, Path], trust: Sequence[str], words: Callable[[str], list[str]] | None
) -> TextGuard:
    """Return the estimator that `write_parts` wrote."""
    chosen_words = _words(config.settings, words)
    classes = _classes(config)
    tensors = Tensors(files[TENSORS]) if TENSORS in files else None
    cutter = _as_model_error(lambda: cutter_of(chosen_words))
    voters, learner = _voters(config, files, tensors, trust)
    guard = TextGuard(
        config.settings.groups,
        learner,
        config.settings.hash,
        config.settings.seed,
        mode=config.settings.mode,
        words=chosen_words,
        order=config.settings.order,
    )
    groups = EveryWord() if isinstance(voters, BallotVoters) else voters.groups
    order = CodePointOrder() if isinstance(voters, BallotVoters) else voters.order
    obstacle = config.obstacle or unstable(cutter, pl.Series([], dtype=pl.String))
    training = Training(**config.training.model_dump())
    chosen = Settings(groups, None, cutter, order, config.settings.seed)
    return assemble(guard, chosen, Fitted(classes, voters, obstacle, training))


def _parts(directory: Path, guard: TextGuard) -> tuple[Kind, Arrays, list[str]]:
    voters = guard.model_.voters
    if isinstance(voters, BallotVoters):
        ballots = voters.model
        return "ballots", pack_strings("vocabulary", ballots.counts.vocabulary) | ballots.arrays(), []
    ensemble = voters.ensemble
    if isinstance(ensemble, LinearModel):
        return "linear", pack_strings("vocabulary", ensemble.vocabulary) | ensemble.arrays(), []
    if isinstance(ensemble, EachGroup):
        return "scikit", {}, scikit.save_each(directory / scikit.FILE, ensemble, guard.learner)
    if isinstance(ensemble, encoders.OnDisk):
        return encoders.save(directory, ensemble), {}, []
    raise ModelError(f"an ensemble of the type {type(ensemble).__name__} cannot be saved")


def _settings_config(guard: TextGuard) -> SettingsConfig:
    return SettingsConfig(
        groups="words" if guard.groups == "words" else int(guard.groups),
        learner=_learner_name(guard),
        hash=guard.hash,
        seed=int(guard.seed),
        mode=guard.mode,
        words=guard.model_.cutter.name,
        own_words=callable(guard.words),
        order=None if guard.order is None else str(guard.order),
    )


def _learner_name(guard: TextGuard) -> str:
    voters = guard.model_.voters
    if isinstance(voters, HashedVoters) and isinstance(voters.ensemble, encoders.OnDisk):
        return voters.ensemble.kind
    return guard.learner if isinstance(guard.learner, str) else type(guard.learner).__name__


def _dials_config(voters: HashedVoters | BallotVoters) -> DialsConfig | None:
    if not isinstance(voters, BallotVoters):
        return None
    return DialsConfig(sharpness=voters.model.dials.sharpness, cap=voters.model.dials.cap)


def _words(settings: SettingsConfig, words: Callable[[str], list[str]] | None) -> Any:
    if not settings.own_words:
        if words is not None:
            raise UsageError(
                f"the model cuts words by {settings.words!r} and takes no tokenizer: leave `words` out"
            )
        return settings.words
    if words is None:
        raise ModelError(
            f"the model was trained with the user's own tokenizer {quoted(settings.words)}, which is not "
            "saved with it. Give the same function: load(path, words=function)."
        )
    return words


def _classes(config: Config) -> Any:
    try:
        classes = np.array(config.classes, dtype=np.dtype(config.class_dtype))
        if len(classes) > 1 and classes.tolist() == config.classes == np.unique(classes).tolist():
            return classes
    except (TypeError, ValueError, OverflowError):
        pass
    raise ModelError(
        f"config.json: the classes {config.classes!r} are not at least two distinct values in order, of the "
        f"type {quoted(config.class_dtype)}. Save the model again."
    )


def _voters(
    config: Config, files: dict[str, Path], tensors: Tensors | None, trust: Sequence[str]
) -> tuple[HashedVoters | BallotVoters, Any]:
    classes, groups = len(config.classes), config.settings.groups
    if (config.kind == "ballots") != isinstance(groups, str):
        raise ModelError(
            f"config.json: a model of kind {config.kind!r} has no groups={groups!r}. Save it again."
        )
    if config.kind == "ballots":
        return BallotVoters(_ballots(config, _needed(tensors), classes)), config.settings.learner
    hashed = _hash_groups(config)
    order = _order(config, tensors)
    if config.kind == "linear":
        return HashedVoters(hashed, order, _linear(_needed(tensors), hashed.m, classes), classes), "linear"
    if config.kind in ("transformer", "embedding"):
        ensemble, learner = encoders.load(config.kind, files, hashed.m, classes)
        return HashedVoters(hashed, order, ensemble, classes), learner
    if scikit.FILE not in files:
        raise ModelError(
            f"manifest.json names no {scikit.FILE}, which the learner is in. Get the model again."
        )
    each, user = scikit.load_each(files[scikit.FILE], config.learner_types, trust, hashed.m, classes)
    return HashedVoters(hashed, order, each, classes), user


def _needed(tensors: Tensors | None) -> Tensors:
    if tensors is None:
        raise ModelError(f"manifest.json names no {TENSORS}, which the model is in. Get the model again.")
    return tensors


def _hash_groups(config: Config) -> HashGroups:
    settings = config.settings
    return _as_model_error(lambda: HashGroups(settings.groups, settings.hash))  # type: ignore[arg-type]


def _as_model_error(make: Callable[[], _Made]) -> _Made:
    try:
        return make()
    except UsageError as error:
        raise ModelError(f"config.json: {error}. Save the model again.") from error


def _order(config: Config, tensors: Tensors | None) -> WordOrder:
    if config.order == CodePointOrder.name:
        return CodePointOrder()
    return VocabularyOrder(_needed(tensors).strings("order").to_list())


def _linear(tensors: Tensors, groups: int, classes: int) -> LinearModel:
    vocabulary = tensors.vocabulary()
    shape = (len(vocabulary), classes)
    return LinearModel(
        vocabulary,
        tensors.take("weights", np.int32, shape, _INT32.min, _INT32.max),
        tensors.take("wordless", np.int32, (groups,), 0, classes - 1),
    )


def _ballots(config: Config, tensors: Tensors, classes: int) -> BallotModel:
    if config.dials is None:
        raise ModelError("config.json: ballots need dials, and there are none. Save the model again.")
    vocabulary = tensors.vocabulary()
    shape = (len(vocabulary), classes)
    arrays = {
        "holding": tensors.take("holding", np.int64, shape, 0, _INT64.max),
        "rows": tensors.take("rows", np.int64, (classes,), 1, _INT64.max),
        "ballots": tensors.take("ballots", np.int64, shape, 0, UNIT),
    }
    return BallotModel.from_arrays(vocabulary, arrays, Dials(config.dials.sharpness, config.dials.cap))
