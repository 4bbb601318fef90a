"""A long run's state on disk after each epoch, so that a run killed at any moment goes on from there."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file

from textward.engine import Depot
from textward.errors import ModelError
from textward.learners.transformer.encoder import Encoded, Encoder, IntArray
from textward.learners.transformer.settings import Settings

PLAIN = "plain"
"""The folder, within that of the checkpoints, of the plain classifier of the empirical mode."""


@dataclass(slots=True)
class Checkpoints:
    """One file a pack in ``folder``, written at the end of an epoch.

    An epoch is passed over where writing would take more than a tenth of the time since the last file, at
    ``bytes_per_second``; never the last one, so that a finished pack is not trained twice.
    """

    folder: Path
    bytes_per_second: float = 1e9
    written: float = field(default_factory=time.monotonic)
    """When the last file was, by this machine's clock."""
    depot: Depot | None = None
    """What keeps the files where a worker may be on another machine."""

    def kept_by(self, depot: Depot) -> Checkpoints:
        """Return the same, for workers."""
        return replace(self, depot=depot)

    def begun(self) -> Checkpoints:
        """Return the same, from the moment that a worker begins."""
        return replace(self, written=time.monotonic())

    def _place(self, name: str) -> Path:
        return self.folder / name if self.depot is None else self.depot.place(name)

    def save(self, name: str, tensors: dict[str, torch.Tensor], epoch: int, digest: str, last: bool) -> None:
        """Write the state after ``epoch`` epochs; the file appears whole or not at all."""
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
        if not last and 10 * size / self.bytes_per_second > time.monotonic() - self.written:
            return
        path = self._place(f"{name}.safetensors")
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        held = {key: tensor.detach().contiguous() for key, tensor in tensors.items()}
        save_file(held, half, metadata={"epoch": str(epoch), "digest": digest})
        half.replace(path)
        if self.depot is not None:
            self.depot.keep(path.name)
        self.written = time.monotonic()

    def load(self, name: str, digest: str) -> tuple[int, dict[str, torch.Tensor]]:
        """Return the epochs done and the state, or 0 and nothing where there is none."""
        path = self._place(f"{name}.safetensors")
        if not path.exists():
            return 0, {}
        try:
            with safe_open(path, framework="pt") as file:
                found = file.metadata() or {}
            if found.get("digest") != digest:
                raise ModelError(
                    f"the checkpoint {str(path)!r} belongs to other rows, settings or another encoder; "
                    "delete it, or start anew with --no-resume"
                )
            return int(found["epoch"]), load_file(path)
        except (SafetensorError, OSError, KeyError, ValueError) as error:
            raise ModelError(
                f"the checkpoint {str(path)!r} cannot be read ({error}); delete it to start anew"
            ) from error

    def clear(self) -> None:
        """Delete the files, once the model itself is saved."""
        for pattern in ("groups-*.safetensors", "groups-*.half"):
            for path in self.folder.glob(pattern):
                path.unlink()
        if (inner := self.folder / PLAIN).is_dir():
            Checkpoints(inner).clear()
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


def run_digest(
    encoder: Encoder, settings: Settings, encoded: Sequence[Encoded], labels: IntArray, seeds: Sequence[int]
) -> str:
    """Return the SHA-256 of all that a run's bits depend on."""
    digest = hashlib.sha256(f"{encoder.digest()} {settings!r} {list(seeds)} {torch.__version__}".encode())
    digest.update(labels.astype("<i8").tobytes())
    for texts in encoded:
        digest.update(texts.tokens.astype("<i4").tobytes() + texts.lengths.astype("<i4").tobytes())
    return digest.hexdigest()
