"""What a document says of its own kind and date, in metadata or in its first lines."""

from __future__ import annotations

import pytest

from decoct.context.casc.focus import focuses
from decoct.context.casc.same_question import of_others
from decoct.context.casc.sources import handed_over
from decoct.data import Document


@pytest.mark.parametrize(
    ("text", "kind", "date"),
    [
        ("Press release, 3 May 2023\n\nThe Velo vaccine works.", "press", "3 May 2023"),
        ("Last updated: 2024-01-15\nThe fee is 12 euros.", "unknown", "2024-01-15"),
        ("# Erratum\n\nThe dose was misprinted.", "erratum", ""),
        ("Fees\n\nMarch 2021\n\nThe fee is 12 euros.", "unknown", "March 2021"),
        ("Annual report (2022)\nRevenue rose.", "report", "2022"),
        ("The Treaty of Ambry was signed on 3 May 1709.", "unknown", ""),
        ("News travels fast in Fenwick, and on 3 May 2023 it did.", "unknown", ""),
        ("In 2019 the fee was 12 euros.", "unknown", ""),
    ],
)
def test_the_head_of_a_text_tells_kind_and_date(text: str, kind: str, date: str) -> None:
    (source,) = handed_over([Document("a", text)])
    assert (source.kind, source.date) == (kind, date)


def test_metadata_goes_before_what_the_text_says() -> None:
    metadata = {"kind": "paper", "date": "2020-02-02"}
    (source,) = handed_over([Document("a", "Press release, 3 May 2023\n\nIt works.", metadata=dict(metadata))])
    assert (source.kind, source.date) == ("paper", "2020-02-02")


def test_front_matter_is_of_the_document_and_no_part_of_what_it_says() -> None:
    text = "---\ntitle: Rocks\ndate: 2020-01-01\n---\nOrlite is blue."
    (source,) = handed_over([Document("d", text, "Rocks")])
    assert source.text == "Orlite is blue."
    ((span, piece),) = source.pieces
    assert text[span.start : span.end] == piece


def test_of_the_records_of_one_table_those_that_say_less_of_the_question_are_of_others() -> None:
    rows = {
        "a.csv#2": "Lamp: Orbis\nBox: 4 kg",
        "a.csv#3": "Lamp: Tetra\nBox: 2 kg",
        "b.csv#2": "Lamp: Tetra\nBox: 3 kg",
    }
    sources = handed_over([Document(*row) for row in rows.items()])
    (focus,) = focuses("How heavy is the box of the Orbis lamp?")
    assert of_others(focus, sources) == {"a.csv#3"}
