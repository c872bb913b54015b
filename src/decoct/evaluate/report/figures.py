"""Figures as inline SVG, drawn from the tables of a report: no script, no font, nothing loaded.

Colours are those of Okabe and Ito, told apart by colour-blind readers too; each system keeps its colour and its mark in every figure.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from decoct.evaluate.amounts import in_order, written
from decoct.visible import visible

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
WIDTH, HEIGHT = 430, 300
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 14, 42


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to pixels, linearly or by logarithm, and names its ticks."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        low, high, at = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 1)


def style(systems: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Colour and mark of each system."""
    return {name: (COLOURS[i % len(COLOURS)], i % 4) for i, name in enumerate(systems)}


def legend(systems: Sequence[str]) -> str:
    """One line of marks and names, shared by the figures of a run."""
    marks = style(systems)
    items = [
        f'<span class="key"><svg width="16" height="12" aria-hidden="true">{_mark(8, 6, *marks[name], 4.5)}</svg>{_text(name)}</span>'
        for name in systems
    ]
    return f'<p class="legend">{"".join(items)}</p>'


def curves(rows: Sequence[Mapping[str, Any]], systems: Sequence[str], title: str) -> str:
    """Quality against budget: a line a system, its mean and 95 % interval at every budget (nudged apart so that none hides another)."""
    points = [row for row in rows if row["mean"] is not None]
    if not points:
        return ""
    budgets = sorted({row["budget"] for row in points}, key=in_order)
    tokens = all(
        isinstance(budget, int) for budget in budgets
    )  # chunks, or both kinds, have no common scale: they stand evenly
    worth = {budget: budget if tokens else place for place, budget in enumerate(budgets)}
    x = Scale(worth[budgets[0]], worth[budgets[-1]], LEFT + 14, WIDTH - RIGHT - 14, log=tokens)
    y = _vertical([row["low"] for row in points], [row["high"] for row in points])
    parts = [
        _axes(y, [(x(worth[b]), written(b)) for b in budgets], "context budget, tokens" if tokens else "context budget")
    ]
    marks = style(systems)
    there = [name for name in systems if any(row["system"] == name for row in points)]
    for place, name in enumerate(there):
        nudge = (place - (len(there) - 1) / 2) * 3
        mine = sorted((row for row in points if row["system"] == name), key=lambda row: worth[row["budget"]])
        colour, mark = marks[name]
        path = " ".join(f"{x(worth[row['budget']]) + nudge:.1f},{y(row['mean'])}" for row in mine)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        for row in mine:
            at = x(worth[row["budget"]]) + nudge
            parts.append(
                f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y(row["low"])}" y2="{y(row["high"])}" stroke="{colour}" opacity=".45"/>'
                f"<g>{_mark(at, y(row['mean']), colour, mark, 4)}<title>{_text(name)} at {row['budget']}: "
                f"{row['mean']:.3f} ({row['low']:.3f} to {row['high']:.3f}), n = {row['n']}</title></g>"
            )
    return _figure("".join(parts), title, f"{title} against the context budget")


def pareto(rows: Sequence[Mapping[str, Any]], systems: Sequence[str], title: str) -> str:
    """Quality against tokens; a mark's area grows with the time of a question, and marks on the front have a ring."""
    if not rows:
        return ""
    tokens = [max(row["tokens"], 1.0) for row in rows]
    x = Scale(min(tokens) * 0.85, max(tokens) * 1.15, LEFT + 10, WIDTH - RIGHT - 10, log=True)
    y = _vertical([row["quality"] for row in rows], [row["quality"] for row in rows])
    slowest = max((row["seconds"] for row in rows), default=0.0) or 1.0
    ticks = [(x(value), f"{value:,}") for value in _tokens_ticks(x.low, x.high)]
    parts = [_axes(y, ticks, "tokens of the context (mean)")]
    marks = style(systems)
    line = sorted((row for row in rows if row["on_front"]), key=lambda row: row["tokens"])
    best: list[Mapping[str, Any]] = []
    for row in line:
        if not best or row["quality"] > best[-1]["quality"]:
            best.append(row)
    path = " ".join(f"{x(max(row['tokens'], 1.0))},{y(row['quality'])}" for row in best)
    parts.append(f'<polyline points="{path}" fill="none" class="front"/>')
    for row in rows:
        colour, mark = marks[row["system"]]
        size = 3 + 5 * math.sqrt(row["seconds"] / slowest)
        at, level = x(max(row["tokens"], 1.0)), y(row["quality"])
        ring = (
            f'<circle cx="{at}" cy="{level}" r="{size + 3:.1f}" fill="none" class="ring"/>' if row["on_front"] else ""
        )
        parts.append(
            f"<g>{ring}{_mark(at, level, colour, mark, size)}<title>{_text(row['system'])} at {row['budget']}: {row['quality']:.3f}, "
            f"{row['tokens']:.0f} tokens, {row['seconds']:.3f} s{', on the front' if row['on_front'] else ''}</title></g>"
        )
    return _figure("".join(parts), title, f"{title}: quality, tokens and time")


