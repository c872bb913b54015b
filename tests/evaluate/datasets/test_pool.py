from __future__ import annotations

from decoct.data import Span
from decoct_lab.datasets.pool import Pool


def test_sentences_are_joined_by_a_blank_where_neither_side_brings_one_and_their_spans_leave_it_out() -> None:
    pool = Pool("p")
    doc_id, spans = pool.add("Title", ["One.", "Two. ", "Three."])
    assert pool.documents[doc_id].text == "One. Two. Three."
    assert spans == [Span(doc_id, 0, 4), Span(doc_id, 5, 9), Span(doc_id, 10, 16)]


def test_a_blank_sentence_has_no_span_and_a_blank_paragraph_is_no_document() -> None:
    pool = Pool("p")
    doc_id, spans = pool.add("Title", ["One.", " ", "Two."])
    assert [span is None for span in spans] == [False, True, False]
    gone, none = pool.add("Empty", ["", " "])
    assert none == [None, None]
    assert gone not in pool.documents
    assert pool.lengths == {doc_id: len(pool.documents[doc_id].text)}


def test_a_paragraph_met_again_is_the_same_document_wherever_it_stands() -> None:
    one, other = Pool("p"), Pool("p")
    first, _ = one.add("A", ["Same."])
    assert one.add("A", ["Same."])[0] == first
    other.add("B", ["Before."])
    assert other.add("A", ["Same."])[0] == first
    assert one.add("Another title", ["Same."])[0] != first
    assert one.add("A", ["Same."], {"year": 1})[0] != first
    assert [document.title for document in one.read()] == ["A", "Another title", "A"]
