"""What other chat programs speak, by their own clients: OpenAI's responses and completions, Ollama's interface; and pages of elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import ollama
import pytest
from fastapi.testclient import TestClient
from openai import BadRequestError, OpenAI
from openapi_spec_validator import validate

from decoct import Document, Library
from decoct.errors import ConfigError
from decoct.llm.base import Request
from decoct.server.settings import allowed_recipes, checked_origins
from decoct_testing.scripted import ScriptedLLM

Serve = Callable[..., TestClient]
MODEL = "bridges/default"
ASKED = "When was the bridge opened?"
CHAT: list[dict[str, str]] = [{"role": "user", "content": ASKED}]


@pytest.fixture
def official(client: TestClient) -> OpenAI:
    return OpenAI(base_url="http://127.0.0.1/v1", api_key="none", http_client=client, max_retries=0)


def test_responses_whole(official: OpenAI) -> None:
    reply = official.responses.create(model=MODEL, input=ASKED)
    assert "1934" in reply.output_text
    content: Any = reply.output[0]
    cited = content.content[0].annotations[0]
    assert reply.output_text[cited.start_index : cited.end_index] == "[1]"
    assert cited.url.startswith("http://127.0.0.1/source?")
    assert reply.usage is not None
    assert reply.usage.total_tokens > 0


def test_responses_as_a_stream_add_up(official: OpenAI) -> None:
    whole = official.responses.create(model=MODEL, input=ASKED)
    with official.responses.stream(model=MODEL, input=CHAT) as stream:  # type: ignore[arg-type]
        events = list(stream)
        final = stream.get_final_response()
    assert (
        final.output_text
        == whole.output_text
        == "".join(one.delta for one in events if one.type == "response.output_text.delta")
    )
    assert [one.type for one in events][:2] == ["response.created", "response.in_progress"]
    assert "response.output_text.annotation.added" in {one.type for one in events}
    numbers = [one.sequence_number for one in events]
    assert numbers == sorted(numbers)


def test_responses_go_on_with_a_conversation_and_say_what_they_cannot(official: OpenAI, client: TestClient) -> None:
    before: Any = [
        {"role": "user", "content": [{"type": "input_text", "text": "How high is the tower?"}]},
        {
            "role": "assistant",
            "content": [{"type": "output_text", "text": "The tower is 80 metres high.", "annotations": []}],
        },
        {"role": "user", "content": "And where was its clock made?"},
    ]
    told = official.responses.create(model=MODEL, input=before, instructions="Be brief.")
    assert "Bern" in told.output_text
    extra: Any = told.model_extra
    assert extra["decoct"]["ignored"] == ["instructions"]
    with pytest.raises(BadRequestError, match="previous_response_id"):
        official.responses.create(model=MODEL, input="x", previous_response_id="resp_1")
    for given in (3, [], [3], [{"role": "user", "content": 3}]):
        assert client.post("/v1/responses", json={"model": MODEL, "input": given}).status_code == 422


def test_responses_in_json_with_a_model(serve: Serve) -> None:
    def reply(request: Request) -> str:
        return "In 1934 [1]." if request.schema is None else '{"year": 1934}'

    official = OpenAI(base_url="http://127.0.0.1/v1", api_key="none", http_client=serve(llm=ScriptedLLM(reply)))
    schema = {"type": "object", "properties": {"year": {"type": "integer"}}, "required": ["year"]}
    form: Any = {"format": {"type": "json_schema", "name": "opened", "schema": schema}}
    whole = official.responses.create(model=MODEL, input=ASKED, text=form)
    assert whole.output_text == '{"year": 1934}'
    assert whole.text is not None
    assert whole.text.to_dict() == form
    with official.responses.stream(model=MODEL, input=ASKED, text=form) as stream:
        deltas = [one.delta for one in stream if one.type == "response.output_text.delta"]
    assert "".join(deltas) == '{"year": 1934}'


def test_what_responses_drop_is_named_as_the_request_calls_it(client: TestClient) -> None:
    given = [
        {"type": "reasoning", "summary": []},
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Hello."}, {"type": "input_image", "image_url": "x"}],
        },
        {"role": "system", "content": "Be brief."},
        {"type": "item_reference", "id": "1"},
        {"role": "user", "content": ASKED},
    ]
    asked = {"model": MODEL, "input": given, "temperature": 1, "store": False, "text": {"verbosity": "low"}}
    told = client.post("/v1/responses", json=asked).json()["decoct"]["ignored"]
    assert told == [
        "input[0]",
        "input[1].input_image",
        "input[3]",
        "store",
        "temperature",
        "text.verbosity",
        "input[2]",
    ]


def test_what_completions_and_ollama_drop_is_named(client: TestClient) -> None:
    prompted = client.post(
        "/v1/completions",
        json={"model": MODEL, "prompt": ASKED, "suffix": ".", "echo": True, "stream_options": {"own": 1}},
    ).json()
    assert prompted["decoct"]["ignored"] == ["echo", "stream_options.own", "suffix"]
    turns = [{"role": "user", "content": "See.", "images": ["aGk="]}, {"role": "assistant", "content": "I see."}, *CHAT]
    asked = {"model": MODEL, "messages": turns, "stream": False, "keep_alive": "5m", "options": {"num_ctx": 4096}}
    told = client.post("/api/chat", json=asked).json()["decoct"]["ignored"]
    assert told == ["keep_alive", "messages[0].images", "options.num_ctx"]


def test_responses_in_json_are_refused_without_a_model_and_without_a_schema(official: OpenAI, serve: Serve) -> None:
    form: Any = {"format": {"type": "json_schema", "name": "opened", "schema": {"type": "object"}}}
    with pytest.raises(BadRequestError, match="needs a language model"):
        official.responses.create(model=MODEL, input=ASKED, text=form)
    plain: Any = {"format": {"type": "text"}}
    assert "1934" in official.responses.create(model=MODEL, input=ASKED, text=plain).output_text
    with_model = serve(llm=ScriptedLLM(lambda _: "In 1934 [1]."))
    empty = {"model": MODEL, "input": ASKED, "text": {"format": {"type": "json_schema", "name": "opened"}}}
    assert with_model.post("/v1/responses", json=empty).status_code == 400


def test_completions(official: OpenAI) -> None:
    reply = official.completions.create(model=MODEL, prompt=ASKED)
    assert "1934" in reply.choices[0].text
    pieces = list(
        official.completions.create(model=MODEL, prompt=ASKED, stream=True, stream_options={"include_usage": True})
    )
    assert "".join(one.choices[0].text for one in pieces if one.choices) == reply.choices[0].text
    assert pieces[-1].usage == reply.usage
    assert [one.choices[0].finish_reason for one in pieces if one.choices][-1] == "stop"


def test_token_ids_are_read_as_openais_embedding_models_number_them(
    client: TestClient, official: OpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    import llama_index.core
    import tiktoken

    carried = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"  # no fetching in a test
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(carried))
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})  # what is opened here is no other test's
    text = "an old bridge"
    ids = tiktoken.get_encoding("cl100k_base").encode(text)
    as_text = official.embeddings.create(model="minilm", input=text).data[0].embedding
    for given in (ids, [ids]):
        assert official.embeddings.create(model="minilm", input=given).data[0].embedding == as_text
    refused = client.post("/v1/embeddings", json={"model": "minilm", "input": [[99_999_999]]})
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, "input")


class _Bridge(httpx.BaseTransport):
    """Hands a client's requests to the server in process."""

    def __init__(self, client: TestClient) -> None:
        self._client = client

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        headers = {name: value for name, value in request.headers.items() if name != "content-length"}
        answer = self._client.request(
            request.method, request.url.raw_path.decode(), content=request.read(), headers=headers
        )
        return httpx.Response(
            answer.status_code, headers={"content-type": answer.headers["content-type"]}, content=answer.content
        )


