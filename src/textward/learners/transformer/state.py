"""What training changes: the stacked weights of all groups, their gradients and AdamW's two moments."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from textward.errors import ModelError
from textward.learners.seeds import group_seed
from textward.learners.transformer.architecture import Architecture, Block
from textward.learners.transformer.encoder import Encoder
from textward.learners.transformer.layout import Layout, Part, layout_of, part_of
from textward.learners.transformer.network import Adapted, Projection, Stacked, Tensors, Weights

HEAD = ("head", "head_bias", "head_out", "head_out_bias")
THIN = ("inward", "outward")


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A stack of flat rows that the optimizer moves; ``decayed`` weights of each come first.

    ``copy`` is what the matrix products read where that is not the value itself.
    """

    value: torch.Tensor
    gradient: torch.Tensor
    first: torch.Tensor
    second: torch.Tensor
    decayed: int
    copy: torch.Tensor | None = None

    @property
    def read(self) -> torch.Tensor:
        """What the network reads."""
        return self.value if self.copy is None else self.copy


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that training moves; a part that stays frozen is absent."""

    rest: Trained
    matrices: Trained
    table: Trained | None
    weights: Weights
    parts: dict[str, Part]

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return what a checkpoint must hold, by name."""
        out: Tensors = {}
        for name in ("rest", "matrices", "table"):
            part: Trained | None = getattr(self, name)
            if part is not None:
                out |= {
                    f"{name}.value": part.value,
                    f"{name}.first": part.first,
                    f"{name}.second": part.second,
                }
        return out

    def refresh(self) -> None:
        """Renew the copies after the values were moved or loaded."""
        if self.matrices.copy is not None:
            self.matrices.copy.copy_(self.matrices.value)

    def blocks(self, group: int) -> Tensors:
        """Return one group's trained blocks by name."""
        out: Tensors = {}
        for name, part in self.parts.items():
            trained: Trained = getattr(self, name)
            out |= {key: view[0] for key, view in part.views(trained.value[group : group + 1]).items()}
        return out


def new_state(
    encoder: Encoder,
    architecture: Architecture,
    length: int,
    seeds: Sequence[int],
    used: Sequence[np.ndarray],
    device: torch.device,
    dtype: torch.dtype,
    adapters: int | None,
) -> State:
    """Lay out the pretrained weights once a group, with a head (and adapters) drawn from the group's seed."""
    layout = layout_of(architecture, length, encoder.classes)
    check_fresh(encoder, layout)
    table = _word_table(encoder, used).to(device)
    if adapters is not None:
        return _adapted_state(encoder, architecture, layout, seeds, table, device, dtype, adapters)
    rest = _trained(layout.rest, encoder, architecture, seeds, device)
    matrices = _trained(layout.matrices, encoder, architecture, seeds, device, dtype)
    zeros = [torch.zeros_like(table) for _ in range(3)]
    words = Trained(table, zeros[0], zeros[1], zeros[2], decayed=table.shape[-1])
    stacked = layout.matrices.views(matrices.read)
    sinks = layout.matrices.views(matrices.gradient)
    projections: dict[str, Projection] = {name: Stacked(view, sinks[name]) for name, view in stacked.items()}
    weights = Weights(
        projections, layout.rest.views(rest.value), layout.rest.views(rest.gradient), table, dtype
    )
    return State(rest, matrices, words, weights, {"rest": layout.rest, "matrices": layout.matrices})


def _adapted_state(
    encoder: Encoder,
    architecture: Architecture,
    layout: Layout,
    seeds: Sequence[int],
    table: torch.Tensor,
    device: torch.device,
    dtype: torch.dtype,
    rank: int,
) -> State:
    """The thin matrices and the head are trained; everything else is one frozen copy for all groups."""
    whole = layout.matrices.blocks
    thin = part_of([side for block in whole.values() for side in thin_blocks(block, rank)])
    head = part_of([layout.rest.blocks[name] for name in HEAD])
    rest = _trained(head, encoder, architecture, seeds, device)
    matrices = _trained(thin, encoder, architecture, seeds, device, dtype)
    views, sinks = thin.views(matrices.read), thin.views(matrices.gradient)
    projections: dict[str, Projection] = {}
    for name, block in whole.items():
        sides = [f"{name}.{side}" for side in THIN]
        frozen = encoder.block(block).to(device, dtype)
        projections[name] = Adapted(
            frozen, *(views[side] for side in sides), *(sinks[side] for side in sides)
        )
    read = {
        name: encoder.block(block).to(device).expand(len(seeds), *block.shape)
        for name, block in layout.rest.blocks.items()
    } | head.views(rest.value)
    weights = Weights(projections, read, head.views(rest.gradient), table, dtype)
    return State(rest, matrices, None, weights, {"rest": head, "matrices": thin})


def thin_blocks(block: Block, rank: int) -> list[Block]:
    """The two adapters of a matrix."""
    shapes = (rank, block.shape[1]), (block.shape[0], rank)
    return [
        replace(block, name=f"{block.name}.{side}", shape=shape, sources=())
        for side, shape in zip(THIN, shapes, strict=True)
    ]


def _word_table(encoder: Encoder, used: Sequence[np.ndarray]) -> torch.Tensor:
    """The vectors of each group's own tokens, group after group, and a row of zeros for padding."""
    tokens = torch.from_numpy(np.concatenate([np.asarray(u, np.int64) for u in used]))
    chosen = encoder.word_table[tokens]
    return torch.cat([chosen, chosen.new_zeros((1, chosen.shape[1]))])


def _trained(
    part: Part,
    encoder: Encoder,
    architecture: Architecture,
    seeds: Sequence[int],
    device: torch.device,
    dtype: torch.dtype = torch.float32,
) -> Trained:
    one = torch.zeros((1, part.size))
    drawn = []
    for name, view in part.views(one).items():
        block = part.blocks[name]
        if not block.sources or not encoder.fresh.isdisjoint(block.sources):
            drawn.append(name)
        else:
            view.copy_(encoder.block(block))
    value = one.to(device).repeat(len(seeds), 1)
    for name in drawn:
        for view, seed in zip(part.views(value)[name], seeds, strict=True):
            view.copy_(_drawn(part.blocks[name], seed, architecture))
    copy = None if dtype == torch.float32 else value.to(dtype)
    gradient = torch.zeros_like(value if copy is None else copy)
    return Trained(value, gradient, torch.zeros_like(value), torch.zeros_like(value), part.decayed, copy)


def _drawn(block: Block, seed: int, architecture: Architecture) -> torch.Tensor:
    """A new weight: normal as the encoder's own were, a bias 0, an adapter's second half 0 (LoRA)."""
    if len(block.shape) == 1 or block.name.endswith(".outward"):
        return torch.zeros(block.shape)
    generator = torch.Generator().manual_seed(group_seed(seed, zlib.crc32(block.name.encode())))
    spread = block.shape[1] ** -0.5 if block.name.endswith(".inward") else architecture.spread
    return torch.randn(block.shape, generator=generator) * spread


def check_fresh(encoder: Encoder, layout: Layout) -> None:
    """Refuse a checkpoint that lacks weights of the encoder itself."""
    known = {**layout.matrices.blocks, **layout.rest.blocks}
    needed = {source for name, block in known.items() if name not in HEAD for source in block.sources}
    lacking = sorted(needed & encoder.fresh)
    if lacking:
        raise ModelError(
            f"the encoder {encoder.name!r} lacks {len(lacking)} of its weights, {lacking[0]} first; "
            "its weight file is incomplete or belongs to another model"
        )
