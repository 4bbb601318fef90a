"""The encoder and its head, for a stack of base models: forward, and the backward pass written out.

Written out, because then every gradient lands where the optimizer wants it without a copy, and the two
gradients that meet at a residual are added inside a matrix product.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.nn import functional

from textward.learners.transformer.architecture import Architecture
from textward.learners.transformer.noise import Noise
from textward.learners.transformer.operations import Drop, Operations, Words

Tensors = dict[str, torch.Tensor]
HEAD_SITE = 1_000_000
LORA_SCALE = 2.0


class Projection(Protocol):
    """A matrix product with one matrix a group: groups x rows x in -> groups x rows x out."""

    def forward(self, x: torch.Tensor) -> torch.Tensor: ...
    def backward(self, d: torch.Tensor, x: torch.Tensor, onto: torch.Tensor | None = None) -> torch.Tensor:
        """Keep the matrix' gradient; return the gradient of x, added to ``onto`` in place."""
        ...


@dataclass(frozen=True, slots=True)
class Stacked:
    """Every group its own whole matrix."""

    weight: torch.Tensor
    gradient: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Multiply."""
        return torch.bmm(x, self.weight.transpose(1, 2))

    def backward(self, d: torch.Tensor, x: torch.Tensor, onto: torch.Tensor | None = None) -> torch.Tensor:
        """Write the matrix' gradient; return that of x."""
        if self.gradient is not None:
            torch.bmm(d.transpose(1, 2), x, out=self.gradient)
        return torch.bmm(d, self.weight) if onto is None else onto.baddbmm_(d, self.weight)


@dataclass(frozen=True, slots=True)
class Adapted:
    """One frozen matrix for all groups, and for each a product of two thin ones (LoRA)."""

    weight: torch.Tensor
    inward: torch.Tensor
    outward: torch.Tensor
    d_inward: torch.Tensor
    d_outward: torch.Tensor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Multiply by the frozen matrix, and add the thin product."""
        thin = torch.bmm(x, self.inward.transpose(1, 2))
        return (x @ self.weight.T).baddbmm_(thin, self.outward.transpose(1, 2), alpha=LORA_SCALE)

    def backward(self, d: torch.Tensor, x: torch.Tensor, onto: torch.Tensor | None = None) -> torch.Tensor:
        """Write the thin matrices' gradients; return that of x."""
        thin = torch.bmm(x, self.inward.transpose(1, 2))
        _scaled_product(d.transpose(1, 2), thin, self.d_outward)
        d_thin = _scaled_product(d, self.outward, torch.empty_like(thin))
        torch.bmm(d_thin.transpose(1, 2), x, out=self.d_inward)
        if onto is None:
            onto = d @ self.weight
        else:
            onto.flatten(0, 1).addmm_(d.flatten(0, 1), self.weight)
        return onto.baddbmm_(d_thin, self.inward)


def _scaled_product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return torch.baddbmm(out, a, b, beta=0, alpha=LORA_SCALE, out=out)


@dataclass(frozen=True, slots=True)
class Weights:
    """What a network reads, and where its backward pass writes; a sink that is absent is not trained."""

    projections: dict[str, Projection]
    rest: Tensors
    sinks: Tensors
    table: torch.Tensor
    dtype: torch.dtype


