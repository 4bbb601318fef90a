"""The process: a socket, uvicorn, and an end that answers what it has begun."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from textward.errors import UsageError

HEAD_SECONDS = 20.0
"""Within which a connection must have begun a request."""
STOP_SECONDS = 30
"""Within which requests in flight must end once the process was told to stop."""
MOST_CONNECTIONS = 900
_SWITCH = 0.0005
_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 is any free one.

    >>> Address("127.0.0.1", 8000).loopback, Address("0.0.0.0", 8000).loopback
    (True, False)
    """

    host: str = "127.0.0.1"
    port: int = 8000

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def bound(self) -> socket.socket:
        """Return a socket that listens there, or say why none does."""
        try:
            if not 0 <= self.port <= _LAST_PORT:  # else it would be taken modulo 65536
                raise OverflowError("a port lies between 0 and 65535")
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            family, kind, protocol, _, address = found[0]
            # Named, for asyncio sends small answers at once only where a socket says that it speaks TCP.
            listening = socket.socket(family, kind, protocol)
            try:
                if os.name == "posix":
                    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listening.bind(address)
                listening.listen(2048)
            except OSError:
                listening.close()
                raise
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"cannot listen on {self.host} port {self.port}: {error}. Choose another --host or --port; "
                "--port 0 takes any free one."
            ) from error
        return listening


def url(listening: socket.socket) -> str:
    """What to type into a browser.

    >>> with Address("127.0.0.1", 0).bound() as listening:
    ...     url(listening).startswith("http://127.0.0.1:")
    True
    """
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(app: ASGIApp, listening: socket.socket, *, started: Callable[[], Any] = lambda: None) -> None:
    """Answer until the process is told to stop (SIGTERM, or Ctrl-C), then finish what was begun."""
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        log_config=_LOGS,
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = _Server(config, started)
    # uvicorn raises the signal again once it has stopped: then SIGTERM means a good end.
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    # A batch holds the interpreter for milliseconds at a time, which the event loop need not wait out.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        server.run(sockets=[listening])
    finally:
        sys.setswitchinterval(interval)
        signal.signal(signal.SIGTERM, before)


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on clients who take forever to begin a request."""

    _seen: object = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer = self.loop.call_later(HEAD_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._seen is self.cycle:
            self.transport.abort()
            return
        # None stands for no request yet, so the first look already counts.
        self._seen = self.cycle if idle else object()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._look)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], Any]) -> None:
        super().__init__(config)
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._told()


_LOGS: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}
    },
    "loggers": {"uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False}},
}
