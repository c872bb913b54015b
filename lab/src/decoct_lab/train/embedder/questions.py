"""Silver questions on a library's chunks, written by a language model in words other than the chunk's.

Lines `{"question", "doc_id", "start", "end"}` are written as they are made, so a stopped run goes on where it was, and a file of one's own
(a search log with the places that were right) is read the same way. A question that repeats most of the chunk's words is left out: words
are what BM25 finds anyway.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from decoct.data import Chunk
from decoct.errors import ConfigError, ModelError
from decoct.index.base import Store
from decoct.llm.base import LLM, Schema
from decoct.llm.prompts import Prompt, load_prompt
from decoct.text.words import content_stems

SCHEMA: Schema = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}},
    "required": ["questions"],
    "additionalProperties": False,
}
_SHORTEST = 200  # characters of a chunk that has something to ask about
_SHARED = 0.7  # of a question's content words, from which it only repeats the chunk


@dataclass(frozen=True, slots=True)
class ChunkQuestion:
    """A question, and the characters `start` to `end` of document `doc_id` that answer it."""

    question: str
    doc_id: str
    start: int
    end: int


def drawn_chunks(store: Store, most: int, seed: int) -> list[Chunk]:
    """At most `most` chunks with enough text, drawn by `seed`; no two of them overlap."""
    found: list[Chunk] = []
    for info in store.documents():
        end = -1
        for chunk in store.chunks(store.chunk_keys(info.id)):
            if chunk.span.start >= end and len(chunk.text) >= _SHORTEST:
                found.append(chunk)
                end = chunk.span.end
    return found if len(found) <= most else random.Random(seed).sample(found, most)


def write_questions(
    chunks: Sequence[Chunk], llm: LLM, file: Path, *, wave: int = 8, say: Callable[[str], None] = print
) -> int:
    """Append two questions a chunk to `file`; chunks asked about already are passed over. Returns how many were written now.

    A chunk for which the model fails, or writes no questions, is passed over and said in the last line.
    """
    done = {(one.doc_id, one.start) for one in read_questions(file)} if file.exists() else set[tuple[str, int]]()
    waiting = [chunk for chunk in chunks if (chunk.span.doc_id, chunk.span.start) not in done]
    written = failed = 0
    with file.open("a", encoding="utf-8") as lines:
        for at in range(0, len(waiting), wave):
            part = waiting[at : at + wave]
            requests = [
                _prompt().request({"title": c.title, "passage": c.text}, max_tokens=160, schema=SCHEMA) for c in part
            ]
            for chunk, outcome in zip(part, llm.complete(requests), strict=True):
                asked = [] if isinstance(outcome, ModelError) else _questions(outcome.text, chunk)
                failed += not asked
                for question in asked:
                    row = {
                        "question": question,
                        "doc_id": chunk.span.doc_id,
                        "start": chunk.span.start,
                        "end": chunk.span.end,
                    }
                    lines.write(json.dumps(row, ensure_ascii=False) + "\n")
                written += len(asked)
            lines.flush()
            say(f"{at + len(part)} of {len(waiting)} chunks, {written} questions, {failed} chunks without one")
    return written


def read_questions(file: Path) -> Iterator[ChunkQuestion]:
    """The questions of a file; `ConfigError` for a line that is none."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                yield ChunkQuestion(str(row["question"]), str(row["doc_id"]), int(row["start"]), int(row["end"]))
            except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
                raise ConfigError(
                    f'{file}:{number} is no question; a line is {{"question", "doc_id", "start", "end"}}: {error!r}'
                ) from error


def _questions(reply: str, chunk: Chunk) -> list[str]:
    try:
        given = json.loads(reply)["questions"]
        asked = [" ".join(str(question).split()) for question in given]
    except (json.JSONDecodeError, KeyError, TypeError):
        return []
    said = set(content_stems(f"{chunk.title} {chunk.text}"))
    return [q for q in dict.fromkeys(asked) if len(q) > 8 and _shared(q, said) <= _SHARED]


def _shared(question: str, said: set[str]) -> float:
    stems = set(content_stems(question))
    return len(stems & said) / len(stems) if stems else 1.0


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.train.embedder", "own_words", ("title", "passage"))
