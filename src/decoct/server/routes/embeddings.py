"""OpenAI's embeddings, by a library's own embedder or one that the server offers."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator

from decoct.data import Floats
from decoct.embed.base import Embedder
from decoct.embed.resolve import open_embedder
from decoct.embed.tokenizer import default_tokenizer
from decoct.embed.well_formed import well_formed
from decoct.server.problems import ProblemError
from decoct.server.state import caller_of, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/v1", tags=["openai"])
MOST_TEXTS, LONGEST_TEXT = 2_048, 8_000
_AT_ONCE = 64  # texts, between two looks at whether anybody waits
_TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}
_INPUT = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": MOST_TEXTS}]}


class EmbeddingOptions(BaseModel):
    """What is asked of Decoct beside OpenAI's fields."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["query", "passage"] = "passage"


class EmbeddingsIn(BaseModel):
    """Texts to embed."""

    model_config = ConfigDict(extra="ignore")
    model: str = Field(
        min_length=1, max_length=200, description="An embedder's name, or a library.", examples=["minilm"]
    )
    input: Annotated[Any, WithJsonSchema(_INPUT)] = Field(examples=["a text"])
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: Annotated[int, Field(ge=1)] | None = None
    decoct: EmbeddingOptions | None = None

    @field_validator("input")
    @classmethod
    def _texts(cls, given: object) -> list[str]:
        texts = [given] if isinstance(given, str) else given
        if not isinstance(texts, list) or not 1 <= len(texts) <= MOST_TEXTS:
            raise ValueError(f"give a text, or a list of 1 to {MOST_TEXTS:,} texts")
        if any(isinstance(one, int | list) for one in texts):
            raise ValueError(
                "give texts: numbers of another model's tokens mean nothing here (in LangChain: check_embedding_ctx_length=False)"
            )
        if not all(isinstance(one, str) and 1 <= len(one) <= LONGEST_TEXT for one in texts):
            raise ValueError(f"a text has 1 to {LONGEST_TEXT:,} characters")
        return texts


@router.post("/embeddings", summary="Vectors of texts, in OpenAI's shape")
async def embeddings(request: Request, asked: EmbeddingsIn) -> JSONResponse:
    """Unit vectors, in the order of the texts."""
    server, caller = server_of(request), caller_of(request)
    texts = [well_formed(text) for text in asked.input]
    library = asked.model.partition("/")[0]
    kind = asked.decoct.kind if asked.decoct else "passage"
    if library not in server.visible(caller) and asked.model not in server.settings.embedders:
        raise ProblemError(404, f"there is no embedder {asked.model[:200]!r}", code="model_not_found", param="model")

    def work(cancel: Cancel) -> tuple[Floats, int]:
        tokens = sum(default_tokenizer().counts(texts))

        def embedded(embedder: Embedder) -> Floats:
            parts = []
            for at in range(0, len(texts), _AT_ONCE):
                cancel.check()
                parts.append(embedder.embed(texts[at : at + _AT_ONCE], kind))
            return np.concatenate(parts)

        if asked.model in server.settings.embedders:
            return embedded(open_embedder(asked.model)), tokens
        with server.libraries.use(library) as opened:
            return embedded(opened.embedder), tokens

    vectors, tokens = await server.workers.run(request, work)
    if asked.dimensions is not None:
        if asked.dimensions > vectors.shape[1]:
            raise ProblemError(
                422, f"this embedder has {vectors.shape[1]} dimensions", code="validation", param="dimensions"
            )
        # As OpenAI's do: the first dimensions, of length 1 again.
        vectors = vectors[:, : asked.dimensions]
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    data: list[dict[str, Any]] = [
        {
            "object": "embedding",
            "index": at,
            "embedding": vector.tolist()
            if asked.encoding_format != "base64"
            else base64.b64encode(vector.astype("<f4").tobytes()).decode(),
        }
        for at, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return JSONResponse({"object": "list", "data": data, "model": asked.model, "usage": usage})
