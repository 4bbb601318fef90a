"""Dropout whose every bit is a hash of the group's seed, the step, the place in the network and the element.

No generator is shared, so a group's mask does not depend on which groups are trained beside it, a run
resumed at a step sees the masks it would have seen, and CPU and GPU drop the same elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

FIRST, SECOND = 0x7FEB352D, 0x846CA68B
STEP, SITE = 0x9E3779B9, 0x85EBCA6B


@dataclass(frozen=True, slots=True)
class Noise:
    """The groups' seeds and the number of the step, both on the device."""

    seeds: torch.Tensor
    step: torch.Tensor


def signed(value: int) -> int:
    """The same 32 bits as a signed number.

    >>> signed(0xFFFFFFFF)
    -1
    """
    return (value & 0xFFFFFFFF) - ((value & 0x80000000) << 1)


def threshold(rate: float) -> int:
    """The signed 16-bit number below which an element is dropped.

    >>> threshold(0.5)
    0
    """
    return round(rate * 2**16) - 2**15


def keep_mask(noise: Noise, site: int, rate: float, shape: tuple[int, ...]) -> torch.Tensor:
    """Return which elements stay; the first side of ``shape`` is the groups. Two elements share a hash.

    >>> noise = Noise(torch.tensor([3, 4]), torch.tensor([0]))
    >>> keep_mask(noise, 1, 0.5, (2, 10_000)).float().mean(1).mul(10).round().tolist()
    [5.0, 5.0]
    """
    count = 1
    for side in shape[1:]:
        count *= side
    seeds = noise.seeds.to(torch.int32)
    key = _mix(seeds + noise.step.to(torch.int32) * signed(STEP), seeds)
    key = _mix(key ^ signed(site * SITE + 1), key)[:, None]
    pairs = _mix(torch.arange((count + 1) // 2, dtype=torch.int32, device=seeds.device) ^ key, key)
    return pairs.view(torch.int16)[:, :count].ge(threshold(rate)).reshape(shape)


def _mix(x: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    x ^= (x >> 16) & 0xFFFF
    x *= signed(FIRST)
    x += key
    x ^= (x >> 15) & 0x1FFFF
    x *= signed(SECOND)
    x ^= (x >> 16) & 0xFFFF
    return x