@pytest.fixture
def local(client: TestClient) -> ollama.Client:
    return _ollama(client)


def _ollama(client: TestClient) -> ollama.Client:
    found = ollama.Client(host="http://127.0.0.1")
    found._client = httpx.Client(base_url="http://127.0.0.1", transport=_Bridge(client))
    return found


def test_ollama_lists_and_shows(serve: Serve) -> None:
    client = serve(recipes=allowed_recipes(["default"]))
    local = _ollama(client)
    assert [one.model for one in local.list().models] == ["bridges/default:latest", "default:latest"]
    assert local.show("bridges/default:latest").capabilities == ["completion"]
    assert client.get("/api/version").json()["version"]
    with pytest.raises(ollama.ResponseError, match="there is no model") as error:
        local.show("nothing")
    assert error.value.status_code == 404


def test_ollama_chats_whole_and_as_lines(local: ollama.Client, client: TestClient) -> None:
    whole = local.chat(model=f"{MODEL}:latest", messages=CHAT)
    assert "1934" in str(whole.message.content)
    assert (whole.done, whole.done_reason) == (True, "stop")
    lines = list(local.chat(model=MODEL, messages=CHAT, stream=True))
    assert "".join(str(one.message.content) for one in lines) == whole.message.content
    assert lines[-1].done
    raw = client.post("/api/chat", json={"model": MODEL, "messages": CHAT})  # streamed unless it is turned off
    assert raw.headers["content-type"].startswith("application/x-ndjson")
    assert raw.headers["x-accel-buffering"] == "no"
    assert json.loads(raw.text.splitlines()[-1])["decoct"]["found"] is True


