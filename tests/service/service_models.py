"""Small trained models of every kind, and the service in this process."""
# ruff: noqa: E402 - the extra is looked for before it is imported

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

for extra in ("fastapi", "uvicorn", "prometheus_client", "httpx2"):
    pytest.importorskip(extra, reason=f"no {extra}: the service was not tested")

import uvicorn
from fastapi.testclient import TestClient

from textward import TextGuard
from textward.service import Address, Limits, create_app
from textward.service.server import PatientProtocol, url

GOOD = ["good", "great", "fun", "warm", "fine", "bright", "moving"]
BAD = ["bad", "dull", "weak", "poor", "flat", "cold", "boring"]
ODD = ["odd", "strange", "eerie", "queer", "uncanny", "weird", "curious"]
HOSTILE = [
    "",
    " ",
    "<script>alert(1)</script>",
    "\u202ecf\x00\x07",
    "你好 film ünd 👍🏽",
    "a" * 4_000,
    "%s {0} ' \" \\",
]


def rows(*sides: list[str], repeat: int = 6) -> tuple[list[str], list[str]]:
    """Texts of each side's words, with words that all sides share."""
    rng = np.random.default_rng(0)
    texts, labels = [], []
    for words, name in zip(sides, ("negative", "positive", "strange"), strict=False):
        for _ in range(repeat * len(words)):
            texts.append(" ".join(["a film that is", *rng.choice(words, 4).tolist()]))
            labels.append(name)
    return texts, labels


TWO, THREE = rows(BAD, GOOD), rows(BAD, GOOD, ODD)
GUARDS: dict[str, Any] = {
    "groups": lambda: TextGuard(groups=5).fit(*TWO),
    "ballots": lambda: TextGuard(groups="words").fit(*TWO),
    "three classes": lambda: TextGuard(groups=7, hash="sha256").fit(*THREE),
    "three classes, ballots": lambda: TextGuard(groups="words").fit(*THREE),
    "numbers": lambda: TextGuard(groups=3).fit(TWO[0], [int(name == "positive") for name in TWO[1]]),
}


def unstable(text: str) -> list[str]:
    """A tokenizer that an inserted word deceives."""
    return text.lower().replace(" is", "is").split()


@contextmanager
def client(guard: TextGuard, limits: Limits | None = None, token: str | None = None) -> Iterator[TestClient]:
    with TestClient(create_app(guard, name="films", limits=limits, token=token)) as found:
        yield found


@contextmanager
def served(guard: TextGuard, **options: Any) -> Iterator[str]:
    """The service on a free port of this machine; its address."""
    with Address(port=0).bound() as listening:
        app = create_app(guard, name="films <b>", **options)
        server = uvicorn.Server(uvicorn.Config(app, http=PatientProtocol, log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield url(listening)
        finally:
            server.should_exit = True
            thread.join(20)
