"""Traces of a strong model as further extraction examples, kept only where they prove right (rejection sampling; lab/docs/methods.md).

A document is sampled up to `SAMPLES` times, first at temperature 0. A reply is kept if it is valid under the schema, every one of its
quotes and values stands in the document, and it agrees with the world's gold: the document's own value, or nothing where it says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from decoct import trace
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import EvidenceSource, handed_over
from decoct.errors import ReplyError
from decoct.llm.base import LLM, Reply
from decoct.llm.schema import conform
from decoct.text.equality import known_equal
from decoct_lab.casc.claim_schema import CLAIMS
from decoct_lab.casc.extract_llm import extraction_request, verified
from decoct_lab.train.examples import Example, gold_claim

SAMPLES = 4


def traces(records: list[dict[str, Any]], teacher: LLM, max_tokens: int = 1200) -> Iterator[Example]:
    """The teacher's replies that were kept; the others are counted as `train.trace-rejected`."""
    from decoct_lab.train.examples import document_of_record

    for record in records:
        parts = focuses(record["question"])
        for source in handed_over([document_of_record(document) for document in record["documents"]]):
            said = record["notes"].get("said", {}).get(source.doc_id, "")
            first = extraction_request(record["question"], source, parts, max_tokens)
            for sample in range(SAMPLES):
                request = replace(first, temperature=0.0 if sample == 0 else 0.7, seed=sample)
                (outcome,) = teacher.complete([request])
                if isinstance(outcome, Reply) and is_right_reply(outcome.text, source, said, len(parts)):
                    yield Example("extract", record["id"], first.messages, conform(outcome.text, CLAIMS))
                    break
                trace.fallback("train.trace-rejected")


def is_right_reply(text: str, source: EvidenceSource, said: str, parts: int) -> bool:
    """Whether a reply is valid, verified, and says what the document says by its plan."""
    try:
        reply = json.loads(conform(text, CLAIMS))
    except ReplyError:
        return False
    claims = verified(source, reply, parts)
    if len(claims) < len({record["part"] for record in reply["claims"]}):
        return False
    gold = gold_claim(source, said)
    if gold is None:
        return not claims
    return len(claims) > 0 and all(
        known_equal(claim.value, gold.value) or claim.value.raw in gold.value.raw for claim in claims
    )
