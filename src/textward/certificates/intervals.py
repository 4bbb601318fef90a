"""Confidence intervals for a share counted on a sample of texts.

These are statistics, not certificates: a certificate holds for the texts it was computed on; an interval says
how far the share may lie from the one over all texts the sample was drawn from.
"""

from __future__ import annotations

from scipy.special import betaincinv, ndtri

from textward.certificates.votes import check_integer
from textward.errors import UsageError


def clopper_pearson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Bound a share by the exact binomial interval: it covers at least as often as it says. Reports use it.

    >>> low, high = clopper_pearson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4439, 0.9748)
    """
    hits, n, tail = _check(hits, n, confidence)
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Bound a share by Wilson's score interval: shorter, and right only on average.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    hits, n, tail = _check(hits, n, confidence)
    z = -float(ndtri(tail))
    share, spread = hits / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = (spread * (share * (1 - share) + spread / 4)) ** 0.5 / (1 + spread)
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    high = 1.0 if hits == n else min(1.0, middle + half)
    return low, high


def _check(hits: int, n: int, confidence: float) -> tuple[int, int, float]:
    n = check_integer("n", n, least=1)
    hits = check_integer("hits", hits, least=0)
    if hits > n:
        raise UsageError(f"hits must not exceed n = {n}, got {hits}")
    if not 0.0 < confidence < 1.0:
        raise UsageError(f"confidence must lie strictly between 0 and 1, got {confidence!r}")
    return hits, n, (1.0 - confidence) / 2
