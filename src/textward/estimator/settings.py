"""A constructor's arguments -> the parts they name; `fit` calls this, the constructor never judges."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from textward.certificates.ballots import UNIT
from textward.certificates.rules import rule_of
from textward.certificates.votes import check_integer
from textward.data.messages import quoted
from textward.errors import UsageError
from textward.estimator.empirical import Potential
from textward.estimator.fallback import TFIDF, FallbackSettings, of_whole_texts, tfidf
from textward.groups import BlockGroups, EveryWord, HashGroups, RowGroups, design_of, is_design
from textward.influence import LEAST_ROWS, PER_TEXT
from textward.learners import EnsembleLearner, GroupLearner, ScikitLearner
from textward.learners.ballots import AnyDials, Dials, LendingDials, Neighbours, SteadyDials
from textward.words import (
    CodePointOrder,
    CustomWords,
    Cutter,
    UnicodeWords,
    VocabularyOrder,
    WhitespaceWords,
    WholeTexts,
    WordOrder,
)

BALLOTS = "ballots"
LINEAR = "linear"
PLURALITY = "plurality"
ENCODERS = ("transformer", "embedding")
WHOLE = WholeTexts.name
THETA, MOST_THETA = 2.0, 1_000_000
"""The lead in whole ballots with which the ballots of a cascade answer, where none was asked for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What to train: groups of words, their learner, and how texts become words.

    >>> settings(3, "linear", "md5", 0, "certified", "unicode", None).cutter
    UnicodeWords()
    """

    groups: HashGroups | BlockGroups | EveryWord
    learner: GroupLearner | EnsembleLearner | None
    """None for the built-in learners of counts: naive Bayes, or ballots for `EveryWord`."""
    cutter: Cutter
    order: WordOrder
    seed: int
    potential: Potential | None = None
    """How potential trigger words are told in the empirical mode; None for the certified one."""
    rows: int = 0
    """An attacker's rows that ballots are made to withstand."""
    cascade: FallbackSettings | None = None
    row_groups: RowGroups | None = None
    """How rows are split among base models; None where each of them sees all rows."""
    rule: str = PLURALITY
    """How votes become an answer."""
    neighbours: Neighbours | None = None
    """The public list by which ballots borrow."""
    trigger_size: int | None = None
    """The triggers that ballots are made to withstand."""

    def dials(self, classes: int) -> AnyDials:
        """What the ballots asked for are made with."""
        if self.neighbours is not None:
            return LendingDials.for_classes(classes, self.neighbours)
        return SteadyDials(self.rows) if self.rows else Dials.for_classes(classes, self.trigger_size)


def settings(
    groups: Any,
    learner: Any,
    hash: Any,
    seed: Any,
    mode: Any,
    words: Any,
    order: Any,
    influential_words: Any = PER_TEXT,
    influential_rows: Any = LEAST_ROWS,
    rows: Any = 0,
    cascade: Any = None,
    theta: Any = None,
    row_groups: Any = 1,
    rows_by: Any = "text",
    rule: Any = PLURALITY,
    neighbours: Any = None,
    trigger_size: Any = None,
) -> Settings:
    """Judge the arguments of a constructor.

    >>> settings(3, "linear", "md5", 0, "certified", "unicode", None).groups
    HashGroups(m=3, hash='md5')
    """
    potential = _potential(mode, groups, order, influential_words, influential_rows)
    chosen = _groups(groups, hash)
    by = _learner(learner, by_word=isinstance(chosen, EveryWord))
    return Settings(
        chosen,
        by,
        _cutter(words, chosen, by, empirical=potential is not None),
        order_of(order),
        check_integer("seed", seed, least=0),
        potential,
        _rows(rows, chosen),
        _cascade(cascade, theta, chosen),
        _row_groups(row_groups, rows_by, chosen, by, potential),
        _rule(rule, chosen, potential),
        _neighbours(neighbours, chosen, rows),
        _trigger_size(trigger_size, chosen, rows, neighbours),
    )


def cutter_of(words: Any) -> Cutter:
    """Return the cutter that a name or a user's own tokenizer stands for.

    >>> cutter_of("whitespace")
    WhitespaceWords()
    """
    if callable(words):
        return CustomWords(words)
    if words == WHOLE:
        return WholeTexts()
    if words not in ("unicode", "whitespace"):
        raise UsageError(
            f"words must be 'unicode', 'whitespace' or a function from a text to its words, got {words!r}"
        )
    return UnicodeWords() if words == "unicode" else WhitespaceWords()


