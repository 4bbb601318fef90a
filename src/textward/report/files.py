"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from textward.data.messages import visible
from textward.errors import UsageError


def write_whole(path: str | Path, content: bytes, what: str) -> Path:
    """Write a file under another name, then give it its own.

    >>> write_whole(Path(tempfile.mkdtemp()) / "a", b"b", "the page").read_bytes()
    b'b'
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:64]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).chmod(0o644)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{visible(str(target))}: {what} cannot be written ({why}). Name a file in a folder that is "
            "there and may be written to."
        ) from error
    return target
