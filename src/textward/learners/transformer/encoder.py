"""A pretrained encoder read from a folder or the hub: a public constant that every base model starts from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from huggingface_hub.utils import logging as hub_logging
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils import logging

from textward.errors import ModelError, UsageError
from textward.learners.transformer.architecture import Architecture, Block, architecture_of
from textward.learners.transformer.settings import Settings

IntArray = npt.NDArray[np.integer[Any]]
FILES = (
    ("config.json",),
    ("model.safetensors", "model.safetensors.index.json"),
    ("tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spiece.model"),
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """One group's sub-texts as the encoder's tokens, padded to one length.

    >>> Encoded(np.array([[1, 2, 0]]), np.array([2])).rows
    1
    """

    tokens: IntArray
    lengths: IntArray

    @property
    def rows(self) -> int:
        """The number of sub-texts."""
        return len(self.lengths)

    def trimmed(self, multiple: int = 1) -> Encoded:
        """Return the same texts padded no longer than the longest of them needs, up to a multiple."""
        return self.cut(-(-int(self.lengths.max(initial=1)) // multiple) * multiple)

    def cut(self, length: int) -> Encoded:
        """Return the same texts padded to this length, which none of them exceeds."""
        return Encoded(self.tokens[:, :length], self.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """The weights by name, the tokenizer, and the shape where the fused engine knows it.

    ``fresh`` names the weights of the head that no checkpoint brought: each base model draws its own.
    """

    name: str
    config: Any
    weights: dict[str, torch.Tensor]
    tokenizer: Any
    fresh: frozenset[str]
    architecture: Architecture | None
    classes: int

    def encode(self, texts: Sequence[str], length: int) -> Encoded:
        """Cut texts by the encoder's tokenizer; a longer one loses its end."""
        pieces = self.tokenizer(list(texts), truncation=True, max_length=length)["input_ids"] if texts else []
        lengths = np.fromiter((len(piece) for piece in pieces), np.int32, len(pieces))
        tokens = np.full((len(pieces), length), self.padding, np.int32)
        tokens[np.arange(length) < lengths[:, None]] = np.fromiter(
            (token for piece in pieces for token in piece), np.int32, int(lengths.sum())
        )
        return Encoded(tokens, lengths)

    @property
    def padding(self) -> int:
        """The token that fills a text up."""
        return int(self.tokenizer.pad_token_id or 0)

    @property
    def word_table(self) -> torch.Tensor:
        """The pretrained vector of every token."""
        if self.architecture is None:
            raise UsageError(f"the fused engine does not know the architecture of {self.name!r}")
        return self.weights[self.architecture.word_table]

    def block(self, block: Block) -> torch.Tensor:
        """Return a block of weights as the checkpoint has them."""
        pieces = [self.weights[name] for name in block.sources]
        if len(pieces) == 1:
            pieces = [pieces[0][block.first_row : block.first_row + block.shape[0]]]
        return torch.cat([piece.reshape(-1) for piece in pieces]).reshape(block.shape)

    def module(self) -> Any:
        """Return transformers' own module with these weights."""
        module = AutoModelForSequenceClassification.from_config(self.config)
        module.load_state_dict(self.weights)
        return module.float()

    def digest(self) -> str:
        """Return the SHA-256 of the weights that base models start from."""
        digest = hashlib.sha256()
        for name, weight in sorted(self.weights.items()):
            if name not in self.fresh:
                digest.update(name.encode() + weight.contiguous().numpy().tobytes())
        return digest.hexdigest()


def load_encoder(name: str, classes: int) -> Encoder:
    """Read an encoder with a head for ``classes`` classes from a folder, or from the hub by name."""
    folder = Path(name).expanduser()
    _check_folder(name, folder)
    try:
        with quiet():
            module, found = AutoModelForSequenceClassification.from_pretrained(
                str(folder) if folder.exists() else name,
                num_labels=classes,
                output_loading_info=True,
                ignore_mismatched_sizes=True,
                use_safetensors=True,
            )
            tokenizer = AutoTokenizer.from_pretrained(str(folder) if folder.exists() else name)
    except Exception as error:
        raise ModelError(
            f"no encoder could be loaded from {name!r}: {str(error).strip().splitlines()[0]}; give a folder "
            "with config.json, model.safetensors and tokenizer.json, or the hub name of such a model"
        ) from error
    fresh = frozenset(found["missing_keys"]) | {key for key, *_ in found["mismatched_keys"]}
    return encoder_of(name, module.float(), tokenizer, fresh)


def _check_folder(name: str, folder: Path) -> None:
    if folder.exists():
        for files in FILES:
            if not any((folder / file).is_file() for file in files):
                other = f" (nor {', '.join(files[1:])})" if files[1:] else ""
                raise ModelError(
                    f"the encoder folder {name!r} has no {files[0]}{other}; "
                    "download the model again, or name a folder that save_pretrained wrote"
                )
    elif not re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", name):
        raise ModelError(
            f"there is no encoder folder {name!r}: give its path, or a hub name such as owner/name"
        )


def encoder_of(name: str, module: Any, tokenizer: Any, fresh: frozenset[str]) -> Encoder:
    """Take an encoder out of a transformers module."""
    weights = {key: weight.detach() for key, weight in module.state_dict().items()}
    config = module.config
    if getattr(config, "pad_token_id", None) is None:
        config.pad_token_id = int(tokenizer.pad_token_id or 0)
    return Encoder(name, config, weights, tokenizer, fresh, architecture_of(config), config.num_labels)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from reporting on a head that is new on purpose, and from bars of its own."""
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    hub = hub_logging.get_verbosity()
    logging.set_verbosity_error()
    hub_logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        hub_logging.set_verbosity(hub)
        if bars:
            logging.enable_progress_bar()


def length_for(encoder: Encoder, settings: Settings, groups: int) -> int:
    """Return the tokens read of a sub-text; refuse a length without positions, or without room for a word."""
    length = settings.length(groups)
    most = getattr(encoder.config, "max_position_embeddings", None)
    if most is not None and encoder.architecture is not None:
        most -= encoder.architecture.family.position_offset
    if most is not None and length > most:
        if settings.max_length is not None:
            raise UsageError(f"max_length {length} is more than the {most} positions of {encoder.name!r}")
        length = int(most)
    special = len(encoder.tokenizer("")["input_ids"])
    if length <= special:
        raise UsageError(
            f"max_length must leave room for words beside the {special} special tokens, got {length}"
        )
    return length
