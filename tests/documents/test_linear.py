"""Hostile repetition costs a parser its length, not the square of it.

What is measured is processor time, of inputs on which the square took ten times as long as is allowed here.
"""

from __future__ import annotations

import time

import pytest
from docutils import nodes
from reading import one

from decoct.data import Document
from decoct.documents.base import Parser, Source
from decoct.documents.markup import html, markup_xml, rst
from decoct.documents.prose import Prose
from decoct.documents.tables import heads
from decoct.documents.tables.heads import CellValue, Kind, kind_of
from decoct.documents.tables.sheet_cells import SheetCells
from decoct.documents.tables.sheet_tables import write_tables
from decoct.errors import ParseError

ENOUGH = 20.0  # seconds of computing; these take at most one on an idle machine, the square took minutes


@pytest.mark.parametrize(
    ("parse", "data", "told"),
    [
        (markup_xml.parse, "<?xml version='1.0'?><article>" + "<!DOCTYPE a [" * 20_000, "its XML is damaged"),
        (html.parse, "<html><body>" + "<img alt=bridge>" * 8_000, "[picture: bridge]"),
    ],
)
def test_a_hostile_file_takes_its_length(parse: Parser, data: str, told: str) -> None:
    began = time.thread_time()
    try:
        said = next(
            document.text for document in parse(Source.of("a", data.encode())) if isinstance(document, Document)
        )
    except ParseError as error:
        said = str(error)
    assert said.startswith(told)
    assert time.thread_time() - began < ENOUGH


def test_lines_below_a_long_table_cost_their_number() -> None:
    rows: list[dict[int, CellValue]] = [{0: CellValue("Item", "text"), 1: CellValue("Qty", "text")}]
    rows += [{0: CellValue(f"part {n}", "text"), 1: CellValue(str(n), "number")} for n in range(2_000)]
    sheet = SheetCells({n if n <= 2_000 else 2 * n - 2_000: row for n, row in enumerate([*rows, *rows[1:]])})
    prose, began = Prose(), time.thread_time()
    write_tables(sheet, [], prose)
    assert prose.text.endswith("Item: part 1999 | Qty: 1999")
    assert time.thread_time() - began < ENOUGH


def test_columns_with_gaps_between_them_cost_their_number() -> None:
    sheet = SheetCells({n: {c: CellValue(f"{n}/{c}", "text") for c in range(0, 400, 2)} for n in range(150)})
    prose, began = Prose(), time.thread_time()
    write_tables(sheet, [], prose)
    assert prose.text.endswith("149/398")
    assert time.thread_time() - began < ENOUGH


def test_kinds_of_values_are_looked_for_where_they_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(text: str) -> Kind:
        asked.append(text)
        return kind_of(text)

    monkeypatch.setattr(heads, "kind_of", counted)
    rows = [
        {0: CellValue("Item"), 1: CellValue("Qty")},
        *({0: CellValue(f"p{n}"), 1: CellValue(str(n))} for n in range(3_000)),
    ]
    prose = Prose()
    write_tables(SheetCells(dict(enumerate(rows))), [], prose)
    assert prose.text.endswith("Item: p2999 | Qty: 2999")
    assert 0 < len(asked) < 500


@pytest.fixture
def parts() -> list[nodes.inline]:
    rst._teach()
    return [nodes.inline(ids=[]) for _ in range(300)]


def test_parts_are_found_in_any_order(parts: list[nodes.inline]) -> None:
    paragraph = nodes.paragraph("", "", *parts)
    assert [paragraph.index(part) for part in reversed(parts)] == list(reversed(range(len(parts))))
    assert [part.next_node(descend=False, siblings=True) for part in parts] == [*parts[1:], None]
    with pytest.raises(ValueError, match="not in list"):
        paragraph.index(nodes.inline())


def test_references_that_lead_nowhere_stay_as_they_were_written() -> None:
    text = "The bridge_ of `the town`_ has |arches|, see [#]_.\n\n.. [#] A note.\n"
    assert one("a.rst", text).text == "The bridge_ of `the town`_ has |arches|, see [1].\n\n[1]\n\nA note."
