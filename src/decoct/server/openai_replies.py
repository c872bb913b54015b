"""What replies in OpenAI's, Cohere's and Ollama's shapes hold: for the description, and for programs made from it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from decoct.data import ShortAnswer
from decoct.server.replies import PassageOut


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
