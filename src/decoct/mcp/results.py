"""What the tools give to programs: the words that the model reads, and the places they stand at.

A tool's answer is `content` (a text) and `structured_content` (one of these models). Agents hand their model one of the two, some this
one and some the other, so each is whole: the words and the places are in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from decoct.answer.as_json import answer_as_json
from decoct.data import Answer, Context, Document, Hit, MetadataValue, Span
from decoct.documents.places import excerpt_of, place_told
from decoct.errors import CorpusError
from decoct.library import Library


class Place(BaseModel):
    """Characters `start` to `end` of a document; `open_source` shows them."""

    doc_id: str
    start: int
    end: int


class FoundPlace(Place):
    """A passage that a search found; `text` is its beginning."""

    number: int
    title: str
    score: float
    text: str


class SearchResult(BaseModel):
    """What `search` found, best first."""

    library: str
    hits: list[FoundPlace]


class PassagePlaces(BaseModel):
    """A passage of a context: `number` as the text shows it, and what supports it."""

    number: int
    title: str
    spans: list[Span]


class ContextResult(BaseModel):
    """A context under its budget; `text` is the whole of it, `tokens` are counted in it."""

    library: str
    text: str
    tokens: int
    limit: int
    passages: list[PassagePlaces]
    conflicts: int


class CitedPlace(Place):
    """The sentence that the answer's mark `[number]` stands for."""

    number: int
    title: str
    quote: str


class AnsweringWords(BaseModel):
    """Words that answer, and how likely they are right (0 to 1)."""

    text: str
    score: float


class AnswerResult(BaseModel):
    """An answer; `found` is false where the library does not hold it.

    `question` is what was asked, after the turns before it; `answers` are the words alone (a language model gives none); `conflicts` tell
    what the documents say against each other, where the recipe looks for it.
    """

    library: str
    question: str
    answer: str
    found: bool
    outcome: Literal["answer", "passages", "not-found"]
    answers: list[AnsweringWords]
    tokens: int
    limit: int
    citations: list[CitedPlace]
    conflicts: list[str]


class SourceResult(Place):
    """The characters, what stands before and after them, and where that is."""

    library: str
    title: str
    page: int | None
    heading: str
    characters: int
    before: str
    text: str
    after: str


class LibraryInfo(BaseModel):
    """A library."""

    name: str
    documents: int
    chunks: int


class LibrariesResult(BaseModel):
    """The libraries that can be asked."""

    libraries: list[LibraryInfo]


class DocumentLine(BaseModel):
    """A document; `open_source` shows its `characters`, `where` chooses by its `metadata`."""

    doc_id: str
    title: str
    characters: int
    metadata: dict[str, MetadataValue]


class DocumentsResult(BaseModel):
    """A page of a library's documents, in the order of their ids; `next` is what `after` takes for the page behind it."""

    library: str
    documents: list[DocumentLine]
    next: str | None


class RecipeLine(BaseModel):
    """A recipe that may be named."""

    name: str
    description: str


class RecipesResult(BaseModel):
    """The recipes that may be named."""

    recipes: list[RecipeLine]


class AddedResult(BaseModel):
    """What adding did."""

    library: str
    added: int
    replaced: int
    unchanged: int
    failed: int


HIT_CHARACTERS = 300


def hits_told(library: str, hits: Sequence[Hit]) -> CallToolResult:
    """The hits, best first: number, title, place, and at most `HIT_CHARACTERS` of each one's text."""
    found, lines = [], []
    for number, hit in enumerate(hits, 1):
        span = hit.chunk.span
        text = " ".join(hit.chunk.text.split())
        shown = text if len(text) <= HIT_CHARACTERS else text[: HIT_CHARACTERS - 1] + "…"
        title = hit.chunk.title or span.doc_id
        lines.append(f"[{number}] {title} ({_written([span])})\n{shown}")
        found.append(FoundPlace(number=number, title=title, score=float(hit.score), text=shown, **asdict(span)))
    return tool_result("\n\n".join(lines) or "Nothing matches.", SearchResult(library=library, hits=found))