def scatter(
    points: Sequence[tuple[str, float, float]], systems: Sequence[str], axes: tuple[str, str], title: str
) -> str:
    """One context measure against one answer measure, a mark a system and budget."""
    if len(points) < 2:
        return ""
    xs, ys = [p[1] for p in points], [p[2] for p in points]
    pad = max((max(xs) - min(xs)) * 0.06, 0.01)
    x = Scale(max(0, min(xs) - pad), min(1, max(xs) + pad), LEFT + 8, WIDTH - RIGHT - 8)
    y = _vertical(ys, ys)
    parts = [_axes(y, [(x(value), f"{value:g}") for value in _ticks(x.low, x.high)], axes[0])]
    marks = style(systems)
    for name, a, b in points:
        parts.append(f"<g>{_mark(x(a), y(b), *marks[name], 4.5)}<title>{_text(name)}: {a:.3f}, {b:.3f}</title></g>")
    return _figure("".join(parts), title, f"{axes[1]} against {axes[0]}")


def _figure(inner: str, title: str, label: str) -> str:
    return (
        f"<figure><figcaption>{_text(title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_text(label)}">{inner}</svg></figure>'
    )


def _vertical(lows: Sequence[float], highs: Sequence[float]) -> Scale:
    """Not from 0: what matters are differences, and the ticks say where it begins. At least a tenth is shown, so noise stays small."""
    low, high = min(lows), max(highs)
    if high - low < 0.1:
        middle = (high + low) / 2
        low, high = middle - 0.05, middle + 0.05
    pad = (high - low) * 0.05
    low, high = max(0.0, low - pad), min(1.0, high + pad)
    return Scale(low, high, HEIGHT - BOTTOM, TOP)


def _axes(y: Scale, ticks: Sequence[tuple[float, str]], label: str) -> str:
    parts = []
    for value in _ticks(y.low, y.high):
        at = y(value)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4}" text-anchor="end">{value:g}</text>')
    base = HEIGHT - BOTTOM
    parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{base}" y2="{base}" class="axis"/>')
    for at, text in ticks:
        parts.append(f'<line x1="{at}" x2="{at}" y1="{base}" y2="{base + 4}" class="axis"/>')
        parts.append(f'<text x="{at}" y="{base + 17}" text-anchor="middle">{text}</text>')
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle" class="label">{_text(label)}</text>'
    )
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round values between, four to seven of them."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25):
        if (high - low) / step <= 6:
            break
    return [round(i * step, 4) for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _tokens_ticks(low: float, high: float) -> list[int]:
    return [
        value for value in (1, 10, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000) if low <= value <= high
    ]


def _text(text: str) -> str:
    return html.escape(visible(text), quote=True)


def _circle(x: float, y: float, r: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"'


def _square(x: float, y: float, r: float) -> str:
    return f'<rect x="{x - r * 0.9:.1f}" y="{y - r * 0.9:.1f}" width="{1.8 * r:.1f}" height="{1.8 * r:.1f}"'


def _diamond(x: float, y: float, r: float) -> str:
    a, b = 1.2 * r, 1.3 * r
    return f'<path d="M{x:.1f},{y - b:.1f} l{a:.1f},{b:.1f} l{-a:.1f},{b:.1f} l{-a:.1f},{-b:.1f} z"'


def _triangle(x: float, y: float, r: float) -> str:
    return f'<path d="M{x:.1f},{y - 1.2 * r:.1f} l{1.1 * r:.1f},{2 * r:.1f} h{-2.2 * r:.1f} z"'


_MARKS: tuple[Callable[[float, float, float], str], ...] = (_circle, _square, _diamond, _triangle)


def _mark(x: float, y: float, colour: str, mark: int, size: float) -> str:
    return f'{_MARKS[mark](x, y, size)} fill="{colour}" fill-opacity=".85"/>'
