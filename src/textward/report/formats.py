"""Numbers as a reader wants them."""

from __future__ import annotations

NARROW_SPACE = "\u202f"


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.6534).replace("\u202f", " ")
    '65.3 %'
    """
    return f"{100 * share:.1f}{NARROW_SPACE}%"


def span(low: float, high: float) -> str:
    """An interval in percent.

    >>> span(0.6, 0.7).replace("\u202f", " ")
    '60.0 to 70.0 %'
    """
    return f"{100 * low:.1f} to {percent(high)}"


def count(number: int) -> str:
    """A whole number with its thousands apart.

    >>> count(1821)
    '1,821'
    """
    return f"{number:,}"


def words(number: int) -> str:
    """So many trigger words.

    >>> words(1), words(2)
    ('1 trigger word', '2 trigger words')
    """
    return f"{number:,} trigger word{'s' * (number != 1)}"