def context_told(library: str, context: Context) -> CallToolResult:
    """The rendered context, and below it the places of each passage: the budget is the context's alone."""
    passages = [
        PassagePlaces(number=number, title=passage.title, spans=list(passage.support))
        for number, passage in enumerate(context.passages, 1)
    ]
    found = ContextResult(
        library=library,
        text=context.text,
        tokens=context.tokens,
        limit=context.limit,
        passages=passages,
        conflicts=len(context.conflicts),
    )
    if not context.text:
        return tool_result("Nothing in the library matches the question.", found)
    places = [_source(one.number, one.title or one.spans[0].doc_id, one.spans) for one in passages]
    return tool_result("\n".join([context.text, "", *places]), found)


def answer_told(library: str, question: str, answer: Answer, opened: Library) -> CallToolResult:
    """The answer, and below it the places of what it cites, each under the title of its own document.

    Before it stand what was understood, where that is not `question`, and the words that answer, each with its probability; a cited
    sentence that the answer does not quote stands behind its place, and last what the documents say against each other.
    """
    told = answer_as_json(answer)
    places = {}
    for citation in answer.citations:
        source = citation.source
        places[citation.number, source.doc_id, source.start] = CitedPlace(
            number=citation.number, title=_title(source.doc_id, opened), **asdict(source)
        )
    found = AnswerResult(
        library=library,
        question=answer.context.question,
        answer=told["answer"],
        found=answer.found,
        outcome=answer.outcome,
        answers=[AnsweringWords(text=one.text, score=round(one.score, 4)) for one in answer.answers],
        tokens=answer.context.tokens,
        limit=answer.context.limit,
        citations=list(places.values()),
        conflicts=[_conflict(one) for one in told.get("conflicts", ())],
    )
    sources = [
        _source(one.number, one.title, [one]) + ("" if one.quote in found.answer else f": {one.quote}")
        for one in found.citations
    ]
    meant = [] if found.question == question else [f"(asked: {found.question})"]
    words = "; ".join(f"{one.text} ({one.score:.0%} sure)" for one in found.answers)
    lines = [
        *meant,
        *([words, ""] if words else []),
        found.answer,
        *([""] if sources else []),
        *sources,
        *found.conflicts,
    ]
    return tool_result("\n".join(lines), found)


def _conflict(told: Mapping[str, Any]) -> str:
    """Every side of a conflict with who says it, and which is believed or that none is."""
    sides = (
        f'"{one["value"]}" ({", ".join(dict.fromkeys(span["doc_id"] for span in one["support"]))})'
        for one in told["sides"]
    )
    believed = "none is preferred" if told["chosen"] is None else f'"{told["chosen"]}" is preferred'
    return f"conflict ({told['about']}): {' against '.join(sides)}; {believed}: {told['reason']}"


def source_told(library: str, document: Document, start: int, end: int, around: int) -> CallToolResult:
    """The characters `start` to `end` of a document, marked «so», with `around` characters before and after them."""
    title = document.title or document.id
    told = {**asdict(excerpt_of(document, start, end, around)), "title": title}
    found = SourceResult(library=library, characters=len(document.text), **told)
    named = ", ".join(dict.fromkeys(filter(None, (title, place_told(document, start)))))  # a heading may be the title
    where = f"{named} ({_written([found])})"
    return tool_result(f"{where}\n\n{found.before}«{found.text}»{found.after}", found)


def tool_result(text: str, found: BaseModel) -> CallToolResult:
    """A tool's answer of its two halves."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=found.model_dump())


def _source(number: int, title: str, places: Sequence[Place | Span]) -> str:
    return f"[{number}] {title} ({_written(places)})"


def _written(places: Iterable[Place | Span]) -> str:
    """Places as `open_source` is asked for them: `doc_id start-end`."""
    return "; ".join(f"{one.doc_id} {one.start}-{one.end}" for one in places)


def _title(doc_id: str, opened: Library) -> str:
    """The document's own title, else its id: also where it was removed since it was cited."""
    try:
        return opened.document(doc_id).title or doc_id
    except CorpusError:
        return doc_id
