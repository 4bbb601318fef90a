"""A base model at work: batches of one group's sub-texts, shortest first, and nothing of another group's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from textward.errors import UsageError
from textward.learners.transformer.encoder import Encoded, Encoder, IntArray
from textward.learners.transformer.layout import layout_of
from textward.learners.transformer.memory import precision_of
from textward.learners.transformer.network import LORA_SCALE, Network, Projection, Stacked, Weights
from textward.learners.transformer.operations import PlainOperations, Words
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.state import THIN
from textward.learners.transformer.weights import GroupWeights

TOKENS_AT_ONCE = {"cpu": 4096, "cuda": 65536}
Forward = Callable[[Encoded], torch.Tensor]


def in_batches(
    encoded: Encoded, forward: Forward, width: int, device: torch.device
) -> npt.NDArray[np.float32]:
    """Apply a function to every text, texts of like length together: texts x width."""
    out = np.zeros((encoded.rows, width), np.float32)
    for rows in _batches(encoded.lengths, TOKENS_AT_ONCE[device.type]):
        batch = Encoded(encoded.tokens[rows], encoded.lengths[rows]).trimmed()
        with torch.inference_mode():
            out[rows] = forward(batch).float().cpu().numpy()
    return out


def _batches(lengths: IntArray, tokens: int) -> list[IntArray]:
    """Row numbers, shortest texts first, cut where a padded batch would hold too many tokens."""
    order = np.argsort(lengths, kind="stable")
    cuts = [0]
    for end in range(1, len(order) + 1):
        if (end - cuts[-1]) * int(lengths[order[end - 1]]) > tokens:
            cuts.append(end - 1)
    pieces = [order[low:high] for low, high in zip(cuts, [*cuts[1:], len(order)], strict=True)]
    return [piece for piece in pieces if len(piece)]


class Reader:
    """One base model of the fused engine's families, its word table cut to the tokens of some texts.

    What ``weights`` lacks is the pretrained encoder's. ``settings`` say what it computes in.
    """

    def __init__(
        self,
        encoder: Encoder,
        weights: GroupWeights,
        encoded: Encoded,
        length: int,
        device: torch.device,
        settings: Settings | None = None,
    ) -> None:
        if encoder.architecture is None:
            raise UsageError(f"the fused engine does not know the architecture of {encoder.name!r}")
        self.device = device
        real = np.arange(encoded.tokens.shape[1]) < encoded.lengths[:, None]
        self.used = np.unique(encoded.tokens[real])
        layout = layout_of(encoder.architecture, length, encoder.classes)
        dtype = precision_of(settings or Settings(), device)
        projections: dict[str, Projection] = {
            name: Stacked(_matrix(encoder, weights, name, block)[None].to(device, dtype))
            for name, block in layout.matrices.blocks.items()
        }
        rest = {
            name: (weights.blocks[name] if name in weights.blocks else encoder.block(block))[None].to(device)
            for name, block in layout.rest.blocks.items()
        }
        table = _table(encoder, weights, self.used).to(device)
        own = Weights(projections, rest, {}, table, dtype)
        self.network = Network(encoder.architecture, own, PlainOperations(), None)

    def logits(self, batch: Encoded) -> torch.Tensor:
        """Return texts x classes."""
        return self.network.forward(self._words(batch))[0]

    def features(self, batch: Encoded) -> torch.Tensor:
        """Return what the head makes logits of: texts x width."""
        return self.network.features(self._words(batch))[0]

    def vectors(self, batch: Encoded) -> torch.Tensor:
        """Return the mean of each text's last vectors, at length 1: texts x width."""
        words = self._words(batch)
        hidden = self.network.hidden(words)[0].float()
        real = torch.arange(hidden.shape[1], device=self.device) < words.lengths[0, :, None]
        return torch.nn.functional.normalize((hidden * real[..., None]).sum(1), dim=-1)

    def _words(self, batch: Encoded) -> Words:
        real = np.arange(batch.tokens.shape[1]) < batch.lengths[:, None]
        rows = np.where(real, np.searchsorted(self.used, batch.tokens), len(self.used))
        tokens, lengths = torch.from_numpy(rows)[None], torch.from_numpy(batch.lengths.astype(np.int64))[None]
        return Words(tokens.to(self.device), lengths.to(self.device))


def _matrix(encoder: Encoder, weights: GroupWeights, name: str, block: Any) -> torch.Tensor:
    """A trained matrix, or the pretrained one, with its adapters added where there are any."""
    if name in weights.blocks:
        return weights.blocks[name]
    whole = encoder.block(block)
    sides = [weights.blocks.get(f"{name}.{side}") for side in THIN]
    if sides[0] is None or sides[1] is None:
        return whole
    return whole + LORA_SCALE * sides[1].cpu() @ sides[0].cpu()


def _table(encoder: Encoder, weights: GroupWeights, used: npt.NDArray[Any]) -> torch.Tensor:
    """The vectors of these tokens, trained where the group's texts held them, and zeros for padding."""
    table = encoder.word_table[torch.from_numpy(used.astype(np.int64))] * weights.decay
    place = np.searchsorted(weights.tokens, used)
    known = np.zeros(len(used), bool)
    inside = place < len(weights.tokens)
    known[inside] = weights.tokens[place[inside]] == used[inside]
    if known.any():
        table[torch.from_numpy(known)] = weights.vectors.cpu()[torch.from_numpy(place[known])]
    return torch.cat([table, table.new_zeros((1, table.shape[1]))])
