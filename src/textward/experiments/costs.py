"""What a cell cost: wall seconds, processor seconds and peak memory, of the CPU and of the GPU."""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")


@contextmanager
def measured(costs: dict[str, Any]) -> Iterator[None]:
    """Fill in what the work inside cost; memory is of the whole process at its highest.

    >>> costs = {}
    >>> with measured(costs):
    ...     _ = sum(range(1000))
    >>> sorted(costs)[:3]
    ['cpu_seconds', 'device', 'gpu_mib']
    """
    cuda = _cuda()
    afresh = _forget_peak()
    if cuda is not None:
        cuda.synchronize()
        cuda.reset_peak_memory_stats()
    wall, cpu = time.perf_counter(), _cpu_seconds()
    try:
        yield
    finally:
        cuda = _cuda()  # the work may have been the first to load it
        if cuda is not None:
            cuda.synchronize()
        seconds = time.perf_counter() - wall
        costs |= {
            "device": "cpu" if cuda is None else cuda.get_device_name(),
            "seconds": round(seconds, 3),
            "cpu_seconds": round(_cpu_seconds() - cpu, 3),
            "peak_mib": _peak_mib(),
            "peak_since_start": not afresh,
            # One GPU, held for as long as the cell took.
            "gpu_seconds": None if cuda is None else round(seconds, 3),
            "gpu_mib": None if cuda is None else cuda.max_memory_allocated() // 2**20,
        }


def machine() -> dict[str, Any]:
    """What kind of machine this is, without its name.

    >>> machine()["cores"] >= 1
    True
    """
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}


def _cuda() -> Any:
    """CUDA, where something has loaded it already."""
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_available() else None


def _cpu_seconds() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _forget_peak() -> bool:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return True
    return False


def _peak_mib() -> int:
    with suppress(OSError):
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
