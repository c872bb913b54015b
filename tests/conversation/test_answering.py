"""Asking in a conversation: by rule, by a model, declined."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.conversation.turns import Turn, turns_of
from decoct.errors import ConfigError
from decoct.llm.base import Request
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

BEFORE = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Who painted the Elm Bridge?"},
    {"role": "assistant", "content": "The Elm Bridge was painted by Ada Green. [1]"},
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("lib"), embedder=HashEmbedder()) as opened:
        opened.add(
            [
                Document(
                    "bridge",
                    "The Elm Bridge was opened in 1934. The Elm Bridge was painted by Ada Green.",
                    "Elm Bridge",
                ),
                Document("ada", "Ada Green was a painter. Ada Green was born in Bern in 1901.", "Ada Green"),
                Document("tower", "Karl Ott was born in Basel in 1880. He built the tower.", "Karl Ott"),
            ]
        )
        yield opened


def test_a_follow_up_is_answered_about_whom_it_means(library: Library) -> None:
    answer = library.ask("And where was she born?", history=BEFORE)
    assert answer.context.question == "Where was Ada Green born?"
    assert "Bern" in answer.text
    assert answer.trace.facts["asked"] == {"question": "And where was she born?", "how": "completed"}
    assert answer.trace.stages[0].name == "understand"


def test_answers_and_pairs_are_a_history_too(library: Library) -> None:
    first = library.ask("Who painted the Elm Bridge?", history=[])
    assert library.ask("And where was she born?", history=[first]).context.question == "Where was Ada Green born?"
    pair = ("Who painted the Elm Bridge?", "It was Ada Green.")
    assert turns_of([pair]) == (Turn("user", pair[0]), Turn("assistant", pair[1]))
    with pytest.raises(ConfigError, match="earlier turn"):
        turns_of(["Who?"])  # type: ignore[list-item]
    with pytest.raises(ConfigError, match="are a list"):
        turns_of({"role": "user", "content": "Who?"})  # type: ignore[dict-item]
    with pytest.raises(ConfigError, match=r"role \(user or assistant\)"):
        turns_of([{"role": "human", "content": "Who?"}])


@pytest.mark.parametrize("question", ["thanks!", "Translate that to German."])
def test_what_asks_nothing_is_declined_without_looking_anything_up(library: Library, question: str) -> None:
    pieces: list[str] = []
    answer = library.ask(question, history=BEFORE, sink=pieces.append)
    assert (answer.outcome, answer.citations, answer.context.passages) == ("not-found", (), ())
    assert "".join(pieces) == answer.text
    assert [stage.name for stage in answer.trace.stages] == []


def test_a_question_that_nothing_explains_says_what_is_missing(library: Library) -> None:
    answer = library.ask("When did he die?", history=[])
    assert answer.outcome == "not-found"
    assert "“he”" in answer.text


def test_without_a_history_nothing_changes(library: Library) -> None:
    assert library.ask("And where was she born?").context.question == "And where was she born?"


def test_a_second_reading_is_asked_where_the_first_has_no_answer(library: Library) -> None:
    pieces: list[str] = []
    answer = library.ask("In which year was the painter born?", history=BEFORE, sink=pieces.append)
    assert "1901" in answer.text
    assert "".join(pieces) == answer.text


@pytest.mark.parametrize("said", [" ", "?", "…"])
def test_a_model_that_says_nothing_leaves_the_question(library: Library, said: str) -> None:
    library.llm = ScriptedLLM(lambda request: said if "conversation" in request.messages[0].content else "In Bern [1].")
    try:
        assert library.ask("And where was she born?", history=BEFORE).context.question == "And where was she born?"
    finally:
        library.llm = None


def test_a_model_rewrites_by_one_call_that_is_shown(library: Library) -> None:
    def reply(request: Request) -> str:
        return "Where was Ada Green born?" if "conversation" in request.messages[0].content else "In Bern [1]."

    library.llm = model = ScriptedLLM(reply)
    try:
        answer = library.ask("And where was she born?", history=BEFORE)
        assert answer.text == "In Bern [1]."
        assert len(model.requests) == 2
        assert "Elm Bridge" in model.requests[0].messages[-1].content
        assert "Be kind" not in model.requests[0].messages[-1].content
        assert answer.trace.facts["asked"] == {"question": "And where was she born?", "how": "rewritten"}
        library.ask("Where was Karl Ott born?", history=[])
        assert len(model.requests) == 3  # nothing before it: nothing to rewrite
        library.ask("thanks", history=BEFORE)
        assert len(model.requests) == 3
    finally:
        library.llm = None


def test_what_an_answer_cites_tells_which_document_is_spoken_of(tmp_path: Path) -> None:
    with Library.open(tmp_path / "manuals", embedder=HashEmbedder()) as manuals:
        alpha = "idle_timeout closes a session that sends nothing. The default value is 30 seconds."
        beta = "The reaper ends jobs that hang. The default value is 10 minutes."
        manuals.add([Document("alpha", alpha, "Alpha manual"), Document("beta", beta, "Beta manual")])
        first = manuals.ask("What closes a session that sends nothing?", history=[])
        then = manuals.ask("What is the default value?", history=[first])
        assert then.context.question == "What is the default value (idle_timeout) (Alpha manual)?"
        assert "30 seconds" in then.text


def test_what_is_put_right_is_no_comment(library: Library) -> None:
    """Was: "That is no question …"."""
    answer = library.ask("sorry, I meant opened", history=BEFORE)
    assert answer.trace.facts["asked"] == {"question": "sorry, I meant opened", "how": "completed"}
