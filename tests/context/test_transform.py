from __future__ import annotations

import json

from decoct.budget import Budget
from decoct.data import Draft, Passage, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelUnavailableError
from decoct.llm.base import Request
from decoct.trace import recording
from decoct_lab.context.transform import Decompose, Summarise
from decoct_testing.scripted import Scripted, ScriptedLLM

TEXT = "Ada Stone was born in Norwick in 1850 and built the Long Tower."
PASSAGES = tuple(Passage(TEXT, (Span(f"d{i}", 0, len(TEXT)),), score=1.0 - i / 10, title=f"T{i}") for i in range(10))
QUERY = Query("Who built it?")


def _budget(limit: int) -> Budget:
    return Budget(limit, default_tokenizer())


def test_summaries_are_rewrites_with_the_passages_support_in_its_order() -> None:
    draft = Summarise(ScriptedLLM(lambda request: "Ada Stone built it.")).apply(
        QUERY, Draft(PASSAGES[:3]), _budget(500)
    )
    assert [(p.text, p.kind, p.support, p.title) for p in draft.passages] == [
        ("Ada Stone built it.", "rewrite", p.support, p.title) for p in PASSAGES[:3]
    ]


def test_only_as_many_passages_are_transformed_as_the_budget_needs() -> None:
    llm = ScriptedLLM(lambda request: "one two three four five six seven eight nine ten")
    draft = Summarise(llm).apply(QUERY, Draft(PASSAGES), _budget(20))
    assert len(llm.requests) < len(PASSAGES)
    assert sum(_budget(20).count(p.text) for p in draft.passages) >= 20


def test_facts_stand_one_a_line_and_a_passage_without_facts_is_dropped_and_counted() -> None:
    def reply(request: Request) -> Scripted:
        return json.dumps(
            {"facts": [] if "T1" in request.messages[-1].content else ["Ada was born in 1850.", " She built it. "]}
        )

    with recording() as trace:
        draft = Decompose(ScriptedLLM(reply)).apply(QUERY, Draft(PASSAGES[:3]), _budget(500))
    assert [p.text for p in draft.passages] == ["Ada was born in 1850.\nShe built it."] * 2
    assert trace.fallbacks == {"transform.empty": 1}


def test_a_failed_or_unreadable_reply_leaves_the_passage_as_it_is() -> None:
    llm = ScriptedLLM(["no json", ModelUnavailableError("down")])
    with recording() as trace:
        draft = Decompose(llm).apply(QUERY, Draft(PASSAGES[:2]), _budget(500))
    assert draft.passages == PASSAGES[:2]
    assert trace.fallbacks == {"transform.failed": 2}


def test_the_question_is_not_shown_to_the_model() -> None:
    llm = ScriptedLLM(lambda request: "x")
    Summarise(llm).apply(QUERY, Draft(PASSAGES[:1]), _budget(50))
    assert all("Who built it?" not in message.content for message in llm.requests[0].messages)
