"""Trained base models: their weights, their votes, and the folder they are kept in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoTokenizer

from textward.errors import ModelError
from textward.learners.transformer.architecture import architecture_of
from textward.learners.transformer.encoder import Encoded, Encoder, IntArray
from textward.learners.transformer.memory import device_of
from textward.learners.transformer.network import Tensors
from textward.learners.transformer.plain import module_logits
from textward.learners.transformer.predict import Forward, Reader, in_batches
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.weights import GroupWeights

FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class TransformerModel:
    """m fine-tuned encoders.

    ``packing`` says how many were trained in lockstep at a time, and ``trained_on`` where: the same rows,
    settings and seeds give the same bits on the same kind of machine in the same packing.
    """

    encoder: Encoder
    settings: Settings
    length: int
    groups: list[GroupWeights]
    packing: tuple[int, ...]
    trained_on: str
    digest: str
    """SHA-256 of the pretrained weights."""

    def votes(self, texts: Sequence[Sequence[str]], device: str = "auto") -> IntArray:
        """Return each base model's class for each text, texts x groups."""
        columns = [self.logits(group, own, device).argmax(1) for group, own in enumerate(texts)]
        return np.stack(columns, axis=1).astype(np.int64)

    def logits(self, group: int, texts: Sequence[str], device: str = "auto") -> npt.NDArray[np.float32]:
        """Return one base model's logits; each distinct sub-text is computed once.

        Batches are made of this group's sub-texts alone, sorted by length.
        """
        return self._of_distinct(texts, device, lambda encoded, where: self._forward(group, encoded, where))

    def features(self, group: int, texts: Sequence[str], device: str = "auto") -> npt.NDArray[np.float32]:
        """Return the vectors that one base model's head makes logits of.

        An architecture that the fused engine does not know gives its logits themselves.
        """
        if self.encoder.architecture is None:
            return self.logits(group, texts, device)
        weights, width = self.groups[group], self.encoder.architecture.hidden

        def forward(encoded: Encoded, where: torch.device) -> Forward:
            return Reader(self.encoder, weights, encoded, self.length, where, self.settings).features

        return self._of_distinct(texts, device, forward, width)

    def _of_distinct(
        self,
        texts: Sequence[str],
        device: str,
        forward: Callable[[Encoded, torch.device], Forward],
        width: int | None = None,
    ) -> npt.NDArray[np.float32]:
        where = device_of(device)
        distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        encoded = self.encoder.encode(list(distinct), self.length)
        out = in_batches(encoded, forward(encoded, where), width or self.encoder.classes, where)
        return out[[distinct[text] for text in texts]]

    def _forward(self, group: int, encoded: Encoded, device: torch.device) -> Forward:
        weights = self.groups[group]
        if self.encoder.architecture is not None:
            reader = Reader(self.encoder, weights, encoded, self.length, device, self.settings)
            return reader.logits
        module = self.encoder.module()
        module.load_state_dict(weights.blocks)
        module.eval().to(device)
        return lambda batch: module_logits(module, batch, device)

    def save(self, folder: Path) -> None:
        """Write configuration, tokenizer and weights into an empty or absent folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.encoder.config.save_pretrained(folder / "encoder")
        self.encoder.tokenizer.save_pretrained(folder / "encoder")
        save_file(self._shared(), folder / "shared.safetensors")
        for number, group in enumerate(self.groups):
            tensors = {f"block.{name}": block.contiguous() for name, block in group.blocks.items()}
            tensors |= {"tokens": torch.from_numpy(group.tokens.astype(np.int64)), "vectors": group.vectors}
            save_file(tensors, folder / f"group-{number}.safetensors")
        facts = {
            "format": FORMAT,
            "encoder": self.encoder.name,
            "classes": self.encoder.classes,
            "settings": asdict(self.settings),
            "length": self.length,
            "decay": self.groups[0].decay,
            "packing": self.packing,
            "trained_on": self.trained_on,
            "digest": self.digest,
        }
        (folder / "transformer.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")

    def _shared(self) -> Tensors:
        """The pretrained weights that the groups' own do not replace."""
        architecture = self.encoder.architecture
        if architecture is None:
            return {}
        names = self.encoder.weights if self.settings.adapters is not None else [architecture.word_table]
        return {name: self.encoder.weights[name].contiguous() for name in names}

    @classmethod
    def load(cls, folder: Path) -> TransformerModel:
        """Read what ``save`` wrote."""
        try:
            facts = json.loads((folder / "transformer.json").read_text(encoding="utf-8"))
            if facts["format"] != FORMAT:
                raise ModelError(
                    f"{str(folder)!r} is of format {facts['format']}, this version reads {FORMAT}"
                )
            settings = Settings(**facts["settings"])
            encoder = _saved_encoder(folder, facts)
            groups = [_saved_group(folder, n, facts["decay"]) for n in range(sum(facts["packing"]))]
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise ModelError(
                f"no transformer model could be read from {str(folder)!r}: {error}; train or copy it again"
            ) from error
        packing = tuple(facts["packing"])
        return cls(encoder, settings, facts["length"], groups, packing, facts["trained_on"], facts["digest"])


def _saved_encoder(folder: Path, facts: dict[str, Any]) -> Encoder:
    config = AutoConfig.from_pretrained(folder / "encoder")
    tokenizer = AutoTokenizer.from_pretrained(folder / "encoder")
    weights = load_file(folder / "shared.safetensors")
    architecture = architecture_of(config)
    return Encoder(facts["encoder"], config, weights, tokenizer, frozenset(), architecture, facts["classes"])


def _saved_group(folder: Path, number: int, decay: float) -> GroupWeights:
    tensors = load_file(folder / f"group-{number}.safetensors")
    tokens, vectors = tensors.pop("tokens").numpy(), tensors.pop("vectors")
    return GroupWeights({key[6:]: block for key, block in tensors.items()}, tokens, vectors, decay)
