"""The first table of each page of findings is what the committed results say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from paper_tables import DOCS, put, tables  # noqa: E402

PAGES = ("findings.md", "findings-mergerag.md", "findings-casc.md", "findings-cards.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_page_prints_what_the_results_hold(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    assert put(text, tables()[page]) == text


def test_every_paper_has_its_table() -> None:
    assert set(tables()) == set(PAGES)


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        put("A page.", "| a table |")
