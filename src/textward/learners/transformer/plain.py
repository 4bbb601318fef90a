"""Encoders the fused engine does not know: one ordinary module after another, same schedule, same order."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from textward.learners.seeds import group_seed
from textward.learners.transformer.encoder import Encoded, Encoder, IntArray
from textward.learners.transformer.memory import precision_of
from textward.learners.transformer.network import Tensors
from textward.learners.transformer.plan import shuffled
from textward.learners.transformer.settings import BETA1, BETA2, EPSILON, Settings, schedule
from textward.learners.transformer.weights import GroupWeights


class PlainRun:
    """One group's base model, trained by transformers' own module."""

    def __init__(
        self,
        encoder: Encoder,
        settings: Settings,
        encoded: Encoded,
        labels: IntArray,
        seed: int,
        device: torch.device,
    ) -> None:
        self.settings = settings
        self.encoded = encoded
        self.labels = torch.from_numpy(labels.astype("int64"))
        self.seed = seed
        self.device = device
        self.steps_per_epoch = settings.steps_per_epoch(encoded.rows)
        self.rates = schedule(settings, self.steps_per_epoch * settings.epochs)[:, 0]
        self.module = _module(encoder, settings, seed).to(device)
        decayed, kept = _by_decay(self.module)
        groups = [
            {"params": decayed, "weight_decay": settings.weight_decay},
            {"params": kept, "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, betas=(BETA1, BETA2), eps=EPSILON)

    def run_epoch(self, epoch: int, report: Callable[[int, float], None] | None = None) -> None:
        """Train one epoch; dropout follows the group's seed and the epoch alone."""
        self.module.train()
        order = shuffled(self.encoded.rows, self.settings.batch, self.seed, epoch)
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            torch.manual_seed(group_seed(self.seed, epoch))
            for step, rows in enumerate(order):
                loss = self._step(rows[rows >= 0], float(self.rates[epoch * self.steps_per_epoch + step]))
                if report is not None:
                    report(step + 1, loss)

    def _step(self, rows: IntArray, rate: float) -> float:
        batch = Encoded(self.encoded.tokens[rows], self.encoded.lengths[rows]).trimmed()
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        mixed = precision_of(self.settings, self.device) == torch.bfloat16
        with torch.autocast(self.device.type, torch.bfloat16, enabled=mixed):
            logits = module_logits(self.module, batch, self.device)
        loss = functional.cross_entropy(logits.float(), self.labels[rows].to(self.device))
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), self.settings.clip)
        self.optimizer.step()
        return float(loss.detach())

    def tensors(self) -> Tensors:
        """Return what a checkpoint must hold."""
        held = {f"module.{name}": value for name, value in self.module.state_dict().items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            held |= {f"optimizer.{number}.{name}": value for name, value in state.items()}
        return held

    def weights(self) -> list[GroupWeights]:
        """Return the trained weights, whole."""
        held = {name: value.detach().clone() for name, value in self.module.state_dict().items()}
        return [GroupWeights(held, np.zeros(0, np.int64), torch.zeros((0, 0)), 1.0)]

    def load(self, tensors: Tensors) -> None:
        """Take over a checkpoint."""
        modules = {key[7:]: value for key, value in tensors.items() if key.startswith("module.")}
        self.module.load_state_dict(modules)
        state: dict[int, Tensors] = {}
        for key, value in tensors.items():
            if key.startswith("optimizer."):
                _, number, name = key.split(".")
                state.setdefault(int(number), {})[name] = value
        whole = self.optimizer.state_dict() | {"state": state}
        self.optimizer.load_state_dict(whole)


def module_logits(module: Any, batch: Encoded, device: torch.device) -> torch.Tensor:
    """Return an ordinary module's logits."""
    mask = torch.arange(batch.tokens.shape[1]) < torch.from_numpy(batch.lengths)[:, None]
    tokens = torch.from_numpy(batch.tokens).long().to(device)
    logits: torch.Tensor = module(input_ids=tokens, attention_mask=mask.long().to(device)).logits
    return logits


def _by_decay(module: Any) -> tuple[list[Any], list[Any]]:
    """The parameters that weight decay reaches, and the biases and norms that it does not."""
    norms = {id(p) for part in module.modules() if "Norm" in type(part).__name__ for p in part.parameters()}
    decayed: list[Any] = []
    kept: list[Any] = []
    for name, parameter in module.named_parameters():
        (kept if "bias" in name or id(parameter) in norms else decayed).append(parameter)
    return decayed, kept


def _module(encoder: Encoder, settings: Settings, seed: int) -> Any:
    """The encoder with a head drawn from the group's seed."""
    config = copy.deepcopy(encoder.config)
    if settings.dropout is not None:
        for name in vars(config):
            if "dropout" in name and isinstance(getattr(config, name), (int, float)):
                setattr(config, name, settings.dropout)
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        drawn = replace(encoder, config=config).module()
        spread = float(getattr(config, "initializer_range", 0.02))
        for name, parameter in drawn.named_parameters():
            if name in encoder.fresh:
                with torch.no_grad():
                    parameter.zero_() if parameter.ndim == 1 else parameter.normal_(0.0, spread)
    return drawn
