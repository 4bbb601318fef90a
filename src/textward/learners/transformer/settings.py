"""What a fine-tune is told, and what follows from it and from public numbers alone (theory P4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from textward.errors import UsageError

WHOLE_TEXT = 128
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True, slots=True)
class Settings:
    """How every base model is fine-tuned; the defaults are the paper's.

    ``max_length`` None cuts sub-texts by ``sub_text_length``; ``dropout`` None leaves the encoder's own;
    ``adapters`` is the rank of LoRA adapters, None trains every weight; ``learning_rate`` None is 2e-5,
    or 2e-4 for adapters. ``whole_texts`` is for base models that read whole texts, which nothing certifies:
    texts are padded to the longest there is, and no further than 128 tokens. ``precision`` is that of matrix
    products: bfloat16 on a GPU and float32 on a CPU, unless asked for; a CPU with instructions for bfloat16
    trains several times as fast with it. Weights are kept in float32 either way.

    >>> Settings().epochs, Settings().rate, Settings(adapters=8).rate
    (5, 2e-05, 0.0002)
    """

    epochs: int = 5
    batch: int = 16
    learning_rate: float | None = None
    weight_decay: float = 0.01
    warmup: float = 0.1
    max_length: int | None = None
    dropout: float | None = None
    clip: float = 1.0
    adapters: int | None = None
    groups_at_once: int | Literal["auto"] = "auto"
    device: str = "auto"
    whole_texts: bool = False
    precision: Literal["auto", "float32", "bfloat16"] = "auto"

    def __post_init__(self) -> None:
        whole = {"epochs": self.epochs, "batch": self.batch}
        whole |= {"max_length": self.max_length or WHOLE_TEXT, "adapters": self.adapters or 1}
        if self.groups_at_once != "auto":
            whole["groups_at_once"] = self.groups_at_once
        for name, value in whole.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UsageError(f"{name} must be a whole number of at least 1, got {value!r}")
        for name, number, low, high in (
            ("learning_rate", self.rate, 0.0, 1.0),
            ("weight_decay", self.weight_decay, 0.0, 1.0),
            ("warmup", self.warmup, 0.0, 1.0),
            ("dropout", self.dropout or 0.0, 0.0, 0.9),
            ("clip", self.clip, 0.0, np.inf),
        ):
            if not low <= number <= high:
                raise UsageError(f"{name} must lie in [{low:g}, {high:g}], got {number!r}")
        if self.precision not in ("auto", "float32", "bfloat16"):
            raise UsageError(f"precision must be auto, float32 or bfloat16, got {self.precision!r}")

    @property
    def rate(self) -> float:
        """The peak learning rate."""
        if self.learning_rate is not None:
            return self.learning_rate
        return 2e-5 if self.adapters is None else 2e-4

    def steps_per_epoch(self, rows: int) -> int:
        """Return the optimizer's steps in one epoch."""
        return -(-rows // self.batch)

    def length(self, groups: int) -> int:
        """Return the number of tokens that a base model sees of a sub-text at most."""
        if self.max_length is not None:
            return self.max_length
        return WHOLE_TEXT if groups == 1 or self.whole_texts else sub_text_length(groups)


def sub_text_length(groups: int, whole: int = WHOLE_TEXT) -> int:
    """Return the tokens kept of a sub-text: its share of a whole text, rounded up to 8, and 8 more.

    Groups trained together are padded to this public number, for a length read off the texts would let
    one group's text change another's arithmetic.

    >>> [sub_text_length(m) for m in (3, 5, 7, 9, 31)]
    [56, 40, 32, 24, 16]
    """
    return min(whole, 8 * -(-whole // (8 * groups)) + 8)


def schedule(settings: Settings, steps: int) -> npt.NDArray[np.float32]:
    """Return for each step the learning rate and AdamW's two bias corrections: steps x 3.

    >>> schedule(Settings(learning_rate=1e-3, warmup=0.5), 4)[:, 0].round(5).tolist()
    [0.0, 0.0005000000237487257, 0.0010000000474974513, 0.0005000000237487257]
    """
    warm = int(np.ceil(settings.warmup * steps))
    step = np.arange(steps)
    rise = step / max(1, warm)
    fall = (steps - step) / max(1, steps - warm)
    rate = settings.rate * np.where(step < warm, rise, fall)
    first = 1 - BETA1 ** (step + 1.0)
    second = np.sqrt(1 - BETA2 ** (step + 1.0))
    return np.stack([rate, first, second], axis=1).astype(np.float32)


def untouched_decay(settings: Settings, steps: int) -> float:
    """Return what weight decay leaves of a weight that never gets a gradient: AdamW only shrinks it."""
    return float(np.prod(1.0 - schedule(settings, steps)[:, 0].astype(np.float64) * settings.weight_decay))
