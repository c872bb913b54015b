"""The first table of each page of findings: what a paper prints, what was measured here, and whether the two compare.

    python benchmarks/paper_tables.py    # after a result that `paper_tables.toml` names was made again

Every figure of ours is read from a committed result, so a page cannot print what no file holds (`tests/evaluate/test_paper_tables.py`).
Shares have Wilson's 95 % interval where the result has none of its own.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from setting import HERE, RESULTS

from decoct_lab.reproduce.tellable import wilson

DOCS = HERE.parent / "lab" / "docs"
BEGIN, END = (
    "<!-- printed and measured: rendered by benchmarks/paper_tables.py -->",
    "<!-- end of printed and measured -->",
)
HEAD = "| {paper} | printed | ours | n | comparable, or why not | result |\n|---|---:|---|---:|---|---|"


def tables() -> dict[str, str]:
    """Each page's table, as Markdown."""
    rows = tomllib.loads((HERE / "paper_tables.toml").read_text("utf-8"))["table"]
    return {table["page"]: rendered(table) for table in rows}


def rendered(table: Mapping[str, Any]) -> str:
    """One table."""
    return "\n".join([HEAD.format(**table), *(_row(row, table["why"]) for row in table["row"])])


def _row(row: Mapping[str, Any], why: str) -> str:
    theirs, ours, low, high, n = row.get("theirs"), None, None, None, row.get("n")
    if "line" in row:
        theirs, ours, low, high, n = _line(row)
    elif "at" in row:
        ours = _held(row["file"])
        for key in row["at"]:
            ours = ours[key]
        if n:
            low, high = wilson(round(ours * n), n)
    told = "not run" if ours is None else _share(ours) + (f" ({_share(low)}–{_share(high)})" if low is not None else "")
    place = (
        f"[`{name}`](../../benchmarks/results/{row['file']})"
        if "file" in row and (name := _short(row["file"]))
        else "–"
    )
    return f"| {row['what']} | {_share(theirs)} | {told} | {n or '–'} | {row.get('why', why)} | {place} |"


def _line(row: Mapping[str, Any]) -> tuple[float, float, float | None, float | None, int | None]:
    set_name, *wanted = row["line"]
    lines = _held(row["file"])["sets"][set_name]["lines"]
    (one,) = [line for line in lines if [line["condition"], line["budget"], line["metric"]] == wanted]
    return one["paper"], one["ours"], one.get("low"), one.get("high"), one.get("n")


def _held(file: str) -> Any:  # noqa: ANN401 - a result as it was written
    return json.loads((RESULTS / file).read_text("utf-8"))


def _short(file: str) -> str:
    return file.removeprefix("evaluation/").removesuffix(".json")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".removeprefix("0")


def put(page: str, table: str) -> str:
    """The page with the table in its place; `ValueError` where it has none."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError("the page has no place for the table")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


if __name__ == "__main__":
    for name, table in tables().items():
        place = DOCS / name
        place.write_text(put(place.read_text("utf-8"), table), "utf-8")
