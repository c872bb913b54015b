"""What the last question of a conversation means by itself: as it stands, rewritten by a language model, completed by rule, or nothing yet.

With a language model one call rewrites a question that has turns before it (the "condense question" step of conversational retrieval).
Without one `completion.py` completes it. Thanks, and orders about the conversation itself ("translate that", a chat program's request for a
title), are no questions to documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from decoct import trace
from decoct.answer.base import says_not_found
from decoct.budget import Budget
from decoct.conversation.completion import Knows, Spoken, completed, corrects
from decoct.conversation.turns import History, Turn, turns_of
from decoct.data import Answer, Context, holds_words
from decoct.llm.base import LLM, complete_one
from decoct.llm.prompts import load_prompt
from decoct.reading.base import PassageReader
from decoct.reading.small import SmallReader
from decoct.reading.turn_kinds import turn_kind

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
    if _is_no_question(question, bool(before)):
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


def _is_no_question(text: str, goes_on: bool) -> bool:
    """Whether it asks for nothing of the documents: thanks, what the writer makes of an answer, an order about the conversation.

    What puts right another turn ("I meant gracefully") asks that again, where it `goes_on`.
    """
    return turn_kind(text) in ("none", "order") and not (goes_on and corrects(text))


def _spoken(turns: Sequence[Turn], reader: PassageReader, knows: Knows) -> list[Spoken]:
    """The questions of earlier turns as each was understood, with the answers; those that asked nothing are left out."""
    found: list[Spoken] = []
    for at, turn in enumerate(turns):
        if turn.role != "user" or turn_kind(turn.text) == "about-library" or _is_no_question(turn.text, bool(found)):
            continue
        answers = (after for after in turns[at + 1 : at + 2] if after.role == "assistant")
        answer = next((after for after in answers if not says_not_found(after.text)), Turn("assistant", ""))
        understood = completed(turn.text, found, reader, knows)
        if understood.readings:
            found.append(Spoken(understood.readings[0], answer.text, understood.topic, answer.document))
    return found


def _rewritten(question: str, turns: Sequence[Turn], llm: LLM) -> str:
    prompt = load_prompt("decoct.conversation", "condense", ("conversation", "question"))
    told = "\n".join(f"{turn.role}: {turn.text}" for turn in turns)[-_CHARACTERS:]
    reply = complete_one(llm, prompt.request({"conversation": told, "question": question}, max_tokens=200))
    return reply.text.strip()[:_LONGEST] if holds_words(reply.text[:_LONGEST]) else question


Sink: TypeAlias = Callable[[str], None]
Answered: TypeAlias = Callable[[str, Sink | None], Answer]


def answer_in_conversation(
    question: str,
    history: History,
    llm: LLM | None,
    limit: Budget,
    answered: Answered,
    *,
    sink: Sink | None = None,
    knows: Knows = lambda _: True,
) -> Answer:
    """The answer that `answered` gives to what `question` means after `history`, the likeliest reading first that has one.

    `knows` tells whether the library has one of some words.
    What asks nothing, or refers to something that nobody named, is declined (outcome "not-found") without looking anything up.
    """
    with trace.recording() as record:
        meant = meant_question(question, turns_of(history), llm, SmallReader(), knows)
    if meant.declined:
        return _with_question(
            Answer(meant.declined, (), Context(question, "", (), limit, trace.Trace()), found=False),
            meant,
            record,
            sink,
        )
    if len(meant.readings) == 1:
        return _with_question(answered(meant.readings[0], sink), meant, record)
    tried: list[Answer] = []
    for words in meant.readings:
        written: list[str] = []
        tried.append(answered(words, written.append))
        if tried[-1].found:
            break
    return _with_question(_best(tried), meant, record, sink)


def _best(tried: Sequence[Answer]) -> Answer:
    """The last one, which was found; else the first that shows something."""
    if tried[-1].found:
        return tried[-1]
    return next((one for one in tried if one.outcome == "passages"), tried[0])


def _with_question(answer: Answer, meant: MeantQuestion, record: trace.Trace, sink: Sink | None = None) -> Answer:
    """The answer, whose trace begins with how its question was understood; its text goes to `sink`, where it did not yet."""
    shown = answer.trace
    shown.stages[:0] = record.stages
    shown.fallbacks.update(record.fallbacks)
    shown.facts["asked"] = meant.as_dict()
    if sink is not None:
        sink(answer.text)
    return answer
