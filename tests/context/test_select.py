from __future__ import annotations

from decoct.context.stitch import draft_of
from decoct.data import Chunk, Hit, Passage, Span


def hit(doc: str, text: str, score: float, start: int = 0) -> Hit:
    return Hit(Chunk(Span(doc, start, start + len(text)), text, f"Title {doc}"), score)


def test_the_same_text_is_read_once_at_its_better_rank() -> None:
    draft = draft_of([hit("a", "Same  text.", 3), hit("b", "same text.", 2), hit("c", "Other.", 1), hit("d", " ", 0.5)])
    assert draft.passages == (
        Passage("Same  text.", (Span("a", 0, 11),), score=3, title="Title a"),
        Passage("Other.", (Span("c", 0, 6),), score=1, title="Title c"),
    )


def test_chunks_that_overlap_are_not_repeats() -> None:
    draft = draft_of([hit("a", "The quick brown fox", 2), hit("a", "brown fox jumps", 1, start=10)])
    assert [passage.text for passage in draft.passages] == ["The quick brown fox", "brown fox jumps"]


def test_texts_that_only_begin_and_end_alike_are_no_repeats() -> None:
    draft = draft_of([hit("a", "The one end.", 3), hit("b", "The other end.", 2), hit("c", "the  ONE\nend.", 1)])
    assert [passage.text for passage in draft.passages] == ["The one end.", "The other end."]
