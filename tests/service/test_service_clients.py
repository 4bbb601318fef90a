"""Clients that are slow, that vanish, that do not read: all others are answered, and nothing stays."""

from __future__ import annotations

import json
import socket
import struct
import time
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from service_models import GUARDS, served

BODY = json.dumps({"texts": ["a good film"] * 8}).encode()
REQUEST = (
    b"POST /v1/predict HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
    % (len(BODY), BODY)
)


def connected(where: str) -> socket.socket:
    found = urlsplit(where)
    return socket.create_connection((found.hostname, found.port), timeout=10)


def asked(where: str, path: str, body: Any = None) -> tuple[int, str]:
    with closing(HTTPConnection(urlsplit(where).netloc, timeout=20)) as connection:
        headers = {"Content-Type": "application/json"}
        connection.request(
            "GET" if body is None else "POST",
            path,
            body and json.dumps(body),
            {} if body is None else headers,
        )
        with connection.getresponse() as response:
            return response.status, response.read().decode()


def hung_up(client: socket.socket) -> bool:
    with suppress(ConnectionError):
        return client.recv(1) == b""
    return True


def test_who_never_begins_a_request_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textward.service.server.HEAD_SECONDS", 0.4)
    with served(GUARDS["groups"]()) as where, connected(where) as silent, connected(where) as dribbling:
        dribbling.sendall(b"POST /v1/predict HTTP/1.1\r\nX: ")
        with suppress(ConnectionError):
            for _ in range(15):
                dribbling.sendall(b"x")
                time.sleep(0.1)
        assert hung_up(silent)
        assert hung_up(dribbling)
        assert asked(where, "/v1/predict", {"texts": "good"})[0] == 200


def test_who_keeps_a_connection_and_asks_now_and_then_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textward.service.server.HEAD_SECONDS", 0.4)
    with served(GUARDS["groups"]()) as where, closing(HTTPConnection(urlsplit(where).netloc)) as connection:
        connection.connect()
        kept = connection.sock
        for _ in range(6):
            connection.request("POST", "/v1/predict", BODY, {"Content-Type": "application/json"})
            with connection.getresponse() as response:
                assert response.status == 200
                response.read()
            time.sleep(0.2)
        assert connection.sock is kept


def test_connections_cut_while_they_wait_leave_nothing_behind() -> None:
    with served(GUARDS["ballots"]()) as where:
        for _ in range(40):
            client = connected(where)
            client.sendall(REQUEST)
            # Closed with a reset, as by a process that was killed.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        status, _ = asked(where, "/v1/predict", {"texts": "good"})
        assert status == 200
        for _ in range(100):
            figures = asked(where, "/metrics")[1]
            if "textward_requests_in_flight 1.0" in figures:  # this one
                break
            time.sleep(0.05)
        assert "textward_requests_in_flight 1.0" in figures
        assert "textward_waiting_texts 0.0" in figures
        assert 'status="500"' not in figures


def test_who_does_not_read_holds_up_nobody() -> None:
    with served(GUARDS["groups"]()) as where, ExitStack() as stack:
        for _ in range(8):
            client = stack.enter_context(connected(where))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            client.settimeout(0.5)
            with suppress(TimeoutError):
                client.sendall(REQUEST * 50)
        for _ in range(5):
            assert asked(where, "/v1/predict", {"texts": "good"})[0] == 200
