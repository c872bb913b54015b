"""One self-contained HTML page: figures first, then tables, then questions side by side (`page.html.j2`, which this gives its values)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from io import StringIO
from typing import Any

from decoct.errors import MissingExtraError
from decoct.evaluate.amounts import amount_text, in_order
from decoct.evaluate.report.excerpts import Excerpt
from decoct.evaluate.report.markdown import differences_grid, metric_grid, pivot
from decoct.visible import visible

FIGURES = ("jinja2", "matplotlib")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
MARKS = ("o", "s", "D", "^")
SIZE = (5.6, 3.9)  # inches
# Text stays text (found, copied, read aloud), dollars in names are no formulas, and equal figures have equal ids; grey on nothing, so
# that a page in the dark shows them too.
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "decoct",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.35,
    "legend.frameon": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"), "#76808a"),
}
Row = Mapping[str, Any]
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


@contextmanager
def drawing(title: str, out: StringIO, size: tuple[float, float] = SIZE, columns: int = 1) -> Iterator[Any]:
    """The axes of a new figure (a list of them for several columns); what is drawn there goes into `out` as one `<svg>` element."""
    matplotlib, figures = (library(name, "a figure") for name in ("matplotlib", "matplotlib.figure"))
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the reader's fonts show what the one that measures widths lacks
        figure = figures.Figure(figsize=size, layout="constrained")
        axes = figure.subplots(1, columns)
        figure.suptitle(visible(title), fontsize=10)
        yield axes
        text = StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(text, format="svg", transparent=True, metadata=nothing)
    drawn = text.getvalue()
    out.write(drawn[drawn.index("<svg") :])


def by_powers(axes: Any) -> None:  # noqa: ANN401 - matplotlib's axes
    """A logarithmic scale across, its ticks plain numbers."""
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter("")


def style(systems: Sequence[str]) -> dict[str, dict[str, str]]:
    """Colour and mark of each system."""
    return {
        name: {"color": COLOURS[i % len(COLOURS)], "marker": MARKS[i % len(MARKS)]} for i, name in enumerate(systems)
    }


def curves(rows: Sequence[Row], systems: Sequence[str], title: str) -> str:
    """Quality against budget: a line a system, its mean and 95 % interval at every budget; "" where the measure applies to nothing."""
    points = [row for row in rows if row["mean"] is not None]
    if not points:
        return ""
    budgets, out, marks = sorted({row["budget"] for row in points}, key=in_order), StringIO(), style(systems)
    tokens = all(
        isinstance(one, int) for one in budgets
    )  # chunks, or both kinds, have no common scale: they stand evenly
    worth = {one: one if tokens else place for place, one in enumerate(budgets)}
    with drawing(title, out) as axes:
        for name in systems:
            mine = sorted((row for row in points if row["system"] == name), key=lambda row: worth[row["budget"]])
            if mine:
                means = [row["mean"] for row in mine]
                errors = [[row["mean"] - row["low"] for row in mine], [row["high"] - row["mean"] for row in mine]]
                at = [worth[row["budget"]] for row in mine]
                axes.errorbar(at, means, errors, label=visible(name), markersize=4.5, elinewidth=0.8, **marks[name])
        if tokens:
            axes.set_xscale("log")
            axes.minorticks_off()
        axes.set_xticks([worth[one] for one in budgets], [amount_text(one) for one in budgets])
        axes.set_xlabel("context budget, tokens" if tokens else "context budget")
        axes.legend(fontsize=7.5)
    return out.getvalue()


def pareto(rows: Sequence[Row], systems: Sequence[str], title: str) -> str:
    """Quality against tokens; a mark's area grows with the time of a question, and marks on the front have a ring."""
    if not rows:
        return ""
    slowest, out, marks = max(row["seconds"] for row in rows) or 1.0, StringIO(), style(systems)
    with drawing(title, out) as axes:
        for row in rows:
            at = max(row["tokens"], 1.0), row["quality"]
            ring = "#76808a" if row["on_front"] else "none"
            axes.scatter(
                *at, s=20 + 120 * row["seconds"] / slowest, edgecolors=ring, linewidths=1.5, **marks[row["system"]]
            )
        for name in systems:
            axes.scatter([], [], label=visible(name), **marks[name])
        by_powers(axes)
        axes.set_xlabel("tokens of the context (mean)")
        axes.legend(fontsize=7.5)
    return out.getvalue()


def library(module: str, what: str) -> Any:  # noqa: ANN401 - a module; these have no types of their own
    """The module; `MissingExtraError` says that `what` needs the extra where it is not installed."""
    if find_spec(module.partition(".")[0]) is None:
        raise MissingExtraError(what, "evaluate")
    return import_module(module)


def need_figures() -> None:
    """`MissingExtraError` where a page with figures cannot be made, before any work is done for it."""
    for name in FIGURES:
        library(name, "a report with figures")
