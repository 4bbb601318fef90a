"""Train text classifiers on untrusted rows, with a certificate on every prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textward.errors import (
    DataError,
    MissingExtraError,
    ModelError,
    NotCertifiableError,
    PieceError,
    TextwardError,
    UsageError,
)

if TYPE_CHECKING:
    from textward.estimator import TextGuard
    from textward.persistence import load

__version__ = "0.1.0"
__all__ = [
    "DataError",
    "MissingExtraError",
    "ModelError",
    "NotCertifiableError",
    "PieceError",
    "TextGuard",
    "TextwardError",
    "UsageError",
    "__version__",
    "load",
]

_LAZY = {"TextGuard": "textward.estimator", "load": "textward.persistence"}


def __getattr__(name: str) -> object:
    # scikit-learn takes a second to import, which `textward --help` need not wait for.
    if name not in _LAZY:
        raise AttributeError(f"module 'textward' has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(_LAZY[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
