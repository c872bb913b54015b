"""The reader that all compared systems share, asked in batches: one prompt, one model, one request a context.

It answers from the context alone, so that what is measured is the context; only the condition `no-retrieval` asks for what the model knows,
in a prompt of its own. A context without a passage is not asked about: there is nothing to answer from, and the answer is empty.

A recipe's own reader would mix two things, what was found and how it is worded; so a comparison of contexts reads all of them the same
way. The reply is JSON under a schema, thought first, so that small models give short answers too; one that cannot be read, or that the
limit of tokens cut, counts as it stands, and is counted (`answer.unreadable`). Requests that are equal (two systems that built the same
context) are sent once.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from typing import Protocol

from decoct import registry
from decoct.answer.base import Reader
from decoct.answer.cited import Cited
from decoct.answer.short_answers import ShortAnswers
from decoct.data import Answer, Citation, Context, Passage, Span
from decoct.errors import EvaluationError, ModelError, ReplyError
from decoct.evaluate.dataset_types import Question
from decoct.evaluate.reader_names import EXTRACTIVE, LIKELIEST_WORDS, SHORT_ANSWERS
from decoct.llm.base import LLM, Reply, Request
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform
from decoct.trace import recording

SCHEMA = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["thought", "answer"],
    "additionalProperties": False,
}
CLOSED_BOOK = "no-retrieval"
"""The note of a context that stands for no documents at all: the reader answers from what it knows."""
ANSWERS, BY_HEART = "answers", "answers_by_heart"  # the two prompts, files beside this module
LONGEST = 200  # tokens: a sentence of thought and a long-form answer
_WORDS = (SHORT_ANSWERS, LIKELIEST_WORDS)  # the small reader that may be unsure, and the one that answers always
_MARK = re.compile(r" ?\[\d+\]")


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer without marks, what it took, and whether the reply could not be read.

    Kept replies count as new ones (`cached` tells them apart); `seconds` is a new one's share of the batch's time.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    calls: int
    cached: bool
    seconds: float
    unreadable: bool
    citations: tuple[Citation, ...] = ()
    fallbacks: Mapping[str, int] = field(default_factory=dict)


UNASKED = ReadAnswer("", 0, 0, 0, False, 0.0, False)


@dataclass(frozen=True, slots=True)
class BatchReader:
    """A reader of many contexts: `answer` gives one outcome a context, in order.

    `model` is the model's fingerprint, or the name of a reader that needs none; `fingerprint` that of its prompts or settings; `cites`
    tells whether its answers cite passages.
    """

    answer: Callable[[Sequence[Context]], list[ReadAnswer | ModelError]]
    model: str
    fingerprint: str
    cites: bool = True


def model_reader(llm: LLM) -> BatchReader:
    """Reads contexts with `llm`, in short answers that cite nothing."""
    prompts = f"{_prompt(ANSWERS).fingerprint}+{_prompt(BY_HEART).fingerprint}"
    return BatchReader(partial(_answered, llm), llm.fingerprint, prompts, cites=False)


def _answered(llm: LLM, contexts: Sequence[Context]) -> list[ReadAnswer | ModelError]:
    requests = [_request(context) for context in contexts]
    outcomes, share = asked_once(llm, [request for request in requests if request is not None])
    return [_read_answer(outcomes[request], share) if request is not None else UNASKED for request in requests]


def _request(context: Context) -> Request | None:
    if CLOSED_BOOK in context.notes:
        return _prompt(BY_HEART).request({"question": context.question}, max_tokens=LONGEST, schema=SCHEMA)
    if not context.passages:
        return None
    values = {"question": context.question, "context": context.text}
    return _prompt(ANSWERS).request(values, max_tokens=LONGEST, schema=SCHEMA)


def reader_without_model(name: str) -> BatchReader:
    """The reader of that name; `EvaluationError` for one that is not known."""
    if name == EXTRACTIVE:
        reader: Reader = registry.load("read", EXTRACTIVE, "--reader")()
        return BatchReader(partial(_sentences, reader), EXTRACTIVE, repr(reader))
    if name in _WORDS:
        return words_reader(ShortAnswers(), always=name == LIKELIEST_WORDS)
    raise EvaluationError(f"there is no reader {name!r} without a model; known: {', '.join((EXTRACTIVE, *_WORDS))}")


def _sentences(reader: Reader, contexts: Sequence[Context]) -> list[ReadAnswer | ModelError]:
    """The sentences of the laboratory's extractive reader, with what they cite; empty where it found no answer.

    They are sentences: look at `word_accuracy`, not at exact match.
    """
    return [_read_alone(reader, one, lambda answer: unmarked(answer.text) if answer.found else "") for one in contexts]


def words_reader(reader: ShortAnswers, *, always: bool) -> BatchReader:
    """Reads with the small bundled reader, as `decoct ask` does without a model: the best words that answer, or yes or no.

    Empty where it is not sure, unless it answers `always`; the citations are those of the sentences shown. Nothing of its answer is
    worded by it. What a model wrote (summaries, compressed passages), which `ask` never quotes, is read like any text, so that all
    contexts are read; such a context's answer has no citations.
    """
    held = {one.name: getattr(reader, one.name) for one in fields(reader)}
    judges = [str(part.fingerprint) for part in held.values() if hasattr(part, "fingerprint")]
    numbers = {name: part for name, part in held.items() if not hasattr(part, "fingerprint")}
    settings = ":".join([*judges, json.dumps(numbers)])
    return BatchReader(partial(_best_words, reader, always), _WORDS[always], settings)


def _best_words(reader: ShortAnswers, always: bool, contexts: Sequence[Context]) -> list[ReadAnswer | ModelError]:
    def words(answer: Answer) -> str:
        if answer.found or not always:
            return answer.answers[0].text if answer.answers else ""
        likely = reader.candidates(answer.context)
        return likely[0].found.words if likely else ""

    found: list[ReadAnswer | ModelError] = []
    for context in contexts:
        rewritten = any(passage.kind == "rewrite" for passage in context.passages)
        shown = replace(context, passages=tuple(map(_as_text, context.passages))) if rewritten else context
        read = _read_alone(reader, shown, words)
        found.append(replace(read, citations=()) if rewritten else read)
    return found


def _as_text(passage: Passage) -> Passage:
    """A quote as it is; of what a model wrote a passage whose only place is itself."""
    if passage.kind == "quote" or not passage.text:
        return passage
    return replace(passage, kind="quote", support=(Span(passage.support[0].doc_id, 0, len(passage.text)),))


def _read_alone(reader: Reader, context: Context, words: Callable[[Answer], str]) -> ReadAnswer:
    """The `words` of what a reader without a model found, and its seconds."""
    start = time.perf_counter()
    answer = reader.answer(context)
    text = words(answer)
    return ReadAnswer(text, 0, 0, 0, False, time.perf_counter() - start, False, answer.citations)


def asked_once(llm: LLM, requests: Sequence[Request]) -> tuple[Mapping[Request, Reply | ModelError], float]:
    """The outcomes of the different requests, asked in one batch, and the seconds that each new reply took of it."""
    distinct = list(dict.fromkeys(requests))
    start = time.perf_counter()
    outcomes = dict(zip(distinct, llm.complete(distinct), strict=True)) if distinct else {}
    fresh = sum(isinstance(outcome, Reply) and not outcome.cached for outcome in outcomes.values())
    return outcomes, (time.perf_counter() - start) / max(fresh, 1)


def read_from(reply: Reply, share: float, text: str) -> ReadAnswer:
    """The answer `text` that was read from a reply, with what the reply took."""
    took = reply.prompt_tokens, reply.completion_tokens
    return ReadAnswer(text, *took, 1, reply.cached, 0.0 if reply.cached else share, unreadable=False)


def unmarked(text: str) -> str:
    """`text` without its citations: measures of answers compare words."""
    return _MARK.sub("", text)


@cache
def _prompt(name: str) -> Prompt:
    return load_prompt("decoct.evaluate", name, ("context", "question") if name == ANSWERS else ("question",))


def _read_answer(outcome: Reply | ModelError, share: float) -> ReadAnswer | ModelError:
    # a reply that was cut is the reader's own failure, so no reason to leave the question out
    if isinstance(outcome, ReplyError) and outcome.cut:
        took = outcome.prompt_tokens, outcome.completion_tokens
        return ReadAnswer(outcome.reply.strip(), *took, 1, False, share, unreadable=True)
    if isinstance(outcome, ModelError):
        return outcome
    try:
        return read_from(outcome, share, json.loads(conform(outcome.text, SCHEMA))["answer"].strip())
    except ReplyError:
        return replace(read_from(outcome, share, outcome.text.strip()), unreadable=True)


class Judge(Protocol):
    """Says whether answers are right, where strings cannot; the judges themselves are the laboratory's (`decoct_lab.judges`)."""

    def record(self) -> Mapping[str, str]:
        """What a run must keep beside the judge's figures: its model (`judge`) and its prompt's fingerprint (`prompt`)."""

    def verdicts(self, answered: Sequence[tuple[Question, str]]) -> Sequence[float | None]:
        """1 for each answer that is right by its question's key (`Question.groups`), 0 for a wrong one, None where judging failed."""


