"""Containment by a language model: a request a chunk, and only names that stand in the sentence that is said to state it."""

from __future__ import annotations

from functools import cache

from decoct.data import Chunk
from decoct.errors import ModelError
from decoct.llm.base import Reply, Request
from decoct.llm.prompts import Prompt, load_prompt
from decoct.text.names import normal
from decoct.text.sentences import sentences
from decoct_lab.structure.replies import listed_in
from decoct_lab.structure.trag.containment import Inside

SCHEMA = {
    "type": "object",
    "properties": {
        "relations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "child": {"type": "string", "maxLength": 100},
                    "parent": {"type": "string", "maxLength": 100},
                    "sentence": {"type": "integer"},
                },
                "required": ["child", "parent", "sentence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["relations"],
    "additionalProperties": False,
}
REPLY = 400


def request(chunk: Chunk) -> Request:
    """What is asked of a chunk."""
    places = sentences(chunk.text)
    listed = "\n".join(f"{number}: {chunk.text[start:end]}" for number, (start, end) in enumerate(places, 1))
    return prompt().request({"title": chunk.title or "(none)", "sentences": listed}, max_tokens=REPLY, schema=SCHEMA)


def read(reply: Reply | ModelError, chunk: Chunk) -> list[tuple[Inside, tuple[int, int]]]:
    """Each containment with its sentence's place in the chunk; what names no sentence, or names that do not stand in it, is left out.

    The request's error, or `ReplyError`, where nothing can be read.
    """
    places = sentences(chunk.text)
    found: dict[tuple[Inside, tuple[int, int]], None] = {}
    for one in listed_in(reply, SCHEMA)["relations"]:
        if not 1 <= one["sentence"] <= len(places):
            continue
        start, end = places[one["sentence"] - 1]
        words = f" {normal(chunk.text[start:end])} "
        child, parent = normal(one["child"]), normal(one["parent"])
        # The subject of a document is often a pronoun in its sentences: its title may name the child.
        in_title = child == normal(chunk.title)
        if child and parent and child != parent and f" {parent} " in words and (in_title or f" {child} " in words):
            found[(Inside(one["child"].strip(), one["parent"].strip()), (start, end))] = None
    return list(found)


@cache
def prompt() -> Prompt:
    """The prompt."""
    return load_prompt("decoct_lab.structure.trag", "relations", ("title", "sentences"))
