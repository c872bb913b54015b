"""The sentences of an answer in steps (`in_steps.py`), as they are quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from decoct.answer.in_steps import StepwiseAnswer
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.data import Passage
from decoct.reading.base import NOTHING_READ
from decoct.text.quotable import quotable_words


def step_sentences(answer: StepwiseAnswer, passages: Sequence[Passage]) -> list[FoundWords]:
    """The sentence of each step, the deciding one last and with the answer; none where a step stands in no sentence."""
    found = []
    for step in sorted(answer.steps, key=lambda step: step is answer.deciding):
        passage = passages[step.passage]
        held = quotable_words(passage.text, step.place)
        if held is None:
            return []
        read = ReadPassage(passage, NOTHING_READ, step.passage)
        found.append(FoundWords(read, held[0], step.place, step.words, step.weight))
    deciding = replace(found[-1], words=answer.words, weight=answer.probability, judged=answer.compared)
    if answer.compared and (named := _name_in(deciding.read.passage.text, answer.words)) is not None:
        deciding = replace(deciding, place=named)
    return [*found[:-1], deciding]


def _name_in(text: str, name: str) -> tuple[int, int] | None:
    """Where a passage names an alternative, in any case: the place of the answer, rather than that of the value."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return match.span() if match is not None else None