# The reader that cites, as `decoct ask` does (`decoct.answer.cited`), asked in batches: what citation precision and recall are taken on.
#
# It words its answers as that reader does, so its token F1 is not comparable with the short reader's (`answers`); a run uses one of them.
# Answers are scored without their marks.
def citing_reader(llm: LLM) -> BatchReader:
    """Reads contexts with `llm` and tells which passages each answer cites; an empty context asks no model."""
    reader = Cited(llm)
    return BatchReader(partial(_cited_answers, reader), llm.fingerprint, reader.prompt.fingerprint)


def _cited_answers(reader: Cited, contexts: Sequence[Context]) -> list[ReadAnswer | ModelError]:
    requests = [reader.request(context) if context.passages else None for context in contexts]
    outcomes, share = asked_once(reader.llm, [request for request in requests if request is not None])
    return [
        _cited_answer(reader, context, outcomes[request], share)
        if request is not None
        else replace(UNASKED, text=unmarked(reader.answer(context).text))
        for context, request in zip(contexts, requests, strict=True)
    ]


def _cited_answer(
    reader: Cited, context: Context, outcome: Reply | ModelError, share: float
) -> ReadAnswer | ModelError:
    if isinstance(outcome, ModelError):
        return outcome
    try:
        with recording() as trace:
            answer = reader.read(outcome, context)
    except ModelError as error:
        return error
    read = read_from(outcome, share, unmarked(answer.text))
    return replace(read, citations=answer.citations, fallbacks=dict(trace.fallbacks))
