"""Bottleneck adapters whose weights all come out of one small network, trained beside a frozen encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import torch
from torch import nn
from torch.nn import functional

from textward.data.messages import quoted
from textward.defences.models import FloatArray, softmax
from textward.errors import UsageError
from textward.learners.seeds import group_seed
from textward.learners.transformer.encoder import Encoded, Encoder, IntArray, length_for, load_encoder
from textward.learners.transformer.memory import device_of
from textward.learners.transformer.plain import PlainRun, module_logits
from textward.learners.transformer.predict import in_batches
from textward.learners.transformer.settings import Settings

_SPREAD = 0.01


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the adapters are, how narrow what makes them is, and where they stand."""

    bottleneck: int
    through: int
    after_norm: bool


class Adapters(nn.Module):
    """All adapters of an encoder: weights = outer · tanh(inner · code), each of which is trained."""

    def __init__(self, places: int, width: int, shape: Shape, seed: int) -> None:
        super().__init__()
        self.width, self.bottleneck = width, shape.bottleneck
        self.sizes = [shape.bottleneck * width, shape.bottleneck, width * shape.bottleneck, width]
        generator = torch.Generator().manual_seed(group_seed(seed, 1))

        def drawn(*size: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(size, generator=generator) * _SPREAD)

        self.code = drawn(shape.through)
        self.inner = drawn(shape.through, shape.through)
        self.outer = drawn(places, sum(self.sizes), shape.through)

    def adapted(self, place: int, x: torch.Tensor) -> torch.Tensor:
        """Return x with the adapter's share added."""
        weights = self.outer[place] @ torch.tanh(self.inner @ self.code)
        down, down_bias, up, up_bias = torch.split(weights, self.sizes)
        inside = functional.linear(
            x, down.view(self.bottleneck, self.width).to(x.dtype), down_bias.to(x.dtype)
        )
        outside = functional.linear(
            functional.gelu(inside), up.view(self.width, self.bottleneck).to(x.dtype), up_bias.to(x.dtype)
        )
        return x + outside


class AdaptedRun(PlainRun):
    """An encoder that stays as it is, but for adapters and its classifier."""

    def __init__(
        self,
        encoder: Encoder,
        settings: Settings,
        encoded: Encoded,
        labels: IntArray,
        seed: int,
        shape: Shape,
    ) -> None:
        super().__init__(encoder, settings, encoded, labels, seed, device_of(settings.device))
        for name, parameter in self.module.named_parameters():
            parameter.requires_grad_(name in encoder.fresh or name.startswith("classifier."))
        places = _places(encoder, shape.after_norm)
        adapters = Adapters(len(places), encoder.config.hidden_size, shape, seed).to(self.device)
        self.module.add_module("adapters", adapters)
        for number, place in enumerate(places):
            _adapt(self.module.get_submodule(place), adapters, number)
        self.optimizer.add_param_group({"params": list(adapters.parameters()), "weight_decay": 0.0})


@dataclass(frozen=True, eq=False)
class AdaptedModel:
    """What `AdaptedRun` trained."""

    module: Any
    encoder: Encoder
    length: int
    device: torch.device

    def probabilities(self, texts: pl.Series) -> FloatArray:
        """Return texts x classes."""
        return softmax(self.features(texts))

    def features(self, texts: pl.Series) -> FloatArray:
        """Return the logits."""
        encoded = self.encoder.encode(texts.to_list(), self.length)
        found = in_batches(encoded, self._logits, self.encoder.classes, self.device)
        return found.astype(np.float64)

    def _logits(self, batch: Encoded) -> torch.Tensor:
        return module_logits(self.module, batch, self.device)


def train_adapters(
    name: str, settings: Settings, shape: Shape, texts: pl.Series, labels: IntArray, classes: int, seed: int
) -> AdaptedModel:
    """Train adapters on texts and class indexes."""
    encoder = load_encoder(name, classes)
    if encoder.architecture is None:
        raise UsageError(
            f"R-Adapter puts adapters into encoders of the BERT family, and {quoted(name)} is another: "
            "name such an encoder"
        )
    length = length_for(encoder, settings, 1)
    encoded = encoder.encode(texts.to_list(), length).trimmed(8)
    run = AdaptedRun(encoder, settings, encoded, labels, group_seed(seed, 0), shape)
    for epoch in range(settings.epochs):
        run.run_epoch(epoch)
    return AdaptedModel(run.module.eval(), encoder, length, run.device)


def _places(encoder: Encoder, after_norm: bool) -> list[str]:
    """The modules behind which adapters stand: two in each layer."""
    architecture = encoder.architecture
    assert architecture is not None
    family = architecture.family
    ends = (family.norm1, family.norm2) if after_norm else (family.out, family.down)
    layers = [family.layer.format(layer) for layer in range(architecture.layers)]
    return [f"{family.prefix}.{layer}.{end}" for layer in layers for end in ends]


def _adapt(module: Any, adapters: Adapters, place: int) -> None:
    module.register_forward_hook(lambda _module, _inputs, output: adapters.adapted(place, output))
