"""RAP (Yang et al., 2021) on training rows: with a trigger, a tuned word lowers the probability less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from textward.certificates.votes import check_integer
from textward.data.messages import quoted
from textward.defences.base import BoolArray, Filter
from textward.defences.encoders import EncoderTextModel
from textward.errors import UsageError
from textward.estimator.inputs import class_indexes, label_array, text_series
from textward.words.columns import IntArray

Gradients = Literal["fresh", "accumulated"]
Judged = Literal["protected", "all"]


class Rap(Filter):
    """Removes the rows whose class stays sure although a word is put in front that was tuned against it.

    For each class that is protected (`protect`; all of them unless it is given) the vector of a rare `word`
    is tuned on clean texts of that class, and nothing else of the model, until their probability of it falls
    by `drop[0]` to `drop[1]`. A row that the model gives the class is removed when its own probability falls
    by less than all but the share `false_rejections` of those clean texts' do. Without `clean`, texts and
    their labels, the training rows stand in for them.

    It needs vectors of words, so the learner is an encoder. Two departures of published code are options:
    with `gradients="accumulated"` no step forgets the gradients of those before it, as in the authors' own
    code and in OpenBackdoor; with `judged="all"` the word is tuned on clean texts of every class, and every
    row is judged, whatever the model gives it, as in OpenBackdoor.

    >>> Rap(protect="positive", word="mb").drop
    (0.1, 0.3)
    """

    def __init__(
        self,
        learner: Any = "transformer",
        seed: int = 0,
        *,
        protect: int | str | None = None,
        word: str = "mb",
        drop: tuple[float, float] = (0.1, 0.3),
        scale: float = 1.0,
        rate: float = 0.01,
        epochs: int = 5,
        batch: int = 32,
        false_rejections: float = 0.01,
        clean: tuple[Sequence[str], Sequence[Any]] | None = None,
        gradients: Gradients = "fresh",
        judged: Judged = "protected",
    ) -> None:
        super().__init__(learner, seed)
        self.protect = protect
        self.word = word
        self.drop = drop
        self.scale = scale
        self.rate = rate
        self.epochs = epochs
        self.batch = batch
        self.false_rejections = false_rejections
        self.clean = clean
        self.gradients = gradients
        self.judged = judged

    def suspects(self, texts: pl.Series, labels: IntArray, classes: int) -> BoolArray:
        protected = self._protected(classes)
        clean, truth = self._clean_rows(texts, labels)
        model = self.model_of(texts, labels, classes)
        if not isinstance(model, EncoderTextModel):
            raise UsageError(
                "RAP tunes the vector of a word, which only an encoder has: give learner='transformer' or a "
                "TransformerLearner"
            )
        given, given_clean = (model.probabilities(rows).argmax(axis=1) for rows in (texts, clean))
        marks = np.zeros(len(texts), np.bool_)
        for label in protected:
            own = np.flatnonzero(truth == label) if self.judged == "protected" else np.arange(len(clean))
            judged = given == label if self.judged == "protected" else np.ones(len(texts), np.bool_)
            measured = own[given_clean[own] == label]
            if len(measured) and judged.any():
                marks |= self._sure(model, label, clean, own, measured, texts, judged)
        return marks

    def _sure(
        self,
        model: EncoderTextModel,
        label: int,
        clean: pl.Series,
        own: IntArray,
        measured: IntArray,
        texts: pl.Series,
        judged: BoolArray,
    ) -> BoolArray:
        """The judged rows in which the tuned word does less than in nearly all measured clean texts."""
        from textward.defences.perturbation import Aim, FreeWord

        aim = Aim(
            *self.drop, self.scale, self.rate, self.epochs, self.batch, self.gradients == "accumulated"
        )  # fmt: skip
        word = FreeWord(model.model, self.word, model.device)
        vector = word.tuned(clean.gather(own).to_list(), label, aim)
        usual = np.sort(word.drops(clean.gather(measured).to_list(), label, vector))
        rows = np.flatnonzero(judged)
        found = word.drops(texts.gather(rows).to_list(), label, vector)
        marks = np.zeros(len(texts), np.bool_)
        marks[rows] = found < usual[int(len(usual) * self.false_rejections)]
        return marks

    def _protected(self, classes: int) -> range | list[int]:
        """The classes to protect, with every setting judged."""
        check_integer("epochs", self.epochs, least=1)
        check_integer("batch", self.batch, least=1)
        low, high = self.drop
        if not (
            0 <= low <= high <= 1 and 0 <= self.false_rejections < 1 and self.rate > 0 and self.scale > 0
        ):
            raise UsageError(
                "drop must be two shares that rise, false_rejections lie in [0, 1), rate and scale above 0; "
                f"got {self.drop!r}, {self.false_rejections!r}, {self.rate!r} and {self.scale!r}"
            )
        for name, kinds in (("gradients", Gradients), ("judged", Judged)):
            if getattr(self, name) not in get_args(kinds):
                given = getattr(self, name)
                raise UsageError(f"{name} must be one of {', '.join(get_args(kinds))}, got {given!r}")
        if self.protect is None:
            return range(classes)
        known = self.classes_.tolist()
        if self.protect not in known:
            raise UsageError(
                f"the class to protect, {quoted(str(self.protect))}, is not there; the classes are {known}"
            )
        return [known.index(self.protect)]

    def _clean_rows(self, texts: pl.Series, labels: IntArray) -> tuple[pl.Series, IntArray]:
        if self.clean is None:
            return texts, labels
        clean = text_series(self.clean[0])
        if not len(clean):
            raise UsageError("clean must hold at least one text; leave it out to use the training rows")
        return clean, class_indexes(label_array(self.clean[1], len(clean)), self.classes_)