def order_of(order: Any) -> WordOrder:
    """Return the order of a sub-text's words: code points, or the vocabulary that a path leads to.

    >>> order_of(None).name
    'code points'
    """
    if order is None:
        return CodePointOrder()
    if isinstance(order, (str, Path)):
        return VocabularyOrder.read(order)
    if hasattr(order, "rank"):
        return cast(WordOrder, order)
    raise UsageError(f"order must be None or the path of a vocab.txt or tokenizer.json, got {order!r}")


def _cutter(
    words: Any, groups: HashGroups | BlockGroups | EveryWord, learner: Any, *, empirical: bool
) -> Cutter:
    """One group of a learner that reads words in order is plain fine-tuning: it reads whole texts."""
    if empirical and words != WHOLE:
        return cutter_of(words)
    whole = groups == HashGroups(1, groups.hash) if isinstance(groups, HashGroups) else False
    whole = whole and isinstance(learner, EnsembleLearner) and learner.reads_order
    if words == WHOLE and not whole:
        raise UsageError("words='whole' is for groups=1 and learner='transformer' or 'embedding'")
    return WholeTexts() if whole else cutter_of(words)


def _potential(mode: Any, groups: Any, order: Any, words: Any, rows: Any) -> Potential | None:
    if mode not in ("certified", "empirical"):
        raise UsageError(f"mode must be 'certified' or 'empirical', got {mode!r}")
    found = Potential(
        check_integer("influential_words", words, least=1), check_integer("influential_rows", rows, least=0)
    )
    if mode == "certified":
        return None
    if is_design(groups):
        raise UsageError(f"the design groups={groups!r} is for mode='certified': give groups=7, say")
    if isinstance(groups, str):
        raise UsageError(
            "mode='empirical' learns which words share a group, and groups='words' makes each word a group "
            "of its own: give groups=7, say, or mode='certified'"
        )
    if order is not None:
        raise UsageError("mode='empirical' keeps each text's own order of words: leave `order` out")
    return found


def _rows(rows: Any, groups: HashGroups | BlockGroups | EveryWord) -> int:
    """How many rows of an attacker's own the ballots shall withstand."""
    asked = check_integer("rows", rows, least=0)
    if asked and not isinstance(groups, EveryWord):
        raise UsageError(f"rows={asked} is for ballots: give it groups='words', or leave it out")
    return asked


def _cascade(
    cascade: Any, theta: Any, groups: HashGroups | BlockGroups | EveryWord
) -> FallbackSettings | None:
    """What answers where ballots lead by less than `theta` whole ballots."""
    if cascade is None:
        if theta is not None:
            raise UsageError(f"theta={theta!r} is for a cascade: name what answers below it, cascade='tfidf'")
        return None
    if not isinstance(groups, EveryWord):
        raise UsageError("a cascade begins with ballots: give it groups='words', or leave cascade out")
    return FallbackSettings(_fallback(cascade), threshold(THETA if theta is None else theta))


def threshold(theta: Any) -> int:
    """Return a lead in whole ballots as one in their 1/1024.

    >>> threshold(2.5)
    2560
    """
    number = theta if isinstance(theta, (int, float)) and not isinstance(theta, bool) else math.nan
    if not 0 <= number <= MOST_THETA:
        raise UsageError(f"theta must be a number of whole ballots from 0 to {MOST_THETA:,}, got {theta!r}")
    return round(number * UNIT)


def _fallback(cascade: Any) -> GroupLearner | EnsembleLearner | None:
    if isinstance(cascade, str):
        if cascade == TFIDF:
            return ScikitLearner(tfidf())
        if cascade not in (LINEAR, *ENCODERS):
            raise UsageError(
                f"unknown cascade {quoted(cascade)}: give 'tfidf', 'linear', 'transformer', 'embedding' or a "
                "scikit-learn classifier"
            )
    found = _learner(cascade, by_word=False)
    return of_whole_texts(found.estimator) if isinstance(found, ScikitLearner) else found


def _row_groups(
    parts: Any,
    by: Any,
    groups: HashGroups | BlockGroups | EveryWord,
    learner: Any,
    potential: Potential | None,
) -> RowGroups | None:
    """How rows are split; 1 is not at all."""
    found = RowGroups(parts, by)
    if found.parts == 1:
        return None
    if isinstance(groups, EveryWord):
        raise UsageError(
            "row_groups splits rows among base models, and ballots have none: give rows= instead"
        )
    if potential is not None:
        raise UsageError("row_groups is for mode='certified': leave it out with mode='empirical'")
    if isinstance(learner, EnsembleLearner):
        raise UsageError(
            f"row_groups={found.parts} would train {found.parts} x {groups.m} encoders, which this learner "
            "does not do: use 'linear' or a scikit-learn classifier, or ballots with rows="
        )
    return found


