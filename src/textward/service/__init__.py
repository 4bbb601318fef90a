"""The service: a saved model behind HTTP, and a page to play with it."""

from __future__ import annotations

from textward.errors import MissingExtraError

try:
    from textward.service.app import create_app
    from textward.service.server import Address, serve
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] not in {
        "fastapi",
        "starlette",
        "uvicorn",
        "prometheus_client",
        "anyio",
    }:
        raise
    raise MissingExtraError(
        f"serving a model needs {error.name}, which is not installed: pip install 'textward[serve]'"
    ) from error

from textward.service.settings import Limits

__all__ = ["Address", "Limits", "create_app", "serve"]
