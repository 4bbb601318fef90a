"""A trained estimator <-> its config and the files of its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from textward import __version__
from textward.certificates.rules import rule_of
from textward.data.messages import quoted
from textward.errors import DataError, ModelError, UsageError
from textward.estimator import BallotVoters, HashedVoters, MeasuredVoters, TextGuard, Training
from textward.estimator.empirical import NO_CERTIFICATE
from textward.estimator.fitting import Fitted, unstable
from textward.estimator.settings import Settings, cutter_of
from textward.estimator.textguard import assemble
from textward.groups import (
    BlockGroups,
    EveryWord,
    HashGroups,
    LearnedGroups,
    RowGroups,
    design_of,
    is_design,
)
from textward.learners.ballots import (
    UNIT,
    AnyDials,
    BallotModel,
    Dials,
    LendingDials,
    Neighbours,
    SteadyDials,
)
from textward.persistence import encoders, scikit
from textward.persistence.cascades import read_cascade, write_cascade
from textward.persistence.config import (
    FORMAT,
    Config,
    DialsConfig,
    Kind,
    LendingConfig,
    SettingsConfig,
    SteadyConfig,
    TrainingConfig,
)
from textward.persistence.ensembles import TENSORS, Store, gridded, read_ensemble, write_ensemble
from textward.persistence.tensors import Arrays, Tensors, pack_strings, write_tensors
from textward.words import CodePointOrder, VocabularyOrder, WordOrder

KNOWN = {TENSORS, scikit.FILE, *encoders.FILES}
OMEGA = "omega"
"""The potential trigger words of the empirical mode."""
Voters = HashedVoters | BallotVoters | MeasuredVoters
_Made = TypeVar("_Made")
_INT64 = np.iinfo(np.int64)


def write_parts(directory: Path, guard: TextGuard) -> Config:
    """Write a fitted estimator's arrays and learner; return its config."""
    model = guard.model_
    kind, arrays, types = _parts(directory, guard)
    cascade, more, others = write_cascade(directory, guard)
    arrays |= more
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
        cascade=cascade,
        obstacle=model.obstacle,
        learner_types=types + others,
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
    store = Store(files, tensors, config.learner_types, trust)
    voters, learner = _voters(config, store)
    cascade = None
    if config.cascade is not None and isinstance(voters, BallotVoters):
        voters, cascade = read_cascade(config.cascade, store, voters, cutter)
    guard = TextGuard(
        config.settings.groups,
        learner,
        config.settings.hash,
        config.settings.seed,
        mode=config.settings.mode,
        rows=config.dials.rows if isinstance(config.dials, SteadyConfig) else 0,
        cascade=cascade,
        theta=None if config.cascade is None else config.cascade.theta / UNIT,
        neighbours=_borrowed(voters),
        words=chosen_words,
        order=config.settings.order,
        influential_words=config.settings.influential_words,
        influential_rows=config.settings.influential_rows,
        row_groups=config.settings.row_groups,
        rows_by=config.settings.rows_by,
        rule=config.settings.rule,
        trigger_size=config.settings.trigger_size,
    )
    order = _order_of(voters)
    refused = NO_CERTIFICATE if isinstance(voters, MeasuredVoters) else None
    obstacle = refused or config.obstacle or unstable(cutter, pl.Series([], dtype=pl.String))
    training = Training(**config.training.model_dump())
    chosen = Settings(_groups_of(config), None, cutter, order, config.settings.seed)
    return assemble(guard, chosen, Fitted(classes, voters, obstacle, training))


def _groups_of(config: Config) -> HashGroups | BlockGroups | EveryWord:
    return EveryWord() if config.kind == "ballots" else _voting_groups(config)


def _borrowed(voters: Voters) -> Neighbours | None:
    dials = voters.model.dials if isinstance(voters, BallotVoters) else None
    return dials.neighbours if isinstance(dials, LendingDials) else None


def _parts(directory: Path, guard: TextGuard) -> tuple[Kind, Arrays, list[str]]:
    voters = guard.model_.voters
    if isinstance(voters, BallotVoters):
        ballots = voters.model
        packed = pack_strings("vocabulary", ballots.counts.vocabulary) | ballots.arrays()
        return "ballots", packed | _lists(ballots.dials), []
    return write_ensemble(directory, voters.ensemble, guard.learner)


def _settings_config(guard: TextGuard) -> SettingsConfig:
    return SettingsConfig(
        groups=str(guard.groups) if isinstance(guard.groups, str) else int(guard.groups),
        learner=_learner_name(guard),
        hash=guard.hash,
        seed=int(guard.seed),
        mode=guard.mode,
        words=guard.model_.cutter.name,
        own_words=callable(guard.words),
        order=None if guard.order is None else str(guard.order),
        influential_words=int(guard.influential_words),
        influential_rows=int(guard.influential_rows),
        row_groups=int(guard.row_groups),
        rows_by=guard.rows_by,
        rule=guard.rule,
        trigger_size=None if guard.trigger_size is None else int(guard.trigger_size),
    )


