from __future__ import annotations

from itertools import pairwise
from math import comb

import pytest

from textward.certificates import clopper_pearson, wilson
from textward.errors import UsageError


def at_least(hits: int, n: int, p: float) -> float:
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits, n + 1))


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_clopper_pearson_ends_leave_half_the_error_on_each_side(n):
    for hits in range(n + 1):
        low, high = clopper_pearson(hits, n, 0.9)
        assert low == 0 if hits == 0 else at_least(hits, n, low) == pytest.approx(0.05, rel=1e-9)
        assert high == 1 if hits == n else 1 - at_least(hits + 1, n, high) == pytest.approx(0.05, rel=1e-9)


def test_clopper_pearson_covers_at_least_as_often_as_it_says():
    n = 12
    ends = [clopper_pearson(hits, n) for hits in range(n + 1)]
    for step in range(1, 100):
        p = step / 100
        covered = sum(
            comb(n, k) * p**k * (1 - p) ** (n - k) for k, (low, high) in enumerate(ends) if low <= p <= high
        )
        assert covered >= 0.95


def test_wilson_ends_lie_as_many_standard_errors_away_as_the_confidence_says():
    z = 1.959963984540054
    for hits in range(1, 20):
        for end in wilson(hits, 20):
            assert (hits / 20 - end) ** 2 == pytest.approx(z * z * end * (1 - end) / 20)
    assert wilson(0, 20)[0] == 0
    assert wilson(20, 20)[1] == 1


@pytest.mark.parametrize("interval", [clopper_pearson, wilson])
def test_intervals_hold_their_share_shrink_with_n_and_mirror(interval):
    for hits, n in [(0, 5), (2, 5), (5, 5), (0, 5_000_000), (123, 456)]:
        low, high = interval(hits, n)
        assert 0 <= low <= hits / n <= high <= 1
        mirrored = interval(n - hits, n)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)
    widths = [high - low for low, high in (interval(n // 4, n) for n in (4, 40, 400, 40_000))]
    assert all(wide > narrow for wide, narrow in pairwise(widths))


@pytest.mark.parametrize("interval", [clopper_pearson, wilson])
@pytest.mark.parametrize(
    ("hits", "n", "confidence", "message"),
    [
        (0, 0, 0.95, "n must be an integer >= 1, got 0"),
        (3, 2, 0.95, "hits must not exceed n = 2, got 3"),
        (-1, 2, 0.95, "hits must be an integer >= 0, got -1"),
        (1.0, 2, 0.95, "hits must be an integer >= 0, got 1.0"),
        (1, 2, 1.0, "confidence must lie strictly between 0 and 1, got 1.0"),
        (1, 2, 0.0, "confidence must lie strictly between 0 and 1"),
        (1, 2, float("nan"), "confidence must lie strictly between 0 and 1, got nan"),
    ],
)
def test_what_an_interval_refuses(interval, hits, n, confidence, message):
    with pytest.raises(UsageError, match=message):
        interval(hits, n, confidence)
