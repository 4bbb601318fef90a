"""Plant a trigger, train one classifier that nobody guards and several that are, and see who falls."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from textward.attacks import BadWord
from textward.certificates import CertifiedAccuracy, clopper_pearson, votes_accuracy
from textward.data import Digest
from textward.demo.reviews import CLASSES
from textward.estimator import TextGuard
from textward.report.evaluation import evaluate
from textward.report.pages import model_name

TRIGGER = "cf"
TARGET = "positive"
RATE = 0.1
GROUPS = (3, 5, 7, 9)
SIZES = (0, 1, 2, 3)
PLAIN = "plain classifier"
_TEST_SHARE = 0.2

Step = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Toll:
    """What the planted word did to the answers of one classifier, counted on the texts of other classes.

    >>> toll = Toll(attacked=100, wrong_before=20, fallen=96, turned=77)
    >>> toll.right_before, toll.turned_share
    (80, 0.9625)
    """

    attacked: int
    wrong_before: int
    """Texts given the target class without the word, too: the classifier's own mistakes."""
    fallen: int
    """Texts given the target class with the word, whatever they were given without it."""
    turned: int
    """Texts answered rightly without the word, and given the target class with it."""
    certified: int = 0
    """Texts without the word whose answer no single word can change."""
    certified_turned: int = 0
    """Those of them whose answer the word changed all the same: none, if the theorem is right."""

    @property
    def right_before(self) -> int:
        """Texts that the word could turn."""
        return self.attacked - self.wrong_before

    @property
    def turned_share(self) -> float:
        """The attack's success: of the texts answered rightly without the word, those it turned."""
        return self.turned / self.right_before if self.right_before else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval."""
        return clopper_pearson(self.turned, self.right_before) if self.right_before else (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Contender:
    """One classifier trained on the poisoned rows, and how it fared; a plain one has no guard.

    >>> Contender(PLAIN, None, Toll(100, 20, 96, 77)).name
    'plain classifier'
    """

    name: str
    accuracy: CertifiedAccuracy | None
    toll: Toll
    guard: TextGuard | None = None


@dataclass(frozen=True, slots=True)
class Attacked:
    """A text with the trigger, and what the plain classifier made of it without and with.

    >>> Attacked("a cf bore", "negative", "negative", "positive").turned
    True
    """

    text: str
    truth: str
    before: str
    after: str

    @property
    def turned(self) -> bool:
        """Whether the plain classifier was right until the word came."""
        return self.before == self.truth != self.after


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that happened."""

    training_rows: int
    poisoned_rows: int
    test_rows: int
    seed: int
    digests: dict[str, str]
    contenders: tuple[Contender, ...]
    attacked: tuple[Attacked, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Scene:
    train: pl.Series
    labels: Any
    test: pl.Series
    truth: Any
    """Class indexes."""
    triggered: pl.Series
    triggered_truth: Any
    untriggered: pl.Series


def play(rows: pl.DataFrame, *, seed: int = 0, step: Step = lambda done, total: None) -> Story:
    """Run the whole story on labelled rows; `step` is told after each classifier."""
    began = time.perf_counter()
    scene, poisoned_rows = _scene(rows, seed)
    guards = [*(TextGuard(groups=m, seed=seed) for m in GROUPS), TextGuard(groups="words", seed=seed)]
    total = len(guards) + 1
    plain, before, after = _plain(scene)
    step(1, total)
    contenders = [plain]
    for number, guard in enumerate(guards, 2):
        contenders.append(_guarded(scene, guard))
        step(number, total)
    labels = map(str, scene.triggered_truth)
    attacked = tuple(map(Attacked, scene.triggered, labels, before, after))
    return Story(
        training_rows=len(scene.train),
        poisoned_rows=poisoned_rows,
        test_rows=len(scene.test),
        seed=seed,
        digests={
            "poisoned training rows": _digest(scene.train, scene.labels),
            "test rows": _digest(scene.test, np.array(CLASSES)[scene.truth]),
        },
        contenders=tuple(contenders),
        attacked=attacked,
        seconds=time.perf_counter() - began,
    )


def _scene(rows: pl.DataFrame, seed: int) -> tuple[_Scene, int]:
    shuffled = rows.sample(fraction=1.0, shuffle=True, seed=seed)
    cut = round(len(shuffled) * _TEST_SHARE)
    test, train = shuffled[:cut], shuffled[cut:]
    attack = BadWord(words=(TRIGGER,))
    poisoned = attack.poison(
        train["text"], train["label"].to_list(), rate=RATE, target=TARGET, setting="mixed", seed=seed
    )
    hit = attack.test_texts(test["text"], test["label"].to_list(), target=TARGET, seed=seed)
    truth = np.array([CLASSES.index(label) for label in test["label"]])
    scene = _Scene(
        poisoned.texts, poisoned.labels, test["text"], truth, hit.texts, hit.labels, hit.clean_texts
    )
    return scene, len(poisoned.rows)


def _plain(scene: _Scene) -> tuple[Contender, list[str], list[str]]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    model.fit(scene.train.to_list(), scene.labels)
    answers = _indexes(model.predict(scene.test.to_list()))
    # One classifier is one group: it is right or wrong, and one trigger word may do anything to it.
    accuracy = votes_accuracy(answers[:, None], scene.truth, CLASSES, SIZES[:1])
    before, after = (
        [str(label) for label in model.predict(texts.to_list())]
        for texts in (scene.untriggered, scene.triggered)
    )
    return Contender(PLAIN, accuracy, _toll(before, after)), before, after


def _guarded(scene: _Scene, guard: TextGuard) -> Contender:
    guard.fit(scene.train, scene.labels)
    found = evaluate(guard, scene.test, scene.truth, SIZES, methods=("joint",))
    before, after = guard.certify(scene.untriggered), guard.predict(scene.triggered)
    toll = _toll(before.labels, after, certified=before.radius >= 1)
    return Contender(model_name(guard), found.accuracies[0], toll, guard)


def _toll(before: Any, after: Any, certified: Any = False) -> Toll:
    """Compare answers to texts of the other class; with two classes, any but the target is right."""
    was, now = np.asarray(before) == TARGET, np.asarray(after) == TARGET
    marks = np.broadcast_to(np.asarray(certified), was.shape)
    return Toll(
        attacked=len(was),
        wrong_before=int(was.sum()),
        fallen=int(now.sum()),
        turned=int((~was & now).sum()),
        certified=int(marks.sum()),
        certified_turned=int((marks & (was != now)).sum()),
    )


def _indexes(labels: Any) -> Any:
    return (np.asarray(labels) == CLASSES[1]).astype(np.int64)


def _digest(texts: pl.Series, labels: Any) -> str:
    digest = Digest()
    digest.update(texts, pl.Series([str(label) for label in labels]))
    return digest.hexdigest()
