"""A word's hash modulo m, for many words at once; needs numpy alone."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Callable, Iterable
from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

HashName = Literal["md5", "sha1", "sha256"]
HASHES: tuple[HashName, ...] = get_args(HashName)


def hashed(words: Iterable[bytes], m: int, name: HashName) -> npt.NDArray[np.int32]:
    """Return the hexadecimal digest of each word as an integer, modulo m.

    >>> hashed([b"bad", b"film"], 3, "md5").tolist()
    [1, 1]
    """
    new = _constructor(name)
    digests = b"".join([new(word, usedforsecurity=False).digest() for word in words])
    limbs = np.frombuffer(digests, ">u4").reshape(-1, new(b"").digest_size // 4)
    group = np.zeros(len(limbs), np.uint64)
    for limb in limbs.T:
        group = (group << np.uint64(32) | limb) % np.uint64(m)
    return group.astype(np.int32)


def _constructor(name: HashName) -> Callable[..., Any]:
    # Python's own code starts faster than OpenSSL's: on single words that is half of the time.
    for module in (f"_{name}", "_sha2"):
        if importlib.util.find_spec(module) and hasattr(own := importlib.import_module(module), name):
            return cast(Callable[..., Any], getattr(own, name))
    return cast(Callable[..., Any], getattr(hashlib, name))
