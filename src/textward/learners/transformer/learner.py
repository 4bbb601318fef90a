"""The engine behind the interface that every learner has: sub-datasets in, votes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from textward.engine import HERE, Engine, Progress
from textward.groups import Grouped
from textward.learners.seeds import group_seed
from textward.learners.shares import from_floats, shares_of
from textward.learners.transformer.checkpoint import PLAIN, Checkpoints
from textward.learners.transformer.embedding import EmbeddingModel, train_heads
from textward.learners.transformer.encoder import IntArray, load_encoder
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.settings import WHOLE_TEXT, Settings
from textward.learners.transformer.training import Progress as OnStep
from textward.learners.transformer.training import train

PAPER_ENCODER = "bert-base-uncased"
LIBRARIES = ("torch", "transformers", "tokenizers")


@dataclass(frozen=True, slots=True)
class TransformerLearner:
    """Fine-tunes one encoder a group, all groups in lockstep; with one group, one encoder on whole texts.

    ``checkpoint`` is a folder: a run that was killed goes on from there, to the same bits on a CPU.
    ``on_step`` hears of the steps done, of all, and of the loss.

    >>> TransformerLearner("bert-base-uncased", Settings(epochs=3)).settings.epochs
    3
    """

    encoder: str = PAPER_ENCODER
    settings: Settings = field(default_factory=Settings)
    checkpoint: Path | None = None
    on_step: OnStep | None = field(default=None, compare=False, repr=False)
    reads_order: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = LIBRARIES

    def of_whole_texts(self, plain: bool) -> TransformerLearner:
        """Return the learner for base models that read whole texts, or for the one plain classifier."""
        checkpoint = self.checkpoint
        if plain and checkpoint is not None:
            checkpoint = Path(checkpoint) / PLAIN
        return replace(self, settings=replace(self.settings, whole_texts=True), checkpoint=checkpoint)

    def train(
        self,
        grouped: Grouped,
        labels: IntArray,
        classes: int,
        seed: int,
        *,
        engine: Engine = HERE,
        progress: Progress | None = None,
    ) -> TransformerEnsemble:
        """Train every group's base model; ``progress`` hears of the steps done, and of all."""
        return self.train_texts(sub_texts(grouped), labels, classes, seed, engine=engine, progress=progress)

    def train_texts(
        self,
        texts: Sequence[Sequence[str]],
        labels: IntArray,
        classes: int,
        seed: int,
        *,
        engine: Engine = HERE,
        progress: Progress | None = None,
    ) -> TransformerEnsemble:
        """Train on each group's sub-texts as strings; one group of whole texts is plain fine-tuning."""
        encoder = load_encoder(self.encoder, classes)
        seeds = [group_seed(seed, group) for group in range(len(texts))]
        checkpoints = None if self.checkpoint is None else Checkpoints(Path(self.checkpoint))

        def hear(done: int, steps: int, loss: float) -> None:
            if progress is not None:
                progress(done, steps)
            if self.on_step is not None:
                self.on_step(done, steps, loss)

        model = train(
            encoder,
            self.settings,
            texts,
            labels,
            seeds,
            checkpoints=checkpoints,
            progress=hear,
            engine=engine,
        )
        return TransformerEnsemble(model, self.settings.device)


