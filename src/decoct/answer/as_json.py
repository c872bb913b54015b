"""An answer as JSON-ready data: the context's, and the words with their citations."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from decoct.context.as_json import context_as_json, support_as_json
from decoct.data import Answer, Citation, Context


def answer_as_json(answer: Answer) -> dict[str, Any]:
    """Everything of the context, `answer`, its `outcome` and `score`, whether it was `found`, the short `answers`, and `citations`.

    A citation's `start` and `end` are characters of the answer, `passage` is the index (from 0) into `passages`; `source` is the cited
    sentence: characters `start` to `end` of the document `doc_id`, which are `quote`.
    """
    return {
        **context_as_json(answer.context),
        "answer": answer.text,
        "found": answer.found,
        "outcome": answer.outcome,
        "score": None if answer.score is None else round(answer.score, 4),
        "answers": [{**asdict(one), "score": round(one.score, 4)} for one in answer.answers],
        "citations": [
            {
                "number": citation.number,
                "start": citation.start,
                "end": citation.end,
                "passage": passage_index(answer.context, citation),
                "support": support_as_json(citation.passage.support),
                "source": asdict(citation.source),
            }
            for citation in answer.citations
        ],
    }


def passage_index(context: Context, citation: Citation) -> int:
    """Which passage of the context (from 0) is cited."""
    same = [index for index, passage in enumerate(context.passages) if passage is citation.passage]
    return same[0] if same else context.passages.index(citation.passage)
