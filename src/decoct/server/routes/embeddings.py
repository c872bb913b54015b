"""OpenAI's embeddings, by a library's own embedder or one that the server offers."""

from __future__ import annotations

import base64
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from decoct.data import Floats
from decoct.embed.resolve import open_embedder
from decoct.embed.tokenizer import default_tokenizer
from decoct.embed.well_formed import well_formed
from decoct.server.problems import ProblemError
from decoct.server.state import caller_of, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/v1", tags=["openai"])
Text = Annotated[str, Field(min_length=1, max_length=8_000)]


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
    input: Text | Annotated[list[Text], Field(min_length=1, max_length=256)] = Field(examples=["a text"])
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    decoct: EmbeddingOptions = Field(default_factory=EmbeddingOptions)


@router.post("/embeddings", summary="Vectors of texts, in OpenAI's shape")
async def embeddings(request: Request, asked: EmbeddingsIn) -> JSONResponse:
    """Unit vectors, in the order of the texts."""
    server, caller = server_of(request), caller_of(request)
    texts = [well_formed(text) for text in ([asked.input] if isinstance(asked.input, str) else asked.input)]
    library = asked.model.partition("/")[0]
    kind = asked.decoct.kind
    if library not in server.visible(caller) and asked.model not in server.settings.embedders:
        raise ProblemError(404, f"there is no embedder {asked.model[:200]!r}", code="model_not_found", param="model")

    def work(cancel: Cancel) -> tuple[Floats, int]:
        cancel.check()
        tokens = sum(default_tokenizer().counts(texts))
        if asked.model in server.settings.embedders:
            return open_embedder(asked.model).embed(texts, kind), tokens
        with server.libraries.use(library) as opened:
            return opened.embedder.embed(texts, kind), tokens

    vectors, tokens = await server.workers.run(request, work)
    if asked.dimensions not in {None, vectors.shape[1]}:
        raise ProblemError(
            422, f"this embedder has {vectors.shape[1]} dimensions", code="validation", param="dimensions"
        )
    data: list[dict[str, Any]] = [
        {
            "object": "embedding",
            "index": at,
            "embedding": vector.tolist()
            if asked.encoding_format == "float"
            else base64.b64encode(vector.astype("<f4").tobytes()).decode(),
        }
        for at, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return JSONResponse({"object": "list", "data": data, "model": asked.model, "usage": usage})
