"""How much evidence is a warning and how much an alarm; the constants were measured (docs/scan.md).

python benchmarks/scan.py clean --data DIR
"""

from __future__ import annotations

from enum import Enum

WARNING = 5.0
"""Nats of evidence above what the best of so many candidates has by chance."""
ALARM = 20.0


class Severity(str, Enum):
    """How bad it looks; from `Severity.of` a score.

    >>> Severity.of(3.0).value, Severity.of(30.0).value, Severity.warning.at_least(Severity.alarm)
    ('info', 'alarm', False)
    """

    info = "info"
    warning = "warning"
    alarm = "alarm"

    @classmethod
    def of(cls, score: float) -> Severity:
        """By the thresholds."""
        if score >= ALARM:
            return cls.alarm
        return cls.warning if score >= WARNING else cls.info

    def at_least(self, other: Severity) -> bool:
        """Whether it is as bad as another, or worse."""
        order = list(Severity)
        return order.index(self) >= order.index(other)
