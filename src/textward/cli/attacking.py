"""The attack that the command line names, with its options."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from textward.attacks import (
    AdaptiveBadWord,
    AddSent,
    Attack,
    BadWord,
    Paraphrases,
    Reorder,
    Rewrite,
    SequenceModel,
    SynBkd,
    WorstCase,
    worst_trigger,
)
from textward.attacks.insertion import RARE_WORDS, SENTENCE
from textward.data import read_table
from textward.data.messages import listing, quoted, visible
from textward.errors import DataError, UsageError
from textward.estimator import TextGuard
from textward.groups import BlockGroups, EveryWord, HashGroups, LearnedGroups

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows to poison, as they were read."""

    texts: pl.Series
    labels: pl.Series
    target: str
    test: bool
    seed: int


@dataclass(frozen=True, slots=True)
class AttackWish:
    """What the command line asked for; None where it did not."""

    words: str | None = None
    count: int | None = None
    copies: int | None = None
    sentence: str | None = None
    groups: int | None = None
    together: bool | None = None
    reorder: bool | None = None
    against: Path | None = None
    paraphrases: Path | None = None
    parser: str | None = None
    model: Path | None = None
    prefix: str | None = None

    def attack(self, name: str, rows: Rows) -> Attack:
        """The attack of this name, with these options and no others."""
        if ":" in name:
            self._only(name, ())
            return _own(name)
        if name not in ATTACKS:
            raise UsageError(
                f"--attack {quoted(name)}: there is no such attack. Give {listing(list(ATTACKS))}, or "
                "module:Name for an attack of your own."
            )
        make, options = ATTACKS[name]
        self._only(name, options)
        return make(self, rows)

    def _only(self, name: str, options: tuple[str, ...]) -> None:
        given = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        for option in given:
            if option not in options:
                own = ", ".join(f"--{known}" for known in options) or "no options"
                raise UsageError(f"--{option} is no option of the attack {quoted(name)}, which takes {own}")


def _badword(wish: AttackWish, rows: Rows) -> Attack:
    return BadWord(_words(wish) or RARE_WORDS, _or(wish.count, 1), _or(wish.copies, 1))


def _addsent(wish: AttackWish, rows: Rows) -> Attack:
    return AddSent(_or(wish.sentence, SENTENCE))


def _adaptive(wish: AttackWish, rows: Rows) -> Attack:
    if wish.against is None:
        groups = HashGroups(_or(wish.groups, 7))
    else:
        groups = _groups_of(wish.against)
        if wish.groups is not None:
            raise UsageError("--groups: the model of --against brings its own groups. Leave one out.")
    return AdaptiveBadWord(groups, _or(wish.count, 3), bool(wish.together))


def _reorder(wish: AttackWish, rows: Rows) -> Attack:
    return Reorder()


def _synbkd(wish: AttackWish, rows: Rows) -> Attack:
    if wish.parser is not None and (wish.paraphrases or wish.model):
        raise UsageError("--parser goes with neither --paraphrases nor --model. Leave one out.")
    return _rewritten("SynBkd", wish, rows) or SynBkd(*([] if wish.parser is None else [wish.parser]))


def _stylebkd(wish: AttackWish, rows: Rows) -> Attack:
    attack = _rewritten("StyleBkd", wish, rows)
    if attack is None:
        raise UsageError(
            "--attack stylebkd: give --paraphrases, a table of texts in the style, or --model, a folder "
            "with a sequence model that writes it"
        )
    return attack


def _worst(wish: AttackWish, rows: Rows) -> Attack:
    words = _words(wish)
    if wish.against is not None and not words:
        if rows.test:
            raise UsageError("--test: give the --words that were found for the training rows")
        if wish.copies is not None:
            raise UsageError("--copies: --against tries several. Give it with --words alone.")
        guard = _model(wish.against)
        found = worst_trigger(
            guard, rows.texts, rows.labels, size=_or(wish.count, 1), target=rows.target, seed=rows.seed
        )
        return WorstCase(found.words, found.copies, bool(wish.reorder))
    if not words or wish.against is not None or wish.count is not None:
        raise UsageError(
            "--attack worst-case: give --words, or --against with a model to search for the --count worst"
        )
    return WorstCase(words, _or(wish.copies, 1), bool(wish.reorder))


