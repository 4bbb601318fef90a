"""What one server takes on, and what it turns away."""

from __future__ import annotations

from dataclasses import dataclass, fields

from textward.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on a request, and on what may wait; together they bound the server's memory.

    >>> Limits(texts=8).texts
    8
    >>> Limits(texts=0)
    Traceback (most recent call last):
    textward.errors.UsageError: the limit texts must be at least 1, got 0
    """

    text_characters: int = 20_000
    """In one text."""
    trigger_characters: int = 2_000
    """In the trigger that is tried on one text."""
    texts: int = 256
    """In one request."""
    body_bytes: int = 1024 * 1024
    requests: int = 256
    """Requests in flight; one more is told to come back."""
    waiting_texts: int = 4_096
    """Texts that wait for their batch."""
    batch_texts: int = 256
    """Texts that are answered together."""
    waiting_certificates: int = 4
    """Test sets that wait to be certified, one at a time."""
    trigger_sizes: int = 32
    most_trigger_words: int = 100
    body_seconds: float = 20.0
    """Within which a client must have sent its request."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 1:
                raise UsageError(f"the limit {field.name} must be at least 1, got {value}")
