"""OpenAI's embeddings, by a library's own embedder or one that the server offers."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator

from decoct.data import Floats
from decoct.embed.base import Embedder, well_formed
from decoct.embed.resolve import open_embedder
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import MissingExtraError
from decoct.server.openai_replies import EmbeddingsOut
from decoct.server.parameters import Whole
from decoct.server.problems import ProblemError
from decoct.server.state import caller_of, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/v1", tags=["openai"])
MOST_TEXTS, LONGEST_TEXT = 2_048, 8_000
_AT_ONCE = 64  # texts, between two looks at whether anybody waits
_TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}
_IDS = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": 100_255},
    "minItems": 1,
    "maxItems": LONGEST_TEXT,
}
_INPUT = {
    "anyOf": [
        _TEXT,
        _IDS,
        *({"type": "array", "items": one, "minItems": 1, "maxItems": MOST_TEXTS} for one in (_TEXT, _IDS)),
    ]
}
_ENCODING = "cl100k_base"  # that of OpenAI's embedding models, whose ids clients send


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
    dimensions: Annotated[Whole, Field(ge=1)] | None = None
    decoct: EmbeddingOptions | None = None

    @field_validator("input")
    @classmethod
    def _texts(cls, given: object) -> list[str | list[int]]:
        texts = [given] if isinstance(given, str) or _are_ids(given) else given
        if not isinstance(texts, list) or not 1 <= len(texts) <= MOST_TEXTS:
            raise ValueError(f"give a text, or a list of 1 to {MOST_TEXTS:,} texts")
        if not all((isinstance(one, str) or _are_ids(one)) and 1 <= len(one) <= LONGEST_TEXT for one in texts):
            raise ValueError(f"a text has 1 to {LONGEST_TEXT:,} characters (or numbers of tokens)")
        return texts


def _are_ids(given: object) -> bool:
    return isinstance(given, list) and bool(given) and all(type(one) is int for one in given)


def _text_of(ids: list[int]) -> str:
    """The text of token ids, as OpenAI's embedding models number them."""
    try:
        import tiktoken
    except ModuleNotFoundError as error:
        raise MissingExtraError("token ids", "openai") from error
    try:
        return str(tiktoken.get_encoding(_ENCODING).decode(ids))
    except (KeyError, OverflowError) as error:
        raise ProblemError(422, f"there is no token of such a number in {_ENCODING}", param="input") from error
    except OSError as error:  # its table is fetched once
        told = (
            f"the table of {_ENCODING} cannot be fetched: send texts (in LangChain: check_embedding_ctx_length=False)"
        )
        raise ProblemError(422, told, code="config", param="input") from error


async def vectors_of(
    request: Request,
    model: str,
    given: list[str | list[int]],
    kind: Literal["query", "passage"],
    dimensions: int | None,
) -> tuple[Floats, int]:
    """Unit vectors of texts, one a row, and their tokens; `dimensions` keeps the first ones, of length 1 again, as OpenAI's do."""
    server, caller = server_of(request), caller_of(request)
    library, visible = model.partition("/")[0], server.visible(caller)
    if library not in visible and model not in server.settings.embedders:
        told = f"there is no embedder {model[:200]!r}; there are {', '.join(sorted({*server.settings.embedders, *visible}))}"
        raise ProblemError(404, told, code="model_not_found", param="model")

    def work(cancel: Cancel) -> tuple[Floats, int]:
        texts = [well_formed(one if isinstance(one, str) else _text_of(one)) for one in given]
        tokens = sum(default_tokenizer().counts(texts))

        def embedded(embedder: Embedder) -> Floats:
            parts = []
            for at in range(0, len(texts), _AT_ONCE):
                cancel.check()
                parts.append(embedder.embed(texts[at : at + _AT_ONCE], kind))
            return np.concatenate(parts)

        if model in server.settings.embedders:
            return embedded(open_embedder(model)), tokens
        with server.libraries.use(library) as opened:
            return embedded(opened.embedder), tokens

    vectors, tokens = await server.workers.run(request, work)
    if dimensions is None:
        return vectors, tokens
    if dimensions > vectors.shape[1]:
        raise ProblemError(422, f"this embedder has {vectors.shape[1]} dimensions", param="dimensions")
    vectors = vectors[:, :dimensions]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), tokens


@router.post("/embeddings", summary="Vectors of texts, in OpenAI's shape", response_model=EmbeddingsOut)
async def embeddings(request: Request, asked: EmbeddingsIn) -> JSONResponse:
    """Unit vectors, in the order of the texts."""
    kind = asked.decoct.kind if asked.decoct else "passage"
    vectors, tokens = await vectors_of(request, asked.model, asked.input, kind, asked.dimensions)
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
