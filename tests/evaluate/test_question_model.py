from __future__ import annotations

import json

import pytest

from decoct import trace
from decoct.evaluate.generate import from_texts
from decoct.llm.base import Request
from decoct_testing.scripted import ScriptedLLM

TEXT = "The Long Tower was designed by Ada Stone. It stands in Elmford."


def written(sentences: list[int], answer: str, back: str) -> tuple[object, dict[str, int]]:
    def reply(request: Request) -> str:
        if request.schema is None:
            return back
        return json.dumps({"question": "Who designed it?", "answer": answer, "sentences": sentences})

    with trace.recording() as record:
        (made,) = from_texts(ScriptedLLM(reply), [("Tower", TEXT)])
    return made, dict(record.fallbacks)


def test_a_question_has_the_characters_of_its_sentences() -> None:
    made, dropped = written([1], "Ada Stone", "ada stone")
    assert (made.start, made.end) == (0, 41)  # type: ignore[attr-defined]
    assert dropped == {}


@pytest.mark.parametrize(
    ("sentences", "answer", "back", "reason"),
    [
        ([0], "Ada Stone", "Ada Stone", "questions.unusable"),
        ([3], "Ada Stone", "Ada Stone", "questions.unusable"),
        ([2], "Ada Stone", "Ada Stone", "questions.answer_not_there"),
        ([1], "Ada Stone", "the Karl Bridge", "questions.lost_on_the_way_back"),
        ([1], "Ada Stone", "Stone and many other words here", "questions.lost_on_the_way_back"),  # F1 2/8
    ],
)
def test_what_cannot_be_relied_on_gives_no_question(sentences: list[int], answer: str, back: str, reason: str) -> None:
    made, dropped = written(sentences, answer, back)
    assert made is None
    assert dropped == {reason: 1}