def _learner_name(guard: TextGuard) -> str:
    voters = guard.model_.voters
    if not isinstance(voters, BallotVoters) and isinstance(voters.ensemble, encoders.OnDisk):
        return voters.ensemble.kind
    return guard.learner if isinstance(guard.learner, str) else type(guard.learner).__name__


def _order_of(voters: Voters) -> WordOrder:
    return voters.order if isinstance(voters, HashedVoters) else CodePointOrder()


def _dials_config(voters: Voters) -> DialsConfig | SteadyConfig | LendingConfig | None:
    if not isinstance(voters, BallotVoters):
        return None
    dials = voters.model.dials
    if isinstance(dials, SteadyDials):
        return SteadyConfig(rows=dials.rows)
    if isinstance(dials, LendingDials):
        plain = dials.dials
        return LendingConfig(sharpness=plain.sharpness, cap=plain.cap, neighbours=dials.neighbours.digest)
    return DialsConfig(sharpness=dials.sharpness, cap=dials.cap)


def _dials(config: DialsConfig | SteadyConfig | LendingConfig, tensors: Tensors) -> AnyDials:
    if isinstance(config, SteadyConfig):
        return _as_model_error(lambda: SteadyDials(config.rows))
    plain = Dials(config.sharpness, config.cap)
    return LendingDials(plain, _list(config, tensors)) if isinstance(config, LendingConfig) else plain


def _lists(dials: AnyDials) -> Arrays:
    """The list of neighbours, where there is one."""
    if not isinstance(dials, LendingDials):
        return {}
    near = dials.neighbours
    numbers = {"nearest": near.nearest.astype(np.int32), "weights": near.weights.astype(np.int32)}
    return pack_strings("listed", near.words) | numbers


def _list(config: LendingConfig, tensors: Tensors) -> Neighbours:
    words = tensors.strings("listed")
    nearest = tensors.take("nearest", np.int32, (len(words), None), 0, 2**31 - 1)
    weights = tensors.take("weights", np.int32, nearest.shape, 0, 2**31 - 1)
    try:
        near = Neighbours(words, nearest.astype(np.int64), weights.astype(np.int64))
    except DataError as error:
        raise ModelError(f"{TENSORS}: {error}") from error
    if near.digest != config.neighbours:
        raise ModelError(
            f"{TENSORS}: the list of neighbours is not the one that config.json names. "
            "Get the model again from where it was saved."
        )
    return near


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


def _voters(config: Config, store: Store) -> tuple[Voters, Any]:
    classes, groups = len(config.classes), config.settings.groups
    if (config.kind == "ballots") != (groups == "words"):
        raise ModelError(
            f"config.json: a model of kind {config.kind!r} has no groups={groups!r}. Save it again."
        )
    if config.kind == "ballots":
        return BallotVoters(_ballots(config, store.needed(), classes)), config.settings.learner
    hashed, empirical = _voting_groups(config), config.settings.mode == "empirical"
    parts = config.settings.row_groups
    rows = _as_model_error(lambda: _row_groups(config)) if parts > 1 else None
    each = empirical or is_design(groups) or parts > 1
    ensemble, learner = read_ensemble(config.kind, store, hashed.m * parts, classes, each=each)
    if parts > 1:
        ensemble = gridded(ensemble, hashed.m, classes)
    if empirical and isinstance(hashed, HashGroups):
        learned = LearnedGroups(frozenset(store.needed().strings(OMEGA)), hashed.m, hashed.hash)
        return MeasuredVoters(learned, ensemble, classes), learner
    rule = _as_model_error(lambda: rule_of(config.settings.rule).name)
    return HashedVoters(hashed, _order(config, store), ensemble, classes, rows, rule), learner


def _voting_groups(config: Config) -> HashGroups | BlockGroups:
    groups = config.settings.groups
    hash_name: Any = config.settings.hash
    if isinstance(groups, str):
        return _as_model_error(lambda: BlockGroups(design_of(groups), hash_name))
    return _as_model_error(lambda: HashGroups(groups, hash_name))


def _row_groups(config: Config) -> RowGroups:
    by: Any = config.settings.rows_by
    return RowGroups(config.settings.row_groups, by)


def _as_model_error(make: Callable[[], _Made]) -> _Made:
    try:
        return make()
    except UsageError as error:
        raise ModelError(f"config.json: {error}. Save the model again.") from error


def _order(config: Config, store: Store) -> WordOrder:
    if config.order == CodePointOrder.name:
        return CodePointOrder()
    return VocabularyOrder(store.needed().strings("order").to_list())


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
    dials = _dials(config.dials, tensors)
    if isinstance(dials, LendingDials) and not dials.neighbours.words.is_in(vocabulary.implode()).all():
        raise ModelError(
            f"{TENSORS}: words of the list of neighbours have no ballot. "
            "Get the model again from where it was saved."
        )
    return BallotModel.from_arrays(vocabulary, arrays, dials)
