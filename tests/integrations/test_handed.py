"""Documents put together of the hits that know their place; what contradicts itself is taken apart."""

from __future__ import annotations

import pytest

from decoct import trace
from decoct.data import Document, Passage, Query, Span
from decoct.errors import CorpusError, ProvenanceError, StoreError
from decoct.integrations.hit_store import FARTHEST, HandedOver
from decoct.integrations.hits import HandedHit


def at(doc_id: str, start: int | None, text: str, **more: object) -> HandedHit:
    return HandedHit(text, doc_id, start, **more)  # type: ignore[arg-type]


def test_texts_lie_at_their_offsets_and_line_breaks_between() -> None:
    held = HandedOver([at("d", 6, "world"), at("d", 0, "Hello")])
    assert held.document("d").text == "Hello\nworld"
    assert held.text(Span("d", 6, 11)) == "world"
    assert [chunk.span for chunk in held.chunks([1, 2])] == [Span("d", 6, 11), Span("d", 0, 5)]


def test_overlaps_that_agree_are_one_document() -> None:
    held = HandedOver([at("d", 0, "Hello wor"), at("d", 6, "world")])
    assert held.document("d").text == "Hello world"


def test_a_hit_that_contradicts_another_is_a_document_of_its_own() -> None:
    with trace.recording() as record:
        held = HandedOver([at("d", 0, "Hello"), at("d", 0, "Howdy"), at("d", 2, "xyz")])
        held.retrieve(Query("q"), 10)
    assert [chunk.span.doc_id for chunk in held.chunks([1, 2, 3])] == ["d", "d#2", "d#3"]
    assert record.fallbacks == {"handed.apart": 2}


def test_one_character_is_enough_for_a_contradiction() -> None:
    held = HandedOver([at("d", 0, "ab"), at("d", 1, "xy")])
    assert [chunk.span.doc_id for chunk in held.chunks([1, 2])] == ["d", "d#2"]


def test_a_hit_without_a_place_counts_within_its_own_text() -> None:
    held = HandedOver([at("d", None, "alone"), "nameless"])
    assert held.document("d").text == "alone"
    assert held.chunks([2])[0].span.doc_id.startswith("text-")


def test_a_name_means_the_document_wherever_a_hit_knows_it() -> None:
    held = HandedOver([at("d", None, "somewhere in it"), at("d", 3, "known")])
    assert held.document("d").text == "\n\n\nknown"
    assert held.document("d#2").text == "somewhere in it"


def test_equal_texts_without_a_place_are_one_document() -> None:
    one, other = HandedOver(["same", "same"]).chunks([1, 2])
    assert one.span == other.span


def test_what_is_said_to_begin_too_far_is_taken_apart() -> None:
    held = HandedOver([at("d", FARTHEST, "far away")])
    assert held.document("d").text == "far away"


def test_the_ranking_is_the_order_in_which_they_came() -> None:
    held = HandedOver([at("d", 0, "one", score=0.2), at("e", 0, "two"), at("f", 0, "three", score=0.9)])
    with trace.recording() as record:
        ranking = held.retrieve(Query("q"), 2)
    assert ranking.keys.tolist() == [1, 2]
    assert ranking.scores.tolist() == pytest.approx([0.2, 0.5])  # the second has none: 1 / (1 + 1)
    assert record.fallbacks == {"handed.beyond_depth": 1}


def test_only_what_was_handed_over_can_be_read() -> None:
    held = HandedOver([at("d", 0, "Hello"), at("d", 8, "world")])
    for span in (Span("d", 3, 9), Span("d", 0, 6), Span("e", 0, 1)):
        with pytest.raises(ProvenanceError, match="was handed over"):
            held.text(span)


def test_a_document_of_which_nothing_came_is_unknown() -> None:
    with pytest.raises(CorpusError, match="nothing of a document 'x'"):
        HandedOver([]).document("x")


def test_metadata_is_that_of_the_first_hit_where_it_is_plain() -> None:
    told = {"source": "a.pdf", "year": 2020, "tags": ["x"], "inner": {"a": 1}}
    held = HandedOver([at("d", 0, "Hello", title="T", metadata=told)])
    assert held.document("d") == Document("d", "Hello", "T", "a.pdf", {"source": "a.pdf", "year": 2020, "tags": ["x"]})
    assert held.origin(Passage("Hello", (Span("d", 0, 5),))).metadata == told


def test_what_hits_cannot_do_says_so_when_it_is_asked() -> None:
    held = HandedOver(["text"])
    with pytest.raises(StoreError, match="have no 'lexical'"):
        held.lexical("query", 5)
    with pytest.raises(AttributeError):
        _ = held.no_such_method