def test_ollama_follows_loads_and_refuses(local: ollama.Client, client: TestClient) -> None:
    before = [
        {"role": "user", "content": "How high is the tower?"},
        {"role": "assistant", "content": "The tower is 80 metres high."},
    ]
    asked = [*before, {"role": "user", "content": "And where was its clock made?"}]
    assert "Bern" in str(local.chat(model=MODEL, messages=asked).message.content)
    assert local.chat(model=MODEL, messages=[]).done_reason == "load"
    described = client.get("/openapi.json").json()["paths"]["/api/chat"]["post"]["responses"]["404"]
    assert described["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/OllamaErrorOut"}
    with pytest.raises(ollama.ResponseError, match="only text"):
        local.chat(model=MODEL, messages=[{**CHAT[0], "images": ["aGVsbG8="]}])
    with pytest.raises(ollama.ResponseError, match=r"needs a language model.*ask for text"):
        local.chat(model=MODEL, messages=CHAT, format="json")


def test_ollama_completes_a_prompt(local: ollama.Client, client: TestClient) -> None:
    whole = local.generate(model=MODEL, prompt=CHAT[0]["content"])
    assert "1934" in str(whole.response)
    lines = list(local.generate(model=MODEL, prompt=CHAT[0]["content"], stream=True))
    assert "".join(str(one.response) for one in lines) == whole.response
    assert lines[-1].done
    assert local.generate(model=MODEL, prompt="").done_reason == "load"
    told = client.post("/api/generate", json={"model": MODEL, "prompt": "x", "raw": True, "system": "Be kind."}).text
    assert set(json.loads(told.splitlines()[-1])["decoct"]["ignored"]) == {"raw", "messages[0]"}
    with pytest.raises(ollama.ResponseError, match="only text"):
        local.generate(model=MODEL, prompt="x", images=["aGVsbG8="])
    assert not local.ps().models


