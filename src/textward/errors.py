"""One tree of errors. A message says what failed, where, why, and what to do."""

from __future__ import annotations


class TextwardError(Exception):
    """The root of everything textward raises on purpose."""


class DataError(TextwardError, ValueError):
    """Rows or labels that cannot be used; the message names the file, the row and the remedy."""


class ModelError(TextwardError):
    """A directory that is not a model, or one that was changed, or is of a newer format."""


class NotCertifiableError(TextwardError):
    """A certificate was asked for where the theorem does not apply."""


class MissingExtraError(TextwardError, ImportError):
    """An optional dependency is absent; the message names the extra that brings it."""


class PieceError(TextwardError, RuntimeError):
    """One of several pieces of work failed; the message says which and why."""


class LostWorkerError(PieceError):
    """A worker died each time it was given one piece of work, or could not be reached any more."""


class UsageError(TextwardError, ValueError):
    """A setting outside what it may be."""


class AttackError(TextwardError):
    """An attack that did not do what it says, such as one that left a text unchanged."""


class DefenceError(TextwardError):
    """A defence that left nothing to train on, or did not give what its interface says."""
