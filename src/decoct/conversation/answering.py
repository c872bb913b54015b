"""The answer to the last question of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from decoct import trace
from decoct.budget import Budget
from decoct.conversation.completion import Knows
from decoct.conversation.meant import MeantQuestion, meant_question
from decoct.conversation.turns import History, turns_of
from decoct.data import Answer, Context
from decoct.llm.base import LLM
from decoct.reading.small import SmallReader

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
