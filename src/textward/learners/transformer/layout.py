"""One base model's weights as two flat rows, so that an ensemble is a stack and an optimizer step one pass.

The first row holds the matrices, which on a GPU have a bfloat16 copy to compute with; the second the
biases, norms, positions and the head, which stay float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from textward.learners.transformer.architecture import Architecture, Block, blocks

ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Part:
    """A flat row: where each block begins, how long the row is, and how much of it weight decay reaches."""

    starts: dict[str, int]
    blocks: dict[str, Block]
    size: int
    decayed: int

    def views(self, flat: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return each block of a stack of rows (groups x size) in its own shape: groups x shape."""
        return {
            name: flat[:, self.starts[name] : self.starts[name] + block.size].unflatten(1, block.shape)
            for name, block in self.blocks.items()
        }


@dataclass(frozen=True, slots=True)
class Layout:
    """The two rows of a base model."""

    matrices: Part
    rest: Part


def layout_of(architecture: Architecture, length: int, classes: int) -> Layout:
    """Lay out every block but the word table."""
    every = list(blocks(architecture, length, classes))
    return Layout(
        part_of([block for block in every if block.matrix]),
        part_of([block for block in every if not block.matrix]),
    )


def part_of(members: list[Block]) -> Part:
    """Lay blocks out one after another, each at an aligned place; decayed ones must come first."""
    starts: dict[str, int] = {}
    size = decayed = 0
    for block in members:
        starts[block.name] = size
        size += -(-block.size // ALIGNMENT) * ALIGNMENT
        if block.decays:
            decayed = size
    return Part(starts, {block.name: block for block in members}, size, decayed)