def _rule(rule: Any, groups: HashGroups | BlockGroups | EveryWord, potential: Potential | None) -> str:
    """How votes become an answer; what only certificates ask about is no such rule."""
    name = rule_of(rule, target=0).name
    if name.startswith(("abstain", "targeted")):
        raise UsageError(
            f"the rule {name} is about certificates, and does not say which class wins: give it to "
            "certified_accuracy (certify --rule)"
        )
    if name != PLURALITY and isinstance(groups, EveryWord):
        raise UsageError(f"rule={name!r} is for base models that vote, and ballots have none: leave it out")
    if name != PLURALITY and potential is not None:
        raise UsageError(f"rule={name!r} is for mode='certified': leave it out with mode='empirical'")
    return name


def _neighbours(near: Any, groups: HashGroups | BlockGroups | EveryWord, rows: Any) -> Neighbours | None:
    """The list that an object or the path of a file stands for."""
    if near is None:
        return None
    if not isinstance(groups, EveryWord):
        raise UsageError("neighbours are for ballots: give them groups='words', or leave them out")
    if rows:
        raise UsageError(
            f"rows={rows} makes ballots that withstand an attacker's rows, and these cannot borrow from "
            "neighbours: leave one of the two out"
        )
    if isinstance(near, (str, Path)):
        return Neighbours.read(near)
    if isinstance(near, Neighbours):
        return near
    raise UsageError(f"neighbours must be None, a Neighbours list or the path of one, got {near!r}")


def _trigger_size(
    size: Any, groups: HashGroups | BlockGroups | EveryWord, rows: Any, near: Any
) -> int | None:
    if size is None:
        return None
    asked = check_integer("trigger_size", size, least=0)
    if not isinstance(groups, EveryWord):
        raise UsageError(f"trigger_size={asked} is for ballots: give it groups='words', or leave it out")
    if rows or near is not None:
        other = f"rows={rows}" if rows else "neighbours"
        raise UsageError(
            f"trigger_size={asked} and {other} each make ballots of their own kind: leave one of the two out"
        )
    return asked


def _groups(groups: Any, hash: Any) -> HashGroups | BlockGroups | EveryWord:
    if isinstance(groups, str):
        return EveryWord() if groups == "words" else BlockGroups(design_of(groups), hash)
    return HashGroups(groups, hash)


def _learner(learner: Any, *, by_word: bool) -> GroupLearner | EnsembleLearner | None:
    if isinstance(learner, str):
        _check_name(learner, by_word=by_word)
        return _encoder(learner) if learner in ENCODERS else None
    if by_word:
        raise UsageError(
            f"groups='words' makes every word a group of its own, for which the only learner is 'ballots'; "
            f"got {type(learner).__name__}. Give groups=7, say, to use it."
        )
    if isinstance(learner, type):
        raise UsageError(f"the learner is the class {learner.__name__}; give an object: {learner.__name__}()")
    if isinstance(learner, EnsembleLearner):
        return learner
    if _is_group_learner(learner):
        return cast(GroupLearner, learner)
    if hasattr(learner, "get_params"):
        return ScikitLearner(learner)
    raise UsageError(
        f"the learner {learner!r} is none: give 'linear', a scikit-learn classifier or pipeline, "
        "or an object with fit(texts, labels, classes, seed)"
    )


def _check_name(learner: str, *, by_word: bool) -> None:
    if learner == BALLOTS and not by_word:
        raise UsageError("learner='ballots' makes every word a group of its own: give it groups='words'")
    if learner in ENCODERS and by_word:
        raise UsageError(f"learner={learner!r} needs a number of groups: give groups=7, say")
    if learner not in (LINEAR, BALLOTS, *ENCODERS):
        raise UsageError(
            f"unknown learner {quoted(learner)}: give 'linear', 'ballots' (with groups='words'), "
            "'transformer', 'embedding' or a scikit-learn classifier"
        )


def _encoder(name: str) -> EnsembleLearner:
    # Asked for by name only then, for it takes seconds to import.
    from textward.learners import transformer

    learner = transformer.TransformerLearner if name == "transformer" else transformer.EmbeddingLearner
    return cast(EnsembleLearner, learner())


def _is_group_learner(learner: Any) -> bool:
    """Whether `fit` takes what a group's learner is given; a scikit-learn estimator's takes X and y."""
    try:
        signature = inspect.signature(learner.fit)
        signature.bind(None, None, 2, 0)
    except (AttributeError, TypeError, ValueError):
        return False
    return "seed" in signature.parameters or not hasattr(learner, "get_params")
