"""What the tools give to programs: the words that the model reads, and the places they stand at.

A tool's answer is `content` (a text) and `structured_content` (one of these models). Agents hand their model one of the two, some this
one and some the other, so each is whole: the words and the places are in both (`mcp/wording.py` writes them).
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from decoct.data import MetadataValue, Span


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

    `question` is what was asked, after the turns before it; `answers` are the words alone (a language model gives none).
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
