"""Every share that a page prints is held by a result that its section links: a value of it, or a mean of values over its sets.

`test_page_figures` says of single figures which value of which file they are; this walk says of all of them whether any value of a linked
result rounds to them, so that a page gets no new figure without a committed result.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
SHARE = re.compile(r"(?<![\w.])\.(\d{2,3})(?!\w)")
NUMBER = re.compile(r"(?<![\w.])-?\d*\.?\d+")
LINKED = re.compile(r"benchmarks/results/([\w./-]+\w)")
# Tables that a program renders from results; `evaluate/test_paper_tables.py` and `test_figures_page.py` hold them, with their intervals.
RENDERED = re.compile(r"<!-- [\w ]+: rendered by benchmarks/\w+\.py -->.*?<!-- end of [\w ]+ -->", re.DOTALL)


def numbers_of(value: object) -> Iterator[float]:
    """All numbers in a result, those in its texts too."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from map(float, NUMBER.findall(value))
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers_of(one)


def means_of(sets: list[tuple[float, Any]]) -> Iterator[float]:
    """Means over sets, of a question and of a set, of every figure that stands at the same place of each."""
    values = [value for _, value in sets]
    if all(isinstance(one, dict) for one in values):
        for name in values[0]:
            yield from means_of([(weight, value.get(name)) for weight, value in sets])
    elif all(isinstance(one, int | float) and not isinstance(one, bool) for one in values):
        yield sum(weight * value for weight, value in sets) / sum(weight for weight, _ in sets)
        yield sum(values) / len(values)


def over_sets(result: object) -> Iterator[float]:
    """The means of a result that holds several sets, each with its number of questions."""
    sets = result.get("sets") if isinstance(result, dict) else None
    if (
        isinstance(sets, dict)
        and len(sets) > 1
        and all(isinstance(one, dict) and one.get("n") for one in sets.values())
    ):
        yield from means_of([(float(one["n"]), one) for one in sets.values()])


@cache
def held_by(name: str) -> list[float]:
    """The numbers of a result's file, or of a folder of them, without their signs, as shares too where they are points; sorted."""
    place, found = RESULTS / name, set[float]()
    for path in [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]:
        text = path.read_text("utf-8")
        values = [json.loads(text)] if path.suffix == ".json" else text.splitlines()
        found.update(abs(one) for value in values for one in [*numbers_of(value), *over_sets(value)])
    return sorted(found | {one / 100 for one in found})


def holds(numbers: list[float], digits: str) -> bool:
    """Whether one of the numbers is written so."""
    half, share = 0.5 * 10.0 ** -len(digits) + 1e-9, float(f".{digits}")
    at = bisect_left(numbers, share - half)
    return at < len(numbers) and numbers[at] <= share + half


def without_a_result(text: str) -> list[str]:
    """The shares of a page that no result holds which the same section links; a setting is written with a nought (0.92)."""
    # Of a rendered table its links are kept, for the sentences that stand beside it.
    plain = RENDERED.sub(
        lambda table: " ".join(f"benchmarks/results/{name}" for name in LINKED.findall(table[0])), text
    )
    missing = []
    for section in re.split(r"\n(?=#+ )", plain):
        linked = [held_by(name) for name in sorted(set(LINKED.findall(section)))]
        missing += [f".{one}" for one in SHARE.findall(section) if not any(holds(numbers, one) for numbers in linked)]
    return missing


DATED = "history.md"  # notes of what changed, with the figures of their day: no page to cite
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("docs", "lab/docs")
    for path in (ROOT / folder).rglob("*.md")
    if path.name != DATED
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_gets_no_figure_without_a_result(page: str) -> None:
    found = without_a_result((ROOT / page).read_text("utf-8"))
    assert not found, f"{page}: link the committed result of {found[:20]}"


def test_the_readme_prints_what_the_pages_print_that_it_names() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    checked = 0
    for point in re.split(r"\n(?=- |\n|#)", text):
        pages = [(ROOT / one).read_text("utf-8") for one in re.findall(r"\]\(((?:lab/)?docs/[\w.-]+\.md)", point)]
        shares = {one for page in pages for one in SHARE.findall(page)}
        results = [held_by(name) for page in pages for name in sorted(set(LINKED.findall(page)))]
        for share in SHARE.findall(point):
            checked += 1
            said = (
                share in shares
                or any(one.startswith(share) for one in shares)
                or any(holds(one, share) for one in results)
            )
            assert said, f".{share} stands on no page that this point names: {point[:200]}"
    assert checked


def test_a_figure_that_no_result_holds_is_found() -> None:
    page = "![x](../benchmarks/results/latency.json) one in .99 and .4711"
    assert without_a_result("Right in .123 ([result](../benchmarks/results/nothing-here)).") == [".123"]
    assert len(without_a_result(page)) <= 1  # .4711 is no share of two or three figures
    assert holds([0.1228], "123")
    assert holds([0.1228], "12")
    assert not holds([0.1228], "13")