class Network:
    """A stack of base models that share an architecture and nothing else."""

    def __init__(
        self, architecture: Architecture, weights: Weights, operations: Operations, noise: Noise | None
    ) -> None:
        self.architecture = architecture
        self.weights = weights
        self.operations = operations
        self.noise = noise
        self._kept: dict[str, Any] = {}
        self._buckets: dict[int, torch.Tensor] = {}

    def forward(self, words: Words) -> torch.Tensor:
        """Return the logits, groups x texts x classes, float32."""
        rest = self.weights.rest
        t = self.features(words)
        return torch.baddbmm(rest["head_out_bias"][:, None], t, rest["head_out"].transpose(1, 2))

    def features(self, words: Words) -> torch.Tensor:
        """Return what the last matrix of the head makes logits of, groups x texts x width, float32."""
        self._kept = {"words": words}
        hidden, relative = self._embed(words), self._relative(words.tokens.shape[-1])
        last = self.architecture.layers - 1
        for i in range(last):
            hidden = self._layer(i, hidden, words, relative)
        return self._head(self._layer(last, hidden, words, relative, first_only=True).float())

    def hidden(self, words: Words) -> torch.Tensor:
        """Return the last layer's vectors, groups x texts x length x width."""
        hidden, relative = self._embed(words), self._relative(words.tokens.shape[-1])
        for i in range(self.architecture.layers):
            hidden = self._layer(i, hidden, words, relative)
        return hidden.reshape(*words.tokens.shape, -1)

    def backward(self, d_logits: torch.Tensor) -> torch.Tensor | None:
        """Write every gradient into its sink; return that of the summed embeddings where they are trained."""
        words: Words = self._kept["words"]
        groups, texts, length = words.tokens.shape
        d = self._head_backward(d_logits).to(self.weights.dtype)
        d_relative = None
        if "relative" in self.weights.sinks:
            shape = (groups, texts, self.architecture.heads, length, length)
            d_relative = torch.zeros(shape, device=d.device)
        for i in reversed(range(self.architecture.layers)):
            d = self._layer_backward(i, d, d_relative)
        if d_relative is not None:
            self._relative_backward(d_relative.sum(1))
        return self._embed_backward(d, words) if "norm" in self.weights.sinks else None

    def _drop(self, site: int, rate: float) -> Drop:
        return Drop(self.noise, site, rate)

    def _embed(self, words: Words) -> torch.Tensor:
        a, rest = self.architecture, self.weights.rest
        hidden, self._kept["embed"] = self.operations.embed(
            words,
            self.weights.table,
            rest["position"],
            rest.get("token_type"),
            rest["norm"],
            a.epsilon,
            self._drop(0, a.hidden_dropout),
            self.weights.dtype,
        )
        if "project" in self.weights.projections:
            self._kept["embedded"] = hidden
            bias = rest["project_bias"][:, None].to(hidden.dtype)
            hidden = self.weights.projections["project"].forward(hidden) + bias
        return hidden

    def _embed_backward(self, d: torch.Tensor, words: Words) -> torch.Tensor:
        sinks = self.weights.sinks
        if "project" in self.weights.projections:
            torch.sum(d, 1, dtype=torch.float32, out=sinks["project_bias"])
            d = self.weights.projections["project"].backward(d, self._kept["embedded"])
        d = self.operations.embed_backward(d, self._kept["embed"], sinks["norm"])
        length = words.tokens.shape[-1]
        sinks["position"][:, :length] = d.unflatten(1, (-1, length)).sum(1)
        sinks["position"][:, length:] = 0
        if "token_type" in sinks:
            torch.sum(sinks["position"], 1, keepdim=True, out=sinks["token_type"])
        return d

    def _relative(self, length: int) -> torch.Tensor | None:
        table = self.weights.rest.get("relative")
        if table is None:
            return None
        if length not in self._buckets:
            self._buckets[length] = relative_buckets(length, self.architecture.buckets).to(table.device)
        return table.transpose(1, 2)[:, :, self._buckets[length]].contiguous()

    def _relative_backward(self, d: torch.Tensor) -> None:
        buckets = self._buckets[d.shape[-1]].flatten()
        places = functional.one_hot(buckets, self.architecture.buckets).to(d.dtype)
        summed = d.flatten(2) @ places
        self.weights.sinks["relative"].copy_(summed.transpose(1, 2))

    def _layer(
        self,
        i: int,
        x: torch.Tensor,
        words: Words,
        relative: torch.Tensor | None,
        first_only: bool = False,
    ) -> torch.Tensor:
        """One layer; ``first_only`` returns each text's first vector, all that the head reads."""
        a, ops, rest = self.architecture, self.operations, self.weights.rest
        products = self.weights.projections
        after = self._drop(3 * i + 2, a.hidden_dropout if a.family.dropout_after_attention else 0.0)
        qkv = products[f"{i}.qkv"].forward(x)
        drop = self._drop(3 * i + 1, a.attention_dropout)
        context, kept = ops.attend(qkv, rest[f"{i}.qkv_bias"], words, a.heads, relative, drop)
        residual, length = x, words.tokens.shape[-1]
        if first_only:
            context, residual = (t[:, ::length].contiguous() for t in (context, x))
        y = products[f"{i}.out"].forward(context)
        middle, kept1 = ops.add_norm(y, residual, rest[f"{i}.after_attention"], a.epsilon, after)
        up = products[f"{i}.up"].forward(middle)
        inner = ops.activate(up, rest[f"{i}.up_bias"], a.activation)
        y = products[f"{i}.down"].forward(inner)
        drop = self._drop(3 * i + 3, a.hidden_dropout)
        out, kept2 = ops.add_norm(y, middle, rest[f"{i}.after_inner"], a.epsilon, drop)
        if self.noise is not None:
            self._kept[f"layer {i}"] = (x, kept, context, kept1, middle, up, inner, kept2)
        return out

    def _layer_backward(self, i: int, d: torch.Tensor, d_relative: torch.Tensor | None) -> torch.Tensor:
        a, ops, rest = self.architecture, self.operations, self.weights.rest
        products, sink = self.weights.projections, self.weights.sinks.get
        x, kept, context, kept1, middle, up, inner, kept2 = self._kept.pop(f"layer {i}")
        d, d_y = ops.add_norm_backward(d, kept2, sink(f"{i}.after_inner"))
        d_inner = products[f"{i}.down"].backward(d_y, inner)
        d_up = ops.activate_backward(d_inner, up, rest[f"{i}.up_bias"], a.activation, sink(f"{i}.up_bias"))
        d = products[f"{i}.up"].backward(d_up, middle, onto=d)
        d, d_y = ops.add_norm_backward(d, kept1, sink(f"{i}.after_attention"))
        d_context = products[f"{i}.out"].backward(d_y, context)
        if context.shape[1] < x.shape[1]:
            d, d_context = (_at_first(t, x) for t in (d, d_context))
        d_qkv = ops.attend_backward(d_context, kept, sink(f"{i}.qkv_bias"), d_relative)
        return products[f"{i}.qkv"].backward(d_qkv, x, onto=d)

    def _head(self, first: torch.Tensor) -> torch.Tensor:
        a, rest = self.architecture, self.weights.rest
        before = self._drop(HEAD_SITE, a.head_dropout if a.family.dropout_before_head else 0.0)
        after = self._drop(HEAD_SITE + 1, a.head_dropout)
        x = self.operations.drop(first, before)
        u = torch.baddbmm(rest["head_bias"][:, None], x, rest["head"].transpose(1, 2))
        kind = a.family.head_activation
        active = (
            torch.tanh(u) if kind == "tanh" else functional.gelu(u) if kind == "gelu" else functional.relu(u)
        )
        t = self.operations.drop(active, after)
        self._kept["head"] = (before, after, x, u, active, t)
        return t

    def _head_backward(self, d: torch.Tensor) -> torch.Tensor:
        rest, sinks = self.weights.rest, self.weights.sinks
        before, after, x, u, active, t = self._kept.pop("head")
        sinks["head_out"].copy_(torch.bmm(d.transpose(1, 2), t))
        torch.sum(d, 1, out=sinks["head_out_bias"])
        d = self.operations.drop(torch.bmm(d, rest["head_out"]), after)
        kind = self.architecture.family.head_activation
        if kind == "tanh":
            d = d * (1 - active * active)
        else:
            d = torch.ops.aten.gelu_backward(d, u) if kind == "gelu" else d * (u > 0)
        sinks["head"].copy_(torch.bmm(d.transpose(1, 2), x))
        torch.sum(d, 1, out=sinks["head_bias"])
        return self.operations.drop(torch.bmm(d, rest["head"]), before)


