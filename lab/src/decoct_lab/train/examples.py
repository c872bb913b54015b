"""Training examples with exact gold from generated worlds (lab/docs/methods.md): extract, check and synthesise, or the reader baseline.

The worlds are of three sources: a third says things in the question's words (dev), the rest in others (paraphrased-dev) and, where a public
set is given, in the words of its real passages (`worlds/passages`), so that a model learns to read and no template.

Every world question gives one extraction example a document (an empty list where it says nothing), one check and one synthesis
example; their gold follows from the plan of the world, not from a model. A share is made harder: `NO_ANSWER` drop the documents that
answer; near-duplicates and questions without conflict come from the plans themselves (about 10 % and 20 %), and every second question
is repeated with its documents in another order. Train and held-out examples come from different worlds, so no entity is in both.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Findings
from decoct.context.casc.cues import status_of
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import EvidenceSource, handed_over
from decoct.data import Document, Span
from decoct.evaluate.dataset_types import Dataset
from decoct.llm.base import Message
from decoct.llm.prompts import load_prompt
from decoct.text.sentences import sentences
from decoct.text.values import Value, quantities
from decoct_lab.casc.check_llm import check_request, verdicts_as_json
from decoct_lab.casc.extract_llm import extraction_request
from decoct_lab.casc.synthesise_llm import lines_as_json, synthesis_request
from decoct_lab.worlds.families import Split
from decoct_lab.worlds.generate import worlds
from decoct_lab.worlds.passages import planted_questions

Task: TypeAlias = Literal["extract", "check", "synthesise", "reader"]
CAS_TASKS: tuple[Task, ...] = ("extract", "check", "synthesise")
NO_ANSWER = 0.15
_PACKAGE = "decoct_lab.train"


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and the completion wanted; `world` is the question it was made from."""

    task: Task
    world: str
    prompt: tuple[Message, ...]
    completion: str

    def as_chat(self) -> dict[str, Any]:
        """The form that TRL trains on: loss on the completion alone."""
        return {
            "prompt": [{"role": message.role, "content": message.content} for message in self.prompt],
            "completion": [{"role": "assistant", "content": self.completion}],
        }


def examples(seed: int, questions: int, split: Split = "dev", tasks: tuple[Task, ...] = CAS_TASKS) -> Iterator[Example]:
    """Examples of `questions` worlds, in their order."""
    return of_records(worlds(seed, questions, split), seed, tasks)


def mixed(seed: int, questions: int, passages: Dataset | None = None) -> Iterator[dict[str, Any]]:
    """Records to train on: worlds of both development splits in equal parts, and as many again planted in the passages of a public set."""
    sources = [worlds(seed, questions, "dev"), worlds(seed, questions, "paraphrased-dev")]
    if passages is not None:
        sources.append(planted_questions(seed, questions, passages))
    found = 0
    for records in zip_longest(*sources):
        for record in records:
            if record is not None and found < questions:
                found += 1
                yield record


def of_records(records: Iterable[dict[str, Any]], seed: int, tasks: tuple[Task, ...] = CAS_TASKS) -> Iterator[Example]:
    """Examples of these records, in their order."""
    rng = random.Random(seed)  # noqa: S311 - training data, not a secret
    for record in records:
        yield from of_world(record, rng, tasks)


def of_world(record: dict[str, Any], rng: random.Random, tasks: tuple[Task, ...]) -> Iterator[Example]:
    """The examples of one world."""
    documents = list(record["documents"])
    said: dict[str, str] = dict(record["notes"].get("said", {}))
    if rng.random() < NO_ANSWER:
        documents = [document for document in documents if document["id"] not in said] or documents[:1]
        said = {key: value for key, value in said.items() if key in {d["id"] for d in documents}}
    orders = [documents, rng.sample(documents, len(documents))] if rng.random() < 0.5 else [documents]
    for order in orders:
        sources = handed_over([document_of_record(document) for document in order])
        claims = [claim for source in sources if (claim := gold_claim(source, said.get(source.doc_id, ""))) is not None]
        if "reader" in tasks:
            yield _reader(record, sources, bool(claims))
            continue
        yield from _cas(record, sources, claims, tasks)


