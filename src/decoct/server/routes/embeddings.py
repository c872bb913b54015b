"""OpenAI's embeddings, by a library's own embedder or one that the server offers."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal, TypeAlias, cast

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from decoct.data import Floats
from decoct.embed.base import Embedder, well_formed
from decoct.embed.resolve import open_embedder
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import MissingExtraError
from decoct.server.parameters import NO_TRUTH, either
from decoct.server.problems import ProblemError
from decoct.server.replies import EmbeddingsOut
from decoct.server.state import caller_of, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/v1", tags=["openai"])
MOST_TEXTS, LONGEST_TEXT = 2_048, 8_000
_AT_ONCE = 64  # texts, between two looks at whether anybody waits
EmbeddedText: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
_Ids: TypeAlias = Annotated[
    list[Annotated[int, Field(ge=0, le=100_255), NO_TRUTH]], Field(min_length=1, max_length=LONGEST_TEXT)
]
_Several = Field(min_length=1, max_length=MOST_TEXTS)
_ENCODING = "cl100k_base"  # that of OpenAI's embedding models, whose ids clients send


class EmbeddingOptions(BaseModel):
    """What is asked of Decoct beside OpenAI's fields."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["query", "passage"] = "passage"


class EmbeddingsIn(BaseModel):
    """Texts to embed."""

    model: str = Field(
        min_length=1, max_length=200, description="An embedder's name, or a library.", examples=["minilm"]
    )
    input: Annotated[
        EmbeddedText | _Ids | Annotated[list[EmbeddedText], _Several] | Annotated[list[_Ids], _Several],
        either(
            f"give a text, or a list of 1 to {MOST_TEXTS:,}, each of 1 to {LONGEST_TEXT:,} characters (or numbers of tokens)"
        ),
    ] = Field(examples=["a text"])
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: Annotated[int, Field(ge=1), NO_TRUTH] | None = None
    decoct: EmbeddingOptions | None = None


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
    given: str | list[str] | list[int] | list[list[int]],
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
        one_text = isinstance(given, str) or isinstance(given[0], int)
        several = cast("list[str | list[int]]", [given] if one_text else given)
        texts = [well_formed(one if isinstance(one, str) else _text_of(one)) for one in several]
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
