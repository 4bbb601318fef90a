"""Standard input that Ctrl-C can end."""

from __future__ import annotations

import os
import select
import sys
from typing import BinaryIO, cast


def standard_input() -> BinaryIO:
    """What is piped or typed into the process, in the pieces it comes in."""
    try:
        return cast(BinaryIO, _Waiting(sys.stdin.fileno()))
    except (OSError, AttributeError, ValueError):
        return sys.stdin.buffer


class _Waiting:
    """Waits by select, which an interrupt ends; polars has a read begin again after one."""

    def __init__(self, descriptor: int) -> None:
        if os.name == "nt":
            raise OSError("select is for sockets there")
        self._descriptor = descriptor

    def read(self, size: int = 2**20) -> bytes:
        select.select([self._descriptor], [], [])
        return os.read(self._descriptor, size)
