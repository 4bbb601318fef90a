"""A trained encoder in which one word's vector is free: tuned against a class, and what it does measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from textward.data.messages import quoted
from textward.defences.models import FloatArray
from textward.errors import UsageError
from textward.learners.transformer.encoder import Encoded
from textward.learners.transformer.memory import device_of
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.predict import Reader

_READ_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Aim:
    """What the word should do, and how it is brought to it."""

    low: float
    high: float
    scale: float
    rate: float
    epochs: int
    batch: int
    accumulated: bool


class FreeWord:
    """A word put in front of texts.

    Only its vector moves; it keeps its length, so that it stays a word among others.
    """

    def __init__(self, model: TransformerModel, word: str, device: str) -> None:
        if model.encoder.architecture is None:
            raise UsageError(
                f"RAP tunes the vector of a word, and the fused engine does not know the architecture of "
                f"{quoted(model.encoder.name)}: give an encoder of the BERT family"
            )
        self.model = model
        self.word = word
        self.device = device_of(device)
        self.token = _only_token(model, word)

    def tuned(self, texts: Sequence[str], label: int, aim: Aim) -> torch.Tensor:
        """Return the vector that lowers the probability of the class by `low` to `high` in these texts."""
        before = self._whole(texts, label)
        reader, encoded, row = self._reader(texts)
        table = reader.network.weights.table
        vector, length = table[row].clone(), table[row].norm()
        gathered = torch.zeros_like(vector)
        for _ in range(aim.epochs):
            for start in range(0, len(texts), aim.batch):
                rows = np.arange(start, min(start + aim.batch, len(texts)))
                moving = vector.clone().requires_grad_()
                after = _probability(reader, table, row, moving, _some(encoded, rows), label)
                slope = torch.autograd.grad(_loss(before[rows] - after, aim), moving)[0]
                gathered = gathered + slope if aim.accumulated else slope
                vector = vector - aim.rate * gathered
                vector = vector * (length / vector.norm().clamp(min=1e-12))
        return vector

    def drops(self, texts: Sequence[str], label: int, vector: torch.Tensor) -> FloatArray:
        """Return how far the probability of the class falls with the word in front of each text."""
        if not len(texts):
            return np.zeros(0)
        reader, encoded, row = self._reader(texts)
        table = reader.network.weights.table
        after = torch.zeros(len(texts))
        for rows in _alike(encoded, _READ_AT_ONCE):
            with torch.inference_mode():
                found = _probability(reader, table, row, vector, _some(encoded, rows), label)
            after[rows] = found.float().cpu()
        return np.asarray((self._whole(texts, label).cpu() - after).double().numpy())

    def _whole(self, texts: Sequence[str], label: int) -> torch.Tensor:
        logits = torch.from_numpy(self.model.logits(0, list(texts), str(self.device)))
        return logits.softmax(-1)[:, label].to(self.device)

    def _reader(self, texts: Sequence[str]) -> tuple[Reader, Encoded, int]:
        """The encoder with the tokens of these texts, the texts with the word, and its row of the table."""
        model, encoder = self.model, self.model.encoder
        encoded = encoder.encode([f"{self.word} {text}" for text in texts], model.length)
        reader = Reader(encoder, model.groups[0], encoded, model.length, self.device, model.settings)
        return reader, encoded, int(np.searchsorted(reader.used, self.token))


def _only_token(model: TransformerModel, word: str) -> int:
    tokenizer = model.encoder.tokenizer
    pieces = tokenizer(word, add_special_tokens=False)["input_ids"]
    if len(pieces) != 1 or pieces[0] == tokenizer.unk_token_id:
        raise UsageError(
            f"RAP's word must be one token of {quoted(model.encoder.name)}, and {quoted(word)} is not: "
            "name a rare one with word=..."
        )
    return int(pieces[0])


def _probability(
    reader: Reader, table: torch.Tensor, row: int, vector: torch.Tensor, batch: Encoded, label: int
) -> torch.Tensor:
    whole = torch.cat([table[:row], vector[None], table[row + 1 :]])
    reader.network.weights = replace(reader.network.weights, table=whole)
    return reader.logits(batch).softmax(-1)[:, label]


def _loss(drop: torch.Tensor, aim: Aim) -> torch.Tensor:
    too_little, too_much = (aim.low - drop).clamp(min=0), (drop - aim.high).clamp(min=0)
    return aim.scale * too_little.mean() + too_much.mean()


def _some(encoded: Encoded, rows: Any) -> Encoded:
    return Encoded(encoded.tokens[rows], encoded.lengths[rows]).trimmed()


def _alike(encoded: Encoded, size: int) -> list[Any]:
    order = np.argsort(encoded.lengths, kind="stable")
    return [order[start : start + size] for start in range(0, len(order), size)]
