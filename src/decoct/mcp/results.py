"""What the tools give: texts for the model to read, and spans without their texts for the program around it.

A tool's answer is `content` (the text) and `structured_content` (one of these models): the same words are not sent twice.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Place(BaseModel):
    """Characters `start` to `end` of a document; `open_source` shows them."""

    doc_id: str
    start: int
    end: int


class FoundPlace(Place):
    """A passage that a search found."""

    number: int
    title: str
    score: float


class SearchResult(BaseModel):
    """What `search` found, best first."""

    library: str
    hits: list[FoundPlace]


class PassagePlaces(BaseModel):
    """A passage of a context: `number` as the text shows it, and what supports it."""

    number: int
    title: str
    spans: list[Place]


class ContextResult(BaseModel):
    """A context under its budget."""

    library: str
    tokens: int
    limit: int
    passages: list[PassagePlaces]
    conflicts: int


class CitedPlace(Place):
    """The sentence that the answer's mark `[number]` stands for."""

    number: int
    title: str


class AnswerResult(BaseModel):
    """An answer; `found` is false where the library does not hold it."""

    library: str
    found: bool
    outcome: Literal["answer", "passages", "not-found"]
    tokens: int
    limit: int
    citations: list[CitedPlace]


class SourceResult(Place):
    """Where the text stands."""

    library: str
    title: str
    page: int | None
    heading: str
    characters: int


class LibraryInfo(BaseModel):
    """A library."""

    name: str
    documents: int
    chunks: int


class LibrariesResult(BaseModel):
    """The libraries that can be asked."""

    libraries: list[LibraryInfo]


class AddedResult(BaseModel):
    """What adding did."""

    library: str
    added: int
    replaced: int
    unchanged: int
    failed: int
