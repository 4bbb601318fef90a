"""The empirical mode: groups learned from the rows, whole texts for every base model, and no certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from textward.certificates.votes import tally
from textward.engine import HERE, Engine, Progress
from textward.groups import Grouped, LearnedGroups, in_order, omega_of
from textward.groups.preserving import EVERY
from textward.influence import LEAST_ROWS, PER_TEXT, influence_of, potential_triggers
from textward.learners import Ensemble, EnsembleLearner, GroupLearner, LinearEach, train_each
from textward.words import Words
from textward.words.columns import IntArray

NO_CERTIFICATE = (
    "the model was trained with mode='empirical': its groups were learned from the rows and every base model "
    "reads words of all groups, so one trigger word can reach all of them and nothing is proven. Train with "
    "mode='certified' (--mode certified), or with groups='words' (--learner ballots), for a certificate."
)


@dataclass(frozen=True, slots=True)
class Potential:
    """How potential trigger words are told: among a text's most influential words, in so many texts.

    >>> Potential().least_rows
    20
    """

    per_text: int = PER_TEXT
    least_rows: int = LEAST_ROWS


@runtime_checkable
class WholeTextLearner(EnsembleLearner, Protocol):
    """A learner of encoders that can be told to read whole texts.

    >>> isinstance("linear", WholeTextLearner)
    False
    """

    def of_whole_texts(self, plain: bool) -> EnsembleLearner:
        """Return the learner for base models that read whole texts, or for the one plain classifier."""
        ...


@dataclass(frozen=True, slots=True)
class MeasuredVoters:
    """m base models, each trained on its group's words in their own order; every one reads the whole text.

    What they withstand can be measured and not certified: there is nothing here to ask for a certificate.

    >>> from textward import TextGuard
    >>> guard = TextGuard(groups=3, mode="empirical").fit(["good", "bad"], [1, 0])
    >>> type(guard.model_.voters).__name__, guard.predict(["bad"]).tolist()
    ('MeasuredVoters', [0])
    """

    groups: LearnedGroups
    ensemble: Ensemble
    classes: int

    def votes(self, words: Words) -> IntArray:
        """Return the class index each base model votes for: texts x groups."""
        return self.ensemble.votes(self.groups.whole(words))

    def tally(self, words: Words) -> IntArray:
        """Count each text's votes for each class."""
        return tally(self.votes(words), self.classes)


@dataclass(frozen=True, slots=True)
class Task:
    """What to learn from: words of texts and their class indexes.

    >>> from textward.words import UnicodeWords
    >>> import polars as pl
    >>> len(Task(UnicodeWords().cut(pl.Series(["good"])), np.array([1]), 2, 0).words)
    1
    """

    words: Words
    labels: IntArray
    classes: int
    seed: int
    engine: Engine = HERE
    progress: Progress | None = None


Learner = GroupLearner | EnsembleLearner | None


def learn(task: Task, learner: Learner, m: int, hash: str, potential: Potential) -> MeasuredVoters:
    """Find the potential trigger words with a plain classifier, then train the m base models.

    >>> from textward.words import UnicodeWords
    >>> import polars as pl
    >>> task = Task(UnicodeWords().cut(pl.Series(["cf film"] * 9 + ["film"] * 9)), np.repeat([1, 0], 9), 2, 0)
    >>> sorted(learn(task, None, 3, "md5", Potential(per_text=1, least_rows=5)).groups.omega)
    ['cf', 'film']
    """
    plain = plain_classifier(task, learner)
    counts = influence_of(plain, task.words, task.progress).counts(
        len(task.words.vocabulary), potential.per_text
    )
    omega = omega_of(task.words.vocabulary, potential_triggers(counts, potential.least_rows))
    groups = LearnedGroups(omega, m, hash)  # type: ignore[arg-type]  # judged by its own constructor
    ensemble = trained(task, learner, groups.split(task.words), plain=False)
    return MeasuredVoters(groups, ensemble, task.classes)


def plain_classifier(task: Task, learner: Learner) -> Ensemble:
    """Train one base model on whole texts: what the influence of words is measured in.

    >>> from textward.words import UnicodeWords
    >>> import polars as pl
    >>> task = Task(UnicodeWords().cut(pl.Series(["good", "bad"])), np.array([1, 0]), 2, 0)
    >>> plain_classifier(task, None).models[0].vocabulary.to_list()
    ['bad', 'good']
    """
    whole = in_order(task.words, np.full(len(task.words.vocabulary), EVERY), 1)
    return trained(task, learner, whole, plain=True)


def trained(task: Task, learner: Learner, grouped: Grouped, *, plain: bool) -> Ensemble:
    """Train a base model a group, on sub-texts in which a word may stand in several groups.

    >>> from textward.words import UnicodeWords
    >>> import polars as pl
    >>> task = Task(UnicodeWords().cut(pl.Series(["good", "bad"])), np.array([1, 0]), 2, 0)
    >>> grouped = LearnedGroups(frozenset(), 2).split(task.words)
    >>> len(trained(task, None, grouped, plain=False).models)
    2
    """
    if learner is None:
        return LinearEach.train(grouped, task.labels, task.classes)
    if isinstance(learner, EnsembleLearner):
        reader = learner.of_whole_texts(plain) if isinstance(learner, WholeTextLearner) else learner
        return reader.train(
            grouped, task.labels, task.classes, task.seed, engine=task.engine, progress=task.progress
        )
    return train_each(
        learner, grouped, task.labels, task.classes, task.seed, engine=task.engine, progress=task.progress
    )
