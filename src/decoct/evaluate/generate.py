"""Questions from the user's own documents, with the characters they came from as gold.

1. Documents are drawn by seed, in rounds, so that no document has many questions before others have one.
2. With a language model (`question_model`) a document gives its chunks in a drawn order, each of which gives at most one question. Without
   one it gives the questions that the laboratory's rules make of its sentences: only well-formed ones, so that most documents give few and
   many give none; where there are too few the report says so, and that a model is needed for more.
3. Round trip: a question is kept if its own document is among the first `FOUND` documents that word search or vector search finds for it.
   What neither finds so deep is about nothing in particular. Both searches are asked, and deep, so that the filter favours neither.
4. Equal questions are kept once.

Generated questions are easier than people's (they share words with their source) and each has one document. They order recipes for one's
own documents better than none; they do not replace the questions that people ask.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from decoct import plugins, trace
from decoct.counted import counted
from decoct.data import Query, Span, holds_words
from decoct.errors import CorpusError, ReplyError
from decoct.evaluate.metrics.answers import token_f1, word_accuracy
from decoct.library import Library
from decoct.llm.base import LLM, Reply
from decoct.llm.prompts import Prompt, load_prompt
from decoct.llm.schema import conform
from decoct.retrieve.dense import Dense
from decoct.retrieve.lexical import BM25
from decoct.text.sentences import sentences
from decoct.visible import write_whole

# Questions from passages by a language model: question, short answer, and the numbers of the sentences that hold it, under a schema.
#
# The round trip: the model answers its own question from those sentences alone, and must give the same answer (token F1 of at least .5).
# A reply that cannot be read, names a sentence that is not there, or whose answer does not stand in its sentences, gives no question.
SCHEMA = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "answer": {"type": "string"},
        "sentences": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["question", "answer", "sentences"],
    "additionalProperties": False,
}
SAME = 0.5  # "12 May 1912" and "May 1912" are one answer, "1912" and "1921" are not
_POINTING = ("passage", "the text", "this article", "the document", "sentence")


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question made of characters `start` to `end` of a text, with its answer and the name of the way it was made."""

    question: str
    answer: str
    start: int
    end: int
    kind: str


def from_texts(llm: LLM, passages: Sequence[tuple[str, str]]) -> list[MadeQuestion | None]:
    """One question for each (title, text), None where none came of it; every question has made the round trip."""
    prompt = _prompt("question_model", "sentences", "title")
    numbered = [
        "\n".join(f"{number}. {text[a:b].strip()}" for number, (a, b) in enumerate(sentences(text), 1))
        for _, text in passages
    ]
    asked = [
        prompt.request({"title": title or "(none)", "sentences": lines}, max_tokens=160, schema=SCHEMA)
        for (title, _), lines in zip(passages, numbered, strict=True)
    ]
    written = [_read(text, reply) for (_, text), reply in zip(passages, llm.complete(asked), strict=True)]
    return _round_trip(llm, [text for _, text in passages], written)


def _read(text: str, reply: object) -> MadeQuestion | None:
    if not isinstance(reply, Reply):
        trace.fallback("questions.failed")
        return None
    try:
        data: dict[str, Any] = json.loads(conform(reply.text, SCHEMA))
    except ReplyError:
        trace.fallback("questions.unreadable")
        return None
    bounds = sentences(text)
    chosen = sorted({n for n in data["sentences"] if 1 <= n <= len(bounds)})
    question, answer = data["question"].strip(), data["answer"].strip()
    if not chosen or not holds_words(question) or not answer or any(word in question.casefold() for word in _POINTING):
        trace.fallback("questions.unusable")
        return None
    start, end = bounds[chosen[0] - 1][0], bounds[chosen[-1] - 1][1]
    if not word_accuracy(text[start:end], [answer]):
        trace.fallback("questions.answer_not_there")
        return None
    return MadeQuestion(question, answer, start, end, "model")


def _round_trip(llm: LLM, texts: Sequence[str], written: Sequence[MadeQuestion | None]) -> list[MadeQuestion | None]:
    prompt = _prompt("question_answer", "question", "text")
    kept = list(written)
    questions = [(i, made) for i, made in enumerate(written) if made is not None]
    asked = [
        prompt.request({"text": texts[i][made.start : made.end], "question": made.question}, max_tokens=60)
        for i, made in questions
    ]
    for (i, made), reply in zip(questions, llm.complete(asked) if asked else [], strict=True):
        if not isinstance(reply, Reply) or token_f1(reply.text, [made.answer]) < SAME:
            trace.fallback("questions.lost_on_the_way_back")
            kept[i] = None
    return kept


@cache
def _prompt(name: str, *slots: str) -> Prompt:
    return load_prompt("decoct.evaluate", name, slots)


