"""Every metric and label of the Grafana dashboard is one that the server exposes."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from decoct.budget import Budget
from decoct.data import Context
from decoct.embed.tokenizer import default_tokenizer
from decoct.server.metrics import Metrics
from decoct.trace import Trace

DEPLOY = Path(__file__).parents[2] / "deploy"
OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
# Prometheus adds these to what it scrapes.
ADDED = {"instance", "job"}


def exposed() -> dict[str, set[str]]:
    """The labels of each metric, after one of everything was counted."""
    metrics = Metrics(lambda: 1.0, lambda: 2.0)
    metrics.request("GET", "/api/v1/recipes", 200, 0.1)
    trace = Trace(fallbacks=Counter({"store.lagging": 1}))
    metrics.context("default", Context("?", "A bridge.", (), Budget(100, default_tokenizer()), trace))
    found: dict[str, set[str]] = {}
    for line in metrics.page().decode().splitlines():
        if named := re.match(r"(decoct_\w+?)(\{(.*)\})? ", line):
            found.setdefault(named[1], set()).update(re.findall(r"(\w+)=", named[3] or ""))
    return found


def test_the_dashboard_asks_for_what_there_is() -> None:
    board = json.loads((DEPLOY / "grafana.json").read_text("utf-8"))
    known = exposed()
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked += [one["query"] for one in board["templating"]["list"] if one["type"] == "query"]
    used: set[str] = set()
    for expression in asked:
        metrics = set(re.findall(r"decoct_\w+", expression))
        assert metrics
        used |= metrics
        for metric in metrics:
            assert metric in known, expression
        labels = ADDED.union(*(known[metric] for metric in metrics))
        for names in re.findall(r"by \(([^)]*)\)", expression):
            assert set(names.replace(" ", "").split(",")) <= labels, expression
        for names in re.findall(r"\{([^}]*)\}", expression):
            assert set(re.findall(r"(\w+)=", names)) <= labels, expression
    kinds = {metric.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for metric in known}
    shown = {metric.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for metric in used}
    assert {kind for kind in kinds if not kind.endswith("_created")} == shown  # nothing that is measured is left out


def test_the_runbook_names_the_metrics() -> None:
    told = set(re.findall(r"`(decoct_\w+)[`{]", OPERATIONS.read_text("utf-8")))
    assert told <= {name.removesuffix("_bucket") for name in exposed()}
    assert "decoct_requests_total" in told