@dataclass(frozen=True, slots=True, eq=False)
class TransformerEnsemble:
    """m fine-tuned encoders; ``device`` is where they predict."""

    model: TransformerModel
    device: str = "auto"
    kind: ClassVar[Literal["transformer"]] = "transformer"

    @property
    def groups(self) -> int:
        """The number of base models."""
        return len(self.model.groups)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.model.encoder.classes

    @property
    def trusted(self) -> str:
        """The pretrained encoder and the digest of its weights, for the assumptions."""
        return f"the encoder {self.model.encoder.name!r}, SHA-256 {self.model.digest}"

    @property
    def learner(self) -> TransformerLearner:
        """What would train it again."""
        return TransformerLearner(self.model.encoder.name, self.model.settings)

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        return self.votes_of(sub_texts(grouped))

    def votes_of(self, texts: Sequence[Sequence[str]]) -> IntArray:
        """Return the votes on each group's sub-texts as strings."""
        return self.model.votes(texts, self.device)

    def shares(self, grouped: Grouped) -> IntArray:
        """Return how sure each base model is: texts x groups x classes, in 1/2**20."""
        own = enumerate(sub_texts(grouped))
        return np.stack(
            [shares_of(from_floats(self.model.logits(j, t, self.device))) for j, t in own], axis=1
        )

    def features_of(self, texts: Sequence[str]) -> npt.NDArray[np.floating]:
        """Return the vectors that the head of the only base model makes logits of."""
        return self.model.features(0, texts, self.device)

    def save(self, folder: Path) -> None:
        """Write the model into a folder."""
        self.model.save(folder)

    @classmethod
    def load(cls, folder: Path) -> TransformerEnsemble:
        """Read what ``save`` wrote."""
        return cls(TransformerModel.load(folder))


@dataclass(frozen=True, slots=True)
class EmbeddingLearner:
    """A frozen encoder and one linear head a group.

    >>> EmbeddingLearner("minilm").strength
    10.0
    """

    encoder: str = PAPER_ENCODER
    strength: float = 10.0
    max_length: int | None = None
    device: str = "auto"
    reads_order: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = LIBRARIES

    def of_whole_texts(self, plain: bool) -> EmbeddingLearner:
        """Return the learner for heads that read whole texts."""
        return replace(self, max_length=self.max_length or WHOLE_TEXT)

    def train(
        self,
        grouped: Grouped,
        labels: IntArray,
        classes: int,
        seed: int,
        *,
        engine: Engine = HERE,
        progress: Progress | None = None,
    ) -> EmbeddingEnsemble:
        """Fit every group's head; nothing is drawn, so the seed changes nothing."""
        model = train_heads(
            load_encoder(self.encoder, classes),
            sub_texts(grouped),
            labels,
            strength=self.strength,
            max_length=self.max_length,
            device=self.device,
            progress=progress,
        )
        return EmbeddingEnsemble(model, self.device)


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingEnsemble:
    """m linear heads on one frozen encoder."""

    model: EmbeddingModel
    device: str = "auto"
    kind: ClassVar[Literal["embedding"]] = "embedding"

    @property
    def groups(self) -> int:
        """The number of heads."""
        return len(self.model.slopes)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.model.slopes.shape[1])

    @property
    def trusted(self) -> str:
        """The frozen encoder and the digest of its weights, for the assumptions."""
        return f"the encoder {self.model.encoder.name!r}, SHA-256 {self.model.digest}"

    @property
    def learner(self) -> EmbeddingLearner:
        """What would train it again."""
        return EmbeddingLearner(self.model.encoder.name, self.model.strength, self.model.length)

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        return self.model.votes(sub_texts(grouped), self.device)

    def shares(self, grouped: Grouped) -> IntArray:
        """Return how sure each head is: texts x groups x classes, in 1/2**20."""
        own = enumerate(sub_texts(grouped))
        return np.stack(
            [shares_of(from_floats(self.model.logits(j, t, self.device))) for j, t in own], axis=1
        )

    def features_of(self, texts: Sequence[str]) -> npt.NDArray[np.floating]:
        """Return the logits of the only head: the frozen encoder's own vectors know nothing of the rows."""
        return self.model.logits(0, texts, self.device)

    def save(self, folder: Path) -> None:
        """Write the model into a folder."""
        self.model.save(folder)

    @classmethod
    def load(cls, folder: Path) -> EmbeddingEnsemble:
        """Read what ``save`` wrote."""
        return cls(EmbeddingModel.load(folder))


def sub_texts(grouped: Grouped) -> list[list[str]]:
    """Return each group's sub-texts as strings.

    >>> from textward.groups import HashGroups
    >>> from textward.words import UnicodeWords
    >>> sub_texts(HashGroups(2).split(UnicodeWords().cut(pl.Series(["a b", ""]))))
    [['', ''], ['a b', '']]
    """
    return [grouped.group(j).texts().to_list() for j in range(grouped.groups)]
