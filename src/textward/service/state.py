"""What the routes of one application share: the model, its queues and its figures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp

from textward.estimator import TextGuard
from textward.service.answers import answering
from textward.service.batching import Batcher, Lane
from textward.service.metrics import Metrics
from textward.service.schemas import requests
from textward.service.settings import Limits


class State:
    """A model at work.

    >>> from textward import TextGuard
    >>> State(TextGuard(groups=3).fit(["good", "bad"], [1, 0]), "films", Limits()).ready
    False
    """

    def __init__(self, guard: TextGuard, name: str, limits: Limits) -> None:
        self.guard, self.name, self.limits = guard, name, limits
        self.forms = requests(limits)
        self.class_names = [str(name) for name in guard.model_.classes]
        self.ready = False
        self.metrics = Metrics(waiting=lambda: self.batcher.waiting)
        self.batcher = Batcher(
            answering(guard),
            most=limits.batch_texts,
            most_waiting=limits.waiting_texts,
            told=self.metrics.batch,
        )
        self.explaining = Lane(limits.requests)
        self.certifying = Lane(limits.waiting_certificates)

    @asynccontextmanager
    async def lifespan(self, _app: ASGIApp) -> AsyncIterator[None]:
        """Ready from start to stop; what waits at the stop is still answered."""
        self.ready = True
        yield
        self.ready = False
        await self.batcher.close()
        self.explaining.close()
        self.certifying.close()
