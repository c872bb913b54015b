"""Every share that a page prints is held against the results that the page links; what has none is counted, and the counts only fall.

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

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
SHARE = re.compile(r"(?<![\w.])\.(\d{2,3})(?!\w)")
NUMBER = re.compile(r"(?<![\w.])-?\d*\.?\d+")
LINKED = re.compile(r"benchmarks/results/([\w./-]+\w)")
# Figures of a page that none of its linked results holds: of runs that were not kept (`lab/docs/context.md`, `lab/docs/text.md`), of a
# paper, or worked out from several. Whoever links or removes one lowers the number; nobody raises it.
WITHOUT = {
    "lab/docs/answer.md": 1,
    "lab/docs/cards.md": 1,
    "lab/docs/chunking.md": 32,
    "lab/docs/compression.md": 1,
    "lab/docs/context.md": 149,
    "lab/docs/embedders.md": 9,
    "lab/docs/findings-cards.md": 27,  # seven more are the paper's, printed beside ours
    "lab/docs/findings-casc.md": 5,  # two more are the paper's
    "lab/docs/findings-mergerag.md": 10,
    "lab/docs/findings.md": 46,
    "lab/docs/merging.md": 1,
    "lab/docs/methods.md": 2,
    "lab/docs/metrics.md": 5,
    "docs/models.md": 1,
    "lab/docs/performance.md": 3,
    "lab/docs/reader.md": 145,
    "lab/docs/retrieval.md": 18,
    "lab/docs/scale.md": 28,
    "lab/docs/stores.md": 1,
    "lab/docs/structured.md": 5,
    "lab/docs/text.md": 50,
}


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


@cache
def held_by(name: str) -> list[float]:
    """The numbers of a result's file, or of a folder of them, without their signs, as shares too where they are points; sorted."""
    place, found = RESULTS / name, set[float]()
    for path in [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]:
        text = path.read_text("utf-8")
        values = [json.loads(text)] if path.suffix == ".json" else text.splitlines()
        found.update(abs(one) for value in values for one in numbers_of(value))
    return sorted(found | {one / 100 for one in found})


def holds(numbers: list[float], digits: str) -> bool:
    """Whether one of the numbers is written so."""
    half, share = 0.5 * 10.0 ** -len(digits) + 1e-9, float(f".{digits}")
    at = bisect_left(numbers, share - half)
    return at < len(numbers) and numbers[at] <= share + half


def without_a_result(text: str) -> list[str]:
    """The shares of a page that none of the results it links holds."""
    linked = [held_by(name) for name in sorted(set(LINKED.findall(text)))]
    return [f".{one}" for one in SHARE.findall(text) if not any(holds(numbers, one) for numbers in linked)]


PAGES = sorted(
    path.relative_to(ROOT).as_posix() for folder in ("docs", "lab/docs") for path in (ROOT / folder).rglob("*.md")
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_gets_no_figure_without_a_result(page: str) -> None:
    found = without_a_result((ROOT / page).read_text("utf-8"))
    assert len(found) <= WITHOUT.get(page, 0), f"{page}: link the committed result of {found[:20]}"


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
