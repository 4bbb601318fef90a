"""Which buckets of words each base model reads: block designs, in which models share words evenly.

Words are hashed into buckets, and a base model reads the words of several. A bucket touches every model that
reads it, so a trigger word corrupts more than one; in exchange each model sees more of a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textward.data.messages import quoted
from textward.errors import UsageError

MOST_MODELS = 4096
_PLANES = {
    2: (0, 1, 3),
    3: (0, 1, 3, 9),
    4: (3, 6, 7, 12, 14),
    5: (1, 5, 11, 24, 25, 27),
    7: (0, 1, 3, 13, 32, 36, 43, 52),
}
"""Perfect difference sets modulo q * q + q + 1: their shifts are the lines of a projective plane."""
_SPELLED = (
    "'fano', 'pg:Q' for a projective plane of order Q = 2, 3, 4, 5 or 7, 'cyclic:V:A,B,...' for V models "
    "that read the shifts of buckets A, B, ... modulo V, or 'blocks:0,1/1,2/0,2' with every model's buckets"
)


@dataclass(frozen=True, slots=True)
class Design:
    """The buckets that each base model reads.

    >>> design = design_of("fano")
    >>> design.models, design.buckets, design.blocks[1]
    (7, 7, (1, 2, 4))
    """

    name: str
    blocks: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.blocks) <= MOST_MODELS:
            raise UsageError(f"a design has 1 to {MOST_MODELS:,} models, got {len(self.blocks):,}")
        read = {bucket for block in self.blocks for bucket in block}
        if not all(self.blocks) or read != set(range(len(read))):
            raise UsageError(
                f"the design {quoted(self.name)} must give every model a bucket, and every bucket from 0 on "
                "a model that reads it"
            )

    @property
    def models(self) -> int:
        """The number of base models."""
        return len(self.blocks)

    @property
    def buckets(self) -> int:
        """The number of buckets that words are hashed into."""
        return 1 + max(map(max, self.blocks))

    def incidence(self) -> npt.NDArray[np.bool_]:
        """Return buckets x models: whether the model reads the bucket.

        >>> design_of("blocks:0,1/1,2").incidence().astype(int).tolist()
        [[1, 0], [1, 1], [0, 1]]
        """
        table = np.zeros((self.buckets, self.models), np.bool_)
        for model, block in enumerate(self.blocks):
            table[list(block), model] = True
        return table


def is_design(groups: Any) -> bool:
    """Whether a setting of groups names a design.

    >>> is_design("pg:3"), is_design("words"), is_design(7)
    (True, False, False)
    """
    return isinstance(groups, str) and groups != "words"


def design_of(name: str) -> Design:
    """Return the design of a name.

    >>> design_of("pg:3").models, design_of("cyclic:11:1,3,4,5,9").models
    (13, 11)
    """
    if name == "fano":
        return _cyclic(name, 7, _PLANES[2])
    plane = re.fullmatch(r"pg:([0-9]{1,2})", name)
    if plane and int(plane[1]) in _PLANES:
        q = int(plane[1])
        return _cyclic(name, q * q + q + 1, _PLANES[q])
    cyclic = re.fullmatch(r"cyclic:([1-9][0-9]{0,3}):([0-9,]+)", name)
    if cyclic and int(cyclic[1]) <= MOST_MODELS:
        return _cyclic(name, int(cyclic[1]), _numbers(name, cyclic[2]))
    if re.fullmatch(r"blocks:[0-9,/]+", name):
        blocks = name.removeprefix("blocks:").split("/")
        return Design(name, tuple(tuple(sorted(set(_numbers(name, block)))) for block in blocks))
    raise UsageError(f"groups must be a whole number, 'words' or a design: {_SPELLED}; got {quoted(name)}")


def _cyclic(name: str, models: int, block: Sequence[int]) -> Design:
    shifts = (tuple(sorted({(bucket + shift) % models for bucket in block})) for shift in range(models))
    return Design(name, tuple(shifts))


def _numbers(name: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"the design {quoted(name)} has a number missing: {_SPELLED}") from None
