"""Extract(Q, d) by a language model trained for it: one call a document, all in one batch, under a JSON schema (lab/docs/methods.md).

What it returns is not believed: each quote must be found in its document by the aligner (`context/align`), and the value in the quote; a
claim without either is dropped and counted. A reply that does not fit the schema is repaired once; a document whose reply cannot be used is
extracted by rules instead. Every such step is a `trace.fallback`.

    casc.repaired        replies that fitted after one repair
    casc.rules-instead   documents extracted by rules: the model failed, or its reply did not fit twice
    casc.quote-not-found claims whose quote stands nowhere in the document, or whose value not in the quote
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from decoct import trace
from decoct.context.casc.claims import Claim, Hedge, Status
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.extractor import Extraction
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource
from decoct.data import Span
from decoct.llm.base import LLM, Request
from decoct.llm.prompts import load_prompt
from decoct.text.equality import known_equal
from decoct.text.values import Kind, Value, quantities
from decoct_lab.casc.claim_schema import CLAIMS
from decoct_lab.casc.replies import usable
from decoct_lab.context.align import align

_PACKAGE = "decoct_lab.casc"


@dataclass(frozen=True, slots=True)
class ByTrainedModel:
    """Claims by a model that was trained for this form (`decoct train cas`), one call a document, a reply of `max_tokens` at most."""

    llm: LLM
    max_tokens: int = 1200

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """The claims that the documents bear out; the sentences beside them are the nearest ones."""
        claims = extract_by_model(question, sources, parts, self.llm, self.max_tokens)
        return Extraction(tuple(claims), ByRules().extract(question, sources, parts).sentences)


def extract_by_model(
    question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus], llm: LLM, max_tokens: int = 1200
) -> list[Claim]:
    """The claims of all sources, by part and source: a set for each source, as the paper has it."""
    requests = [extraction_request(question, source, parts, max_tokens) for source in sources]
    replies = usable(llm, llm.complete(requests), CLAIMS, max_tokens)
    claims: list[Claim] = []
    failed: list[EvidenceSource] = []
    for source, reply in zip(sources, replies, strict=True):
        if reply is None:
            failed.append(source)
        else:
            claims += verified(source, reply, len(parts))
    if failed:
        trace.fallback("casc.rules-instead", len(failed))
        # Agreement between sources helps the rules, so they read all documents; only the failed ones' claims are taken.
        ids = {source.doc_id for source in failed}
        claims += [claim for claim in ByRules().extract(question, sources, parts).claims if claim.source.doc_id in ids]
    order = {source.doc_id: i for i, source in enumerate(sources)}
    return sorted(claims, key=lambda claim: (claim.part, order[claim.source.doc_id]))


def extraction_request(question: str, source: EvidenceSource, parts: Sequence[Focus], max_tokens: int) -> Request:
    """The call for one document."""
    prompt = load_prompt(_PACKAGE, "extract", ("question", "parts", "title", "document"))
    listed = "\n".join(f"{i}. {part.text}" for i, part in enumerate(parts))
    values = {
        "question": question,
        "parts": listed,
        "title": source.title.replace('"', "'"),
        "document": source.text,
    }
    return prompt.request(values, max_tokens=max_tokens, schema=CLAIMS)


def verified(source: EvidenceSource, reply: Mapping[str, Any], parts: int) -> list[Claim]:
    """The claims of a reply that the source bears out, the most relevant first; of several on one part with one value the first."""
    found: list[Claim] = []
    for record in sorted(reply["claims"], key=lambda record: -float(record["relevance"])):
        claim = _claim(source, record) if record["part"] < parts else None
        if claim is None:
            trace.fallback("casc.quote-not-found")
        elif not any(claim.part == one.part and known_equal(claim.value, one.value) for one in found):
            found.append(claim)
    return found


def _claim(source: EvidenceSource, record: Mapping[str, Any]) -> Claim | None:
    fragments = align(record["quote"], source.pieces).fragments
    for fragment in fragments:
        value = _value(fragment.text, record["value"], record["type"])
        if value is None:
            continue
        at = fragment.span.start
        return Claim(
            source,
            fragment.text,
            fragment.span,
            value,
            Span(source.doc_id, at + value.start, at + value.end),
            float(record["relevance"]),
            int(record["part"]),
            hedge=cast("Hedge", record["hedge"]),
            status=cast("Status", record["status"]),
        )
    return None


def _value(quote: str, written: str, kind: str) -> Value | None:
    """The value as it stands in the quote, typed by what it is rather than by what the model calls it."""
    at = quote.casefold().find(written.strip().casefold())
    if at < 0 or len(quote.casefold()) != len(quote):
        return None
    end = at + len(written.strip())
    inside = [value for value in quantities(quote) if value.start < end and at < value.end]
    wanted = "date" if kind == "date" else "number"
    if kind in ("number", "date") and inside:
        return max(inside, key=lambda value: (value.kind == wanted, value.end - value.start))
    typed: Kind = "entity" if kind in ("number", "date", "bool") else cast("Kind", kind)
    return Value(quote[at:end], typed, at, end)
