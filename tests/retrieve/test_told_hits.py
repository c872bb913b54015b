"""Chunks of matter among what was found."""

from __future__ import annotations

from decoct.data import Chunk, Hit, Span
from decoct.retrieve.front_matter import told_hits

FIELDS = "---\ntitle: Pump\nauthor: Ida Holm\ntags: [water, steel]\n---"
BODY = "The pump lifts water."


def hit(text: str, doc_id: str = "d") -> Hit:
    return Hit(Chunk(Span(doc_id, 0, len(text)), text, "Pump"), 1.0, {})


def kept(question: str, *texts: str) -> list[str]:
    return [one.chunk.text for one in told_hits(question, [hit(text) for text in texts])]


def test_matter_is_passed_over_where_the_text_says_as_much() -> None:
    assert kept("What does the pump lift?", FIELDS, BODY) == [BODY]


def test_it_is_kept_for_its_fields_and_for_what_it_alone_says() -> None:
    assert kept("Who wrote Pump?", FIELDS, BODY) == [FIELDS, BODY]
    assert kept("Ida Holm", FIELDS, BODY) == [FIELDS, BODY]


def test_nothing_is_passed_over_where_there_is_nothing_else() -> None:
    assert kept("What does the pump lift?", FIELDS) == [FIELDS]
    assert kept("What does the pump lift?", BODY) == [BODY]
    assert kept("What does the pump lift?") == []
