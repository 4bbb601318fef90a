"""The application: its routes behind the gate, and an answer of one form to whatever goes wrong."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from textward import __version__
from textward.errors import DataError, NotCertifiableError, UsageError
from textward.estimator import TextGuard
from textward.service.batching import BusyError
from textward.service.gate import Gate, busy
from textward.service.metrics import routes_of
from textward.service.pages import page_routes
from textward.service.problems import Problem, failed, from_status
from textward.service.routes import TOKEN_SCHEME, api_routes
from textward.service.settings import Limits
from textward.service.state import State

_ABOUT = (
    "Labels texts, and says of each answer how many trigger words could not have changed it: words that "
    "somebody planted in the training rows and in the text. What that covers stands under `assumptions` in "
    "the answer of `GET /v1/model`."
)


def create_app(
    guard: TextGuard, *, name: str = "model", limits: Limits | None = None, token: str | None = None
) -> FastAPI:
    """Return the service of one trained model as an ASGI application.

    >>> app = create_app(TextGuard(groups=3).fit(["good", "bad"], [1, 0]))
    >>> sorted(app.openapi()["paths"])[:2]
    ['/health/live', '/health/ready']
    """
    state = State(guard, name, limits or Limits())
    app = FastAPI(
        title="textward",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=state.lifespan,
        exception_handlers=_HANDLERS,
    )
    routers = (api_routes(state, protected=token is not None), page_routes())
    for router in routers:
        app.include_router(router)
    if token is not None:
        # FastAPI writes down the schemes of its own dependencies alone, and the gate is none.
        schemes = app.openapi().setdefault("components", {}).setdefault("securitySchemes", {})
        schemes[TOKEN_SCHEME] = {"type": "http", "scheme": "bearer"}
    known = ["/openapi.json", *(str(getattr(one, "path", "")) for router in routers for one in router.routes)]
    app.add_middleware(Gate, limits=state.limits, token=token, metrics=state.metrics, route=routes_of(known))
    return app


async def _problem(_request: Request, error: Problem) -> Response:
    return error.response()


async def _http(_request: Request, error: HTTPException) -> Response:
    return from_status(error.status_code, error.detail, error.headers).response()


async def _busy(_request: Request, error: BusyError) -> Response:
    return busy(error.seconds).response()


async def _refused(_request: Request, error: Exception) -> Response:
    return Problem(422, "not-valid", str(error)).response()


async def _not_certifiable(_request: Request, error: NotCertifiableError) -> Response:
    return Problem(409, "not-certifiable", f"This model has no certificate: {error}").response()


_HANDLERS: dict[Any, Any] = {
    Problem: _problem,
    HTTPException: _http,
    BusyError: _busy,
    DataError: _refused,
    UsageError: _refused,
    NotCertifiableError: _not_certifiable,
    Exception: failed,
}
