"""Reranking in the form of Cohere and Jina: texts in the order of how likely one of their statements answers a question.

Of `_AT_ONCE` texts as many statements are read, the nearest to the question; a text of which none was has no relevance.
"""

from __future__ import annotations

import secrets
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from decoct.embed.tokenizer import default_tokenizer
from decoct.embed.well_formed import well_formed
from decoct.reading.nearest import NearestStatements
from decoct.reading.placed import PartTitled
from decoct.server.openai_replies import RerankOut
from decoct.server.parameters import QuestionText, Whole
from decoct.server.state import server_of
from decoct.server.work import Cancel

router = APIRouter(tags=["openai"])
MOST_DOCUMENTS = 1_000
_AT_ONCE = 32  # texts, between two looks at whether anybody waits
RerankText = Annotated[str, Field(min_length=1, max_length=8_000)]


class RerankDocument(BaseModel):
    """A text as an object."""

    model_config = ConfigDict(extra="ignore")
    text: RerankText


class RerankIn(BaseModel):
    """A question and texts; `model` may be anything, as there is one."""

    model_config = ConfigDict(extra="ignore")
    model: str | None = Field(None, max_length=200)
    query: QuestionText
    documents: list[RerankText | RerankDocument] = Field(min_length=1, max_length=MOST_DOCUMENTS)
    top_n: Annotated[Whole, Field(ge=1)] | None = None
    return_documents: StrictBool | None = None


@router.post("/v2/rerank", summary="The same, where Cohere's second interface has it", response_model=RerankOut)
@router.post("/v1/rerank", summary="Texts by their relevance to a question", response_model=RerankOut)
async def rerank(request: Request, asked: RerankIn) -> JSONResponse:
    """Best first: `index` is a text's place in the request, `relevance_score` lies between 0 and 1; `usage` as Jina's clients read it."""
    query = well_formed(asked.query)
    texts = [well_formed(one if isinstance(one, str) else one.text) for one in asked.documents]

    def work(cancel: Cancel) -> tuple[list[float], int]:
        found, tokens = list[float](), sum(default_tokenizer().counts([query, *texts]))
        for at in range(0, len(texts), _AT_ONCE):
            cancel.check()
            read = _statements().read(query, [PartTitled("", text) for text in texts[at : at + _AT_ONCE]])
            found += [max(one.values(), default=0.0) for one in read]
        return found, tokens

    relevance, tokens = await server_of(request).workers.run(request, work)
    order = sorted(range(len(texts)), key=lambda at: -relevance[at])[: asked.top_n]
    results: list[dict[str, Any]] = [
        {
            "index": at,
            "relevance_score": relevance[at],
            **({"document": {"text": texts[at]}} if asked.return_documents else {}),
        }
        for at in order
    ]
    told = {
        "id": f"rerank-{secrets.token_hex(12)}",
        "model": asked.model or "reader",
        "usage": {"total_tokens": tokens},
    }
    return JSONResponse({**told, "results": results})


@cache
def _statements() -> NearestStatements:
    return NearestStatements(most=_AT_ONCE)
