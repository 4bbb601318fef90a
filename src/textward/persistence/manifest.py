"""manifest.json: the SHA-256 of every file, so that a changed byte is refused.

It guards against damage and mixed-up files. It is no signature: who can change a file can change this one.
"""

from __future__ import annotations

import hashlib
import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from textward.data.messages import listing, quoted, visible
from textward.errors import ModelError

NAME = "manifest.json"
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_FILE_NAME = re.compile(rf"{_PART}(/{_PART}){{0,2}}")


class _Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    sha256: dict[str, str]


def write_manifest(directory: Path) -> None:
    """Write the digests of all files of a directory.

    >>> import tempfile
    >>> directory = Path(tempfile.mkdtemp())
    >>> _ = (directory / "a.json").write_text("{}")
    >>> write_manifest(directory)
    >>> sorted(checked_files(directory, {"a.json"}))
    ['a.json']
    """
    files = {file.relative_to(directory).as_posix(): file for file in directory.rglob("*") if file.is_file()}
    digests = {name: _sha256(file) for name, file in sorted(files.items())}
    text = json.dumps({"sha256": digests}, indent=2) + "\n"
    (directory / NAME).write_text(text, encoding="utf-8")


def checked_files(directory: Path, known: set[str]) -> dict[str, Path]:
    """Return the files of a model by name, each found unchanged; one no `known` pattern fits is refused."""
    where = visible(str(directory))
    if not directory.exists():
        raise ModelError(f"there is no {where}: give the directory that `save` or `textward train` made")
    if not directory.is_dir():
        raise ModelError(
            f"{where} is a file, and a model is a directory: give the directory that `save` made"
        )
    if not (directory / NAME).is_file():
        raise ModelError(
            f"{where} holds no textward model: there is no {NAME} in it. Give the directory that `save` made."
        )
    files: dict[str, Path] = {}
    for name, digest in _digests(directory).items():
        fits = any(fnmatchcase(name, pattern) for pattern in known)
        if not _FILE_NAME.fullmatch(name) or not fits:
            raise ModelError(
                f"{where}: {NAME} names the file {quoted(name)}, which no model of this version has; "
                f"it may hold {listing(sorted(known))}. Get the model again from where it was saved."
            )
        files[name] = _unchanged(directory / name, digest)
    return files


def _digests(directory: Path) -> dict[str, str]:
    try:
        return _Manifest.model_validate_json((directory / NAME).read_bytes()).sha256
    except ValidationError as error:
        raise ModelError(
            f"{visible(str(directory / NAME))} cannot be read: {error.errors()[0]['msg']}. "
            "Get the model again from where it was saved."
        ) from error


def _unchanged(file: Path, digest: str) -> Path:
    if not file.is_file():
        raise ModelError(f"{visible(str(file))} is missing. Get the model again from where it was saved.")
    if _sha256(file) != digest:
        raise ModelError(
            f"{visible(str(file))} was changed after it was saved: its SHA-256 is not the one in {NAME}. "
            "Get the model again from where it was saved."
        )
    return file


def _sha256(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as handle:
        while block := handle.read(1 << 20):
            found.update(block)
    return found.hexdigest()
