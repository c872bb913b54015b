"""Every difference with an interval, and every p, that a page of findings prints stands in a committed result.

A difference is told of two arms by an instrument (`reproduce`, a report, a benchmark), which writes both together; so no page can print
one that nobody measured, and those of arms that were not equal have no verdict there (`test_arms`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = sorted((ROOT / "lab" / "docs").glob("findings*.md"))
NUMBER = r"([+-]?\d+(?:\.\d+)?)"
LINKED = re.compile(r"benchmarks/results/([\w./-]+\w)")
PROBABILITY = re.compile(r"\bp (=|<|<=) (\.\d+|1)\b")
NAMED = re.compile(r"(?:^|_| )p(?:_|$)|corrected")  # a figure of a result that is a p
PRINTED = re.compile(
    rf"([+-]\d+\.\d+)(?: points)?(?: [^()|,;]{{0,40}})? \({NUMBER} to {NUMBER}(?:, p (?:=|<) (\.\d+|1)\b)?"
)
WRITTEN = re.compile(rf"{NUMBER}(?: points)? \((?:95% interval )?{NUMBER} to {NUMBER}(?:, p = ([\d.e-]+) after Holm)?")
P = ("p", "corrected", "p_holm")  # as results name it


class Difference(NamedTuple):
    """In points, with its interval of 95 %; `p` as it is and corrected, where the result has them."""

    points: float
    low: float
    high: float
    p: tuple[float, ...] = ()

    def turned(self) -> Difference:
        """That of the same two the other way round."""
        return Difference(-self.points, -self.high, -self.low, self.p)

    def is_printed(self, points: str, low: str, high: str, p: str | None) -> bool:
        """Whether a page that prints so prints this one: to a tenth of a point, p to its figures."""
        near = all(abs(one - float(said)) <= 0.0501 for one, said in zip(self[:3], (points, low, high), strict=True))
        return near and (p is None or any(_rounds(one, p) for one in self.p))


def _rounds(value: float, said: str) -> bool:
    """Whether a p is written so: rounded, or as less than a thousandth."""
    return abs(value - float(said)) <= 0.5 * 10.0 ** -len(said.partition(".")[2]) + 1e-9 or value < float(said) == 0.001


def differences(value: Any) -> Iterator[Difference]:
    """Those that a result holds: as a table, as a list of three, in words, as shares or in points."""
    if isinstance(value, dict):
        interval = value.get("interval", [value.get("low"), value.get("high")])
        if isinstance(value.get("difference"), float) and isinstance(interval, list) and None not in interval:
            p = tuple(float(value[name]) for name in P if isinstance(value.get(name), float | int))
            yield Difference(100 * value["difference"], 100 * interval[0], 100 * interval[1], p)
        for one in value.values():
            yield from differences(one)
    elif isinstance(value, list):
        if len(value) == 3 and all(isinstance(one, float) for one in value):
            yield Difference(100 * value[0], 100 * value[1], 100 * value[2])
        for one in value:
            yield from differences(one)
    elif isinstance(value, str):
        for points, low, high, p in WRITTEN.findall(value):
            yield Difference(float(points), float(low), float(high), (float(p),) if p else ())


@pytest.fixture(scope="module")
def held() -> dict[float, list[Difference]]:
    """All that committed results hold, both ways round, by the difference to a whole point."""
    found: dict[float, list[Difference]] = {}
    for path in RESULTS.rglob("*"):
        if path.suffix in {".json", ".md"}:
            text = path.read_text("utf-8")
            for one in differences(json.loads(text) if path.suffix == ".json" else text):
                for way in (one, one.turned()):
                    found.setdefault(round(way.points), []).append(way)
    return found


def without_a_result(text: str, held: dict[float, list[Difference]]) -> list[str]:
    """The differences of a page that no result holds."""
    missing = []
    for match in PRINTED.finditer(text):
        near = round(float(match[1]))
        known = [one for at in (near - 1, near, near + 1) for one in held.get(at, [])]
        if not any(one.is_printed(*match.groups()) for one in known):
            missing.append(match[0])
    return missing


def probabilities(value: Any, name: str = "") -> Iterator[float]:
    """The p of a result."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from probabilities(one, str(key))
    elif isinstance(value, list):
        for one in value:
            yield from probabilities(one, name)
    elif isinstance(value, int | float) and NAMED.search(name):
        yield float(value)
    elif isinstance(value, str):
        yield from map(float, re.findall(r"\bp = (\d[\d.]*(?:e-?\d+)?)", value))


@cache
def probabilities_of(name: str) -> tuple[float, ...]:
    """Those of a file of results."""
    text = (RESULTS / name).read_text("utf-8") if name.endswith((".json", ".md")) else ""
    return tuple(probabilities(json.loads(text) if name.endswith(".json") else text))


def improbable(text: str) -> list[str]:
    """The p of a page that no result holds which the same section links."""
    missing = []
    for section in re.split(r"\n(?=#+ )", text):
        known = [one for name in sorted(set(LINKED.findall(section))) for one in probabilities_of(name)]
        for match in PROBABILITY.finditer(section):
            sign, said = match.groups()
            if not any(_rounds(one, said) if sign == "=" else one <= float(said) for one in known):
                missing.append(section[max(0, match.start() - 40) : match.end()])
    return missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_printed_p_is_held(page: Path) -> None:
    assert improbable(page.read_text("utf-8")) == []


def test_a_p_without_a_result_is_found() -> None:
    linked = "[x](../../benchmarks/results/conflicts-equal-arms.json)"
    assert improbable(f"# A\n\n{linked} told apart (p = .004)\n") == []
    assert len(improbable(f"# A\n\n{linked}\n\n# B\n\ntold apart (p = .004)\n")) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_printed_difference_is_held(page: Path, held: dict[float, list[Difference]]) -> None:
    assert without_a_result(page.read_text("utf-8"), held) == []


def test_findings_print_differences_and_one_that_nobody_measured_is_found(held: dict[float, list[Difference]]) -> None:
    assert sum(len(PRINTED.findall(page.read_text("utf-8"))) for page in PAGES) > 40
    assert without_a_result("gains +77.7 (70.1 to 80.3, p = .5)", held) == ["+77.7 (70.1 to 80.3, p = .5"]
    one = Difference(2.58, 0.31, 4.9, (0.0004,))
    assert one.is_printed("+2.6", "0.3", "4.9", None)
    assert one.is_printed("+2.6", "0.3", "4.9", ".001")
    assert not one.is_printed("+2.6", "0.3", "4.9", ".09")
    assert not one.is_printed("+2.6", "-0.3", "4.9", None)
