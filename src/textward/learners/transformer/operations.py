"""What a network computes between its matrix products, each with its own backward pass, in plain torch.

Tensors lead with the group: groups x rows x width. Gradients of biases, norms and the word table are
written into the tensors given for them ("sinks"); gradients of activations are returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import torch
from torch.nn import functional

from textward.learners.transformer.noise import Noise, keep_mask

Kept = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Drop:
    """Where and how much to drop; ``noise`` None drops nothing."""

    noise: Noise | None
    site: int
    rate: float

    @property
    def active(self) -> bool:
        """Whether anything is dropped."""
        return self.noise is not None and self.rate > 0

    def mask(self, shape: tuple[int, ...]) -> torch.Tensor | None:
        """Return the factor of every element, None where nothing is dropped."""
        if self.noise is None or self.rate == 0:
            return None
        return keep_mask(self.noise, self.site, self.rate, shape) * (1 / (1 - self.rate))


@dataclass(frozen=True, slots=True)
class Words:
    """The tokens of one batch, as rows of the word table, and how to sum their gradients without a race.

    ``tokens`` and ``lengths`` are groups x texts x length and groups x texts; the table's last row stands
    for padding. ``order`` sorts each group's tokens by row, ``runs`` counts the equal rows that begin
    at each sorted place, 0 elsewhere; both are None where gradients are not wanted.
    """

    tokens: torch.Tensor
    lengths: torch.Tensor
    order: torch.Tensor | None = None
    runs: torch.Tensor | None = None

    def trimmed(self) -> Words:
        """Without the padding that every text has, for an engine that sorts no tokens."""
        longest = -(-int(self.lengths.max()) // 8) * 8
        return Words(self.tokens[..., :longest].contiguous(), self.lengths)


class Operations(Protocol):
    """The operations; PlainOperations says what each computes."""

    def drop(self, x: torch.Tensor, drop: Drop) -> torch.Tensor: ...
    def embed(
        self,
        words: Words,
        table: torch.Tensor,
        position: torch.Tensor,
        token_type: torch.Tensor | None,
        norm: torch.Tensor,
        epsilon: float,
        drop: Drop,
        dtype: torch.dtype,
    ) -> tuple[torch.Tensor, Kept]: ...
    def embed_backward(self, d: torch.Tensor, kept: Kept, d_norm: torch.Tensor) -> torch.Tensor: ...
    def table_gradient(
        self, words: Words, d: torch.Tensor, bounds: list[int], sink: torch.Tensor
    ) -> torch.Tensor: ...
    def add_norm(
        self, y: torch.Tensor, residual: torch.Tensor, block: torch.Tensor, epsilon: float, drop: Drop
    ) -> tuple[torch.Tensor, Kept]: ...
    def add_norm_backward(
        self, d: torch.Tensor, kept: Kept, d_block: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]: ...
    def activate(self, x: torch.Tensor, bias: torch.Tensor, kind: str) -> torch.Tensor: ...
    def activate_backward(
        self, d: torch.Tensor, x: torch.Tensor, bias: torch.Tensor, kind: str, d_bias: torch.Tensor | None
    ) -> torch.Tensor: ...
    def attend(
        self,
        qkv: torch.Tensor,
        bias: torch.Tensor,
        words: Words,
        heads: int,
        relative: torch.Tensor | None,
        drop: Drop,
    ) -> tuple[torch.Tensor, Kept]: ...
    def attend_backward(
        self, d: torch.Tensor, kept: Kept, d_bias: torch.Tensor | None, d_relative: torch.Tensor | None
    ) -> torch.Tensor: ...


class PlainOperations:
    """Every operation in ordinary torch: the CPU's path, and what the GPU's kernels are held against."""

    def drop(self, x: torch.Tensor, drop: Drop) -> torch.Tensor:
        """Drop elements of x and scale up the rest; the same call serves the gradient."""
        return _times(x, drop.mask(tuple(x.shape)))

    def embed(
        self,
        words: Words,
        table: torch.Tensor,
        position: torch.Tensor,
        token_type: torch.Tensor | None,
        norm: torch.Tensor,
        epsilon: float,
        drop: Drop,
        dtype: torch.dtype,
    ) -> tuple[torch.Tensor, Kept]:
        """Word, position and type vectors summed, normed, dropped: groups x (texts * length) x width."""
        groups, _, length = words.tokens.shape
        z = table[words.tokens] + position[:, None, :length]
        if token_type is not None:
            z = z + token_type[:, None]
        z = z.reshape(groups, -1, z.shape[-1])
        hat, inverse = _standardised(z, epsilon)
        mask = drop.mask(tuple(z.shape))
        out = _times(hat * norm[:, :1] + norm[:, 1:], mask)
        return out.to(dtype), (hat, inverse, norm, mask)

    def embed_backward(self, d: torch.Tensor, kept: Kept, d_norm: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the summed vectors, float32."""
        hat, inverse, norm, mask = kept
        d = _times(d.float(), mask)
        d_norm[:, 0], d_norm[:, 1] = (d * hat).sum(1), d.sum(1)
        return _norm_backward(d * norm[:, :1], hat, inverse)

    def table_gradient(
        self, words: Words, d: torch.Tensor, bounds: list[int], sink: torch.Tensor
    ) -> torch.Tensor:
        """Sum the gradient by row of the table into ``sink``; return each group's sum of squares.

        ``bounds`` says where each group's rows begin.
        """
        sink.zero_()
        sink.index_add_(0, words.tokens.reshape(-1).long(), d.reshape(-1, d.shape[-1]))
        squares = [sink[low:high].square().sum() for low, high in pairwise(bounds)]
        return torch.stack(squares)

    def add_norm(
        self, y: torch.Tensor, residual: torch.Tensor, block: torch.Tensor, epsilon: float, drop: Drop
    ) -> tuple[torch.Tensor, Kept]:
        """Norm of (y + bias, dropped) + residual; ``block`` stacks bias, scale and shift."""
        mask = drop.mask(tuple(y.shape))
        z = _times(y.float() + block[:, :1], mask) + residual
        hat, inverse = _standardised(z.to(y.dtype).float(), epsilon)
        return (hat * block[:, 1:2] + block[:, 2:]).to(y.dtype), (hat, inverse, block, mask)

    def add_norm_backward(
        self, d: torch.Tensor, kept: Kept, d_block: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the gradients of residual and y."""
        hat, inverse, block, mask = kept
        wide = d.float()
        d_residual = _norm_backward(wide * block[:, 1:2], hat, inverse)
        d_y = _times(d_residual, mask)
        if d_block is not None:
            d_block[:, 0], d_block[:, 1], d_block[:, 2] = d_y.sum(1), (wide * hat).sum(1), wide.sum(1)
        return d_residual.to(d.dtype), d_y.to(d.dtype)

    def activate(self, x: torch.Tensor, bias: torch.Tensor, kind: str) -> torch.Tensor:
        """The activation of x + bias."""
        x = x + bias[:, None].to(x.dtype)
        return functional.gelu(x) if kind == "gelu" else functional.relu(x)

    def activate_backward(
        self, d: torch.Tensor, x: torch.Tensor, bias: torch.Tensor, kind: str, d_bias: torch.Tensor | None
    ) -> torch.Tensor:
        """Return the gradient of x."""
        x = x + bias[:, None].to(x.dtype)
        out = torch.ops.aten.gelu_backward(d, x) if kind == "gelu" else d * (x > 0)
        if d_bias is not None:
            torch.sum(out, 1, dtype=torch.float32, out=d_bias)
        return out

    def attend(
        self,
        qkv: torch.Tensor,
        bias: torch.Tensor,
        words: Words,
        heads: int,
        relative: torch.Tensor | None,
        drop: Drop,
    ) -> tuple[torch.Tensor, Kept]:
        """Attention over each text's own tokens; ``relative`` is groups x heads x length x length."""
        groups, texts, length = words.tokens.shape
        width = qkv.shape[-1] // (3 * heads)
        qkv = qkv + bias[:, None].to(qkv.dtype)
        split = qkv.reshape(groups, texts, length, 3, heads, width).permute(3, 0, 1, 4, 2, 5)
        q, k, v = split.unbind(0)
        real = torch.arange(length, device=qkv.device) < words.lengths[:, :, None, None, None]
        if drop.noise is None:
            return _merged(_attention(q, k, v, real, relative)), ()
        p = _probabilities(q, k, real, relative)
        mask = drop.mask(tuple(p.shape))
        return _merged(_times(p, mask).to(v.dtype) @ v), (q, k, v, p, mask)

    def attend_backward(
        self, d: torch.Tensor, kept: Kept, d_bias: torch.Tensor | None, d_relative: torch.Tensor | None
    ) -> torch.Tensor:
        """Return the gradient of qkv; add the scores' gradients, text by text, to ``d_relative``."""
        q, k, v, p, mask = kept
        groups, texts, heads, length, width = q.shape
        d = d.reshape(groups, texts, length, heads, width).transpose(2, 3)
        dropped = _times(p, mask).to(v.dtype)
        d_p = _times((d @ v.transpose(-1, -2)).float(), mask)
        d_s = p * (d_p - (d_p * p).sum(-1, keepdim=True))
        if d_relative is not None:
            d_relative += d_s
        d_s = (d_s * width**-0.5).to(d.dtype)
        stacked = torch.stack([d_s @ k, d_s.transpose(-1, -2) @ q, dropped.transpose(-1, -2) @ d])
        out = stacked.permute(1, 2, 4, 0, 3, 5).reshape(groups, texts * length, -1)
        if d_bias is not None:
            torch.sum(out, 1, dtype=torch.float32, out=d_bias)
        return out


def _times(x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    return x if mask is None else x * mask.to(x.dtype)


def _standardised(z: torch.Tensor, epsilon: float) -> tuple[torch.Tensor, torch.Tensor]:
    hat, _, inverse = torch.native_layer_norm(z, z.shape[-1:], None, None, epsilon)
    return hat, inverse


def _norm_backward(d: torch.Tensor, hat: torch.Tensor, inverse: torch.Tensor) -> torch.Tensor:
    return (d - d.mean(-1, keepdim=True) - hat * (d * hat).mean(-1, keepdim=True)) * inverse


def _attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, real: torch.Tensor, relative: torch.Tensor | None
) -> torch.Tensor:
    """Attention that no backward pass will follow."""
    mask = real.flatten(0, 1)
    if relative is not None:
        bias = relative[:, None].expand(-1, q.shape[1], -1, -1, -1).flatten(0, 1)
        mask = bias.to(q.dtype).masked_fill(~mask, -torch.inf)
    merged = functional.scaled_dot_product_attention(
        q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1), attn_mask=mask
    )
    return merged.reshape(q.shape)


def _probabilities(
    q: torch.Tensor, k: torch.Tensor, real: torch.Tensor, relative: torch.Tensor | None
) -> torch.Tensor:
    scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
    if relative is not None:
        scores = scores + relative[:, None]
    return torch.softmax(scores.masked_fill(~real, -torch.inf), -1)


def _merged(x: torch.Tensor) -> torch.Tensor:
    groups, texts, heads, length, width = x.shape
    return x.transpose(2, 3).reshape(groups, texts * length, heads * width)
