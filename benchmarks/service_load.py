"""Clients that ask as fast as they are answered, over kept connections, with next to no work of their own.

    python benchmarks/service_load.py HOST PORT CLIENTS SECONDS <texts.json

Each client sends `POST /v1/predict` with one text, waits for the answer, and sends the next. Printed is a
record: answers, errors by kind, and latencies in microseconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from functools import partial
from itertools import cycle
from typing import Any, cast

PATH = "/v1/predict"


class Client(asyncio.Protocol):
    """One kept connection."""

    def __init__(self, requests: list[bytes], first: int, until: float) -> None:
        self.requests = cycle(requests[first:] + requests[:first])
        self.until = until
        self.latencies: list[int] = []
        self.errors: Counter[str] = Counter()
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.buffer, self.began = b"", 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.ask()

    def ask(self) -> None:
        """Send the next request, unless time is up."""
        if time.monotonic() >= self.until:
            self.transport.close()
            return
        self.began = time.monotonic_ns()
        self.transport.write(next(self.requests))

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        _, _, rest = head.lower().partition(b"content-length:")
        if len(body) < int(rest.partition(b"\r\n")[0]):
            return
        self.buffer = b""
        if head.startswith(b"HTTP/1.1 200"):
            self.latencies.append((time.monotonic_ns() - self.began) // 1000)
        else:
            self.errors[head[9:12].decode()] += 1
        self.ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if time.monotonic() < self.until:
            self.errors["connection lost"] += 1
        if not self.done.done():
            self.done.set_result(None)


async def load(host: str, port: int, clients: int, seconds: float, texts: list[str]) -> dict[str, Any]:
    """Let so many clients ask for so long."""
    requests = [request(text) for text in texts]
    loop, began = asyncio.get_running_loop(), time.monotonic()
    made = []
    for place in range(clients):
        factory = partial(Client, requests, place * len(requests) // clients, began + seconds)
        _, client = await loop.create_connection(factory, host, port)
        made.append(client)
    await asyncio.wait_for(asyncio.gather(*(client.done for client in made)), seconds + 60)
    took = time.monotonic() - began
    latencies = sorted(one for client in made for one in client.latencies)
    errors = sum((client.errors for client in made), Counter[str]())
    return {
        "clients": clients,
        "answers": len(latencies),
        "errors": dict(errors),
        "seconds": round(took, 3),
        "p50_us": at(latencies, 0.50),
        "p99_us": at(latencies, 0.99),
        "longest_us": latencies[-1] if latencies else None,
    }


def request(text: str) -> bytes:
    """The bytes of one request."""
    body = json.dumps({"texts": text}).encode()
    lines = [f"POST {PATH} HTTP/1.1", "Host: l", "Content-Type: application/json"]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def at(ordered: list[int], share: float) -> int | None:
    """The value that such a share does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def main() -> None:
    """Read texts from standard input, print a record."""
    host, port, clients, seconds = sys.argv[1:]
    print(json.dumps(asyncio.run(load(host, int(port), int(clients), float(seconds), json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
