"""Two pictures of the book, drawn from committed results: `python docs/result_figures.py` writes them, a test compares them.

They are plain SVG, so that the same result gives the same bytes everywhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from decoct_lab.reproduce.tellable import wilson

ROOT = Path(__file__).parents[1]
FIGURES = Path(__file__).parent / "figures"
_COLOURS = (
    "#0b6e5f",
    "#7648a8",
    "#ad4d14",
    "#1d5c9e",
    "#9b1d4f",
    "#5b5b14",
    "#444c4a",
    "#a3126f",
    "#6b4a12",
    "#2f6d8a",
)
_LEFT, _TOP, _WIDE, _HIGH = 60, 20, 500, 220
Point = tuple[float, float, float, float]  # where it stands, its value, and the value's interval


def evidence() -> str:
    """Evidence in the context by budget: three recipes on MuSiQue."""
    rows = [row for row in _result("evaluation/musique.json")["quality"] if row["metric"] == "evidence_recall"]
    budgets = sorted({row["budget"] for row in rows})
    curves = {
        name: [
            (float(budgets.index(row["budget"])), row["mean"], row["low"], row["high"])
            for row in rows
            if row["system"] == name
        ]
        for name in ("default", "hybrid", "naive")
    }
    n = max(row["n"] for row in rows)
    return _drawing(
        curves,
        [(float(at), f"{budget:,}") for at, budget in enumerate(budgets)],
        (0.0, 1.0),
        f"tokens of context (MuSiQue, n = {n}; default was fitted on public questions of this set)",
        "share of the evidence in the context",
    )


def certainty() -> str:
    """Of what is claimed on documents that were kept back, how much is right, by the least score of a claim."""
    found = {
        name.removeprefix("kept-"): one
        for name, one in _result("organisations.json")["organisations"].items()
        if name.startswith("kept-")
    }
    curves = {name: _by_caution([one]) for name, one in found.items()} | {"all of them": _by_caution(found.values())}
    asked = sum(_asked(one) for one in found.values())
    ticks = [
        (least, f"{least} ({_claimed(found.values(), least)} claims)")
        for least in sorted({point[0] for point in curves["all of them"]})
    ]
    return _drawing(
        dict(reversed(curves.items())),
        ticks,
        (0.5, 1.0),
        f"caution: the least score of a claim ({asked} questions, documents kept back)",
        "share of the claims that are right",
    )


def _by_caution(organisations: Iterable[Mapping[str, Any]]) -> list[Point]:
    bins = [one for organisation in organisations for one in organisation["by score"] if one["n"]]
    points = []
    for least in sorted({one["from"] for one in bins}):
        above = [one for one in bins if one["from"] >= least]
        n = sum(one["n"] for one in above)
        right = round(sum(one["n"] * one["share"] for one in above))
        points.append((least, right / n, *wilson(right, n)))
    return points


def _claimed(organisations: Iterable[Mapping[str, Any]], least: float) -> int:
    return sum(one["n"] for organisation in organisations for one in organisation["by score"] if one["from"] >= least)


def _asked(organisation: Mapping[str, Any]) -> int:
    return sum(one["n"] for one in organisation["by kind"].values())


def _result(name: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads((ROOT / "benchmarks" / "results" / name).read_text("utf-8"))


def _drawing(
    curves: Mapping[str, Sequence[Point]],
    ticks: Sequence[tuple[float, str]],
    range_: tuple[float, float],
    below: str,
    beside: str,
) -> str:
    """Curves over ticks; the first one is drawn thick, with the intervals (95 %) of its values."""
    low, high = range_
    first, last = ticks[0][0], ticks[-1][0]

    def place(at: float, value: float) -> str:
        across = _LEFT + _WIDE * (at - first) / (last - first)
        return f"{across:.1f},{_TOP + _HIGH * (high - value) / (high - low):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 300" role="img" aria-label="{beside}, by {below}: {_words(curves)}" '
        'font-family="system-ui, sans-serif" font-size="12">\n<style>text{fill:#6f8a85}path{fill:none}</style>\n'
    ]
    for step in range(math.floor(low * 10), math.floor(high * 10) + 1, 1 if high - low < 0.6 else 2):
        y = _TOP + _HIGH * (high - step / 10) / (high - low)
        parts += [
            f'<path d="M{_LEFT} {y:.1f}h{_WIDE}" stroke="#8b857840"/>',
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{step / 10}</text>\n',
        ]
    for at, label in ticks:
        across = _LEFT + _WIDE * (at - first) / (last - first)
        parts.append(f'<text x="{across:.1f}" y="{_TOP + _HIGH + 20}" text-anchor="middle">{label}</text>\n')
    rows = sorted(curves, key=lambda name: -curves[name][-1][1])
    for number, (name, points) in enumerate(curves.items()):
        colour, width = _COLOURS[number], 3 if number == 0 else 1.5
        parts.append(
            f'<path d="M{" L".join(place(*one[:2]) for one in points)}" stroke="{colour}" stroke-width="{width}"/>'
        )
        for at, value, low_end, high_end in points:
            x, _, up = place(at, value).partition(",")
            parts.append(f'<circle cx="{x}" cy="{up}" r="3" fill="{colour}"/>')
            if number == 0:
                parts.append(f'<path d="M{place(at, low_end)} L{place(at, high_end)}" stroke="{colour}"/>')
        row = _TOP + 14 + 20 * rows.index(name)
        parts.append(
            f'<path d="M580 {row}h18" stroke="{colour}" stroke-width="{width}"/><text x="604" y="{row + 4}">{name}</text>\n'
        )
    parts.append(
        f'<text x="{_LEFT}" y="{_TOP + _HIGH + 44}">{below}</text>\n<text x="{_LEFT}" y="12">{beside}</text>\n</svg>\n'
    )
    return "".join(parts)


def _words(curves: Mapping[str, Sequence[Point]]) -> str:
    """The curves for those who do not see them."""
    return "; ".join(f"{name} from {points[0][1]:.2f} to {points[-1][1]:.2f}" for name, points in curves.items())


PICTURES: Mapping[str, Callable[[], str]] = {"evidence.svg": evidence, "certainty.svg": certainty}

if __name__ == "__main__":
    for picture, drawn in PICTURES.items():
        (FIGURES / picture).write_text(drawn(), "utf-8")
