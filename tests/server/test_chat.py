"""OpenAI's interface, by the official client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from openai import AsyncOpenAI, BadRequestError, OpenAI, UnprocessableEntityError
from openai.types.chat import ChatCompletion
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter

from decoct.llm.base import Request
from decoct.server.settings import allowed_recipes
from decoct_testing.scripted import ScriptedLLM

Serve = Callable[..., TestClient]

ASKED: dict[str, Any] = {
    "model": "bridges/default",
    "messages": [{"role": "user", "content": "When was the bridge opened?"}],
}


@pytest.fixture
def official(client: TestClient) -> OpenAI:
    return OpenAI(base_url="http://127.0.0.1/v1", api_key="none", http_client=client, max_retries=0)


def test_an_answer_with_its_citations_as_annotations(official: OpenAI, client: TestClient) -> None:
    reply = official.chat.completions.create(**ASKED, temperature=0.3, extra_body={"decoct": {"budget": 100}})
    message = reply.choices[0].message
    assert message.content is not None
    assert message.annotations
    cited = message.annotations[0].url_citation
    assert message.content[cited.start_index : cited.end_index] == "[1]"
    assert cited.title == "Old bridge"
    told = reply.model_extra["decoct"]
    assert (told["found"], told["limit"], told["ignored"]) == (True, 100, ["temperature"])
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == told["tokens"]
    assert cited.url.startswith("http://127.0.0.1/source?library=bridges&doc_id=bridge&")


def test_caution_is_taken_as_by_ask(official: OpenAI) -> None:
    reply = official.chat.completions.create(**ASKED, extra_body={"decoct": {"caution": 1}})
    assert reply.model_extra["decoct"]["outcome"] == "passages"


def test_a_stream_adds_up_to_the_answer_and_its_annotations(official: OpenAI) -> None:
    whole = official.chat.completions.create(**ASKED).choices[0].message
    with official.chat.completions.stream(**ASKED, stream_options={"include_usage": True}) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    message = final.choices[0].message
    assert message.content == whole.content
    assert message.annotations == whole.annotations
    assert final.usage is not None
    assert final.usage.total_tokens > 0


def test_the_asynchronous_client(serve: Serve) -> None:
    app = serve().app

    async def ask() -> str:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport) as http:
            official = AsyncOpenAI(base_url="http://127.0.0.1/v1", api_key="none", http_client=http)
            reply = await official.chat.completions.create(**ASKED)
            return str(reply.choices[0].message.content)

    assert "1934" in asyncio.run(ask())


def test_a_model_writes_and_what_it_writes_is_streamed(serve: Serve) -> None:
    llm = ScriptedLLM(["It was opened in 1934 [1], not before [7]."])
    official = OpenAI(base_url="http://127.0.0.1/v1", api_key="none", http_client=serve(llm=llm))
    pieces = list(official.chat.completions.create(**ASKED, stream=True))
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert text == "It was opened in 1934 [1], not before."
    assert sum(bool(piece.choices[0].delta.content) for piece in pieces) > 2


BEFORE: list[Any] = [
    {"role": "user", "content": "Tell me of the old bridge"},
    {"role": "assistant", "content": "It is red [1]."},
]


def extra(reply: ChatCompletion) -> dict[str, Any]:
    return dict((reply.model_extra or {})["decoct"])


def test_a_chat_is_rewritten_into_a_question_unless_it_is_turned_off(serve: Serve) -> None:
    def replies(request: Request) -> str:
        condenses = "conversation" in request.messages[0].content
        return "When was the old bridge opened?" if condenses else "In 1934 [1]."

    llm = ScriptedLLM(replies)
    official = OpenAI(base_url="http://127.0.0.1/v1", api_key="none", http_client=serve(llm=llm))
    chat: list[Any] = [*BEFORE, {"role": "user", "content": "When was it opened?"}]
    told = extra(official.chat.completions.create(model="bridges/default", messages=chat))
    assert "Question: When was the old bridge opened?" in llm.requests[-1].messages[-1].content
    assert told["question"] == "When was the old bridge opened?"
    assert told["asked"] == {"question": "When was it opened?", "how": "rewritten"}
    off = {"decoct": {"history": "none"}}
    told = extra(official.chat.completions.create(model="bridges/default", messages=chat, extra_body=off))
    assert "Question: When was it opened?" in llm.requests[-1].messages[-1].content
    assert told["ignored"] == ["messages[0:2]"]


def test_a_follow_up_is_understood_without_a_model(official: OpenAI) -> None:
    chat: list[Any] = [
        {"role": "user", "content": "How high is the tower?"},
        {"role": "assistant", "content": "The tower is 80 metres high. [1]"},
        {"role": "user", "content": "And where was its clock made?"},
    ]
    reply = official.chat.completions.create(model="bridges/default", messages=chat)
    assert "Bern" in str(reply.choices[0].message.content)
    assert extra(reply)["question"] == "Where was the tower's clock made?"


@pytest.mark.parametrize(
    "said",
    [
        "thanks!",
        "Translate that to German.",
        "### Task:\nGenerate a concise, 3-5 word title summarizing the chat history.",
    ],
)
def test_what_asks_nothing_is_not_answered_from_the_documents(official: OpenAI, said: str) -> None:
    reply = official.chat.completions.create(
        model="bridges/default", messages=[*BEFORE, {"role": "user", "content": said}]
    )
    assert (extra(reply)["outcome"], reply.choices[0].message.annotations) == ("not-found", [])
    assert extra(reply)["asked"]["how"] == "no-question"


def test_condensing_without_a_model_is_refused(client: TestClient) -> None:
    refused = client.post("/v1/chat/completions", json={**ASKED, "decoct": {"history": "condense"}})
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, "decoct.history")


def test_embeddings_as_numbers_and_as_bytes(official: OpenAI, client: TestClient) -> None:
    found = official.embeddings.create(model="minilm", input=["a bridge", "a tower"])  # the client asks for base64
    plain = client.post("/v1/embeddings", json={"model": "bridges", "input": "a bridge"}).json()
    assert len(found.data) == 2
    assert found.data[0].embedding == pytest.approx(plain["data"][0]["embedding"], abs=1e-6)
    with pytest.raises(UnprocessableEntityError):
        official.embeddings.create(model="minilm", input="x", dimensions=385)
    many = client.post("/v1/embeddings", json={"model": "minilm", "input": ["x"] * 2_049})
    assert many.status_code == 422


def test_models_are_listed_and_found_by_name(official: OpenAI) -> None:
    assert "bridges/default" in {model.id for model in official.models.list()}
    assert official.models.retrieve("bridges/default").owned_by == "decoct"


def test_models_that_are_listed_can_be_asked(serve: Serve) -> None:
    """A chat program shows them all: of 69 recipes 44 could not run on a server without a model and without structures."""
    client = serve(recipes=allowed_recipes(["default", "bm25", "cards", "summarise"]))
    listed = [one["id"] for one in client.get("/v1/models").json()["data"]]
    assert listed == ["bridges/default", "bridges/bm25", "default", "bm25"]
    for name in listed:
        assert client.post("/v1/chat/completions", json={**ASKED, "model": name}).status_code == 200
    with_a_model = serve(recipes=allowed_recipes(["summarise"]), llm=ScriptedLLM(["x"]))
    assert [one["id"] for one in with_a_model.get("/v1/models").json()["data"]] == [
        f"{place}{name}" for place in ("bridges/", "") for name in ("default", "summarise")
    ]


def test_the_first_models_are_those_to_know_first() -> None:
    """A chat program chooses the first of the list where nobody does."""
    assert [*allowed_recipes(())][:2] == ["default", "merge-links"]
    assert [*allowed_recipes(["naive", "default"])] == ["naive", "default"]


def test_default_is_the_first_of_the_servers_recipes(serve: Serve) -> None:
    """Who names no recipe means it: a server of `naive` alone refused every such request."""
    client = serve(recipes=allowed_recipes(["naive", "bm25"]))
    told = {one["name"]: one["description"] for one in client.get("/api/v1/recipes").json()["recipes"]}
    assert [*told] == ["default", "naive", "bm25"]
    assert told["default"] == told["naive"]
    asked = {"question": "When was the Aare bridge opened?"}
    own, named = (
        client.post("/api/v1/libraries/bridges/context", json={**asked, **recipe})
        for recipe in ({}, {"recipe": "naive"})
    )
    assert own.status_code == named.status_code == 200
    assert own.json()["text"] == named.json()["text"]
    for route in ("ask", "search"):
        assert client.post(f"/api/v1/libraries/bridges/{route}", json=asked).status_code == 200
    assert client.post("/v1/chat/completions", json={**ASKED, "model": "bridges/default"}).status_code == 200


SCHEMA = {"type": "object", "properties": {"year": {"type": "integer"}}, "required": ["year"]}
FORMAT: Any = {"type": "json_schema", "json_schema": {"name": "opened", "schema": SCHEMA}}


def test_json_of_a_schema_with_a_model(serve: Serve) -> None:
    def reply(request: Any) -> str:
        return "In 1934 [1]." if request.schema is None else '{"year": 1934}'

    official = OpenAI(base_url="http://127.0.0.1/v1", api_key="none", http_client=serve(llm=ScriptedLLM(reply)))
    whole = official.chat.completions.create(**ASKED, response_format=FORMAT)
    assert whole.choices[0].message.content == '{"year": 1934}'
    assert whole.choices[0].message.annotations == []
    pieces = list(official.chat.completions.create(**ASKED, response_format=FORMAT, stream=True))
    text = "".join(one.choices[0].delta.content or "" for one in pieces if one.choices)
    assert text == '{"year": 1934}'


def test_json_of_a_schema_without_a_model_is_refused(official: OpenAI) -> None:
    with pytest.raises(BadRequestError, match="language model") as error:
        official.chat.completions.create(**ASKED, response_format=FORMAT)
    assert error.value.response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    "more",
    [
        {"stream": None}, {"n": None}, {"stop": None}, {"tool_choice": "none"}, {"stream_options": None}, {"temperature": None},
        {"response_format": {"type": "text"}}, {"tools": [], "tool_choice": "auto"}, {"user": "me", "seed": 3, "max_completion_tokens": 9},
    ],
    ids=str,
)  # fmt: skip
def test_what_openais_own_types_allow_is_answered(client: TestClient, more: dict[str, Any]) -> None:
    body = {**ASKED, **more}
    TypeAdapter(CompletionCreateParamsNonStreaming).validate_python(body)
    answer = client.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    assert ChatCompletion.model_validate(answer.json()).choices[0].finish_reason == "stop"


def test_what_no_retry_mends_is_not_retried(client: TestClient) -> None:
    """OpenAI's clients ask again after 409 and 501: a recipe whose structure is missing took 1.5 seconds to fail."""
    answer = client.post("/v1/chat/completions", json={**ASKED, "model": "bridges/raptor"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "missing-structure")
    assert answer.headers["x-should-retry"] == "false"
    same = client.post("/api/v1/libraries/bridges/context", json={"question": "x", "recipe": "raptor"})
    assert same.status_code == 409
