from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct.data import Document, Query
from decoct.library import Library
from decoct.retrieve.lexical import BM25
from decoct.trace import recording
from decoct_lab.retrieve.self_ask import SelfAsk
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

TEXTS = {
    "tower": "The Long Tower was designed by Ada Stone.",
    "sea": "Norwick lies by the sea, said Ada.",
    "stone": "Ada Stone came from Norwick.",
}
QUERY = Query("Where did the designer of the Long Tower come from?")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path, embedder=HashEmbedder()) as opened:
        opened.add(Document(name, text) for name, text in TEXTS.items())
        yield opened


def _step(answer: str, follow_up: str) -> str:
    return f"{answer}\n" + (f"Follow up: {follow_up}" if follow_up else f"So the final answer is: {answer}")


def test_follow_ups_are_looked_up_and_all_lists_count(library: Library) -> None:
    llm = ScriptedLLM(
        [
            "Yes.\nFollow up: Who designed the Long Tower?",
            _step("Ada Stone", "Where did Ada Stone come from?"),
            _step("Norwick", ""),
        ]
    )
    with recording() as trace:
        found = SelfAsk(BM25(library.store), library.store, llm).retrieve(QUERY, 3)
    assert {chunk.span.doc_id for chunk in library.store.chunks(found.keys)} >= {"tower", "stone"}
    assert trace.facts["self_ask.follow_ups"] == ["Who designed the Long Tower?", "Where did Ada Stone come from?"]
    last = llm.requests[-1].messages[-1].content
    assert "Intermediate answer: Ada Stone" in last
    assert "Context: " in last
    assert "came from Norwick" in last
    assert "Follow up: Who designed the Long Tower?\nIntermediate answer: Ada Stone\nFollow up: Where did" in last
    assert last.endswith("Intermediate answer:")
    assert llm.requests[0].messages[-1].content.endswith("Are follow up questions needed here:")
    assert "\nContext:" in llm.requests[0].stop
    assert trace.facts["self_ask.answer"] == "Norwick"


def test_a_question_that_needs_no_follow_up_is_answered_at_once(library: Library) -> None:
    llm = ScriptedLLM(["No.\nSo the final answer is: Norwick"])
    with recording() as trace:
        SelfAsk(BM25(library.store), library.store, llm).retrieve(QUERY, 3)
    assert len(llm.requests) == 1
    assert trace.facts["self_ask.follow_ups"] == []
    assert not trace.fallbacks


def test_a_model_that_says_no_in_its_own_words_is_answered_at_once(library: Library) -> None:
    with recording() as trace:
        SelfAsk(BM25(library.store), library.store, ScriptedLLM(["No follow up questions needed."])).retrieve(QUERY, 3)
    assert trace.facts["self_ask.follow_ups"] == []
    assert not trace.fallbacks


def test_a_model_whose_turn_ends_with_the_intermediate_answer_is_asked_to_go_on(library: Library) -> None:
    llm = ScriptedLLM(
        [
            "Yes.\nFollow up: Who designed the Long Tower?",
            "The Long Tower was designed by Ada Stone.\nShe was an architect.",
            "Follow up: Where did Ada Stone come from?",
            "Norwick",
            "The final answer is: Norwick",
        ]
    )
    with recording() as trace:
        SelfAsk(BM25(library.store), library.store, llm).retrieve(QUERY, 3)
    assert trace.facts["self_ask.follow_ups"] == ["Who designed the Long Tower?", "Where did Ada Stone come from?"]
    assert trace.facts["self_ask.answer"] == "Norwick"
    assert not trace.fallbacks
    gone_on = llm.requests[2].messages[-1].content
    assert gone_on.endswith(
        "Follow up: Who designed the Long Tower?\nIntermediate answer: The Long Tower was designed by Ada Stone.\n"
    )
    assert (
        "Intermediate answer: The Long Tower was designed by Ada Stone.\nFollow up: Where did"
        in llm.requests[3].messages[-1].content
    )


def test_a_model_that_leaves_the_form_twice_is_counted(library: Library) -> None:
    llm = ScriptedLLM(["Yes.\nFollow up: Who designed the Long Tower?", "Ada Stone", "That is all."])
    with recording() as trace:
        found = SelfAsk(BM25(library.store), library.store, llm).retrieve(QUERY, 3)
    assert len(found)
    assert trace.fallbacks == {"self_ask.failed": 1}


def test_it_stops_at_the_limit_and_at_a_repetition(library: Library) -> None:
    endless = ScriptedLLM(lambda request: _step("x", "Who designed the Long Tower?"))
    SelfAsk(BM25(library.store), library.store, endless).retrieve(QUERY, 3)
    assert len(endless.requests) == 2, "the second step repeats the first follow-up"
    busy = ScriptedLLM([_step("x", f"Who is number {i}?") for i in range(9)])
    SelfAsk(BM25(library.store), library.store, busy, follow_ups=3).retrieve(QUERY, 3)
    assert len(busy.requests) == 3


def test_an_unreadable_step_ends_the_loop_and_is_counted(library: Library) -> None:
    with recording() as trace:
        found = SelfAsk(BM25(library.store), library.store, ScriptedLLM(["no json at all"])).retrieve(QUERY, 3)
    assert len(found)
    assert trace.fallbacks == {"self_ask.failed": 1}
