"""Random numbers as pure functions of a seed and a place: the same on every machine, version and batch size.

SplitMix64 over a counter, so that row i's numbers do not depend on which other rows are drawn.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from textward.certificates.votes import check_integer

Keys = npt.NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15
_WORD = 1 << 64


def keys_of(seed: int, purpose: str, n: int) -> Keys:
    """One key a row: equal for equal seed, purpose and row, and unrelated otherwise.

    >>> bool((keys_of(7, "rows", 3) == keys_of(7, "rows", 9)[:3]).all())
    True
    """
    seed = check_integer("seed", seed, least=0)
    root = np.array([seed % _WORD], np.uint64)
    for part in (seed // _WORD, int.from_bytes(purpose.encode(), "big")):
        root = _mixed(root ^ np.uint64(part % _WORD))
    return _mixed(root + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(_STEP))


def draw(keys: Keys, number: int) -> Keys:
    """The draw of this number under each key.

    >>> bool(draw(keys_of(0, "", 1), 1)[0] == draw(keys_of(0, "", 1), 2)[0])
    False
    """
    return _mixed(keys + np.uint64((number + 1) * _STEP % _WORD))


def below(drawn: Keys, bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Each draw as an integer in 0..bound - 1; bounds up to 2**32.

    >>> below(keys_of(0, "", 4), np.array([1, 1, 2, 2])).max() <= 1
    np.True_
    """
    scaled: npt.NDArray[np.int64] = (
        (drawn >> np.uint64(32)) * bounds.astype(np.uint64) >> np.uint64(32)
    ).astype(np.int64)
    return scaled


def _mixed(x: Keys) -> Keys:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Keys = x ^ (x >> np.uint64(31))
    return mixed
