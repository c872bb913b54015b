"""Let a model choose sentences by number: verbatim by construction, and a few tokens to write instead of the text.

Sentences are listed as `[1] …`; the reply is `{"keep": [1, 4]}` under a schema (constrained decoding where the provider has it). Code
puts the text together. A number that names no sentence is left out and counted (`select.number`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from decoct import trace
from decoct.context.layouts import harmless_lines
from decoct.data import Passage
from decoct.errors import ReplyError
from decoct.llm.base import Reply, Schema
from decoct.text.sentences import sentences
from decoct.text.wholes import Place

# What a number costs in the reply with its comma and space, and the frame around them: a reply is never cut for want of room.
_TOKENS_A_NUMBER = 5
_FRAME = 24


@dataclass(frozen=True, slots=True)
class Listing:
    """Sentences of passages, numbered from 1 in their order: `lines[i]` is the i-th, at `places[i]` (passage, characters)."""

    lines: tuple[str, ...]
    places: tuple[tuple[int, Place], ...]

    def shown(self, passage: int) -> str:
        """The lines of one passage."""
        return "\n".join(line for line, (number, _) in zip(self.lines, self.places, strict=True) if number == passage)

    @property
    def schema(self) -> Schema:
        """The JSON schema of a reply: at most every number once."""
        numbers = {"type": "integer", "minimum": 1, "maximum": len(self.lines)}
        return {
            "type": "object",
            "properties": {"keep": {"type": "array", "items": numbers, "maxItems": len(self.lines)}},
            "required": ["keep"],
            "additionalProperties": False,
        }

    @property
    def reply_tokens(self) -> int:
        """Room for a reply that names every sentence."""
        return _FRAME + _TOKENS_A_NUMBER * len(self.lines)

    def chosen(self, reply: Reply) -> list[tuple[int, Place]]:
        """The places that the reply names, in the order of the listing; `ReplyError` if it names none in a readable way."""
        try:
            given = json.loads(reply.text)["keep"]
            # A text or a table can be gone through too, but is no list of numbers; JSON's 1e999 is infinite.
            numbers = {int(number) for number in given} if isinstance(given, list) else None
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise ReplyError('expected {"keep": [numbers]}', reply.text) from error
        if numbers is None:
            raise ReplyError('expected {"keep": [numbers]}', reply.text)
        known = {number for number in numbers if 1 <= number <= len(self.lines)}
        if known != numbers:
            trace.fallback("select.number", len(numbers) - len(known))
        if numbers and not known:
            raise ReplyError("the reply names no sentence of the list", reply.text)
        return [self.places[number - 1] for number in sorted(known)]


def listing(passages: Sequence[Passage]) -> Listing:
    """The sentences of `passages`, numbered through."""
    lines: list[str] = []
    places: list[tuple[int, Place]] = []
    for owner, passage in enumerate(passages):
        for start, end in sentences(passage.text):
            shown = harmless_lines(" ".join(passage.text[start:end].split()))
            lines.append(f"[{len(lines) + 1}] {shown}")
            places.append((owner, (start, end)))
    return Listing(tuple(lines), tuple(places))
