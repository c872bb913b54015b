"""The table of equal arms in lab/docs/findings-casc.md, rendered from the committed result: a page cannot print what no file holds.

python benchmarks/conflict_table.py    # after benchmarks/results/conflicts-equal-arms.json was made again
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from setting import HERE, RESULTS

RESULT = RESULTS / "conflicts-equal-arms.json"
PAGE = HERE.parent / "lab" / "docs" / "findings-casc.md"
BEGIN, END = "<!-- equal arms: rendered by benchmarks/conflict_table.py -->", "<!-- end of equal arms -->"
PLAIN, NOTES = "top-5 | short-answers", "casc | casc"
DEVELOPED = ("scidocs-conflicts",)
HEAD = (
    "| set | n | best five, right / wrong on conflicts / shown / two named, tokens | `casc` | p of right, wrong, shown |\n"
    "|---|---:|---|---|---|"
)


def rendered(record: Mapping[str, Any]) -> str:
    """Both tables: what the arms say, and what `caution` makes of it."""
    sets = record["results"]
    lines = [f"`{record['command']}`", "", HEAD]
    for name, one in sets.items():
        systems = one["systems"]
        plain, notes = systems[PLAIN], systems[NOTES]
        p = ", ".join(_p(notes[key]) for key in ("accuracy_p", "wrong_p", "shown_p"))
        lines.append(f"| {name}{' †' * (name in DEVELOPED)} | {one['n']} | {_arm(plain)} | {_arm(notes)} | {p} |")
    limits = list(next(iter(sets.values()))["systems"][NOTES]["by_caution"])
    lines += [
        "",
        "| `caution`, `casc`: right / wrong of what is claimed, of all questions | " + " | ".join(limits) + " |",
    ]
    lines.append("|---|" + "---|" * len(limits))
    for name, one in sets.items():
        curve = one["systems"][NOTES]["by_caution"]
        cells = [f"{_share(curve[limit]['right'])} / {_share(curve[limit]['wrong'])}" for limit in limits]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _arm(one: Mapping[str, Any]) -> str:
    keys = ("accuracy", "wrong_on_conflicts", "behaviour_shown", "two_answers_named")
    return f"{' / '.join(_share(one[key]) for key in keys)}, {one['tokens']:.0f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def put(page: str, table: str) -> str:
    """The page with the table in its place."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE.name} has no place for the table")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(put(PAGE.read_text("utf-8"), rendered(json.loads(RESULT.read_text("utf-8")))), "utf-8")