def test_ollama_embeds(local: ollama.Client, client: TestClient) -> None:
    vectors = local.embed(model="bridges:latest", input=["a bridge", "a tower"]).embeddings
    assert len(vectors) == 2
    assert list(local.embeddings(model="bridges", prompt="a bridge").embedding) == list(vectors[0])
    assert len(local.embed(model="bridges", input="a bridge", dimensions=8).embeddings[0]) == 8
    openai = client.post("/v1/embeddings", json={"model": "bridges", "input": "a bridge"}).json()
    assert openai["data"][0]["embedding"] == list(vectors[0])
    with pytest.raises(ollama.ResponseError, match="no embedder 'none'; there are bridges, minilm"):
        local.embed(model="none", input="a bridge")


def test_ollama_takes_json_that_is_not_said_to_be_some(client: TestClient) -> None:
    """As Ollama does; a proxy for many models sends it so. A page of elsewhere is told by its origin."""
    asked = json.dumps({"model": MODEL, "messages": CHAT, "stream": False}).encode()
    assert "1934" in client.post("/api/chat", content=asked).json()["message"]["content"]
    assert client.post("/api/chat", content=asked, headers={"Origin": "http://evil.test"}).status_code == 403
    assert client.post("/v1/chat/completions", content=asked).status_code in {415, 422}


PAGE = "http://localhost:3000"


def test_a_page_of_elsewhere_may_ask_where_it_is_allowed(serve: Serve) -> None:
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,x-stainless-os"}
    body = {"model": MODEL, "messages": CHAT}
    closed = serve()
    assert closed.options("/v1/chat/completions", headers={"Origin": PAGE, **asks}).status_code == 403
    assert closed.post("/v1/chat/completions", json=body, headers={"Origin": PAGE}).status_code == 403
    client = serve(origins=checked_origins([PAGE + "/"]))
    seen = client.options("/v1/chat/completions", headers={"Origin": PAGE, **asks, "Sec-Fetch-Site": "cross-site"})
    assert (seen.status_code, seen.headers["access-control-allow-origin"]) == (204, PAGE)
    assert seen.headers["access-control-allow-headers"] == "authorization,x-stainless-os"
    told = client.post("/v1/chat/completions", json=body, headers={"Origin": PAGE, "Sec-Fetch-Site": "cross-site"})
    assert (told.status_code, told.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "access-control-allow-credentials" not in told.headers
    assert client.post("/v1/chat/completions", json=body, headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.get("/", headers={"Origin": PAGE}).status_code == 403  # pages are ours alone


@pytest.mark.parametrize("origin", ["*", "localhost:3000", "http://a.example/page", "ftp://a.example"])
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(ConfigError, match="origin"):
        checked_origins([origin])


def test_the_description_is_valid_and_every_route_of_programs_tells_what_it_answers(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    validate(described)
    silent = [
        f"{method} {path}"
        for path, item in described["paths"].items()
        for method, one in item.items()
        if path.startswith(("/v1/", "/api/")) and not _says(one["responses"])
    ]
    assert silent == []


def _says(responses: dict[str, Any]) -> bool:
    """Whether a good response has a schema, or needs none."""
    good = {status: one for status, one in responses.items() if status.startswith("2")}
    contents = [kind.get("schema") for one in good.values() for kind in one.get("content", {}).values()]
    return "204" in good or (bool(contents) and all(contents))


def test_code_in_an_answer_is_the_documents_own_and_a_picture_in_it_is_not_fetched(
    serve: Serve, tmp_path: Path
) -> None:
    text = "The frobnicator reads its name from argv[1] and shows the picture ![logo](http://a.example/x.png) at once."
    with Library.open(tmp_path / "own") as library:
        library.add(Document("own", text))
    client = serve(libraries={"own": tmp_path / "own"})
    question = "Where does the frobnicator read its name from?"
    chat = client.post(
        "/v1/chat/completions", json={"model": "own/default", "messages": [{"role": "user", "content": question}]}
    )
    said = chat.json()["choices"][0]["message"]["content"]
    assert f"{text.replace('![', '!［')} [1]" in said
    asked = client.post("/api/v1/libraries/own/ask", json={"question": question}).json()
    assert f"{text} [1]" in asked["answer"]
