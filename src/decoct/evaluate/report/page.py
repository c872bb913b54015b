"""One self-contained HTML page: figures first, then tables, then questions side by side (`page.html.j2`, which this gives its values)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from decoct.evaluate.amounts import amount_text
from decoct.evaluate.extra import library
from decoct.evaluate.report.excerpts import Excerpt
from decoct.evaluate.report.figures import curves, pareto
from decoct.evaluate.report.markdown import differences_grid, metric_grid, pivot
from decoct.visible import visible

CURVES = 6  # figures of quality against budget; the tables have every measure
FRONT = (
    "Quality, tokens and time",
    "Left is cheaper, up is better, a larger mark is slower. Ringed: no other point is at least as good in all three and better in one.",
)
Rows = Sequence[Mapping[str, Any]]


def page(made: Mapping[str, Any], shown: Sequence[Excerpt] = ()) -> str:
    """The page of the tables and excerpts; `MissingExtraError` without the extra `evaluate`."""
    jinja2, here = library("jinja2", "a page"), files("decoct.evaluate.report")
    # Nothing reaches the page but as text that a browser makes nothing of: escaped, and by `seen` without what a reader cannot see.
    templates = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    templates.filters |= {"seen": lambda value: visible(str(value)), "heads": _heads, "amount": amount_text}
    template = templates.from_string((here / "page.html.j2").read_text("utf-8"))
    runs = [_run(run, made, [one for one in shown if one.run == run["run"]]) for run in made["runs"]]
    return str(template.render(runs=runs, css=(here / "page.css").read_text("utf-8"))) + "\n"


def _run(run: Mapping[str, Any], made: Mapping[str, Any], shown: Sequence[Excerpt]) -> dict[str, Any]:
    mine = {key: [row for row in made[key] if row["run"] == run["run"]] for key in made if key != "runs"}
    by_metric = {name: [row for row in mine["quality"] if row["metric"] == name] for name in run["metrics"]}
    curved = [name for name in run["metrics"] if "@" not in name][:CURVES]
    points = mine["front"]
    front = [pareto(points, run["systems"], f"{points[0]['metric']}: what it costs")] if points else []
    lines = [figure for name in curved if (figure := curves(by_metric[name], run["systems"], name))]
    return {
        "about": run,
        "said": list(_differences_in_words(mine["significance"])),
        "failed": sum(row["rows"] for row in mine["failures"]),
        "figures": [("", "", lines), (*FRONT, front)],
        "grids": [metric_grid(name, rows) for name, rows in by_metric.items()],
        "tests": differences_grid(mine["significance"]) if mine["significance"] else None,
        "tables": [
            ("Question types", pivot(mine["types"])),
            ("What a question costs", mine["cost"]),
            ("Failures", mine["failures"]),
        ],
        "shown": list(shown),
        "texts": any(passage.pieces for one in shown for side in one.sides for passage in side.passages),
    }


def _differences_in_words(tests: Rows) -> list[tuple[str, str, str, str]]:
    """In words: which differences in the first measure are more than noise."""
    found = []
    metric = tests[0]["metric"] if tests else ""
    for system in dict.fromkeys(test["system"] for test in tests):
        own = [test for test in tests if test["metric"] == metric and test["system"] == system]
        kinds = {
            "better at": [str(t["budget"]) for t in own if t["better"]],
            "worse at": [str(t["budget"]) for t in own if t["significant"] and not t["better"]],
            "within noise at": [str(t["budget"]) for t in own if not t["significant"]],
        }
        told = "; ".join(f"{kind} {', '.join(budgets)}" for kind, budgets in kinds.items() if budgets)
        found.append((system, tests[0]["baseline"], metric, told))
    return found


def _heads(rows: Rows) -> list[str]:
    return [key for key in dict.fromkeys(key for row in rows for key in row) if key != "run"]
