"""Reranking in the form of Cohere, Jina and Voyage: texts in the order of how likely one of their statements answers a question.

Of `_AT_ONCE` texts as many statements are read, the nearest to the question, and of each further text its nearest one. A text without a
statement (a title, a label, a line without an end) is read as one.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, StrictBool

from decoct.embed.base import well_formed
from decoct.embed.tokenizer import default_tokenizer
from decoct.reading.base import StatementToRead, TitledText
from decoct.reading.nearest import NearestStatements
from decoct.server.parameters import NO_TRUTH, QuestionText, either
from decoct.server.replies import RerankOut
from decoct.server.state import server_of
from decoct.server.work import Cancel

router = APIRouter(tags=["openai"])
MOST_DOCUMENTS = 1_000
_AT_ONCE = 32  # texts, between two looks at whether anybody waits
RerankText = Annotated[str, Field(min_length=1, max_length=8_000)]

_TEXT = either("give a text of 1 to 8,000 characters, or an object with it as `text`")


class RerankDocument(BaseModel):
    """A text as an object."""

    text: RerankText


class RerankIn(BaseModel):
    """A question and texts; `model` may be anything, as there is one."""

    model: str | None = Field(None, max_length=200)
    query: QuestionText
    documents: list[Annotated[RerankText | RerankDocument, _TEXT]] = Field(min_length=1, max_length=MOST_DOCUMENTS)
    top_n: Annotated[int, Field(ge=1), NO_TRUTH] | None = None
    top_k: Annotated[int, Field(ge=1, description="Voyage's name of `top_n`."), NO_TRUTH] | None = None
    return_documents: StrictBool | None = None


@router.post("/v2/rerank", summary="The same, where Cohere's second interface has it", response_model=RerankOut)
@router.post("/v1/rerank", summary="Texts by their relevance to a question", response_model=RerankOut)
async def rerank(request: Request, asked: RerankIn) -> JSONResponse:
    """Best first: `index` is a text's place in the request, `relevance_score` lies between 0 and 1.

    `usage` is as Jina's clients read it, `meta` as Cohere's, `data` as Voyage's.
    """
    query = well_formed(asked.query)
    texts = [well_formed(one if isinstance(one, str) else one.text) for one in asked.documents]

    def work(cancel: Cancel) -> tuple[list[float], int]:
        found, tokens = list[float](), sum(default_tokenizer().counts([query, *texts]))
        for at in range(0, len(texts), _AT_ONCE):
            cancel.check()
            found += _relevance(query, texts[at : at + _AT_ONCE])
        return found, tokens

    relevance, tokens = await server_of(request).workers.run(request, work)
    order = sorted(range(len(texts)), key=lambda at: -relevance[at])[: asked.top_n or asked.top_k]
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
        "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 0}},
    }
    return JSONResponse({**told, "results": results, "object": "list", "data": results})


def _relevance(query: str, texts: Sequence[str]) -> list[float]:
    """How likely each text answers, from 0 to 1: the likeliest of its statements that were read."""
    placed = [TitledText("", text) for text in texts]
    together = _nearest(_AT_ONCE).read(query, placed)
    read = [one or _nearest(1).read(query, [text])[0] for one, text in zip(together, placed, strict=True)]
    return [
        max(one.values()) if one else _nearest(1).reader.read([StatementToRead(query, text, 0, len(text))])[0].answers
        for one, text in zip(read, texts, strict=True)
    ]


@cache
def _nearest(most: int) -> NearestStatements:
    return NearestStatements(most=most)
