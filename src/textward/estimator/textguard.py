"""TextGuard, by scikit-learn's conventions: the constructor stores, `fit` judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textward.certificates.accuracy import CertifiedAccuracy, ClassName, check_sizes, plain_names
from textward.certificates.votes import check_integer
from textward.data import Wanted, fragments
from textward.engine import Engine, Progress, engine_of
from textward.errors import DataError, UsageError
from textward.estimator.assumptions import assumptions
from textward.estimator.blocks import check_on_bad_block, fit_blocks, is_counted, read_whole
from textward.estimator.bulk import Predicted, fingerprint_of, predict_files
from textward.estimator.empirical import MeasuredVoters
from textward.estimator.fitting import Fitted, fit_ballots, fit_cascade, fit_hashed
from textward.estimator.frontier import THETAS, frontier, theta_for
from textward.estimator.guard import GuardModel
from textward.estimator.inputs import blocks, class_indexes, label_array, target_array, text_series
from textward.estimator.settings import Settings, settings
from textward.estimator.training import Skipped, Training
from textward.groups import BlockGroups, EveryWord, HashGroups, LearnedGroups
from textward.influence import LEAST_ROWS, PER_TEXT
from textward.words.columns import IntArray

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from textward.learners.ballots import Neighbours


@dataclass(frozen=True, slots=True)
class Certificates:
    """Each text's label, the number of trigger words that cannot change it, and the tally behind it.

    >>> marks = np.array([True]), np.array([False])
    >>> Certificates(np.array(["bad"]), np.array([1]), np.array([[3, 0]]), *marks).radius.tolist()
    [1]
    """

    labels: npt.NDArray[Any]
    """The user's class values."""
    radius: IntArray
    tally: IntArray
    """Votes, or summed ballots, per class."""
    holds: npt.NDArray[np.bool_]
    """Whether an attacker's rows alone cannot change the label; where they can, the radius means nothing."""
    handed_over: npt.NDArray[np.bool_]
    """Whether a cascade's fallback gave the label, of which nothing is certified."""


