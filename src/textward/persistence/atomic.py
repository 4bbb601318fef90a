"""A directory that appears whole or not at all."""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a new directory that becomes `target` when the block ends well, and is removed otherwise.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "new"
    >>> with replacing(target) as directory:
    ...     _ = (directory / "a").write_text("b")
    >>> [file.name for file in target.iterdir()]
    ['a']
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    made = _beside(target)
    made.mkdir()
    try:
        yield made
        _flush(made)
        if target.exists():
            exchange(made, target)
        else:
            made.rename(target)
    finally:
        # After an exchange this is what stood at `target` before.
        shutil.rmtree(made, ignore_errors=True)


def exchange(first: Path, second: Path) -> None:
    """Let two directories trade places, in one step where the system can.

    >>> import tempfile
    >>> here = Path(tempfile.mkdtemp())
    >>> (here / "a" / "inner").mkdir(parents=True), (here / "b").mkdir()
    (None, None)
    >>> exchange(here / "a", here / "b")
    >>> (here / "b" / "inner").exists()
    True
    """
    if _exchange_at_once(first, second):
        return
    aside = _beside(second)
    second.rename(aside)
    try:
        first.rename(second)
    except BaseException:
        aside.rename(second)
        raise
    aside.rename(first)


def _exchange_at_once(first: Path, second: Path) -> bool:
    rename = _renameat2()
    if rename is None:
        return False
    return rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0


def _renameat2() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    found: Callable[..., int] | None = getattr(ctypes.CDLL(None), "renameat2", None)
    return found


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")


def _flush(directory: Path) -> None:
    # Some writers keep their files to the owner; who may read the directory may read what is in it.
    readers = directory.stat().st_mode & 0o666
    for file in directory.rglob("*"):
        if file.is_file():
            with file.open("rb+") as handle:
                os.fsync(handle.fileno())
            file.chmod(readers)
