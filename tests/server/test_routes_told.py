"""What routes say, worked out by hand: hits, contexts, answers in OpenAI's shape, spans, pages of a listing; each as it is described."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from word_tokenizer import Words

from decoct.answer.as_json import answer_as_json
from decoct.budget import Budget
from decoct.context.as_json import context_as_json, hit_as_json
from decoct.data import Answer, Chunk, Citation, Context, Document, Hit, Passage, ShortAnswer, SourceQuote, Span
from decoct.documents.places import excerpt_of
from decoct.errors import CorpusError, QueryError
from decoct.server.chatting import ReplyHeader, event
from decoct.server.jobs import Job
from decoct.server.problems import ProblemError, body_of
from decoct.server.replies import (
    AnswerOut,
    ContextOut,
    DocumentsOut,
    ErrorBody,
    EvaluationOut,
    HitOut,
    JobOut,
)
from decoct.server.routes.documents import check_span, document_or_404, listing, span_as_json
from decoct.server.routes.questions import with_tokens
from decoct.trace import Trace

BRIDGE = Document("a/b c&d", "The bridge was opened in 1934. It is red.", "Old bridge")
QUOTE = Passage("It is red.", (Span("a/b c&d", 31, 41),), score=0.5, title="Old bridge")
OTHER = Passage("A rewrite of both.", (Span("a/b c&d", 0, 30), Span("tower", 0, 9)), kind="rewrite")
CONTEXT = Context(
    "What colour?", "[1] It is red.\n[2] A rewrite of both.", (QUOTE, OTHER), Budget(20, Words()), Trace()
)
ANSWER = Answer(
    "It is red [1].",
    (Citation(1, 10, 13, QUOTE, SourceQuote("a/b c&d", 31, 41, "It is red.")),),
    CONTEXT,
    answers=(ShortAnswer("red", "a/b c&d", 37, 40, 0.87654),),
)


class Shelf:
    """A library that only lists and shows."""

    def __init__(self, *documents: Document) -> None:
        self.held = {document.id: document for document in documents}

    def document(self, doc_id: str) -> Document:
        if doc_id not in self.held:
            raise CorpusError(f"no document {doc_id!r} at /srv/secret")
        return self.held[doc_id]

    def documents(self, where: Any = None) -> Any:
        for document in self.held.values():
            if where is None or dict(document.metadata).items() >= where.items():
                yield SimpleNamespace(
                    id=document.id,
                    title=document.title,
                    characters=len(document.text),
                    chunks=1,
                    metadata=document.metadata,
                )


def test_a_hit_is_numbers_that_json_knows() -> None:
    hit = Hit(Chunk(Span("d", 3, 8), "words", "T", 7), np.float32(0.5), {"bm25": np.float32(2.25)})  # type: ignore[arg-type, dict-item]
    shown = json.loads(json.dumps({"rank": 3, **hit_as_json(hit)}))
    assert shown == {
        "rank": 3, "doc_id": "d", "start": 3, "end": 8, "score": 0.5, "title": "T", "text": "words", "found_by": {"bm25": 2.25},
    }  # fmt: skip
    assert HitOut.model_validate(shown).model_dump() == shown


def test_each_passage_tells_the_tokens_of_its_own_text() -> None:
    shown = with_tokens(context_as_json(CONTEXT), CONTEXT)
    assert [passage["tokens"] for passage in shown["passages"]] == [3, 4]
    assert shown["tokens"] == 3 + 4 + 2  # and two numbers
    assert ContextOut.model_validate({**shown, "merges": []}).tokens == 9


def test_an_answer_is_as_it_is_described() -> None:
    shown = with_tokens(answer_as_json(ANSWER), CONTEXT)
    told = AnswerOut.model_validate(shown)
    assert (told.answers[0].score, told.citations[0].passage, told.outcome) == (0.8765, 0, "answer")


def header(**change: Any) -> ReplyHeader:
    fields: dict[str, Any] = {
        "id": "chatcmpl-1", "created": 5, "model": "bridges/default", "library": "bridges",
        "address": "https://decoct.example/", "ignored": ("seed", "top_p"),
    }  # fmt: skip
    return ReplyHeader(**{**fields, **change})


def test_an_answer_in_openais_shape_by_hand() -> None:
    account = header().account(ANSWER, Shelf(BRIDGE))  # type: ignore[arg-type]
    # The context has 9 words, the answer 4.
    assert account["usage"] == {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
    assert account["decoct"]["ignored"] == ["seed", "top_p"]
    assert account["decoct"]["answers"][0]["text"] == "red"
    assert "conflicts" not in account["decoct"]
    disputed = replace(ANSWER, context=replace(CONTEXT, notes={"conflicts": ()}))
    assert header().account(disputed, Shelf(BRIDGE))["decoct"]["conflicts"] == []  # type: ignore[arg-type]
    (note,) = account["annotations"]
    cited = note["url_citation"]
    assert (cited["start_index"], cited["end_index"], cited["number"], cited["quote"]) == (10, 13, 1, "It is red.")
    assert ANSWER.text[cited["start_index"] : cited["end_index"]] == "[1]"
    assert cited["title"] == "Old bridge"
    address = urlsplit(cited["url"])
    assert (address.netloc, address.path) == ("decoct.example", "/source")
    assert parse_qs(address.query) == {"library": ["bridges"], "doc_id": ["a/b c&d"], "start": ["31"], "end": ["41"]}


def test_a_document_without_a_title_is_called_by_its_id() -> None:
    account = header().account(ANSWER, Shelf(Document(BRIDGE.id, BRIDGE.text)))  # type: ignore[arg-type]
    assert account["annotations"][0]["url_citation"]["title"] == "a/b c&d"


def told(message: str) -> dict[str, Any]:
    assert message.startswith("data: ")
    assert message.endswith("\n\n")
    assert message.count("\n") == 2
    found: dict[str, Any] = json.loads(message[6:])
    return found


def test_events_are_one_line_whatever_is_written() -> None:
    assert told(event({"a": "two\nlines\r\n\u2028"})) == {"a": "two\nlines\r\n\u2028"}
    piece = told(event(header().reply("chat.completion.chunk", {"delta": {"content": "a\n\nb"}})))
    assert (piece["object"], piece["choices"][0]["delta"]) == ("chat.completion.chunk", {"content": "a\n\nb"})
    assert piece["choices"][0]["finish_reason"] is None
    last = header().reply("chat.completion.chunk", {"delta": {}}, "stop", decoct={"tokens": 3})
    assert (last["choices"][0]["finish_reason"], last["decoct"]) == ("stop", {"tokens": 3})
    usage = header().reply("chat.completion.chunk", None, usage={"total_tokens": 13})
    assert (usage["choices"], usage["usage"], usage["id"]) == ([], {"total_tokens": 13}, "chatcmpl-1")


@pytest.mark.parametrize(("start", "end"), [(0, 1), (0, 41), (40, 41)])
def test_a_span_within_its_document_passes(start: int, end: int) -> None:
    check_span(BRIDGE, start, end)


@pytest.mark.parametrize(("start", "end"), [(0, 42), (5, 5), (6, 5), (41, 41), (41, 42), (2**53, 2**53)])
def test_another_span_is_told_the_documents_length(start: int, end: int) -> None:
    with pytest.raises(ProblemError, match="end <= 41") as error:
        check_span(BRIDGE, start, end)
    assert (error.value.status_code, error.value.code) == (422, "span")


def test_a_span_is_shown_with_what_stands_around_it() -> None:
    shown = span_as_json(BRIDGE, 25, 29, 4)
    assert (shown["before"], shown["text"], shown["after"]) == (" in ", "1934", ". It")
    assert shown["page"] is None
    whole = span_as_json(BRIDGE, 25, 29, 5_000)
    assert whole["before"] + whole["text"] + whole["after"] == BRIDGE.text
    bare = span_as_json(BRIDGE, 0, 3, 0)
    assert (bare["before"], bare["text"], bare["after"]) == ("", "The", "")


@pytest.mark.parametrize(("start", "end", "around"), [(0, 42, 0), (5, 5, 0), (-1, 3, 0), (0, 3, -1)])
def test_no_excerpt_is_of_another_span(start: int, end: int, around: int) -> None:
    with pytest.raises(QueryError, match="end <= 41"):
        excerpt_of(BRIDGE, start, end, around)


def test_a_span_knows_its_page_and_heading() -> None:
    document = Document("d", "Intro\nOne.\fMore\nTwo.", metadata={"pages": 2}, headings=((0, 5), (11, 15)))
    shown = span_as_json(document, 16, 20, 0)
    assert (shown["page"], shown["heading"]) == (2, "More")


def pages(shelf: Shelf, limit: int) -> list[list[str]]:
    """The ids of every page, by following `next`."""
    found: list[list[str]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = listing(shelf, cursor, limit, None)  # type: ignore[arg-type]
        DocumentsOut.model_validate(page)
        found.append([one["id"] for one in page["documents"]])
        cursor = page["next"]
    return found


def test_pages_hold_every_document_once() -> None:
    shelf = Shelf(*(Document(name, "x") for name in "abcd"))
    assert pages(shelf, 3) == [["a", "b", "c"], ["d"]]
    assert pages(shelf, 2) == [["a", "b"], ["c", "d"]]  # no empty page at the end
    assert pages(shelf, 4) == [["a", "b", "c", "d"]]
    assert pages(shelf, 1) == [["a"], ["b"], ["c"], ["d"]]
    assert pages(Shelf(), 5) == [[]]


def test_a_listing_starts_after_a_document_that_is_gone_by_now_and_keeps_its_filter() -> None:
    shelf = Shelf(Document("a", "x"), Document("c", "xyz", "C", metadata={"year": 5}), Document("d", "x"))
    page = listing(shelf, "b", 10, {"year": 5})  # type: ignore[arg-type]
    assert page == {
        "documents": [{"id": "c", "title": "C", "characters": 3, "chunks": 1, "metadata": {"year": 5}}], "next": None,
    }  # fmt: skip


def test_a_document_that_is_none_names_itself_and_not_this_machine() -> None:
    with pytest.raises(ProblemError) as error:
        document_or_404(Shelf(), "x" * 5000)  # type: ignore[arg-type]
    assert (error.value.status_code, error.value.code, error.value.param) == (404, "document", "id")
    assert (len(error.value.detail) < 300, "secret" in error.value.detail) == (True, False)


def test_jobs_and_errors_are_as_they_are_described() -> None:
    job = Job("j", "notes", "running", 2, 1.0, counts={"added": 1, "share": 0.5, "current": "a", "seconds_left": None})
    shown = JobOut.model_validate(job.as_dict())
    assert (shown.counts, shown.progress.share, shown.kind) == ({"added": 1}, 0.5, "ingest")
    error = ErrorBody.model_validate(body_of(ProblemError(404, "none", param="id"), "r1"))
    assert (error.error.type, error.error.code, error.error.request_id) == ("not_found_error", "not-found", "r1")
    with pytest.raises(ValueError, match="state"):
        EvaluationOut.model_validate({"state": "lost"})
