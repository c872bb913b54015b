"""OpenAI's chat as a request: what is read, passed over, and refused, field by field."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi")

from pydantic import ValidationError

from decoct.conversation.turns import Turn
from decoct.server.chat_asked import LONGEST_QUESTION, ChatIn, DecoctOptions, ResponseFormat
from decoct.server.problems import ProblemError

QUESTION = {"role": "user", "content": "When was the bridge opened?"}


def chat(*messages: dict[str, Any], **fields: object) -> ChatIn:
    return ChatIn.model_validate({"model": "handbook", "messages": list(messages) or [QUESTION], **fields})


def refused(asked: ChatIn) -> tuple[int, str | None]:
    with pytest.raises(ProblemError) as found:
        asked.question()
    return found.value.status_code, found.value.param


def test_the_last_message_of_the_user_is_the_question() -> None:
    said = chat({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which bridge?"},
                {"role": "assistant", "content": "The old one."}, QUESTION, {"role": "assistant", "content": ""})  # fmt: skip
    assert said.question() == "When was the bridge opened?"
    assert said.before() == [Turn("user", "Which bridge?"), Turn("assistant", "The old one.")]
    assert said.ignored() == ["messages[0]", "messages[4]"]


def test_parts_of_text_are_joined() -> None:
    parts = [{"type": "text", "text": "When was"}, {"type": "text", "text": "it opened?"}]
    assert chat({"role": "user", "content": parts}).question() == "When was\nit opened?"


@pytest.mark.parametrize(
    "part", [{"type": "image_url", "image_url": {}}, {"type": "text"}, {"type": "text", "text": 3}]
)
def test_other_parts_are_refused(part: dict[str, Any]) -> None:
    assert refused(chat({"role": "user", "content": [part]})) == (400, "messages")


@pytest.mark.parametrize("field", ["tool_choice", "function_call", "audio", "web_search_options"])
def test_what_this_server_cannot_do_is_refused_by_its_field(field: str) -> None:
    assert refused(chat(**{field: ["x"]})) == (400, field)
    assert chat(**{field: None}).question() == QUESTION["content"]


def test_one_answer_is_given() -> None:
    assert refused(chat(n=2)) == (400, "n")
    assert chat(n=1).question() == chat(n=None).question()


@pytest.mark.parametrize("content", ["", " \n", None, []])
def test_an_empty_question_is_none(content: object) -> None:
    assert refused(chat({"role": "user", "content": content})) == (422, "messages")


def test_a_chat_without_a_user_asks_nothing() -> None:
    assert refused(chat({"role": "assistant", "content": "Hello."})) == (422, "messages")


def test_the_longest_question_is_allowed_and_one_more_character_is_not() -> None:
    assert len(chat({"role": "user", "content": "x" * LONGEST_QUESTION}).question()) == LONGEST_QUESTION
    assert refused(chat({"role": "user", "content": "x" * (LONGEST_QUESTION + 1)})) == (422, "messages")


def test_what_is_dropped_of_a_long_chat_is_named() -> None:
    turns = [{"role": role, "content": "x"} for _ in range(500) for role in ("user", "assistant")]
    assert chat(*turns, QUESTION).ignored() == ["messages[0:988]"]
    assert chat(*turns, QUESTION, decoct={"history": "none"}).ignored() == ["messages[0:1000]"]
    assert chat(*turns, QUESTION, decoct={"history": "none"}).before() is None


def test_every_field_that_is_passed_over_is_listed() -> None:
    """Those that OpenAI does not know were dropped without a word."""
    asked = chat(temperature=0.5, top_p=1, own_field=3, seed=None, stop=[])
    assert asked.ignored() == ["own_field", "temperature", "top_p"]


def test_what_a_stream_cannot_tell_is_listed() -> None:
    """It was dropped without a word."""
    asked = chat(stream=True, stream_options={"include_usage": True, "include_obfuscation": False, "own": None})
    assert asked.ignored() == ["stream_options.include_obfuscation"]


def test_a_name_that_is_told_back_is_short_and_can_be_written() -> None:
    """Half a surrogate pair as the kind of a part could not be sent: 500."""
    part = {"role": "user", "content": [{"type": "\ud800"}, {"type": "text", "text": "See this."}]}
    told = chat(part, QUESTION, **{"x" * 1_000: 1}).ignored()
    assert [len(one) for one in told] == [13, 200]
    assert "".join(told).encode()


def test_fields_of_a_turn_that_are_passed_over_are_listed() -> None:
    called = {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"id": "1"}],
        "refusal": None,
        "annotations": [],
    }
    asked = chat(
        {"role": "user", "content": "See.", "name": "ann"}, called, {"role": "tool", "content": "80"}, QUESTION
    )
    assert asked.ignored() == ["messages[0].name", "messages[1].tool_calls", "messages[2]"]


@pytest.mark.parametrize(
    "fields",
    [{"model": ""}, {"messages": []}, {"messages": [QUESTION] * 5_001}, {"messages": [{"role": "robot", "content": "x"}]},
     {"decoct": {"budjet": 3}}, {"decoct": {"budget": -1}}, {"decoct": {"budget": 200_001}}, {"decoct": {"history": "all"}}],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        chat(**fields)


@pytest.mark.parametrize("budget", [None, 2000, "5x", 200_000])
def test_budgets_as_tokens_and_as_chunks(budget: object) -> None:
    assert chat(decoct={"budget": budget}).options.budget == budget


def test_nulls_stand_where_openai_allows_them() -> None:
    asked = chat(stream=None, decoct=None, tool_choice=None, response_format=None, stream_options=None, n=None)
    assert asked.question() == QUESTION["content"]
    assert asked.options == DecoctOptions(history="follow")


@pytest.mark.parametrize("choice", [{}, {"tool_choice": "none"}, {"tool_choice": "auto"}, {"function_call": "auto"}])
def test_tools_that_need_not_be_called_are_passed_over_and_listed(choice: dict[str, Any]) -> None:
    """Open WebUI offers its own with every question; was: a refusal in the place of each answer."""
    asked = chat(tools=[{"type": "function"}], functions=[{"name": "add"}], **choice)
    assert asked.question() == QUESTION["content"]
    assert asked.ignored() == sorted(["functions", "tools", *choice.keys() - {"tool_choice"}])


def test_a_call_that_is_insisted_on_is_refused() -> None:
    for choice in ("required", {"type": "function", "function": {"name": "add"}}):
        assert refused(chat(tools=[{"type": "function"}], tool_choice=choice)) == (400, "tool_choice")
    assert refused(chat(functions=[{"name": "add"}], function_call={"name": "add"})) == (400, "function_call")


def test_a_picture_in_an_earlier_turn_is_passed_over_and_named() -> None:
    """It was refused: the chat was dead for good."""
    picture = {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {}}, {"type": "text", "text": "See this."}],
    }
    asked = chat(picture, {"role": "assistant", "content": "I see."}, QUESTION)
    assert asked.question() == QUESTION["content"]
    assert asked.before() == [Turn("user", "See this."), Turn("assistant", "I see.")]
    assert asked.ignored() == ["messages[0].image_url"]


def test_a_long_chat_goes_on() -> None:
    turns = [{"role": role, "content": "x"} for _ in range(1_000) for role in ("user", "assistant")]
    assert chat(*turns, QUESTION).question() == QUESTION["content"]


@pytest.mark.parametrize(
    ("given", "schema"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, {"type": "object"}),
        ({"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "array"}}}, {"type": "array"}),
    ],
)
def test_the_form_of_an_answer(given: dict[str, Any], schema: object) -> None:
    wanted = chat(response_format=given).response_format
    assert wanted is not None
    assert wanted.schema_wanted == schema
    with pytest.raises(ProblemError, match="schema"):
        _ = ResponseFormat(type="json_schema", json_schema={"name": "a"}).schema_wanted
