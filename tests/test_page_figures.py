"""Figures that pages print are those of a committed result: each row says where on a page which value of which file stands.

Rows are added with the figures; a page that prints .313 where the file says .303 fails here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
Key = tuple[str | int, ...]

# page, the text with {} for figures, result file, where in it each figure stands
PRINTED: Sequence[tuple[str, str, str, tuple[Key, ...]]] = (
    ("../lab/docs/findings.md", "right passage first {} [{}, {}] against {}", "reader/manuals-minilm-1.json", (
        ("recipes", "default", "first", "share"), ("recipes", "default", "first", "wilson", 0),
        ("recipes", "default", "first", "wilson", 1), ("recipes", "hybrid", "first", "share"),
    )),
    ("../lab/docs/retrieval.md",
     "first for {} [{}, {}], among five for {} [{}, {}], its quote in 300 tokens for {}; `hybrid` {}, {} and {}",
     "reader/manuals-minilm-1.json", (
        ("recipes", "default", "first", "share"), ("recipes", "default", "first", "wilson", 0),
        ("recipes", "default", "first", "wilson", 1),
        ("recipes", "default", "five", "share"), ("recipes", "default", "five", "wilson", 0), ("recipes", "default", "five", "wilson", 1),
        ("recipes", "default", "in 300", "share"), ("recipes", "hybrid", "first", "share"), ("recipes", "hybrid", "five", "share"),
        ("recipes", "hybrid", "in 300", "share"),
    )),
    ("../lab/docs/findings.md", "| {} against {}: -1.0 points", "recall_links.json", (
        ("sets", "covidqa", "systems", "default", "R@5"), ("sets", "covidqa", "systems", "hybrid", "R@5"),
    )),
    ("../lab/docs/findings.md", "passage recall at 5 of {}, {}, {} (the first three;", "fusion.json", (
        ("sets", "hotpotqa", "left out", 1), ("sets", "2wikimultihopqa", "left out", 1), ("sets", "musique", "left out", 1),
    )),
    ("../lab/docs/retrieval.md", "| MuSiQue | 200 | {} (", "fusion.json", (("sets", "musique", "left out", 0),)),
    ("../lab/docs/retrieval.md", "| CovidQA | 200 | {} (+.010) | {} (-.015) | {} (-.020) |", "fusion.json", (
        ("sets", "covidqa", "left out", 0), ("sets", "covidqa", "left out", 1), ("sets", "covidqa", "left out", 2),
    )),
    ("../lab/docs/reader.md", "| dev-coop (100) | {} / {} | {} / {} | {} / {} | {} / {} |", "rereading-development.json", tuple(
        ("sets", "dev-coop", system, measure) for system in ("hybrid", "default", "by reader", "best") for measure in ("first", "R@5")
    )),
    ("../lab/docs/embedders.md", "| MuSiQue (150) | {} / {} |", "embedder/both-sides.json", (
        ("musique", "before", 0), ("musique", "before", 1),
    )),
    ("../README.md", "from {} (the best of vectors, words and both) to {} on 2WikiMultiHopQA and from {} to {} on MuSiQue", "fusion.json", (
        ("sets", "2wikimultihopqa", "hybrid", 1), ("sets", "2wikimultihopqa", "left out", 1),
        ("sets", "musique", "hybrid", 1), ("sets", "musique", "left out", 1),
    )),
    ("../README.md", "costs on CovidQA ({} to {};", "fusion.json", (
        ("sets", "covidqa", "hybrid", 1), ("sets", "covidqa", "left out", 1),
    )),
    ("../README.md", "some of it {} to {}, n = 832", "recall_links.json", (
        ("sets", "covidqa", "systems", "hybrid", "R@5"), ("sets", "covidqa", "systems", "default", "R@5"),
    )),
)  # fmt: skip


def held(file: str, key: Key) -> float:
    """A value of a result."""
    value: Any = json.loads((RESULTS / file).read_text("utf-8"))
    for one in key:
        value = value[one]
    return float(value)


def written(value: float, page: str) -> str:
    """A share as pages print it: with three figures, in the README with two."""
    return f"{value:.{2 if page.endswith('README.md') else 3}f}".removeprefix("0")


@pytest.mark.parametrize(
    ("page", "text", "file", "keys"), PRINTED, ids=lambda part: part[:40] if isinstance(part, str) else ""
)
def test_a_page_prints_what_its_result_holds(page: str, text: str, file: str, keys: tuple[Key, ...]) -> None:
    said = text.format(*(written(held(file, key), page) for key in keys))
    assert said in (ROOT / "docs" / page).read_text("utf-8")
