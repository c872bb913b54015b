"""Measurements for Prometheus: requests by route and status, their time, what waits, tokens given, jobs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from decoct.data import Context

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

# A client may send any word as a method, and each label is a series that is kept for good.
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())


class Metrics:
    """One server's measurements, in a registry of its own."""

    def __init__(self, waiting: Callable[[], float], jobs: Callable[[], float]) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "decoct_requests", "Requests answered.", ["method", "route", "status"], registry=registry
        )
        self._seconds = Histogram(
            "decoct_request_seconds", "Time to the end of a response.", ["route"], buckets=_SECONDS, registry=registry
        )
        self._running = Gauge("decoct_requests_running", "Requests in progress.", registry=registry)
        self._tokens = Counter("decoct_context_tokens", "Tokens of contexts built.", ["recipe"], registry=registry)
        self._fallbacks = Counter(
            "decoct_fallbacks", "Steps that did less than asked, by name.", ["name"], registry=registry
        )
        Gauge("decoct_work_pending", "Calls of the engine that run or wait.", registry=registry).set_function(waiting)
        Gauge("decoct_jobs_active", "Ingest jobs queued or running.", registry=registry).set_function(jobs)

    def running(self) -> AbstractContextManager[object]:
        """Counts a request as in progress for as long as the block lasts."""
        return self._running.track_inprogress()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request that ended."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def context(self, recipe: str, context: Context) -> None:
        """A context that was built."""
        self._tokens.labels(recipe).inc(context.tokens)
        for name, amount in context.trace.fallbacks.items():
            self._fallbacks.labels(name).inc(amount)

    def page(self) -> bytes:
        """All of them in Prometheus's text format."""
        return generate_latest(self._registry)
