"""Questions from the user's own documents, with the characters they came from as gold.

1. Documents are drawn by seed, and chunks of each, so that no document has many questions before others have one.
2. Each chunk gives at most one question: by a language model (`question_model`), or by rules (`question_rules`) where there is none.
3. Round trip: a question is kept if its own document is among the first `FOUND` documents that word search or vector search finds for it.
   What neither finds so deep is about nothing in particular. Both searches are asked, and deep, so that the filter favours neither.
4. Equal questions are kept once.

Generated questions are easier than people's (they share words with their source) and each has one document. They order recipes for one's
own documents better than none; they do not replace the questions that people ask.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decoct import trace
from decoct.counted import counted
from decoct.data import Chunk, Query, Span
from decoct.errors import CorpusError
from decoct.evaluate.question_model import from_texts
from decoct.evaluate.question_rules import Made, from_text
from decoct.library import Library
from decoct.retrieve.dense import Dense
from decoct.retrieve.lexical import BM25

FOUND = 20  # documents
WAVE = 16  # chunks asked about at once
TRIES = 12  # chunks looked at for each question wanted, before it is said that there are not enough


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
    waves = _waves(library, rng)
    looked = 0
    with trace.recording() as record:
        while len(result.questions) < n and looked < n * TRIES and (wave := next(waves, None)):
            looked += len(wave)
            for chunk, made in _made(library, wave, rng):
                if len(result.questions) == n:
                    break
                _keep(library, chunk, made, seen, result)
            progress(f"{len(result.questions)} of {counted(n, 'question')} from {counted(looked, 'passage')}")
    result.dropped.update(record.fallbacks)
    return result


def write(questions: Sequence[dict[str, Any]], out: Path) -> None:
    """Write a questions file, one JSON object a line."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions), "utf-8")


def _waves(library: Library, rng: random.Random) -> Iterator[list[Chunk]]:
    """Chunks, one of each document in a drawn order, then a second of each, and so on."""
    ids = [info.id for info in library.documents() if info.chunks]
    rng.shuffle(ids)
    left = {doc_id: rng.sample(keys := library.store.chunk_keys(doc_id).tolist(), len(keys)) for doc_id in ids}
    wave: list[int] = []
    while left:
        for doc_id in list(left):
            wave.append(left[doc_id].pop())
            if not left[doc_id]:
                del left[doc_id]
            if len(wave) == WAVE:
                yield library.store.chunks(wave)
                wave = []
    if wave:
        yield library.store.chunks(wave)


def _made(library: Library, wave: Sequence[Chunk], rng: random.Random) -> Iterator[tuple[Chunk, Made]]:
    if library.llm is not None:
        for chunk, made in zip(wave, from_texts(library.llm, [(c.title, c.text) for c in wave]), strict=True):
            if made is not None:
                yield chunk, made
        return
    for chunk in wave:
        if possible := list(from_text(chunk.text)):
            best = [made for made in possible if made.kind != "cloze"] or possible
            yield chunk, rng.choice(best)


def _keep(library: Library, chunk: Chunk, made: Made, seen: set[str], result: Generated) -> None:
    identity = " ".join(made.question.casefold().split())
    if identity in seen:
        result.dropped["asked before"] += 1
        return
    seen.add(identity)
    if not _comes_back(library, made.question, chunk.span.doc_id):
        result.dropped["its document is not found for it"] += 1
        return
    span = Span(chunk.span.doc_id, chunk.span.start + made.start, chunk.span.start + made.end)
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
