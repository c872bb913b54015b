"""What other frameworks hand over, as one type: read by attributes, so that no framework is needed here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from decoct.data import Chunk, Hit, Passage, Span
from decoct.errors import CorpusError
from decoct.integrations.hits import HandedHit, handed_hit, handed_hits


def document(text: str, **metadata: object) -> Any:
    """As LangChain has it."""
    return SimpleNamespace(page_content=text, metadata=metadata, id="own")


def node(text: str, start: int | None = None, end: int | None = None, **metadata: object) -> Any:
    """As LlamaIndex has it."""
    return SimpleNamespace(
        get_content=lambda: text,
        metadata=metadata,
        start_char_idx=start,
        end_char_idx=end,
        ref_doc_id="doc",
        node_id="n1",
    )


def test_a_text_is_a_hit_without_a_place() -> None:
    hit = handed_hit("The bridge opened in 1934.")
    assert hit == HandedHit("The bridge opened in 1934.")
    assert hit.parts() == []


def test_decocts_own_hit_and_passage_keep_their_places() -> None:
    chunk = Chunk(Span("d", 10, 14), "text", "Title", 3)
    assert handed_hit(Hit(chunk, 0.5)) == HandedHit("text", "d", 10, "Title", 0.5)
    quote = Passage("one\ntwo", (Span("d", 0, 3), Span("d", 8, 11)), "quote", 0.4, "T")
    assert handed_hit(quote).parts() == [(Span("d", 0, 3), "one"), (Span("d", 8, 11), "two")]
    rewrite = Passage("said anew", (Span("d", 0, 3),), "rewrite")
    assert handed_hit(rewrite).parts() == []


def test_langchain_with_a_start_has_a_place() -> None:
    hit = handed_hit(document("text", source="a.txt", start_index=7, title="A", relevance_score=0.25))
    assert (hit.doc_id, hit.start, hit.title, hit.score) == ("a.txt", 7, "A", 0.25)
    assert hit.parts() == [(Span("a.txt", 7, 11), "text")]


def test_an_offset_within_a_page_names_the_page() -> None:
    """LangChain's loaders make a document of each page, so equal offsets of two pages are two places."""
    assert handed_hit(document("text", source="r.pdf", page=3, start_index=0)).doc_id == "r.pdf#page=3"
    assert handed_hit(document("text", source="r.pdf", page=3)).doc_id == "r.pdf"


@pytest.mark.parametrize("start", [True, -1, "7", 2.5, None])
def test_what_is_no_offset_gives_no_place(start: object) -> None:
    assert handed_hit(document("text", source="a", start_index=start)).start is None


def test_a_document_without_a_name_has_its_own_id() -> None:
    assert handed_hit(document("text")).doc_id == "own"


def test_a_node_whose_offsets_are_not_its_texts_has_no_place() -> None:
    assert handed_hit(node("text", 5, 9)).parts() == [(Span("doc", 5, 9), "text")]
    assert handed_hit(node("text", 5, 99)).parts() == []
    assert handed_hit(SimpleNamespace(node=node("text", 5, 9), score=0.5)).score == 0.5


def test_haystack_may_hold_a_picture() -> None:
    assert handed_hits([SimpleNamespace(content=None, meta={}, id="x", score=1.0)]) == []
    hit = handed_hit(
        SimpleNamespace(content="text", meta={"split_idx_start": 4, "source_id": "s"}, id="x", score="0.5")
    )
    assert (hit.doc_id, hit.start, hit.score) == ("s", 4, 0.5)


def test_a_mapping_says_its_start_itself() -> None:
    hit = handed_hit({"text": "text", "doc_id": "d", "start": 3, "score": 2, "lang": "en"})
    assert (hit.doc_id, hit.start, hit.score, hit.metadata["lang"]) == ("d", 3, 2.0, "en")
    film = handed_hit({"text": "text", "metadata": {"doc_id": "d", "start": 3}})  # a second of a film
    assert film.start is None


def test_spans_that_do_not_make_up_the_text_are_passed_over() -> None:
    spans = [{"doc_id": "d", "start": 0, "end": 4}]
    assert handed_hit({"text": "text", "spans": spans}).spans == (Span("d", 0, 4),)
    assert handed_hit({"text": "text cut", "spans": spans}).spans == ()
    assert handed_hit({"text": "text", "spans": [{"doc_id": "d"}]}).spans == ()


@pytest.mark.parametrize("score", ["high", object(), [1]])
def test_a_score_that_is_no_number_is_none(score: object) -> None:
    assert handed_hit({"text": "text", "score": score}).score is None


def test_blank_texts_are_left_out_and_order_is_kept() -> None:
    assert [hit.text for hit in handed_hits(["b", " \n", "a"])] == ["b", "a"]


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (3, "int is no document or hit"),
        ({"body": "x"}, "expected one of the keys text"),
        ({"text": 3}, "must be a text, not int"),
    ],
)
def test_what_is_no_hit_is_told(item: object, says: str) -> None:
    with pytest.raises(CorpusError, match=says):
        handed_hit(item)


@pytest.mark.parametrize("items", ["one text", {"text": "x"}])
def test_a_single_one_is_no_list(items: Any) -> None:
    with pytest.raises(CorpusError, match="must be a list"):
        handed_hits(items)
