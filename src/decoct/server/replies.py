"""What responses hold: the fields that programs rely on."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from decoct.data import ShortAnswer, SourceQuote, Span
from decoct.documents.base import Failure
from decoct.evaluate.reader_names import EvaluationReader


class PassageOut(BaseModel):
    """A passage of a context."""

    text: str
    kind: Literal["quote", "rewrite"]
    score: float
    title: str
    support: list[Span]
    tokens: int


class ContextOut(BaseModel):
    """A context; a recipe's notes (`merges`, `facts`, `conflicts` …) stand beside these fields."""

    model_config = ConfigDict(extra="allow")
    question: str
    text: str
    tokens: int
    limit: int
    passages: list[PassageOut]
    trace: dict[str, Any]


class CitationOut(BaseModel):
    """The mark `[number]` at `start`..`end` of the answer."""

    number: int
    start: int
    end: int
    passage: int
    support: list[Span]
    source: SourceQuote


class AnswerOut(ContextOut):
    """A context, and the answer read from it.

    `outcome` is `answer` where words were found that answer, `passages` where only the passages that fit best could be shown, and
    `not-found` where the documents do not seem to hold it. `answers` are the words alone, best first; a language model gives none.
    `score` is how likely the first of them is right, null where nothing is claimed or a model wrote the answer.
    `asked` is how the question was understood, where it came with a `history`.
    """

    answer: str
    found: bool
    outcome: Literal["answer", "passages", "not-found"]
    score: float | None
    answers: list[ShortAnswer]
    citations: list[CitationOut]
    asked: dict[str, str] | None = None


class HitOut(BaseModel):
    """A chunk found."""

    doc_id: str
    start: int
    end: int
    rank: int
    score: float
    title: str
    text: str
    found_by: dict[str, float]


class HitsOut(BaseModel):
    """The chunks found, best first."""

    hits: list[HitOut]


class ContextsOut(BaseModel):
    """A context a recipe."""

    contexts: dict[str, ContextOut]


class LibraryOut(BaseModel):
    """A library and what the caller may do with it."""

    name: str
    permission: Literal["read", "write", "admin"]


class LibraryStatusOut(LibraryOut):
    """A library's counts and how it was built."""

    documents: int
    chunks: int
    bytes: int
    embedder: str
    chunker: str
    language: str


class LibrariesOut(BaseModel):
    """Libraries."""

    libraries: list[LibraryOut]


class DocumentOut(BaseModel):
    """A document in a listing."""

    id: str
    title: str
    characters: int
    chunks: int
    metadata: dict[str, Any]


class DocumentTextOut(BaseModel):
    """A document with its text."""

    id: str
    title: str
    text: str
    metadata: dict[str, Any]


class DocumentsOut(BaseModel):
    """A page of a listing; `next` is the cursor of the page after it."""

    documents: list[DocumentOut]
    next: str | None


class DeletedOut(BaseModel):
    """How many documents or libraries were removed."""

    deleted: int


class ProgressOut(BaseModel):
    """How far a job is: the source being read, the share done (0 to 1) and the seconds left, where they can be told."""

    current: str | None
    share: float | None
    seconds_left: float | None


class JobOut(BaseModel):
    """An ingest or evaluation job. `sources` is what it was given: files, documents and URLs, or questions."""

    id: str
    library: str
    kind: Literal["ingest", "evaluation"]
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    sources: int
    created: float
    started: float | None
    finished: float | None
    attempts: int
    counts: dict[str, int]
    progress: ProgressOut
    failures: list[Failure]
    error: str


class JobsOut(BaseModel):
    """A library's jobs, newest first."""

    jobs: list[JobOut]


class EvaluationOut(BaseModel):
    """An evaluation of recipes on questions about a library. It is also a job, under the same id; `rows` are the results so far."""

    id: str
    name: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    questions: int
    recipes: list[str]
    budgets: list[int | str]
    reader: EvaluationReader
    created: float
    started: float | None
    finished: float | None
    rows: int
    progress: ProgressOut
    error: str


class EvaluationsOut(BaseModel):
    """A library's evaluations, newest first."""

    evaluations: list[EvaluationOut]


class ReportOut(EvaluationOut):
    """An evaluation with its tables, as `decoct report --json` has them: means with 95 % intervals, tests, costs and more."""

    tables: dict[str, list[dict[str, Any]]]


class RecipeOut(BaseModel):
    """A recipe that requests may name."""

    name: str
    description: str
    budget: int
    needs_llm: bool


class RecipesOut(BaseModel):
    """The recipes that requests may name."""

    recipes: list[RecipeOut]


class ErrorOut(BaseModel):
    """What went wrong: `code` is stable."""

    message: str
    type: str
    code: str
    param: str | None
    request_id: str


class ErrorBody(BaseModel):
    """The one shape of every error."""

    error: ErrorOut
