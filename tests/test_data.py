"""Invariants are checked where a thing is made."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_tokenizer import Words

from decoct.budget import Budget
from decoct.data import Chunk, Context, Document, Passage, Query, Span
from decoct.errors import BudgetError, CorpusError, ProvenanceError, QueryError
from decoct.trace import Trace


def context(text: str, limit: int) -> Context:
    return Context("q", text, (), Budget(limit, Words()), Trace())


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 1)])
def test_a_span_is_a_range_with_something_in_it(start: int, end: int) -> None:
    with pytest.raises(ProvenanceError):
        Span("d", start, end)


def test_a_chunk_has_the_length_of_its_span() -> None:
    with pytest.raises(ProvenanceError):
        Chunk(Span("d", 0, 4), "abc")


def test_a_passage_is_supported_and_a_quote_as_long_as_its_span() -> None:
    with pytest.raises(ProvenanceError):
        Passage("text", ())
    with pytest.raises(ProvenanceError):
        Passage("text", (Span("d", 0, 3),))
    assert Passage("other words", (Span("d", 0, 3),), kind="rewrite").kind == "rewrite"


@pytest.mark.parametrize("text", ["", "  \n"])
def test_a_question_has_words(text: str) -> None:
    with pytest.raises(QueryError):
        Query(text)


@given(st.lists(st.sampled_from(["a", "bb", "ccc"]), max_size=12), st.integers(1, 12))
def test_a_context_over_its_limit_cannot_exist(words: list[str], limit: int) -> None:
    text = " ".join(words)
    if len(words) > limit:
        with pytest.raises(BudgetError):
            context(text, limit)
    else:
        assert context(text, limit).tokens == len(words)


@pytest.mark.parametrize("limit", [0, -5])
def test_a_budget_is_positive(limit: int) -> None:
    with pytest.raises(BudgetError, match="positive"):
        Budget(limit, Words())


@pytest.mark.parametrize(
    ("field", "wrong", "words"),
    [
        ("title", 3, "title a str, not 3"),
        ("source", None, "source a str"),
        ("metadata", [1], "metadata a mapping of str keys"),
        ("metadata", {3: 1}, "metadata a mapping of str keys"),
        ("names", "abc", "names a tuple of str"),
        ("headings", ((5, 99),), "headings ranges of its text"),
        ("headings", (3,), "headings ranges of its text"),
    ],
)
def test_a_documents_fields_are_checked_when_it_is_made(field: str, wrong: Any, words: str) -> None:
    with pytest.raises(CorpusError, match=f"'a' needs as {words}"):
        Document("a", "short text", **{field: wrong})


@pytest.mark.parametrize(("id_", "text"), [("", "x"), (None, "x"), (5, "x"), ("a", None), ("a", b"x")])
def test_a_document_is_an_id_and_a_text(id_: str, text: str) -> None:
    with pytest.raises(CorpusError, match="needs an id and a text"):
        Document(id_, text)
