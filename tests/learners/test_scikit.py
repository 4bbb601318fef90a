"""Anybody's scikit-learn classifier as a group's learner."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from corpora import grouped
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from textward.errors import PieceError, UsageError
from textward.groups import HashGroups
from textward.learners import ConstantModel, ScikitLearner, ScikitModel, group_seed, is_repeatable, train_each
from textward.learners.scikit import takes_strings
from textward.words import UnicodeWords

TEXTS = ["good fun ! w0", "great fun w1 w2", "so good", "bad 's w3", "dull w4", "so bad ! w5"] * 3
LABELS = np.array([1, 1, 1, 0, 0, 0] * 3)
DATA = grouped(TEXTS, 3)


class Seen(ClassifierMixin, BaseEstimator):
    """Remembers what it was given."""

    def __init__(self, random_state=None, inner=None):
        self.random_state = random_state
        self.inner = inner

    def fit(self, X, y):
        self.texts_, self.classes_ = list(X), np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


class Unseeded(Seen):
    """Draws its predictions from nowhere in particular."""

    def predict(self, X):
        return np.random.default_rng().integers(0, 2, len(X))


def test_every_random_state_gets_the_seed_of_the_group():
    model = ScikitLearner(Seen(inner=SGDClassifier())).fit(DATA.group(0), LABELS, 2, seed=41)
    assert model.estimator.random_state == 41 and model.estimator.inner.random_state == 41


def test_the_users_own_object_is_left_alone():
    mine = RandomForestClassifier(5)
    train_each(ScikitLearner(mine), DATA, LABELS, 2, seed=0)
    assert mine.random_state is None and not hasattr(mine, "classes_")


def test_groups_have_seeds_of_their_own():
    models = train_each(ScikitLearner(Seen()), DATA, LABELS, 2, seed=5).models
    assert [m.estimator.random_state for m in models] == [group_seed(5, j) for j in range(3)]
    assert len({group_seed(s, j) for s in range(20) for j in range(20)}) == 400


def test_a_classifier_of_strings_gets_the_sub_texts():
    model = ScikitLearner(Seen()).fit(DATA.group(1), LABELS, 2, seed=0)
    assert model.estimator.texts_ == DATA.group(1).texts().to_list()


def test_a_classifier_of_vectors_gets_every_word_whole():
    data = grouped(["'s ! x", "Y don't"], 1)
    model = ScikitLearner(MultinomialNB()).fit(data.group(0), np.array([0, 1]), 2, seed=0)
    assert sorted(model.estimator[0].vocabulary_) == ["!", "'s", "don't", "x", "y"]


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (LinearSVC(), False),
        (make_pipeline(TfidfTransformer(), LinearSVC()), False),
        (make_pipeline(CountVectorizer(), LinearSVC()), True),
        (make_pipeline(HashingVectorizer(), LinearSVC()), True),
        (make_pipeline("passthrough", make_pipeline(CountVectorizer()), LinearSVC()), True),
        (make_pipeline(FeatureUnion([("a", "drop"), ("b", TfidfVectorizer())]), LinearSVC()), True),
        (GridSearchCV(make_pipeline(CountVectorizer(), LinearSVC()), {}), True),
        (GridSearchCV(LinearSVC(), {}), False),
        (BaggingClassifier(), False),
    ],
    ids=str,
)
def test_what_takes_strings(estimator, expected):
    assert takes_strings(estimator) is expected


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        make_pipeline(TfidfVectorizer(), LinearSVC()),
        make_pipeline(CountVectorizer(), TruncatedSVD(2), DecisionTreeClassifier()),
        RandomForestClassifier(5),
        GridSearchCV(MultinomialNB(), {"alpha": [0.1, 1]}, cv=2),
    ],
    ids=lambda e: type(e).__name__,
)
def test_common_classifiers_learn_and_repeat(estimator):
    learner = ScikitLearner(estimator)
    ensemble = train_each(learner, DATA, LABELS, 2, seed=3)
    assert ensemble.votes(DATA).shape == (18, 3)
    assert is_repeatable(learner, ensemble, DATA, LABELS, seed=3)


def test_processes_make_the_same_votes():
    learner = ScikitLearner(RandomForestClassifier(3))
    alone, together = (train_each(learner, DATA, LABELS, 2, seed=1, jobs=jobs) for jobs in (1, 2))
    for first, second in zip(alone.models, together.models, strict=True):
        assert np.array_equal(first.scores(DATA.group(0)), second.scores(DATA.group(0)))


def test_other_groups_do_not_reach_a_base_model():
    other = grouped([text.replace("good", "").replace("fun", "dull dull") for text in TEXTS], 3)
    same = [j for j in range(3) if DATA.group(j).texts().to_list() == other.group(j).texts().to_list()]
    assert same and len(same) < 3
    learner = ScikitLearner(LogisticRegression())
    before, after = (train_each(learner, data, LABELS, 2, seed=0).models for data in (DATA, other))
    for j in same:
        texts = DATA.group(j)
        assert before[j].scores(texts).tobytes() == after[j].scores(texts).tobytes()


@pytest.mark.parametrize(("labels", "expected"), [([2, 1, 1], 1), ([2, 1, 0], 0)])
def test_a_group_without_a_word_gets_a_constant_model(labels, expected):
    texts = grouped([""] * 3, 1).group(0)
    model = ScikitLearner(MultinomialNB()).fit(texts, np.array(labels), 3, seed=0)
    assert model == ConstantModel(expected)


def test_an_unseeded_learner_is_found_out():
    learner = ScikitLearner(Unseeded())
    assert not is_repeatable(learner, train_each(learner, DATA, LABELS, 2, seed=0), DATA, LABELS, seed=0)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Ridge(), "no classifier"),
        (KMeans(), "no classifier"),
        (make_pipeline(CountVectorizer(), TruncatedSVD(2)), "no classifier"),
        (GaussianNB(), "takes no sparse matrices.*TruncatedSVD"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_what_cannot_learn_is_refused(estimator, message):
    with pytest.raises(UsageError, match=message):
        ScikitLearner(estimator)


class Hoarder:
    """A learner that would carry words from one group to the next."""

    def __init__(self):
        self.seen = []

    def fit(self, texts, labels, classes, seed):
        self.seen += texts.vocabulary.to_list()
        labels[:] = 0
        return Votes(len(self.seen) % classes)


class Votes(ConstantModel):
    pass


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_learner_keeps_stays_in_its_group(jobs):
    learner, labels = Hoarder(), LABELS.copy()
    models = train_each(learner, DATA, labels, 2, seed=0, jobs=jobs).models
    assert [m.label for m in models] == [len(DATA.group(j).vocabulary) % 2 for j in range(3)]
    assert learner.seen == [] and np.array_equal(labels, LABELS)


def test_a_failing_classifier_names_its_group():
    learner = make_pipeline(CountVectorizer(min_df=99), LinearSVC())
    with pytest.raises(PieceError, match=r"group 0 \(of 0 to 2\) failed: ValueError"):
        train_each(ScikitLearner(learner), DATA, LABELS, 2, seed=0)


@pytest.mark.parametrize("answer", [np.array([0]), np.zeros(18), np.full(18, 2), np.full(18, -1), ["a"] * 18])
def test_a_base_model_must_answer_with_class_indexes(answer):
    class Wrong(Seen):
        def predict(self, X):
            return answer

    ensemble = train_each(ScikitLearner(Wrong()), DATA, LABELS, 2, seed=0)
    with pytest.raises(UsageError, match=r"group 0 .*one class index of 0 to 1 a text"):
        ensemble.votes(DATA)


def test_a_model_without_scores_has_none():
    assert isinstance(model := ScikitLearner(Seen()).fit(DATA.group(0), LABELS, 2, 0), ScikitModel)
    assert model.scores(DATA.group(0)) is None


class GlobalDraws(ClassifierMixin, BaseEstimator):
    """Draws from numpy's global random numbers, whatever seed it is given."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.answer_ = np.random.randint(0, 2, 64)
        return self

    def predict(self, X):
        return self.answer_[[len(str(x)) % 64 for x in X]]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


def test_global_random_numbers_follow_from_the_group_s_seed_and_are_given_back():
    before = np.random.get_state()[1].tolist()
    words = UnicodeWords().cut(pl.Series(["a good one", "bad and dull"]))
    models = [
        train_each(ScikitLearner(GlobalDraws()), HashGroups(m).split(words), np.array([1, 0]), 2, seed=3)
        for m in (2, 4)
    ]
    answers = [model.models[1].estimator.answer_.tolist() for model in models]
    assert answers[0] == answers[1]
    assert np.random.get_state()[1].tolist() == before