def gold_claim(source: EvidenceSource, said: str) -> Claim | None:
    """The claim that a document makes by its plan; None where it says nothing."""
    for span, text in source.pieces:
        for start, end in sentences(text):
            at = text[start:end].rfind(said) if said else -1
            if at >= 0:
                quote = text[start:end]
                place = Span(span.doc_id, span.start + start, span.start + end)
                found = [v for v in quantities(quote) if v.start <= at < v.end]
                value = found[-1] if found else Value(said, "entity", at, at + len(said))
                value_span = Span(span.doc_id, place.start + value.start, place.start + value.end)
                status = status_of(quote, value.start, value.end)
                return Claim(source, quote, place, value, value_span, 1.0, status=status)
    return None


def _cas(
    record: dict[str, Any], sources: list[EvidenceSource], claims: list[Claim], tasks: tuple[Task, ...]
) -> Iterator[Example]:
    question = record["question"]
    parts = focuses(question)
    by_source = {claim.source.doc_id: claim for claim in claims}
    if "extract" in tasks:
        for source in sources:
            request = extraction_request(question, source, parts, 1)
            own = [_json(by_source[source.doc_id])] if source.doc_id in by_source else []
            yield Example("extract", record["id"], request.messages, json.dumps({"claims": own}, ensure_ascii=False))
    findings = check(question, sources, parts, claims)
    if not _as_planned(findings, record):
        return  # the plan's signal misleads, or its condition is read otherwise: no gold that rules could state
    if "check" in tasks:
        gold = json.dumps(verdicts_as_json(findings, claims), ensure_ascii=False)
        yield Example("check", record["id"], check_request(question, claims).messages, gold)
    if "synthesise" in tasks and findings.clusters:
        written = json.dumps(lines_as_json(findings), ensure_ascii=False)
        yield Example("synthesise", record["id"], synthesis_request(findings).messages, written)


def _as_planned(findings: Findings, record: dict[str, Any]) -> bool:
    """Whether the rules, given perfect claims, end as the plan says."""
    conflicts = [cluster for cluster in findings.clusters if cluster.status == "conflict"]
    if bool(conflicts) != bool(record["conflicts"]):
        return not findings.clusters  # the documents that answer were dropped: nothing is found, and that is right
    for cluster in conflicts:
        chosen = cluster.verdict.chosen if cluster.verdict else None
        if record["behaviour"] == "flag":
            if chosen is not None:
                return False
        elif chosen is None or cluster.sides[chosen].value not in record["answers"]:
            return False
    return True


def _reader(record: dict[str, Any], sources: list[EvidenceSource], answers: bool) -> Example:
    prompt = load_prompt(_PACKAGE, "reader", ("documents", "question"))
    shown = "\n\n".join(
        f"[{i}] {source.title} ({source.kind}, {source.date})\n{source.text}" for i, source in enumerate(sources, 1)
    )
    wanted = " or ".join(group[0] for group in record["answer_groups"]) if answers else "The documents do not say."
    return Example("reader", record["id"], prompt.render({"documents": shown, "question": record["question"]}), wanted)


def _json(claim: Claim) -> dict[str, Any]:
    kind = claim.value.kind
    return {
        "quote": claim.quote,
        "value": claim.value.raw,
        "type": kind,
        "part": claim.part,
        "hedge": claim.hedge,
        "status": claim.status,
        "relevance": 1.0,
    }


def document_of_record(record: dict[str, Any]) -> Document:
    """The document of a world's record, with its date, kind and venue as metadata."""
    metadata = {key: record[key] for key in ("date", "kind", "venue")}
    return Document(record["id"], record["text"], record["title"], metadata=metadata)
