"""Questions, summary and keywords by a language model: the passes of the question-compression paper, our wording.

Four requests a document, each over the sections that can answer it: topics and practical queries (abstract, introduction, conclusion), and
questions with a one-sentence summary for why (the same sections), how (the body) and what came out (results and conclusion). The card's
summary is the three sentences. A reply that is not the JSON asked for is searched for questions and items, and counted
(`cards.reply_not_json`); one without any is a pass lost (`cards.pass_lost`). A document fails when the model fails, or when no pass gave a
question. A question's answer is the sentence of its sections that shares most words with it.

Small models told to write questions copy statements. So the schema of a request over English text has a pattern: a question word first, a
question mark last. Decoding under a grammar then writes questions; replies are read by the schema without it.

With a cache around the model (`decoct.llm.cache`) an interrupted or repeated build pays for nothing twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any

from decoct import trace
from decoct.budget import Tokenizer
from decoct.data import Document, Span
from decoct.errors import DecoctError, ModelError, ReplyError
from decoct.llm.base import LLM, Reply, Request, Schema
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform
from decoct.retrieve.cards.card import MOST_SUMMARY
from decoct.retrieve.cards.contributions import CardAsk, CardMaterial, MaterialBatch, MaterialCost, Role
from decoct.retrieve.cards.generate_rules import phrases
from decoct.retrieve.cards.sections import Kind, Section, sections
from decoct.text.sentences import sentences
from decoct.text.words import is_stop, terms
from decoct_lab.cards.replies import items_in, questions_in, tidied

_TEXT = {"type": "string", "minLength": 1}
_QUESTIONS: Schema = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 8}, "summary": _TEXT},
    "required": ["questions", "summary"],
    "additionalProperties": False,
}
# How questions open in English.
_OPENS = (
    "What|Which|Why|How|When|Where|Who|Whose|Can|Could|Does|Do|Did|Is|Are|Was|Were|Should|Would|Will|Has|Have"
    "|(In|To|Under|From|By|At|On|For|With) (what|which|whom)"
)
_ENGLISH: Schema = {
    **_QUESTIONS,
    "properties": {
        "questions": {
            "type": "array",
            "items": {"type": "string", "pattern": rf"^({_OPENS}) [^?]{{10,200}}\?$"},
            "minItems": 1,
            "maxItems": 6,
        },
        "summary": {"type": "string", "minLength": 1, "maxLength": 400},
    },
}
# The share of function words in a text from which on it is taken for English (English has .3 to .5, other languages below .1).
_ENGLISH_FROM = 0.2
_TOPICS: Schema = {
    "type": "object",
    "properties": {
        "topics": {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 10},
        "queries": {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 10},
    },
    "required": ["topics", "queries"],
    "additionalProperties": False,
}
_FRONT: tuple[Kind, ...] = ("abstract", "introduction", "conclusion")
# Tokens of a reply: six questions of 30 tokens and a sentence of 50, with room for JSON.
_REPLY = 400
# Requests in a call, in rounds of what the model answers side by side: an interrupted build with a slow model loses minutes, not an hour.
_ROUNDS = 4
_SLOTS = 8


@dataclass(frozen=True, slots=True)
class Pass:
    """One request: its prompt, the sections it reads, and what its questions ask for (None: topics and queries)."""

    prompt: str
    kinds: tuple[Kind, ...]
    role: Role | None


PASSES = (
    Pass("research", _FRONT, "problem"),
    Pass("method", ("body", "abstract"), "method"),
    Pass("results", ("results", "conclusion", "abstract"), "result"),
    Pass("topics", _FRONT, None),
)


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks `llm`; a request reads at most `context` tokens of a document (the paper's 6,000 leave room for the reply)."""

    llm: LLM
    tokenizer: Tokenizer
    context: int = 3000
    keywords: int = 250

    @property
    def fingerprint(self) -> str:
        """Model, prompts and settings."""
        prompts = ",".join(_prompt(one.prompt).fingerprint for one in PASSES)
        return f"llm-2:{self.llm.fingerprint}:{prompts}:{self.context}:{self.keywords}"

    def estimate(self, document: Document) -> MaterialCost:
        """The prompts' tokens as counted, and the replies at their longest."""
        messages = [message.content for request in self._requests(document) for message in request.messages]
        tokens = sum(self.tokenizer.counts(messages))
        return MaterialCost(1, calls=len(PASSES), prompt_tokens=tokens, completion_tokens=len(PASSES) * _REPLY)

    def generate(self, documents: Sequence[Document]) -> MaterialBatch:
        """The requests of all documents, a few rounds of the model's slots in a call: a cache keeps the replies of calls that returned."""
        requests = [request for document in documents for request in self._requests(document)]
        size = _ROUNDS * int(getattr(self.llm, "concurrency", _SLOTS))
        with trace.stage("cards.ask") as spent:
            replies = [
                reply for at in range(0, len(requests), size) for reply in self.llm.complete(requests[at : at + size])
            ]
        outcomes: list[CardMaterial | DecoctError] = []
        for n, document in enumerate(documents):
            own = replies[n * len(PASSES) : (n + 1) * len(PASSES)]
            try:
                outcomes.append(self._outcome(document, own))
            except DecoctError as error:
                outcomes.append(error)
        # As counted where they were sent: replies that could not be used, and those asked for again, are paid for too.
        cost = MaterialCost(
            len(documents),
            calls=spent.counts["model_calls"] + spent.counts["cache_hits"],
            cached=spent.counts["cache_hits"],
            prompt_tokens=spent.counts["prompt_tokens"],
            completion_tokens=spent.counts["completion_tokens"],
        )
        return MaterialBatch(tuple(outcomes), cost)

    def _requests(self, document: Document) -> list[Request]:
        parts = sections(document)
        questions = _ENGLISH if is_english(document.text) else _QUESTIONS
        return [
            _prompt(one.prompt).request(
                {
                    "title": document.title or document.id,
                    "text": self._cut(document, chosen_sections(parts, one.kinds)),
                },
                max_tokens=_REPLY,
                schema=_TOPICS if one.role is None else questions,
            )
            for one in PASSES
        ]

    def _cut(self, document: Document, parts: Sequence[Section]) -> str:
        """The sections' texts, each cut so that all together have `context` tokens: long sections give way first."""
        texts = [f"{part.heading}\n{document.text[part.start : part.end]}".strip() for part in parts]
        counts = self.tokenizer.counts(texts)
        room, left, shares = self.context, len(texts), {}
        for n in sorted(range(len(texts)), key=lambda n: counts[n]):
            shares[n] = min(counts[n], room // left)
            room, left = room - shares[n], left - 1
        cut = (text[: len(text) * shares[n] // max(counts[n], 1)] for n, text in enumerate(texts))
        return "\n\n".join(filter(None, cut)) or document.title or document.id

    def _outcome(self, document: Document, replies: Sequence[Reply | ModelError]) -> CardMaterial:
        parts = sections(document)
        passes: list[list[CardAsk]] = []
        summary: list[str] = []
        named: list[str] = []
        for one, reply in zip(PASSES, replies, strict=True):
            value = read(reply, one.role is None)
            if one.role is None:
                named = [*value["topics"], *value["queries"]]
            else:
                passes.append(grounded(document, value["questions"], one.role, chosen_sections(parts, one.kinds)))
                summary.append(value["summary"])
        # One of each pass in turn, so that a full card has room for all three.
        asked = [question for row in zip_longest(*passes) for question in row if question is not None]
        if not asked:
            raise ReplyError("no pass gave a question", "\n".join(r.text for r in replies if isinstance(r, Reply)))
        named = list(dict.fromkeys([*named, *phrases(document, parts, self.keywords)]))
        return CardMaterial(
            tuple(asked), _summary_of_sentences(summary), tuple(" ".join(name.split()) for name in named)
        )


def is_english(text: str) -> bool:
    """Whether English function words are as frequent at the beginning of `text` as in English."""
    words = text[:4000].lower().split()
    return sum(is_stop(word) for word in words) > _ENGLISH_FROM * len(words)


def read(reply: Reply | ModelError, topics: bool) -> dict[str, Any]:
    """The reply's value, in the form of its schema; what could not be read is empty and counted. A model that failed is raised."""
    if isinstance(reply, ModelError) and not isinstance(reply, ReplyError):
        raise reply
    text = reply.reply if isinstance(reply, ReplyError) else reply.text
    try:
        value: dict[str, Any] = json.loads(conform(text, _TOPICS if topics else _QUESTIONS))
    except ReplyError:
        trace.fallback("cards.reply_not_json")
        found = items_in(text) if topics else questions_in(text)
        if not found:
            trace.fallback("cards.pass_lost")
        return {"topics": found, "queries": []} if topics else {"questions": found, "summary": ""}
    if not topics:
        value["questions"] = tidied(value["questions"])
    return value


def chosen_sections(parts: Sequence[Section], kinds: Sequence[Kind]) -> list[Section]:
    """The sections of these kinds, or all where there are none."""
    return [part for part in parts if part.kind in kinds] or list(parts)


def grounded(document: Document, asked: Sequence[str], role: Role, parts: Sequence[Section]) -> list[CardAsk]:
    """Each question with the sentence of `parts` that shares most telling words with it (the first such one)."""
    spans = [
        (part.start + a, part.start + b) for part in parts for a, b in sentences(document.text[part.start : part.end])
    ]
    words = [set(terms(document.text[a:b])) for a, b in spans]
    found = []
    for text in asked:
        wanted = set(terms(text))
        best = max(range(len(spans)), key=lambda n: len(words[n] & wanted), default=None)
        if best is not None:
            found.append(CardAsk(text, role, Span(document.id, *spans[best])))
    return found


def _summary_of_sentences(summary: Sequence[str]) -> str:
    """The sentences, as many whole ones as a card's summary holds."""
    text = ""
    for one in (" ".join(sentence.split()) for sentence in summary):
        if one and len(text) + len(one) + 1 <= MOST_SUMMARY:
            text = f"{text} {one}".strip()
    return text


@cache
def _prompt(name: str) -> Prompt:
    return load_prompt("decoct_lab.cards", name, ("title", "text"))
