"""Figures as SVG, drawn with matplotlib from the tables of a report; equal tables give equal files.

Colours are those of Okabe and Ito, told apart by colour-blind readers too; each system keeps its colour and its mark in every figure.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

from decoct.evaluate.amounts import amount_text, in_order
from decoct.evaluate.extra import library
from decoct.visible import visible

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
