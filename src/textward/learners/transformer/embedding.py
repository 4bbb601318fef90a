"""A frozen encoder, read once, and a linear head a group: minutes on a CPU."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from sklearn.linear_model import LogisticRegression

from textward.errors import ModelError
from textward.learners.transformer.encoder import Encoder, IntArray, length_for, load_encoder, quiet
from textward.learners.transformer.memory import device_of
from textward.learners.transformer.predict import Reader, in_batches
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.weights import untrained

Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingModel:
    """m linear heads on one frozen encoder: slopes are groups x classes x width."""

    encoder: Encoder
    length: int
    slopes: Floats
    intercepts: Floats
    strength: float
    digest: str
    """SHA-256 of the encoder's weights."""

    def votes(self, texts: Sequence[Sequence[str]], device: str = "auto") -> IntArray:
        """Return each head's class for each text, texts x groups."""
        columns = [self.logits(group, own, device).argmax(1) for group, own in enumerate(texts)]
        return np.stack(columns, axis=1).astype(np.int64)

    def logits(self, group: int, texts: Sequence[str], device: str = "auto") -> Floats:
        """Return one head's logits; each distinct text is read once."""
        vectors, place = embedded(self.encoder, texts, self.length, device)
        return np.asarray((vectors @ self.slopes[group].T + self.intercepts[group])[place])

    def save(self, folder: Path) -> None:
        """Write the encoder and the heads."""
        folder.mkdir(parents=True, exist_ok=True)
        with quiet():
            self.encoder.module().save_pretrained(folder / "encoder")
        self.encoder.tokenizer.save_pretrained(folder / "encoder")
        save_file({"slopes": self.slopes, "intercepts": self.intercepts}, folder / "heads.safetensors")
        facts = {
            "encoder": self.encoder.name,
            "length": self.length,
            "strength": self.strength,
            "digest": self.digest,
        }
        (folder / "embedding.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> EmbeddingModel:
        """Read what ``save`` wrote."""
        try:
            tensors = load_file(folder / "heads.safetensors")
            facts = json.loads((folder / "embedding.json").read_text(encoding="utf-8"))
            encoder = load_encoder(str(folder / "encoder"), tensors["slopes"].shape[1])
            return cls(
                replace(encoder, name=facts["encoder"]),
                facts["length"],
                tensors["slopes"],
                tensors["intercepts"],
                facts["strength"],
                facts["digest"],
            )
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise ModelError(
                f"no embedding model could be read from {str(folder)!r}: {error}; train or copy it again"
            ) from error


def train_heads(
    encoder: Encoder,
    texts: Sequence[Sequence[str]],
    labels: IntArray,
    *,
    strength: float = 10.0,
    max_length: int | None = None,
    device: str = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> EmbeddingModel:
    """Fit one logistic regression a group on the encoder's vectors; ``strength`` is the inverse penalty."""
    length = length_for(encoder, Settings(max_length=max_length), len(texts))
    slopes, intercepts = [], []
    for number, own in enumerate(texts, 1):
        vectors, place = embedded(encoder, own, length, device)
        slope, intercept = _head(vectors[place], labels, encoder.classes, strength)
        slopes.append(slope)
        intercepts.append(intercept)
        if progress is not None:
            progress(number, len(texts))
    return EmbeddingModel(encoder, length, np.stack(slopes), np.stack(intercepts), strength, encoder.digest())


def embedded(encoder: Encoder, texts: Sequence[str], length: int, device: str) -> tuple[Floats, IntArray]:
    """Return the vectors of the distinct texts, and which of them each text is."""
    where = device_of(device)
    distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    encoded = encoder.encode(list(distinct), length)
    reader = Reader(encoder, untrained(), encoded, length, where)
    vectors = in_batches(encoded, reader.vectors, encoder.config.hidden_size, where)
    return vectors, np.array([distinct[text] for text in texts], np.int64)


def _head(vectors: Floats, labels: IntArray, classes: int, strength: float) -> tuple[Floats, Floats]:
    """Fit one head; a class without a row never wins."""
    slope = np.zeros((classes, vectors.shape[1]))
    intercept = np.full(classes, -np.inf)
    present = np.unique(labels)
    intercept[present] = 0.0
    if len(present) > 1:
        fitted = LogisticRegression(C=strength, max_iter=1000).fit(vectors, labels)
        two = len(present) == 2
        slope[present[1:] if two else present] = fitted.coef_
        intercept[present[1:] if two else present] = fitted.intercept_
    return slope, intercept
