"""The sections of a document by a language model: an outline of its numbered chunks (`outline.md`), a window at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from decoct.budget import Tokenizer
from decoct.data import Chunk
from decoct.errors import ModelError, ReplyError
from decoct.llm.base import Reply, Request
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.structure.replies import listed_in
from decoct_lab.structure.treerag.sections import ChunkSection

SCHEMA = {
    "type": "object",
    "properties": {
        "sections": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "maxLength": 100},
                    "first": {"type": "integer"},
                    "level": {"type": "integer", "minimum": 1, "maximum": 3},
                },
                "required": ["title", "first", "level"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sections"],
    "additionalProperties": False,
}
# Tokens of passages in one request: with the reply it fits the window of small local models.
WINDOW = 4000
REPLY = 800


@dataclass(frozen=True, slots=True)
class Outlined:
    """The sections that a model gave, and why where it failed on a window (whose chunks then belong to the section before)."""

    sections: tuple[ChunkSection, ...]
    failed: tuple[str, ...] = ()


def requests(title: str, chunks: Sequence[Chunk], tokenizer: Tokenizer) -> list[Request]:
    """A request for each window of a document's chunks."""
    counts = tokenizer.counts([chunk.text for chunk in chunks])
    windows: list[list[int]] = [[]]
    room = WINDOW
    for number, count in enumerate(counts):
        if windows[-1] and count > room:
            windows.append([])
            room = WINDOW
        windows[-1].append(number)
        room -= count
    return [
        prompt().request(
            {
                "title": title or "(none)",
                "passages": "\n\n".join(f"{number + 1}: {chunks[number].text}" for number in window),
            },
            max_tokens=REPLY,
            schema=SCHEMA,
        )
        for window in windows
        if window
    ]


def read(replies: Sequence[Reply | ModelError], count: int, depth: int) -> Outlined:
    """The sections of a document of `count` chunks; numbers out of order or out of range are a failure of that window."""
    begins: list[tuple[int, int, str]] = []
    failed: list[str] = []
    for reply in replies:
        try:
            begins += _begins(listed_in(reply, SCHEMA)["sections"], begins[-1][0] if begins else -1, count, depth)
        except ModelError as error:
            failed.append(f"outline: {error}")
    found = []
    for number, (first, level, title) in enumerate(begins):
        past = next((later[0] for later in begins[number + 1 :] if later[1] <= level), count)
        found.append(ChunkSection(title, level, first, past))
    return Outlined(tuple(found), tuple(failed))


def _begins(sections: Sequence[dict[str, Any]], after: int, count: int, depth: int) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for one in sections:
        first, title = one["first"] - 1, " ".join(one["title"].split())
        if not after < first < count or not title:
            raise ReplyError(
                f"a section begins at passage {one['first']}, which is none or not after the one before",
                json.dumps(sections),
            )
        found.append((first, min(one["level"], depth), title))
        after = first
    return found


@cache
def prompt() -> Prompt:
    """The prompt of outlines."""
    return load_prompt("decoct_lab.structure.treerag", "outline", ("title", "passages"))