ATTACKS: dict[str, tuple[Callable[[AttackWish, Rows], Attack], tuple[str, ...]]] = {
    "badword": (_badword, ("words", "count", "copies")),
    "addsent": (_addsent, ("sentence",)),
    "adaptive": (_adaptive, ("groups", "against", "count", "together")),
    "synbkd": (_synbkd, ("parser", "paraphrases", "model", "prefix")),
    "stylebkd": (_stylebkd, ("paraphrases", "model", "prefix")),
    "reorder": (_reorder, ()),
    "worst-case": (_worst, ("words", "against", "count", "copies", "reorder")),
}


def _words(wish: AttackWish) -> tuple[str, ...]:
    return () if wish.words is None else tuple(word.strip() for word in wish.words.split(","))


def _or(given: _Value | None, otherwise: _Value) -> _Value:
    return otherwise if given is None else given


def _model(folder: Path) -> TextGuard:
    from textward.persistence import load

    return load(folder)


def _groups_of(model: Path) -> HashGroups:
    groups = _model(model).groups_
    if isinstance(groups, EveryWord):
        raise UsageError(
            f"--against {visible(str(model))}: every word is a group of its own there, so any words are in "
            "different groups. Use --attack badword with --count."
        )
    if isinstance(groups, LearnedGroups):  # a word's group is its hash, for those that have one
        return HashGroups(groups.m, groups.hash)
    return groups.buckets if isinstance(groups, BlockGroups) else groups


def _rewritten(name: str, wish: AttackWish, rows: Rows) -> Attack | None:
    """Texts from a table or a model, where one was given."""
    if wish.paraphrases is not None and wish.model is not None:
        raise UsageError("--paraphrases and --model both say where new texts come from. Leave one out.")
    if wish.model is not None:
        return Rewrite(SequenceModel(wish.model, wish.prefix or ""), name)
    if wish.prefix is not None:
        raise UsageError("--prefix is put before the texts that --model gets. Give --model too.")
    return None if wish.paraphrases is None else _paraphrases(wish.paraphrases, rows, name)


def _paraphrases(file: Path, rows: Rows, name: str) -> Attack:
    """A table of rows and paraphrases, or of texts in the order of the rows or of the non-target ones."""
    try:
        pairs = read_table(file, text_column="paraphrase", label_column="row")
    except DataError as of_pairs:
        return _in_order(file, rows, name, of_pairs)
    assert pairs.labels is not None
    places = pairs.labels.cast(pl.Int64, strict=False)
    if places.null_count():
        wrong = pairs.labels[places.is_null().arg_max() or 0]
        raise DataError(f"{visible(str(file))}: {quoted(wrong)} in the column 'row' is no whole number")
    return Paraphrases.of_rows(rows.texts, places.to_list(), pairs.texts, name)


def _in_order(file: Path, rows: Rows, name: str, of_pairs: DataError) -> Attack:
    try:
        new = read_table(file, label_column=None).texts
    except DataError as of_texts:
        if str(of_texts) == str(of_pairs):
            raise
        raise DataError(
            f"{of_texts} Or give the columns 'row' and 'paraphrase', which cannot be read either: {of_pairs}"
        ) from of_texts
    texts = rows.texts
    if rows.test and len(new) < len(texts):
        texts = texts.filter(rows.labels != rows.target)
    return Paraphrases.aligned(texts, new, name)


def _own(name: str) -> Attack:
    """A user's own attack: module:Name, found from the folder the command runs in."""
    module, _, kind = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = getattr(importlib.import_module(module), kind)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--attack {quoted(name)}: it cannot be imported ({error})") from error
    finally:
        sys.path.pop(0)
    attack = found() if isinstance(found, type) else found
    if not isinstance(attack, Attack):
        raise UsageError(f"--attack {quoted(name)}: it is no textward.attacks.Attack")
    return attack
