"""One base model's weights, as training hands them over and prediction and disk take them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from textward.learners.transformer.encoder import IntArray
from textward.learners.transformer.network import Tensors


@dataclass(frozen=True, slots=True, eq=False)
class GroupWeights:
    """One group's trained weights: named blocks, and the vectors of the tokens its texts held.

    Every other token's vector is the pretrained one times ``decay``.
    """

    blocks: Tensors
    tokens: IntArray
    vectors: torch.Tensor
    decay: float

    def to(self, device: torch.device) -> GroupWeights:
        """Return the weights on a device."""
        blocks = {name: block.to(device) for name, block in self.blocks.items()}
        return replace(self, blocks=blocks, vectors=self.vectors.to(device))


def untrained() -> GroupWeights:
    """Return a base model that is the pretrained encoder itself.

    >>> untrained().blocks
    {}
    """
    return GroupWeights({}, np.zeros(0, np.int64), torch.zeros((0, 0)), 1.0)
