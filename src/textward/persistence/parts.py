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
from textward.estimator import BallotVoters, HashedVoters, MeasuredVoters, TextGuard, Training
from textward.estimator.empirical import NO_CERTIFICATE
from textward.estimator.fitting import Fitted, unstable
from textward.estimator.settings import Settings, cutter_of
from textward.estimator.textguard import assemble
from textward.groups import EveryWord, HashGroups, LearnedGroups
from textward.learners import EachGroup, Ensemble, LinearEach, LinearModel
from textward.learners.ballots import UNIT, BallotModel, Dials, SteadyDials
from textward.persistence import encoders, scikit
from textward.persistence.config import (
    FORMAT,
    Config,
    DialsConfig,
    Kind,
    SettingsConfig,
    SteadyConfig,
    TrainingConfig,
)
from textward.persistence.tensors import Arrays, Tensors, pack_strings, write_tensors
from textward.words import CodePointOrder, VocabularyOrder, WordOrder

TENSORS = "model.safetensors"
KNOWN = {TENSORS, scikit.FILE, *encoders.FILES}
OMEGA = "omega"
"""The potential trigger words of the empirical mode."""
Voters = HashedVoters | BallotVoters | MeasuredVoters
_Made = TypeVar("_Made")
_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


def write_parts(directory: Path, guard: TextGuard) -> Config:
    """Write a fitted estimator's arrays and learner; return its config."""
    model = guard.model_
    kind, arrays, types = _parts(directory, guard)
    order = _order_of(model.voters)
    if isinstance(order, VocabularyOrder):
        arrays |= pack_strings("order", pl.Series(order.words, dtype=pl.String))
    elif not isinstance(order, CodePointOrder):
        raise ModelError(
            f"an order of the type {type(order).__name__} cannot be saved: give the path of a vocab.txt"
        )
    if isinstance(model.voters, MeasuredVoters):
        arrays |= pack_strings(OMEGA, pl.Series(sorted(model.voters.groups.omega), dtype=pl.String))
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
        rows=config.dials.rows if isinstance(config.dials, SteadyConfig) else 0,
        words=chosen_words,
        order=config.settings.order,
        influential_words=config.settings.influential_words,
        influential_rows=config.settings.influential_rows,
    )
    groups = (
        EveryWord() if isinstance(voters, BallotVoters) else HashGroups(voters.groups.m, voters.groups.hash)
    )
    order = _order_of(voters)
    refused = NO_CERTIFICATE if isinstance(voters, MeasuredVoters) else None
    obstacle = refused or config.obstacle or unstable(cutter, pl.Series([], dtype=pl.String))
    training = Training(**config.training.model_dump())
    chosen = Settings(groups, None, cutter, order, config.settings.seed)
    return assemble(guard, chosen, Fitted(classes, voters, obstacle, training))


def _parts(directory: Path, guard: TextGuard) -> tuple[Kind, Arrays, list[str]]:
    voters = guard.model_.voters
    if isinstance(voters, BallotVoters):
        ballots = voters.model
        return "ballots", pack_strings("vocabulary", ballots.counts.vocabulary) | ballots.arrays(), []
    ensemble = voters.ensemble
    if isinstance(ensemble, LinearEach):
        return "linear", _linear_each(ensemble), []
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
        influential_words=int(guard.influential_words),
        influential_rows=int(guard.influential_rows),
    )


def _learner_name(guard: TextGuard) -> str:
    voters = guard.model_.voters
    if not isinstance(voters, BallotVoters) and isinstance(voters.ensemble, encoders.OnDisk):
        return voters.ensemble.kind
    return guard.learner if isinstance(guard.learner, str) else type(guard.learner).__name__


def _order_of(voters: Voters) -> WordOrder:
    return voters.order if isinstance(voters, HashedVoters) else CodePointOrder()


def _dials_config(voters: Voters) -> DialsConfig | SteadyConfig | None:
    if not isinstance(voters, BallotVoters):
        return None
    dials = voters.model.dials
    if isinstance(dials, SteadyDials):
        return SteadyConfig(rows=dials.rows)
    return DialsConfig(sharpness=dials.sharpness, cap=dials.cap)


def _dials(config: DialsConfig | SteadyConfig) -> Dials | SteadyDials:
    if isinstance(config, SteadyConfig):
        return _as_model_error(lambda: SteadyDials(config.rows))
    return Dials(config.sharpness, config.cap)


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
) -> tuple[Voters, Any]:
    classes, groups = len(config.classes), config.settings.groups
    if (config.kind == "ballots") != isinstance(groups, str):
        raise ModelError(
            f"config.json: a model of kind {config.kind!r} has no groups={groups!r}. Save it again."
        )
    if config.kind == "ballots":
        return BallotVoters(_ballots(config, _needed(tensors), classes)), config.settings.learner
    hashed = _hash_groups(config)
    ensemble, learner = _ensemble(config, files, tensors, trust, hashed.m)
    if config.settings.mode == "empirical":
        learned = LearnedGroups(frozenset(_needed(tensors).strings(OMEGA)), hashed.m, hashed.hash)
        return MeasuredVoters(learned, ensemble, classes), learner
    return HashedVoters(hashed, _order(config, tensors), ensemble, classes), learner


def _ensemble(
    config: Config, files: dict[str, Path], tensors: Tensors | None, trust: Sequence[str], groups: int
) -> tuple[Ensemble, Any]:
    """The base models and the learner they came from."""
    classes = len(config.classes)
    if config.kind == "linear":
        read = _read_linear_each if config.settings.mode == "empirical" else _linear
        return read(_needed(tensors), groups, classes), "linear"
    if config.kind in ("transformer", "embedding"):
        return encoders.load(config.kind, files, groups, classes)
    if scikit.FILE not in files:
        raise ModelError(
            f"manifest.json names no {scikit.FILE}, which the learner is in. Get the model again."
        )
    return scikit.load_each(files[scikit.FILE], config.learner_types, trust, groups, classes)


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


def _read_linear_each(tensors: Tensors, groups: int, classes: int) -> LinearEach:
    return LinearEach(tuple(_linear(tensors, 1, classes, f"{j}.") for j in range(groups)))


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
    if (arrays["ballots"].sum(axis=1) > UNIT).any() or (arrays["holding"] > arrays["rows"]).any():
        raise ModelError(
            f"{TENSORS}: a word holds more than one ballot, or stands in more rows than there are. "
            "Get the model again from where it was saved."
        )
    return BallotModel.from_arrays(vocabulary, arrays, _dials(config.dials))
