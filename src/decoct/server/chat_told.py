"""An answer in the shape of OpenAI's chat completions: text, citations as annotations, usage, and Decoct's own account of the context."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from decoct.answer.as_json import answer_as_json
from decoct.context.as_json import support_as_json
from decoct.data import Answer
from decoct.library import Library
from decoct.server.routes.questions import with_tokens


@dataclass(frozen=True, slots=True)
class ReplyHeader:
    """What every part of one reply repeats. `address` is this server's, as the client wrote it."""

    id: str
    created: int
    model: str
    library: str
    address: str
    ignored: tuple[str, ...]

    def whole(self, content: str, extra: dict[str, Any]) -> dict[str, Any]:
        """The reply in one piece; `extra` is of `account`."""
        message = {"role": "assistant", "content": content, "refusal": None, "annotations": extra["annotations"]}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": extra["usage"],
            "decoct": extra["decoct"],
        }

    def piece(self, delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:  # noqa: ANN401
        """One event of a stream."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return event({**self._head("chat.completion.chunk"), "choices": [choice], **more})

    def completion(self, text: str, finish: str | None = None) -> dict[str, Any]:
        """A reply of the older completions, or a piece of one."""
        choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": None}
        return {**self._head("text_completion"), "choices": [choice]}

    def usage(self, usage: dict[str, int]) -> str:
        """The last event of a stream that was asked for usage."""
        return event({**self._head("chat.completion.chunk"), "choices": [], "usage": usage})

    def account(self, answer: Answer, library: Library) -> dict[str, Any]:
        """The annotations, the usage, and what Decoct tells of the context."""
        titles = {
            citation.source.doc_id: library.document(citation.source.doc_id).title for citation in answer.citations
        }
        shown = with_tokens(answer_as_json(answer), answer.context)
        written = answer.context.budget.count(answer.text)
        asked = answer.context.tokens
        return {
            "annotations": [
                {
                    "type": "url_citation",
                    "url_citation": {
                        "start_index": citation.start,
                        "end_index": citation.end,
                        "title": titles[citation.source.doc_id] or citation.source.doc_id,
                        "url": self._link(citation.source.doc_id, citation.source.start, citation.source.end),
                        "number": citation.number,
                        "doc_id": citation.source.doc_id,
                        "start": citation.source.start,
                        "end": citation.source.end,
                        "quote": citation.source.quote,
                        "spans": support_as_json(citation.passage.support),
                    },
                }
                for citation in answer.citations
            ],
            "usage": {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written},
            "decoct": {
                "question": answer.context.question,
                "asked": answer.trace.facts.get("asked"),
                "found": answer.found,
                "outcome": answer.outcome,
                "answers": shown["answers"],
                "tokens": answer.context.tokens,
                "limit": answer.context.limit,
                "passages": shown["passages"],
                "ignored": list(self.ignored),
                "trace": shown["trace"],
            },
        }

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}

    def _link(self, doc_id: str, start: int, end: int) -> str:
        query = urlencode({"library": self.library, "doc_id": doc_id, "start": start, "end": end}, quote_via=quote)
        return f"{self.address}source?{query}"


def event(data: dict[str, Any]) -> str:
    """A server-sent event of JSON."""
    return f"data: {json.dumps(data)}\n\n"
