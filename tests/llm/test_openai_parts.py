"""A request as it is sent, a reply as it is read, and the options of a model: no endpoint is asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from decoct.errors import ConfigError, ReplyError
from decoct.llm.base import Message, Request
from decoct.llm.openai_wire import Said, Spent, body, likeliest_of, message_of, piece_of, refused_parameter
from decoct.settings import LocalOptions, OpenAIOptions, read_options

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
PLAIN = Request((Message("system", "Be short."), Message("user", "Who?")), max_tokens=50)
ASKED = Request(PLAIN.messages, 50, temperature=0.5, schema=SCHEMA, stop=("\n",), seed=7)


def test_a_plain_request_asks_for_no_more_than_it_needs() -> None:
    fields, lost = body("m", PLAIN, stream=False, refused=())
    assert fields == {
        "model": "m", "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Who?"}],
        "stream": False, "temperature": 0.0, "max_tokens": 50,
    }  # fmt: skip
    assert lost == []


def test_what_was_asked_for_is_sent() -> None:
    fields, lost = body("m", ASKED, stream=True, refused=())
    assert (fields["temperature"], fields["seed"], fields["stop"]) == (0.5, 7, ["\n"])
    assert fields["response_format"]["json_schema"] == {"name": "reply", "schema": SCHEMA, "strict": True}
    assert (fields["stream"], fields["stream_options"], lost) == (True, {"include_usage": True}, [])


def test_an_open_schema_is_not_called_strict() -> None:
    request = Request(PLAIN.messages, schema={"type": "object", "properties": {"a": {}}})
    fields, _ = body("m", request, stream=False, refused=())
    assert fields["response_format"]["json_schema"]["strict"] is False


def test_what_is_refused_is_left_out_and_told() -> None:
    refused = {"temperature", "seed", "stop", "stream_options"}
    fields, lost = body("m", ASKED, stream=True, refused=refused)
    assert refused.isdisjoint(fields)
    assert sorted(lost) == sorted(refused)


def test_a_limit_of_tokens_has_two_names() -> None:
    fields, lost = body("m", PLAIN, stream=False, refused={"max_tokens"})
    assert (fields["max_completion_tokens"], "max_tokens" in fields, lost) == (50, False, [])
    fields, lost = body("m", PLAIN, stream=False, refused={"max_tokens", "max_completion_tokens"})
    assert ({"max_tokens", "max_completion_tokens"} & set(fields), lost) == (set(), ["max_tokens"])


@pytest.mark.parametrize("refused", [{"logprobs"}, {"top_logprobs"}])
def test_how_likely_the_first_tokens_were_is_asked_whole_or_not_at_all(refused: set[str]) -> None:
    request = Request(PLAIN.messages, likeliest=5)
    fields, lost = body("m", request, stream=False, refused=())
    assert (fields["logprobs"], fields["top_logprobs"], lost) == (True, 5, [])
    fields, lost = body("m", request, stream=False, refused=refused)
    assert ({"logprobs", "top_logprobs"} & set(fields), lost) == (set(), ["logprobs"])


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ({"content": [{"top_logprobs": [{"token": "yes", "logprob": -0.1}, {"token": "no", "logprob": -3}]}]}, 2),
        ({"content": [{"top_logprobs": [{"token": "yes", "logprob": float("-inf")}, {"token": 4, "logprob": 0}]}]}, 0),
        ({"content": []}, 0),
        ({"content": "yes"}, 0),
        (None, 0),
    ],
)
def test_how_likely_they_were_is_read_where_it_is_told(told: Any, found: int) -> None:
    assert len(likeliest_of({"logprobs": told})) == found


def test_a_schema_that_is_refused_is_said_in_the_last_turn() -> None:
    fields, lost = body("m", ASKED, stream=False, refused={"response_format"})
    first, last = fields["messages"]
    assert (first["content"], last["role"], lost) == ("Be short.", "user", ["response_format"])
    assert "Who?" in last["content"]
    assert '"additionalProperties": false' in last["content"]
    assert "response_format" not in fields


FIELDS = body("m", ASKED, stream=True, refused=())[0]


def error(message: str, code: str | None = None, param: str | None = None) -> Any:
    return SimpleNamespace(message=message, code=code, param=param)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (error("Unsupported parameter: 'max_tokens' is not supported with this model"), ("max_tokens", True)),
        (error("Unsupported value", "unsupported_value", "temperature"), ("temperature", True)),
        (error("unknown field stream_options"), ("stream_options", True)),
        (error("Invalid schema for response_format 'reply'"), ("response_format", False)),
        (error("response_format is invalid", "invalid_json_schema"), ("response_format", False)),
        (error("This model's maximum context length is exceeded: invalid max_tokens"), (None, False)),
        (error("the stop is far"), (None, False)),  # no word of refusing
        (error("unknown user"), (None, False)),
        (error("unsupported: stopped"), (None, False)),  # another word
        (error("unsupported parameter logprobs"), (None, False)),  # not one that was sent
    ],
)
def test_which_field_an_endpoint_refuses(given: Any, found: tuple[str | None, bool]) -> None:
    assert refused_parameter(given, FIELDS) == found


def test_a_field_that_was_not_sent_cannot_be_the_one() -> None:
    fields, _ = body("m", PLAIN, stream=False, refused=())
    assert refused_parameter(error("unsupported: seed"), fields) == (None, False)


def completion(message: Any, finish: Any = "stop", usage: Any = None) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def test_a_reply_is_its_first_choice() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": None}
    assert message_of(completion({"content": "Ada."}, usage=usage), "m") == Said("Ada.", "stop", "", Spent(5, 0))
    assert message_of(completion({"content": None, "refusal": "No."}, None), "m") == Said("", None, "No.", None)
    held = SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content="Ada."), finish_reason="length")], usage=None
    )
    assert message_of(held, "m") == Said("Ada.", "length", "", None)


def test_half_a_pair_is_replaced() -> None:
    assert message_of(completion({"content": "a\ud800b"}), "m").text == "a\ufffdb"


@pytest.mark.parametrize(
    "reply",
    [
        {}, {"choices": []}, {"choices": None}, {"choices": "abc"}, {"choices": [{}]}, {"choices": ["text"]}, [], None, 5, "text",
        completion("text"), completion(["text"]), completion(5), completion(True), completion({"content": 5}),
        completion({"content": ["a"]}), completion({"content": "a"}, 5), completion({"content": "a", "refusal": {}}),
        completion({"content": "a"}, usage=5), completion({"content": "a"}, usage="many"),
        completion({"content": "a"}, usage={"prompt_tokens": "5"}), completion({"content": "a"}, usage={"prompt_tokens": -1}),
        completion({"content": "a"}, usage={"prompt_tokens": 1.5}),
    ],
)  # fmt: skip
def test_a_reply_of_another_shape_is_an_error_that_names_the_endpoint(reply: Any) -> None:
    with pytest.raises(ReplyError, match="m at http://host sent a reply"):
        message_of(reply, "m at http://host")


def test_pieces_of_a_stream_add_up() -> None:
    events = [
        {"choices": [{"delta": {"role": "assistant"}}]}, {"choices": [{"delta": {"content": "Ada "}}]},
        {"choices": [{"delta": {"content": "Green"}}]}, {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
    ]  # fmt: skip
    said = [piece_of(event, "m") for event in events]
    assert "".join(piece.text for piece in said) == "Ada Green"
    assert [piece.finish for piece in said] == [None, None, None, "stop", None]
    assert said[-1].spent == Spent(3, 2)
    for wrong in ({}, {"choices": None}, None, "data"):
        with pytest.raises(ReplyError, match="piece of a stream"):
            piece_of(wrong, "m")


def test_options_are_read_by_their_provider() -> None:
    openai = read_options({"provider": "openai", "model": "gpt", "concurrency": 4}, "llm.big")
    assert openai == OpenAIOptions(provider="openai", model="gpt", concurrency=4)
    assert read_options({"provider": "local", "model": "/m.gguf", "context": 2048}, "llm.small") == LocalOptions(
        provider="local", model="/m.gguf", context=2048
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, r"llm.big.provider: expected 'local' or 'openai', not None"),
        ({"provider": "azure", "model": "m"}, "not 'azure'"),
        ({"provider": "openai"}, "llm.big.model"),
        ({"provider": "openai", "model": ""}, "llm.big.model"),
        ({"provider": "openai", "model": "m", "timeuot": 5}, "timeout"),
        ({"provider": "local", "model": "m", "base_url": "x"}, "llm.big.base_url"),
        ({"provider": "local", "model": "m", "context": "many"}, "llm.big.context"),
    ],
)
def test_options_that_mean_nothing_are_named_with_their_place(table: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_options(table, "llm.big")
