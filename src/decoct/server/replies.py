"""What responses hold, our own and those in OpenAI's, Cohere's and Ollama's shapes: the fields that programs rely on."""

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


class ContextsOut(BaseModel):
    """A context a recipe, or why it has none."""

    contexts: dict[str, ContextOut | ErrorBody]


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


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class ModelOut(BaseModel):
    """A model: a library and a recipe."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelsOut(BaseModel):
    """All that can be asked here."""

    object: Literal["list"]
    data: list[ModelOut]


class DecoctOut(_Open):
    """Decoct's own account: what was asked of the library, how it ended, what the context was, what had no effect."""

    question: str
    asked: dict[str, Any] | None
    found: bool
    outcome: Literal["answer", "passages", "not-found"]
    score: float | None
    answers: list[ShortAnswer]
    tokens: int
    limit: int
    passages: list[PassageOut]
    ignored: list[str]
    trace: dict[str, Any]


class UrlCitationOut(_Open):
    """The mark at `start_index`..`end_index` of the answer, and the characters of the document that it cites."""

    start_index: int
    end_index: int
    title: str
    url: str
    number: int
    doc_id: str
    start: int
    end: int
    quote: str


class AnnotationOut(BaseModel):
    """A citation."""

    type: Literal["url_citation"]
    url_citation: UrlCitationOut


class ChatMessageOut(BaseModel):
    """The answer."""

    role: Literal["assistant"]
    content: str
    refusal: None
    annotations: list[AnnotationOut]


class ChoiceOut(_Open):
    """The one choice: the `message` of a chat, the `text` of a completion."""

    index: int
    message: ChatMessageOut | None = None
    text: str | None = None
    finish_reason: Literal["stop"]
    logprobs: None


class CompletionOut(_Open):
    """A chat's completion, or a prompt's."""

    id: str
    object: Literal["chat.completion", "text_completion"]
    created: int
    model: str
    choices: list[ChoiceOut]
    usage: dict[str, int]
    decoct: DecoctOut


class ResponseOut(_Open):
    """`response`: one message, whose text has the citations as annotations."""

    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["completed", "in_progress", "failed"]
    model: str
    output: list[dict[str, Any]]
    usage: dict[str, Any] | None
    decoct: DecoctOut


class EmbeddingOut(BaseModel):
    """A vector, or its bytes in base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class EmbeddingsOut(BaseModel):
    """A vector a text, in their order."""

    object: Literal["list"]
    data: list[EmbeddingOut]
    model: str
    usage: dict[str, int]


class RankedOut(_Open):
    """A text's place in the request, and how relevant it is (0 to 1)."""

    index: int
    relevance_score: float


class RerankOut(BaseModel):
    """Texts, the most relevant first."""

    id: str
    model: str
    usage: dict[str, int]
    meta: dict[str, Any]
    results: list[RankedOut]
    object: Literal["list"]
    data: list[RankedOut]


class OllamaErrorOut(BaseModel):
    """Ollama's errors: a text."""

    error: str


class OllamaWrittenOut(_Open):
    """A line of Ollama's chat (`message`) or completion (`response`), or the whole: the last is `done` and has Decoct's account."""

    model: str
    created_at: str
    message: dict[str, str] | None = None
    response: str | None = None
    done: bool


class OllamaVectorsOut(_Open):
    """Vectors of texts, a list each, in their order."""

    model: str
    embeddings: list[list[float]]
    prompt_eval_count: int


class OllamaModelOut(_Open):
    """A model, as Ollama lists them."""

    name: str
    model: str
    modified_at: str
    size: int
    digest: str
    details: dict[str, Any]


class OllamaModelsOut(BaseModel):
    """All that can be asked here."""

    models: list[OllamaModelOut]


class OllamaShownOut(_Open):
    """What Ollama tells of one model."""

    details: dict[str, Any]
    model_info: dict[str, Any]
    capabilities: list[str]


_EVENT = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}


def streamed(model: type[BaseModel], kind: str = "text/event-stream") -> dict[int | str, dict[str, Any]]:
    """A route's responses: the whole as JSON of `model`, or a stream of `kind`: of lines, or of events, each as described."""
    told = "The answer; with `stream` piece by piece."
    piece = _EVENT if kind == "text/event-stream" else {"type": "string"}
    return {200: {"model": model, "description": told, "content": {kind: {"schema": piece}}}}