def _at_first(d: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The gradient of every vector, where only each text's first one was used."""
    out = torch.zeros_like(like)
    out[:, :: like.shape[1] // d.shape[1]] = d
    return out


def relative_buckets(length: int, buckets: int, most: int = 128) -> torch.Tensor:
    """Return the bucket of each pair of places: near distances one each, far ones by their logarithm.

    >>> relative_buckets(3, 32).tolist()
    [[0, 17, 18], [1, 0, 17], [2, 1, 0]]
    """
    place = torch.arange(length)
    ahead = place[None, :] - place[:, None]
    half, distance = buckets // 2, ahead.abs()
    exact = half // 2
    far = torch.log(distance.clamp(min=1).float() / exact) / math.log(most / exact) * (half - exact)
    far = (exact + far.long()).clamp(max=half - 1)
    return torch.where(ahead > 0, half, 0) + torch.where(distance < exact, distance, far)


def loss_and_gradient(
    logits: torch.Tensor, labels: torch.Tensor, share: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return each group's cross entropy, the rows weighted by ``share``, and its gradient."""
    logs = logits.log_softmax(-1)
    wanted = functional.one_hot(labels, logits.shape[-1])
    loss = -((logs * wanted).sum(-1) * share).sum(-1)
    return loss, (logs.exp() - wanted) * share[..., None]
