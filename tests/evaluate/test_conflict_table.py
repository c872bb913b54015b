"""The page's table of equal arms is what the committed result says, and arms in it are compared with equal ones alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from conflict_systems import System, baseline  # noqa: E402
from conflict_table import NOTES, PAGE, PLAIN, RESULT, put, rendered  # noqa: E402


def test_the_page_prints_what_the_result_holds() -> None:
    page = PAGE.read_text("utf-8")
    record = json.loads(RESULT.read_text("utf-8"))
    assert put(page, rendered(record)) == page
    for one in record["results"].values():
        assert one["systems"][NOTES]["against"] == PLAIN


def test_a_figure_that_was_changed_on_the_page_or_in_the_result_is_seen() -> None:
    record = json.loads(RESULT.read_text("utf-8"))
    first = next(iter(record["results"].values()))
    first["systems"][PLAIN]["accuracy"] += 0.01
    page = PAGE.read_text("utf-8")
    assert put(page, rendered(record)) != page


def test_notes_of_the_bundled_reader_are_set_beside_what_that_reader_reads() -> None:
    assert baseline(System("casc", None, limit=405), "casc") == PLAIN
    assert baseline(System("casc:check", None, limit=405), "casc") == PLAIN
    assert baseline(System("casc:extract", None, limit=405), "extractive") == "top-5 | extractive"
    assert baseline(System("casc-rules", None, limit=405), "casc") is None
