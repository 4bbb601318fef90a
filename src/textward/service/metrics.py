"""What the service counts, for Prometheus; no text and no trigger word is among it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from textward.service.answers import Answer

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_RADII = (0, 1, 2, 3, 4, 5, 7, 10, 15, 20)


class Metrics:
    """The figures of one server.

    >>> metrics = Metrics(waiting=lambda: 0)
    >>> metrics.answered([Answer("good", [1, 2], 0)], abstained=0)
    >>> b'textward_predictions_total{label="good"} 1.0' in metrics.page()
    True
    """

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, waiting: Callable[[], int]) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        self._requests = Counter(
            "textward_requests", "Requests answered.", ["route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "textward_request_seconds", "Time to answer.", ["route"], buckets=_SECONDS, registry=registry
        )
        self.inside = Gauge("textward_requests_in_flight", "Requests being answered.", registry=registry)
        gauge = Gauge("textward_waiting_texts", "Texts that wait for their batch.", registry=registry)
        gauge.set_function(waiting)
        self._batch_texts = Histogram(
            "textward_batch_texts", "Texts answered together.", buckets=_TEXTS, registry=registry
        )
        self._batch_seconds = Histogram(
            "textward_batch_seconds", "Time of the model a batch.", buckets=_SECONDS, registry=registry
        )
        self._labels = Counter("textward_predictions", "Texts by label.", ["label"], registry=registry)
        self._radius = Histogram(
            "textward_radius", "Radii of the answers.", buckets=_RADII, registry=registry
        )
        self._abstained = Counter(
            "textward_abstained", "Answers below the asked-for radius.", registry=registry
        )

    def request(self, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def batch(self, texts: int, seconds: float) -> None:
        """One batch went through the model."""
        self._batch_texts.observe(texts)
        self._batch_seconds.observe(seconds)

    def answered(self, answers: Sequence[Answer], abstained: int) -> None:
        """Some texts were answered."""
        for answer in answers:
            self._labels.labels(str(answer.label)).inc()
            if answer.radius is not None:
                self._radius.observe(answer.radius)
        if abstained:
            self._abstained.inc(abstained)

    def page(self) -> bytes:
        """The figures in Prometheus' own format."""
        return generate_latest(self.registry)


def routes_of(paths: Iterable[str]) -> Callable[[str], str]:
    """Names a request's route: only known paths, so that no client makes up new figures.

    >>> route = routes_of(["/v1/predict"])
    >>> route("/v1/predict"), route("/etc/passwd")
    ('/v1/predict', 'other')
    """
    known = frozenset(paths)
    return lambda path: path if path in known else "other"
