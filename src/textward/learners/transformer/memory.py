"""How many base models fit: an estimate from public numbers alone, for what is trained together is public."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import torch

from textward.engine import Engine, Machines, Need, run_pieces
from textward.errors import UsageError
from textward.learners.transformer.encoder import Encoder
from textward.learners.transformer.layout import layout_of
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.state import thin_blocks

SPARE = 0.9


@dataclass(frozen=True, slots=True)
class Room:
    """The memory free on each of so many devices.

    >>> Room(2**30).devices
    1
    """

    free: int
    devices: int = 1


def packs(
    encoder: Encoder, settings: Settings, groups: int, length: int, device: torch.device, room: Room
) -> list[range]:
    """Cut the groups into packs of nearly equal size, as many at once as the settings say or memory holds.

    On a CPU "auto" is one at a time: nothing is gained there by more. Several devices all get work.
    """
    need = group_bytes(encoder, settings, length, device)
    if settings.groups_at_once != "auto":
        at_once = settings.groups_at_once
    elif device.type == "cpu":
        at_once = 1
    else:
        at_once = max(1, min(int(room.free * SPARE // need), -(-groups // room.devices)))
    _check_fit(encoder, need, room.free, device)
    count = -(-groups // at_once)
    cuts = [groups * i // count for i in range(count + 1)]
    return [range(low, high) for low, high in pairwise(cuts)]


def device_elsewhere(name: str, machines: Machines) -> torch.device:
    """Return the device of a setting on other machines; "auto" is GPUs where there are any.

    >>> device_elsewhere("auto", Machines(cpus=8, gpus=2, elsewhere=True))
    device(type='cuda')
    """
    if name not in ("auto", "cpu", "cuda"):
        raise UsageError(f"unknown device {name!r}: choose auto, cpu or cuda")
    if name == "cuda" and not machines.gpus:
        raise UsageError("device 'cuda' was asked for, and the cluster has no GPU: choose auto or cpu")
    return torch.device("cuda" if machines.gpus and name != "cpu" else "cpu")


def room_of(engine: Engine, device: torch.device) -> Room:
    """Return the room on an engine's devices, asked of as many of them as there are; the least counts."""
    machines = engine.machines()
    if not machines.elsewhere:
        return Room(free_memory(device))
    if device.type == "cpu":
        return Room(min(run_pieces(_free, [device], engine=engine)), max(1, machines.cpus))
    asked = [device] * machines.gpus
    return Room(min(run_pieces(_free, asked, engine=engine, need=Need(gpus=1))), machines.gpus)


def _free(device: torch.device) -> int:
    return free_memory(device)


def group_bytes(encoder: Encoder, settings: Settings, length: int, device: torch.device) -> int:
    """Estimate the memory of one base model in training: weights, gradients, moments, activations."""
    a = encoder.architecture
    if a is None:
        return 16 * sum(weight.numel() for weight in encoder.weights.values())
    layout = layout_of(a, length, encoder.classes)
    wide = precision_of(settings, device).itemsize
    every = 12 + wide + (0 if wide == 4 else 2)
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


def precision_of(settings: Settings, device: torch.device) -> torch.dtype:
    """Return what matrix products are computed in on a device.

    >>> precision_of(Settings(), torch.device("cpu"))
    torch.float32
    """
    if settings.precision != "auto":
        return torch.bfloat16 if settings.precision == "bfloat16" else torch.float32
    return torch.bfloat16 if device.type == "cuda" else torch.float32


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


def _check_fit(encoder: Encoder, need: int, free: int, device: torch.device) -> None:
    if need > free:
        raise UsageError(
            f"one base model of {encoder.name!r} needs about {need / 2**30:.1f} GiB to train and the "
            f"{device.type} has {free / 2**30:.1f} GiB free: choose a smaller encoder or batch, a shorter "
            "max_length, or adapters"
        )
