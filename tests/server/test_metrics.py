"""A client cannot make the measurements grow: every label is of a set that the server knows."""

from __future__ import annotations

from fastapi.testclient import TestClient

from decoct.server.metrics import Metrics


def test_methods_that_are_none_are_one_label() -> None:
    metrics = Metrics(lambda: 0, lambda: 0)
    metrics.request("GET", "/health", 200, 0.1)
    size = len(metrics.page())
    metrics.request("BREW0", "none", 405, 0.1)
    once = len(metrics.page())
    for number in range(1, 500):
        metrics.request(f"BREW{number}", "none", 405, 0.1)
    assert size < once
    assert len(metrics.page()) - once < 50  # digits of counters
    assert 'method="other"' in metrics.page().decode()
    assert "BREW" not in metrics.page().decode()


def test_a_server_takes_any_word_as_a_method_and_keeps_none(client: TestClient) -> None:
    for number in range(20):
        client.request(f"BREW{number}", f"/api/v1/pot{number}")
    shown = client.get("/metrics").text
    assert "BREW" not in shown
    assert "pot" not in shown
