"""What the page shows of an answer and its context, worked out before any template sees it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from decoct.answer.as_json import answer_as_json
from decoct.context.as_json import context_as_json
from decoct.context.merge.trees import trees
from decoct.data import Answer, Context, Hit, Span
from decoct.library import Library
from decoct.server.routes.questions import with_tokens
from decoct.server.web.render import source_address

_GAP, _ROOM = 0.2, 3.5  # of the budget's bar, in percent: between two segments, and for a label
_LEFT_OUT = 40  # hits shown as left out
_DEEPEST = 30  # merges within merges


Prices: TypeAlias = tuple[float, float] | None


def context_view(
    library: Library, name: str, context: Context, hits: Sequence[Hit] = (), prices: Prices = None
) -> dict[str, Any]:
    """A context for the page: its passages with where they stand, its budget's bar, what was left out, and its notes."""
    shown = with_tokens(context_as_json(context), context)
    tokens = [passage["tokens"] for passage in shown["passages"]]
    other, free = max(0, context.tokens - sum(tokens)), context.limit - context.tokens
    stages = shown["trace"]["stages"]
    seconds = sum(stage["seconds"] for stage in stages if stage["depth"] == 0)

    def place(span: Mapping[str, Any]) -> dict[str, str]:
        doc_id, start, end = span["doc_id"], span["start"], span["end"]
        words = " ".join(library.document(doc_id).text[start:end].split())
        return {"text": words, "href": source_address(name, doc_id, start, end), "doc_id": doc_id}

    return {
        "tokens": context.tokens,
        "limit": context.limit,
        "passages": shown["passages"],
        "other": other,
        "free": free,
        "bar": _bar(tokens, other, context.limit),
        "left_out": _left_out(context, hits, free),
        "conflicts": [
            {**one, "sides": [{**side, "places": [*map(place, side["support"])]} for side in one["sides"]]}
            for one in shown.get("conflicts", [])
        ],
        "merges": trees(shown.get("merges", []), place, _DEEPEST),
        "stages": [
            {**stage, "share": round(100 * stage["seconds"] / max(seconds, 1e-9), 2), "counts": _counts(stage)}
            for stage in stages
        ],
        "fallbacks": shown["trace"]["fallbacks"],
        "seconds": seconds,
        **_paid(stages, prices),
    }


def answer_view(
    library: Library, name: str, answer: Answer, hits: Sequence[Hit] = (), prices: Prices = None
) -> dict[str, Any]:
    """An answer for the page: its words and marks in order, each mark with where it leads; and its context."""
    pieces: list[dict[str, Any]] = []
    at = 0
    for citation in answer.citations:
        before = answer.text[at : citation.start]
        pieces += [{"text": before}] if answer.found else _likeliest_marked(before, citation.source.quote)
        source = citation.source
        title = library.document(source.doc_id).title or source.doc_id
        pieces.append(
            {
                "number": citation.number,
                "title": title,
                "quote": source.quote,
                "href": source_address(name, source.doc_id, source.start, source.end),
            }
        )
        at = citation.end
    pieces.append({"text": answer.text[at:]})
    told: Any = answer.trace.facts.get("asked") or {}
    return {
        "pieces": pieces,
        "text": answer.text,
        "markdown": _markdown(answer, pieces),
        "meant": answer.context.question,
        "declined": told.get("how") in ("incomplete", "no-question"),
        "outcome": answer.outcome,
        "short": [
            {
                "text": " ".join(one.text.split()),
                "sure": round(100 * one.score),
                "href": source_address(name, one.doc_id, one.start, one.end),
            }
            for one in answer.answers
        ],
        "raw": answer_as_json(answer),
        "context": context_view(library, name, answer.context, hits, prices),
    }


def _markdown(answer: Answer, pieces: Sequence[dict[str, Any]]) -> str:
    """The answer with its sources, a line each, to be pasted elsewhere."""
    sources = {
        one["number"]: f"[{one['number']}] {one['title']}: “{' '.join(one['quote'].split())}”"
        for one in pieces
        if "number" in one
    }
    return "\n\n".join([answer.text, *sources.values()])


def _likeliest_marked(text: str, quote: str) -> list[dict[str, Any]]:
    """The words before a mark of an answer that claims nothing, with the sentence that reads likeliest apart."""
    found = [*re.finditer(r"\s+".join(map(re.escape, quote.split())), text)]
    if not found:
        return [{"text": text}]
    start, end = found[-1].span()
    return [{"text": text[:start]}, {"text": text[start:end], "likeliest": True}, {"text": text[end:]}]


def mark_shared(contexts: dict[str, dict[str, Any]]) -> None:
    """Marks in each of several contexts which passages only it has, and which overlap one of another."""
    for name, mine in contexts.items():
        others = [(other, one) for other, view in contexts.items() if other != name for one in view["passages"]]
        for passage in mine["passages"]:
            passage["also"] = sorted({other for other, one in others if _overlap(passage["support"], one["support"])})


def _paid(stages: Sequence[dict[str, Any]], prices: Prices) -> dict[str, Any]:
    """Calls of language models, their tokens, and what they cost (None where no price is known)."""
    calls, asked, told = (
        sum(stage.get(name, 0) for stage in stages) for name in ("model_calls", "prompt_tokens", "completion_tokens")
    )
    cost = None if prices is None else (asked * prices[0] + told * prices[1]) / 1e6
    return {"calls": calls, "model_tokens": asked + told, "cost": cost}


def _counts(stage: dict[str, Any]) -> str:
    told = {name.replace("_", " "): value for name, value in stage.items() if name not in {"name", "depth", "seconds"}}
    return ", ".join(f"{name} {value:,}" for name, value in told.items() if value)


def _bar(passages: Sequence[int], other: int, limit: int) -> list[dict[str, Any]]:
    """The segments of the budget's bar, in percent of its width: a passage's with its `number`, at `middle` where there is room for it."""
    at, segments = 0.0, []
    for number, tokens in [*enumerate(passages, 1), (None, other)]:
        width = 100 * tokens / limit
        if tokens:
            middle = round(at + width / 2, 3) if number and width >= _ROOM else None
            drawn = {"x": round(at, 3), "width": round(max(width - _GAP, _GAP), 3), "middle": middle}
            segments.append({**drawn, "number": number, "tokens": tokens})
        at += width
    return segments


def _left_out(context: Context, hits: Sequence[Hit], free: int) -> list[dict[str, Any]]:
    """The chunks that were found and are not in the context, with why: there was no room, or a step of the recipe left them out."""
    count = context.budget.tokenizer.counts([hit.chunk.text for hit in hits])
    kept = [span for passage in context.passages for span in passage.support]
    found = []
    for rank, (hit, tokens) in enumerate(zip(hits, count, strict=True), 1):
        span = hit.chunk.span
        if any(map(span.overlaps, kept)):
            continue
        room = tokens <= free
        found.append(
            {
                "rank": rank,
                "title": hit.chunk.title or span.doc_id,
                "text": " ".join(hit.chunk.text.split())[:160],
                "tokens": tokens,
                "why": "a step of the recipe left it out" if room else f"no room: {free:,} tokens were left",
            }
        )
    return found[:_LEFT_OUT]


def _overlap(some: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> bool:
    return any(Span(**one).overlaps(Span(**other)) for one in some for other in others)
