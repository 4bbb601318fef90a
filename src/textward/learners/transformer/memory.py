"""How many base models fit: an estimate from public numbers alone, for what is trained together is public."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import torch

from textward.errors import UsageError
from textward.learners.transformer.encoder import Encoder
from textward.learners.transformer.layout import layout_of
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.state import thin_blocks

SPARE = 0.9


def packs(
    encoder: Encoder, settings: Settings, groups: int, length: int, device: torch.device
) -> list[range]:
    """Cut the groups into packs of nearly equal size, as many at once as the settings say or memory holds.

    On a CPU "auto" is one at a time: nothing is gained there by more.
    """
    if settings.groups_at_once != "auto":
        at_once = settings.groups_at_once
    elif device.type == "cpu":
        at_once = 1
    else:
        at_once = max(1, int(free_memory(device) * SPARE // group_bytes(encoder, settings, length, device)))
    _check_fit(encoder, settings, length, device)
    count = -(-groups // at_once)
    cuts = [groups * i // count for i in range(count + 1)]
    return [range(low, high) for low, high in pairwise(cuts)]


def group_bytes(encoder: Encoder, settings: Settings, length: int, device: torch.device) -> int:
    """Estimate the memory of one base model in training: weights, gradients, moments, activations."""
    a = encoder.architecture
    if a is None:
        return 16 * sum(weight.numel() for weight in encoder.weights.values())
    layout = layout_of(a, length, encoder.classes)
    wide = 4 if device.type == "cpu" else 2
    every = 12 + wide + (0 if device.type == "cpu" else 2)
    trained = layout.matrices.size + layout.rest.size
    table = encoder.word_table.numel()
    if settings.adapters is not None:
        rank = settings.adapters
        thin = sum(b.size for block in layout.matrices.blocks.values() for b in thin_blocks(block, rank))
        trained, table = thin + a.hidden * (a.hidden + encoder.classes), 0
    token = a.layers * (8 * a.hidden + 2 * a.inner + 2 * a.heads * length)
    if device.type == "cpu":
        token = a.layers * (14 * a.hidden + 2 * a.inner + 3 * a.heads * length)
    return trained * every + table * 16 + settings.batch * length * token * wide + 64 * 2**20


def device_of(name: str) -> torch.device:
    """Return the device of a setting; "auto" is the GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise UsageError(f"unknown device {name!r}: choose auto, cpu or cuda") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UsageError("device 'cuda' was asked for, and torch finds no GPU here: choose auto or cpu")
    return device


def free_memory(device: torch.device) -> int:
    """Return the bytes to be had on a device; more than there can be where the system does not say."""
    if device.type == "cuda":
        kept_for_reuse = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0]) + int(kept_for_reuse)
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return 2**62
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), 2**62)


def _check_fit(encoder: Encoder, settings: Settings, length: int, device: torch.device) -> None:
    need, free = group_bytes(encoder, settings, length, device), free_memory(device)
    if need > free:
        raise UsageError(
            f"one base model of {encoder.name!r} needs about {need / 2**30:.1f} GiB to train and the "
            f"{device.type} has {free / 2**30:.1f} GiB free: choose a smaller encoder or batch, a shorter "
            "max_length, or adapters"
        )