T = TypeVar("T")
FOUND = 20  # documents
WAVE = 16  # chunks asked about at once
TRIES = 12  # chunks that a model is asked about for each question wanted, before it is said that there are not enough
NEEDS_MODEL = "not made: rules found no more well-formed questions, and more need a language model (--llm)"


@dataclass(slots=True)
class Generated:
    """The questions in the own-questions format, and what was dropped, by reason."""

    questions: list[dict[str, Any]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def generate(library: Library, n: int, *, seed: int = 0, progress: Callable[[str], None] = lambda _: None) -> Generated:
    """At most `n` questions; fewer where the documents do not give more. With a language model in `library` it writes them."""
    if library.status().documents == 0:
        raise CorpusError("the library is empty: add documents first (`decoct ingest FILES…`)")
    result = Generated()
    seen: set[str] = set()
    rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
    candidates = _by_rules(library, rng) if library.llm is None else _by_model(library, library.llm, rng, n * TRIES)
    with trace.recording() as record:
        for looked, found in enumerate(candidates, 1):
            if found is not None:
                _keep(library, *found, seen, result)
            if looked % WAVE == 0:
                progress(f"{len(result.questions)} of {counted(n, 'question')}")
            if len(result.questions) == n:
                break
    if library.llm is None and len(result.questions) < n:
        result.dropped[NEEDS_MODEL] = n - len(result.questions)
    result.dropped.update(record.fallbacks)
    return result


def write(questions: Sequence[dict[str, Any]], out: Path) -> None:
    """Write a questions file, one JSON object a line."""
    write_whole(out, "".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions))


def _in_rounds(library: Library, rng: random.Random, of: Callable[[str], list[T]]) -> Iterator[T]:
    """One of what is made `of` each document, in a drawn order, then a second of each, until none has more."""
    ids, left = [info.id for info in library.documents() if info.chunks], dict[str, list[T]]()
    rng.shuffle(ids)
    while ids:
        for doc_id in ids:
            if doc_id not in left:
                found = of(doc_id)
                left[doc_id] = rng.sample(found, len(found))
            if left[doc_id]:
                yield left[doc_id].pop()
        ids = [doc_id for doc_id in ids if left[doc_id]]


def rules() -> Callable[[str, str], list[Any]]:
    """What makes questions of a text and its title without a language model; an error where it is not installed."""
    return plugins.load("questions", "rules", "questions without a language model (--llm)")  # type: ignore[no-any-return]


def _by_rules(library: Library, rng: random.Random) -> Iterator[tuple[Span, MadeQuestion]]:
    """What rules make of the documents."""
    from_text = rules()

    def made(doc_id: str) -> list[tuple[Span, MadeQuestion]]:
        document = library.document(doc_id)
        return [(Span(doc_id, one.start, one.end), one) for one in from_text(document.text, document.title)]

    return _in_rounds(library, rng, made)


def _by_model(library: Library, llm: LLM, rng: random.Random, most: int) -> Iterator[tuple[Span, MadeQuestion] | None]:
    """What the model makes of chunks, `most` of them, `WAVE` asked about at once; None for one that gave no question."""
    keys = _in_rounds(library, rng, lambda doc_id: library.store.chunk_keys(doc_id).tolist())
    asked = itertools.islice(keys, -(-most // WAVE) * WAVE)
    while wave := list(itertools.islice(asked, WAVE)):
        chunks = library.store.chunks(wave)
        for chunk, made in zip(chunks, from_texts(llm, [(c.title, c.text) for c in chunks]), strict=True):
            if made is None:
                yield None
                continue
            start = chunk.span.start
            yield Span(chunk.span.doc_id, start + made.start, start + made.end), made


def _keep(library: Library, span: Span, made: MadeQuestion, seen: set[str], result: Generated) -> None:
    identity = " ".join(made.question.casefold().split())
    if identity in seen:
        result.dropped["asked before"] += 1
        return
    seen.add(identity)
    if not _comes_back(library, made.question, span.doc_id):
        result.dropped["its document is not found for it"] += 1
        return
    result.questions.append(
        {
            "id": f"q{len(result.questions) + 1:04}",
            "question": made.question,
            "answers": [made.answer],
            "supporting": [{"doc_id": span.doc_id, "start": span.start, "end": span.end}],
            "type": made.kind,
        }
    )


def _comes_back(library: Library, question: str, doc_id: str) -> bool:
    query = Query(question)
    for retriever in (BM25(library.store), Dense(library.store, library.embedder)):
        found = library.store.chunks(retriever.retrieve(query, 5 * FOUND).keys)
        if doc_id in list(dict.fromkeys(chunk.span.doc_id for chunk in found))[:FOUND]:
            return True
    return False
