"""Whether the extra is there, asked before anything of it is imported."""

from __future__ import annotations

from textward.errors import MissingExtraError


def require_extra(what: str) -> None:
    """Say which extra is missing, where it is.

    >>> require_extra("a fine-tuned encoder")  # doctest: +SKIP
    """
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs {error.name or 'torch'}, which is not installed: "
            "pip install 'textward[transformers]'"
        ) from error
