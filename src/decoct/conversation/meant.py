"""What the last question of a conversation means by itself: as it stands, rewritten by a language model, completed by rule, or nothing yet.

With a language model one call rewrites a question that has turns before it (the "condense question" step of conversational retrieval).
Without one `completion.py` completes it. Thanks, and orders about the conversation itself ("translate that", a chat program's request for a
title), are no questions to documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from decoct import trace
from decoct.conversation.completion import Knows, Spoken, completed
from decoct.conversation.turns import Turn
from decoct.llm.base import LLM, complete_one
from decoct.llm.prompts import load_prompt
from decoct.reading.base import PassageReader
from decoct.text.unasked import is_order, unasked

How: TypeAlias = Literal["as-asked", "rewritten", "completed", "incomplete", "no-question"]
TURNS_READ = 12
"""The latest turns that are looked at: six questions with their answers."""
_CHARACTERS = 16_000  # of the conversation, for a model
_LONGEST = 8_000  # characters of a rewritten question


@dataclass(frozen=True, slots=True)
class MeantQuestion:
    """`readings`, likeliest first, are what is put to the library; none where nothing is asked. `missing`: what is not explained."""

    question: str
    readings: tuple[str, ...]
    how: How
    missing: str = ""

    @property
    def declined(self) -> str:
        """Why nothing is put to the library; "" where something is."""
        if self.how == "no-question":
            return "That is no question that documents can answer. Ask something about them."
        if self.how == "incomplete":
            return f"The question refers to something that was not named: “{self.missing}”. Ask it again with the name."
        return ""

    def as_dict(self) -> dict[str, Any]:
        """As JSON-ready data: `question` as it was asked, `how` it was understood, what is `missing`."""
        return {"question": self.question, "how": self.how, **({"missing": self.missing} if self.missing else {})}


def meant_question(
    question: str,
    before: Sequence[Turn],
    llm: LLM | None,
    reader: PassageReader,
    knows: Knows = lambda _: True,
) -> MeantQuestion:
    """What `question` means after the turns `before` it, oldest first (the last `TURNS_READ` of them are read).

    `knows` tells whether the library has one of some words: what it knows nothing of takes no place in the question before.
    """
    if unasked(question) == "none" or is_order(question):
        return MeantQuestion(question, (), "no-question")
    turns = before[-TURNS_READ:]
    with trace.stage("understand"):
        if llm is not None:
            words = _rewritten(question, turns, llm) if turns else question
            return MeantQuestion(question, (words,), "rewritten" if words != question else "as-asked")
        found = completed(question, _spoken(turns, reader, knows), reader, knows)
    if not found.readings:
        return MeantQuestion(question, (), "incomplete", found.missing)
    return MeantQuestion(question, found.readings, "as-asked" if found.readings[0] == question else "completed")


def _spoken(turns: Sequence[Turn], reader: PassageReader, knows: Knows) -> list[Spoken]:
    """The questions of earlier turns as each was understood, with the answers; those that asked nothing are left out."""
    found: list[Spoken] = []
    for at, turn in enumerate(turns):
        if turn.role != "user" or unasked(turn.text) in ("none", "about-library") or is_order(turn.text):
            continue
        after = turns[at + 1] if at + 1 < len(turns) else None
        answer = after.text if after is not None and after.role == "assistant" else ""
        reading = completed(turn.text, found, reader, knows).readings
        if reading:
            found.append(Spoken(reading[0], answer))
    return found


def _rewritten(question: str, turns: Sequence[Turn], llm: LLM) -> str:
    prompt = load_prompt("decoct.conversation", "condense", ("conversation", "question"))
    told = "\n".join(f"{turn.role}: {turn.text}" for turn in turns)[-_CHARACTERS:]
    reply = complete_one(llm, prompt.request({"conversation": told, "question": question}, max_tokens=200))
    return reply.text.strip()[:_LONGEST] or question