class TextGuard(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A text classifier that says of each prediction how many trigger words could not have changed it.

    ``groups`` is a number of groups that words are hashed into, "words" for ballots, or a design such as
    "fano", by which each base model reads several buckets of words. ``row_groups`` splits the rows as well,
    so that base models withstand rows of an attacker's own; ``rows_by`` says by what. ``rule`` says how votes
    become an answer: "plurality", "runoff" or "soft:K".

    ``mode="empirical"`` keeps more of the texts' meaning and gives up the certificate: words that are among
    the ``influential_words`` most influential ones of at least ``influential_rows`` texts are potential
    triggers and go to one group; all others go to every group.

    With ``cascade``, a scikit-learn classifier or the name of one, ballots answer where they lead by
    ``theta`` whole ballots or more, and the classifier, trained on whole texts, answers elsewhere. A
    certified answer is the ballots' own: no trigger within its radius changes it or hands it over. Fix
    ``theta`` beforehand, or by `theta_for` on rows that nobody else touched.

    ``trigger_size``, for ballots, is the number of trigger words that matters most to you: 0 is best while
    nothing is planted, 3 against triggers of three words and more.

    ``neighbours``, for ballots, is a public list of words and the words near them: what a word says is lent
    to its neighbours, and the certificate counts what a trigger word can do through them.

    >>> texts = ["good fun", "great fun", "good film", "dull", "bad and dull", "bad film"]
    >>> guard = TextGuard(groups=3).fit(texts, ["+", "+", "+", "-", "-", "-"])
    >>> guard.predict(["a good film, great fun"]).tolist()
    ['+']
    >>> guard.certify(["a good film, great fun"]).radius.tolist()
    [1]
    """

    classes_: npt.NDArray[Any]
    """The class values, in order."""
    groups_: HashGroups | BlockGroups | EveryWord | LearnedGroups
    training_: Training
    """What the model was trained on and with."""
    model_: GuardModel
    skipped_: tuple[Skipped, ...]
    """The blocks of `fit_files` that were passed over."""

    def __init__(
        self,
        groups: int | str = 7,
        learner: Any = "linear",
        hash: str = "md5",
        seed: int = 0,
        *,
        mode: str = "certified",
        rows: int = 0,
        cascade: Any = None,
        theta: float | None = None,
        row_groups: int = 1,
        rows_by: str = "text",
        rule: str = "plurality",
        neighbours: Neighbours | str | Path | None = None,
        trigger_size: int | None = None,
        words: str | Callable[[str], list[str]] = "unicode",
        order: str | Path | None = None,
        n_jobs: int | None = None,
        engine: str | Engine = "local",
        influential_words: int = PER_TEXT,
        influential_rows: int = LEAST_ROWS,
    ) -> None:
        self.groups = groups
        self.learner = learner
        self.hash = hash
        self.seed = seed
        self.mode = mode
        self.rows = rows
        self.cascade = cascade
        self.theta = theta
        self.row_groups = row_groups
        self.rows_by = rows_by
        self.rule = rule
        self.neighbours = neighbours
        self.trigger_size = trigger_size
        self.words = words
        self.order = order
        self.n_jobs = n_jobs
        self.engine = engine
        self.influential_words = influential_words
        self.influential_rows = influential_rows

    def fit(self, X: Any, y: Any, *, progress: Progress | None = None) -> TextGuard:
        """Train on texts and their labels; `progress` is told how many groups of how many are done."""
        chosen = self._settings()
        texts = text_series(X)
        if not len(texts):
            raise DataError("there are no rows to train on: Found array with 0 sample(s). Give at least two.")
        labels = target_array(y, len(texts))
        if not isinstance(chosen.groups, EveryWord):
            return assemble(
                self, chosen, fit_hashed(chosen, (texts, labels), engine=self._engine(), progress=progress)
            )
        if chosen.cascade is not None:
            return assemble(self, chosen, fit_cascade(chosen, (texts, labels), progress=progress))
        return assemble(
            self, chosen, fit_ballots(chosen, ((texts[block], labels[block]) for block in blocks(texts)))
        )

    def fit_batches(self, batches: Iterable[tuple[Any, Any]]) -> TextGuard:
        """Train ballots on batches of (texts, labels), in memory that does not grow with the rows.

        >>> TextGuard(groups="words").fit_batches([(["fun"], [1]), (["dull"], [0])]).predict(["fun"]).tolist()
        [1]
        """
        chosen = self._settings()
        if not isinstance(chosen.groups, EveryWord):
            raise UsageError(
                f"groups={self.groups!r} needs all rows at once: call fit, or train ballots "
                "with groups='words'"
            )
        if chosen.cascade is not None:
            raise UsageError("the second stage of a cascade needs all rows at once: call fit")
        return assemble(self, chosen, fit_ballots(chosen, map(_checked_batch, batches)))

    def fit_files(
        self,
        source: str | Path,
        *,
        text_column: str = "text",
        label_column: str = "label",
        on_bad_block: str = "stop",
        progress: Progress | None = None,
    ) -> TextGuard:
        """Train on the tables of a folder, of an address that fsspec knows, or of one file.

        Ballots and naive Bayes are counted block by block, in memory that does not grow with the rows; other
        learners read all rows first. `skipped_` names the blocks that were passed over, if asked to.

        >>> import tempfile
        >>> from pathlib import Path
        >>> folder = Path(tempfile.mkdtemp())
        >>> pl.DataFrame({"text": ["fun", "dull"], "label": [1, 0]}).write_csv(folder / "a.csv")
        >>> TextGuard(groups="words").fit_files(folder).predict(["fun"]).tolist()
        [1]
        """
        chosen, on_bad = self._settings(), check_on_bad_block(on_bad_block)
        files, wanted = fragments(source), Wanted(text_column, label_column)
        if is_counted(chosen):
            return assemble(self, chosen, fit_blocks(chosen, files, wanted, self._engine(), on_bad, progress))
        (texts, labels), skipped = read_whole(files, wanted, on_bad)
        self.fit(texts, labels, progress=progress)
        self.skipped_ = skipped
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return each text's label."""
        winners = self._model().winners(text_series(X))
        return np.asarray(self.classes_[winners])

    def predict_files(
        self,
        source: str | Path,
        out: str | Path,
        *,
        text_column: str = "text",
        label_column: str | None = None,
        on_bad_block: str = "stop",
        progress: Progress | None = None,
    ) -> Predicted:
        """Write label, votes and radius of every row of a folder, an address or a file into a folder.

        With a column of labels each row says, too, what is right. A run that was stopped goes on when it is
        called again; a part appears whole or not at all.
        """
        on_bad, wanted = check_on_bad_block(on_bad_block), Wanted(text_column, label_column)
        model, training = self._model(), self.training_
        params = {name: repr(value) for name, value in self.get_params().items()}
        about = {name: value for name, value in params.items() if name not in ("engine", "n_jobs")}
        mark = fingerprint_of(about, training.digest, training.versions, model.classes)
        files = fragments(source)
        return predict_files(model, mark, files, wanted, Path(out), self._engine(), on_bad, progress)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return each class' share of the votes: texts x classes; no probability in any other sense.

        What a cascade hands over is its fallback's vote alone.
        """
        counts = self._model().deciding_tally(text_series(X))
        total = counts.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, counts / np.maximum(total, 1), 1 / counts.shape[1]))

    def votes(self, texts: Any) -> IntArray:
        """Return the class index each group votes for: texts x groups."""
        return self._model().votes(text_series(texts))

    def tally(self, texts: Any) -> IntArray:
        """Return each class' votes (or ballots, in 1/1024 of a word's ballot): texts x classes."""
        return self._model().tally(text_series(texts))

    def certify(self, texts: Any, rows: int = 0) -> Certificates:
        """Return each text's label and the number of trigger words that cannot change it.

        With `rows` an attacker may besides have added, deleted, rewritten or relabelled so many rows; where
        `rows_by` is "place", rewritten or relabelled in their place.
        """
        rows = check_integer("rows", rows, least=0)
        found = self._model().certify(text_series(texts), rows)
        labels = np.asarray(self.classes_[found.winners])
        return Certificates(labels, found.radius, found.tally, found.holds, found.handed_over)

    def certified_accuracy(
        self,
        texts: Any,
        labels: Any,
        trigger_sizes: Iterable[int] = range(4),
        method: str = "joint",
        target: ClassName | None = None,
        rows: int = 0,
        rule: str | None = None,
    ) -> CertifiedAccuracy:
        """Return the share of a test set that is right and stays so, whatever t trigger words do.

        With `rows` an attacker may besides have added, deleted, rewritten or relabelled so many rows. `rule`
        judges the votes of hashed groups by another rule than the model's own: "runoff", "soft:4",
        "abstain:1" (an answer is given only where its radius is so large), or "targeted" (a text falls only
        when it is answered `target`).

        >>> guard = TextGuard(groups=3).fit(["good fun film", "bad dull film"] * 2, [1, 0] * 2)
        >>> guard.certified_accuracy(["good fun film", "bad dull film"], [1, 0], range(2)).all
        (1.0, 0.5)
        """
        model, series = self._model(), text_series(texts)
        indexes = class_indexes(label_array(labels, len(series)), self.classes_)
        rows = check_integer("rows", rows, least=0)
        return model.accuracy(series, indexes, check_sizes(trigger_sizes), method, target, rows, rule)

    def frontier(
        self,
        texts: Any,
        labels: Any,
        thetas: Iterable[float] = THETAS,
        trigger_sizes: Iterable[int] = range(3),
        method: str = "joint",
    ) -> dict[float, CertifiedAccuracy]:
        """Return what a test set's certified accuracy would be with other values of `theta`.

        The figure at 0 trigger words is the clean accuracy of the whole cascade. Each figure holds for a
        theta fixed beforehand: one chosen after a look at this model is a way from its rows to its answers.

        >>> guard = TextGuard("words", cascade="tfidf").fit(["good fun", "bad and dull"], [1, 0])
        >>> {theta: one.all for theta, one in guard.frontier(["good"], [1], [0, 2]).items()}
        {0: (1.0, 0.0, 0.0), 2: (1.0, 0.0, 0.0)}
        """
        series = text_series(texts)
        indexes = class_indexes(label_array(labels, len(series)), self.classes_)
        return frontier(self._model(), series, indexes, thetas, check_sizes(trigger_sizes), method)

    def theta_for(self, texts: Any, labels: Any, accuracy: float) -> float:
        """Return the least theta with which cascades of these rows alone reach an accuracy.

        The rows must be ones that nobody else touched, beside those to train on. Theta is then a function of
        them, and of nothing an attacker can reach. It is judged by folds: train on some rows, ask the others.
        """
        series = text_series(texts)
        return theta_for(self, series, target_array(labels, len(series)), accuracy)

    def assumptions(self) -> list[str]:
        """Return, in plain sentences, what the guarantee covers and what it does not."""
        return assumptions(self._model())

    def save(self, path: str | Path) -> None:
        """Write the model to a directory; `textward.load` reads it."""
        from textward.persistence import save

        self._model()
        save(self, path)

    def push_to_hub(self, repo_id: str, **options: Any) -> str:
        """Upload the model to the Hugging Face hub; return the address of the commit."""
        from textward.persistence import push_to_hub

        self._model()
        return push_to_hub(self, repo_id, **options)

    @classmethod
    def from_pretrained(cls, repo_id: str, **options: Any) -> TextGuard:
        """Download a model from the Hugging Face hub, compare it with its manifest, and load it."""
        from textward.persistence import from_pretrained

        return from_pretrained(repo_id, **options)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _settings(self) -> Settings:
        return settings(
            self.groups,
            self.learner,
            self.hash,
            self.seed,
            self.mode,
            self.words,
            self.order,
            self.influential_words,
            self.influential_rows,
            self.rows,
            self.cascade,
            self.theta,
            self.row_groups,
            self.rows_by,
            self.rule,
            self.neighbours,
            self.trigger_size,
        )

    def _engine(self) -> Engine:
        return engine_of(self.engine, self.n_jobs)

    def _model(self) -> GuardModel:
        check_is_fitted(self, "model_")
        return self.model_


def assemble(guard: TextGuard, chosen: Settings, fitted: Fitted) -> TextGuard:
    """Give an estimator what training, or a file, made."""
    guard.classes_ = fitted.classes
    voters = fitted.voters
    guard.groups_ = voters.groups if isinstance(voters, MeasuredVoters) else chosen.groups
    guard.training_ = fitted.training
    guard.skipped_ = tuple(fitted.skipped)
    names = plain_names(fitted.classes.tolist())
    guard.model_ = GuardModel(chosen.cutter, names, fitted.voters, fitted.obstacle)
    return guard


def _checked_batch(batch: tuple[Any, Any]) -> tuple[pl.Series, npt.NDArray[Any]]:
    texts, labels = batch
    series = text_series(texts)
    return series, target_array(labels, len(series))
