"""Before and after every request: the token, the number in flight, headers a browser obeys, and the count."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from textward.service.metrics import Metrics
from textward.service.problems import Problem
from textward.service.settings import Limits

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OPEN_WHILE_BUSY = ("/health/", "/metrics")
_BEHIND_TOKEN = ("/v1/", "/metrics")
_GONE = 499


class Gate:
    """An ASGI application around another one."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limits: Limits,
        token: str | None,
        metrics: Metrics,
        route: Callable[[str], str],
    ) -> None:
        self._app, self._limits, self._metrics, self._route = app, limits, metrics, route
        self._token = None if token is None else f"Bearer {token}".encode()
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), _GONE

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        self._inside += 1
        self._metrics.inside.set(self._inside)
        try:
            problem = self._refused(scope)
            if problem is not None:
                await problem.response()(scope, receive, sending)
            else:
                await self._app(scope, receive, sending)
        except Exception:
            status = 500 if status == _GONE else status
            raise
        finally:
            self._inside -= 1
            self._metrics.inside.set(self._inside)
            self._metrics.request(self._route(scope["path"]), status, time.perf_counter() - began)

    def _refused(self, scope: Scope) -> Problem | None:
        path: str = scope["path"]
        if self._inside > self._limits.requests and not path.startswith(_OPEN_WHILE_BUSY):
            return busy(1)
        if self._token is None or not path.startswith(_BEHIND_TOKEN):
            return None
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        if hmac.compare_digest(given, self._token):
            return None
        return Problem(
            401,
            "no-token",
            "This service asks for a token: send the header Authorization: Bearer TOKEN.",
            headers={"WWW-Authenticate": "Bearer"},
        )


def busy(seconds: int) -> Problem:
    """The answer to a client that has to come back.

    >>> busy(2).headers
    {'Retry-After': '2'}
    """
    return Problem(
        503,
        "busy",
        f"More requests wait than the service takes on. Come back in {seconds} s.",
        headers={"Retry-After": str(seconds)},
    )
