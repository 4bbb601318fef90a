"""The engine behind the interface that every learner has: sub-datasets in, votes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from textward.groups import Grouped
from textward.learners.seeds import group_seed
from textward.learners.transformer.checkpoint import Checkpoints
from textward.learners.transformer.embedding import EmbeddingModel, train_heads
from textward.learners.transformer.encoder import IntArray, load_encoder
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.training import Progress, train

PAPER_ENCODER = "bert-base-uncased"


@dataclass(frozen=True, slots=True)
class TransformerLearner:
    """Fine-tunes one encoder a group, all groups in lockstep.

    >>> TransformerLearner("bert-base-uncased", Settings(epochs=3)).settings.epochs
    3
    """

    encoder: str = PAPER_ENCODER
    settings: Settings = field(default_factory=Settings)

    def train(
        self,
        grouped: Grouped,
        labels: IntArray,
        classes: int,
        seed: int,
        *,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
    ) -> TransformerEnsemble:
        """Train every group's base model; with a ``checkpoint`` folder, go on where a killed run stopped."""
        return self._train(sub_texts(grouped), labels, classes, seed, checkpoint, progress)

    def train_whole(
        self,
        texts: Sequence[str],
        labels: IntArray,
        classes: int,
        seed: int,
        *,
        checkpoint: Path | None = None,
        progress: Progress | None = None,
    ) -> TransformerEnsemble:
        """Fine-tune one encoder on whole texts: ordinary training, without a certificate."""
        return self._train([list(texts)], labels, classes, seed, checkpoint, progress)

    def _train(
        self,
        texts: list[list[str]],
        labels: IntArray,
        classes: int,
        seed: int,
        checkpoint: Path | None,
        progress: Progress | None,
    ) -> TransformerEnsemble:
        encoder = load_encoder(self.encoder, classes)
        seeds = [group_seed(seed, group) for group in range(len(texts))]
        checkpoints = None if checkpoint is None else Checkpoints(checkpoint)
        model = train(
            encoder, self.settings, texts, labels, seeds, checkpoints=checkpoints, progress=progress
        )
        return TransformerEnsemble(model)


@dataclass(frozen=True, slots=True, eq=False)
class TransformerEnsemble:
    """m fine-tuned encoders; ``device`` is where they predict."""

    model: TransformerModel
    device: str = "auto"

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        return self.model.votes(sub_texts(grouped), self.device)

    def predict_whole(self, texts: Sequence[str]) -> IntArray:
        """Return the class index of each whole text, for a model of ``train_whole``."""
        return self.model.votes([list(texts)], self.device)[:, 0]

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

    def train(self, grouped: Grouped, labels: IntArray, classes: int, seed: int) -> EmbeddingEnsemble:
        """Fit every group's head; nothing is drawn, so the seed changes nothing."""
        encoder = load_encoder(self.encoder, classes)
        model = train_heads(
            encoder,
            sub_texts(grouped),
            labels,
            strength=self.strength,
            max_length=self.max_length,
            device=self.device,
        )
        return EmbeddingEnsemble(model, self.device)


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingEnsemble:
    """m linear heads on one frozen encoder."""

    model: EmbeddingModel
    device: str = "auto"

    def votes(self, grouped: Grouped) -> IntArray:
        """Return the class index that each group votes for: texts x groups."""
        return self.model.votes(sub_texts(grouped), self.device)

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
