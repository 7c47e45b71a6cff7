"""What is counted for Prometheus; labels hold routes and states only, nothing of a question or a document."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class Metrics:
    """The counters of one server, in a registry of its own."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self.requests = Counter("fonte_requests", "Requests answered.", labels, registry=registry)
        self.seconds = Histogram(
            "fonte_request_seconds", "Time to the end of a response.", ("route",), buckets=_SECONDS, registry=registry
        )
        self.first_text = Histogram(
            "fonte_first_text_seconds", "Time to the first text of an answer.", buckets=_SECONDS, registry=registry
        )
        self.answers = Counter("fonte_answers", "Answers by status.", ("status",), registry=registry)
        self.cancelled = Counter("fonte_cancelled_answers", "Answers whose client went away.", registry=registry)
        self.refused = Counter("fonte_refused", "Requests refused before any work.", ("why",), registry=registry)
        self.files = Counter("fonte_files", "Uploads by the state they ended in.", ("state",), registry=registry)
        self.effects = Counter("fonte_effects", "Measurements by how they ended.", ("state",), registry=registry)

    def watch(self, name: str, help_text: str, value: Callable[[], float]) -> None:
        """Report `value()` as a gauge at each scrape."""
        Gauge(name, help_text, registry=self._registry).set_function(value)

    def text(self) -> bytes:
        """Return all of it in Prometheus' text format."""
        return generate_latest(self._registry)
