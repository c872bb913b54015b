"""Agents of other people's frameworks call the tools, each by its own client: the words of an answer and its places reach the model.

The models are scripts: each calls `ask` once, and keeps what it is then shown. Run by `make test-services`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library

pytestmark = pytest.mark.services
WORDS = "The old bridge was opened in 1934."
ASKED = {"question": "When was the bridge opened?"}
START = [sys.executable, "-c", "from decoct.cli import main; main()", "mcp", "--library", "bridges"]
PATIENCE = 400  # seconds that a client waits for a server to start: a busy machine starts it late


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("agents")
    with Library.open(place / "bridges") as library:
        library.add([Document("bridge", WORDS, "Old bridge", metadata={"year": 1934})])
    return place


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    command = [*START, "--http", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def test_the_model_of_a_pydantic_ai_agent_sees_the_answer(folder: Path, url: str) -> None:
    """pydantic-ai gives its model the structured half alone."""
    pytest.importorskip("pydantic_ai", reason="pip install 'pydantic-ai-slim[mcp]'")
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    seen: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        given = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        if not given:
            assert "ask" in {tool.name for tool in info.function_tools}
            return ModelResponse([ToolCallPart("ask", ASKED)])
        seen.append(given[0].model_response_str())
        return ModelResponse([TextPart("done")])

    started = StdioTransport(START[0], START[1:], env=dict(os.environ), cwd=str(folder))
    for server in (started, url):
        toolset: MCPToolset[None] = MCPToolset(server, init_timeout=PATIENCE)
        assert asyncio.run(Agent(FunctionModel(model), toolsets=[toolset]).run("Ask.")).output == "done"
    assert [WORDS in one for one in seen] == [True, True]
    assert ['"doc_id":"bridge"' in one for one in seen] == [True, True]


@pytest.mark.parametrize("structured", [False, True], ids=["content", "structure"])
@pytest.mark.parametrize("by", ["stdio", "http"])
def test_the_model_of_an_openai_agent_sees_the_answer(folder: Path, url: str, by: str, structured: bool) -> None:
    """openai-agents gives its model the text, or by `use_structured_content` the structured half alone."""
    pytest.importorskip("agents", reason="pip install openai-agents")
    from agents import Agent, ModelResponse, RunConfig, Runner, Usage
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    seen: list[str] = []

    class Script(Model):
        async def get_response(self, *_: Any, **asked: Any) -> Any:
            told = [
                one for one in asked["input"] if isinstance(one, dict) and one.get("type") == "function_call_output"
            ]
            if not told:
                assert "ask" in {tool.name for tool in asked["tools"]}
                call = ResponseFunctionToolCall(
                    arguments=json.dumps(ASKED), call_id="1", name="ask", type="function_call"
                )
                return ModelResponse(output=[call], usage=Usage(), response_id=None)
            seen.append(json.dumps(told[0]["output"]))
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            last = ResponseOutputMessage(id="1", content=[text], role="assistant", status="completed", type="message")
            return ModelResponse(output=[last], usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("no stream is asked for")

    def server() -> MCPServerStdio | MCPServerStreamableHttp:
        more: Any = {"client_session_timeout_seconds": PATIENCE, "use_structured_content": structured}
        if by == "http":
            return MCPServerStreamableHttp({"url": url, "timeout": PATIENCE}, **more)
        return MCPServerStdio(
            {"command": START[0], "args": START[1:], "env": dict(os.environ), "cwd": str(folder)}, **more
        )

    async def run() -> Any:
        async with server() as tools:
            agent = Agent(name="reader", model=Script(), mcp_servers=[tools])
            return (await Runner.run(agent, "Ask.", run_config=RunConfig(tracing_disabled=True))).final_output

    assert asyncio.run(run()) == "done"
    assert WORDS in seen[0]
    assert ("bridge 0-34" in seen[0], '\\"start\\": 0, \\"end\\": 34' in seen[0]) == (not structured, structured)


SMOLAGENTS = """
import json, sys
from smolagents import CodeAgent, MCPClient, ToolCallingAgent
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole, Model

url, asked, structured = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3] == "structure"


class Script(Model):
    def generate(self, messages, **kwargs):
        names, given = (["ask", "final_answer"], [asked, {"answer": "done"}])
        turn = sum(one.role == MessageRole.TOOL_RESPONSE for one in messages)
        if turn:
            print(messages[-1].content[0]["text"])
        code = f"<code>\\nprint({names[turn]}(**{given[turn]!r}))\\n</code>"
        call = ChatMessageToolCall(ChatMessageToolCallFunction(given[turn], names[turn]), str(turn), "function")
        return ChatMessage(MessageRole.ASSISTANT, code, [call] if self.model_id == "calls" else None)


with MCPClient(
    {"url": url, "transport": "streamable-http"}, {"connect_timeout": 400}, structured_output=structured
) as tools:
    for agent, kind in ((ToolCallingAgent, "calls"), (CodeAgent, "code")):
        print(kind, agent(tools=tools, model=Script(model_id=kind), verbosity_level=0).run("Ask."))
"""


@pytest.mark.parametrize("structured", [False, True], ids=["content", "structure"])
def test_the_model_of_a_smolagent_sees_the_answer(url: str, structured: bool) -> None:
    """smolagents needs an older SDK than ours: SMOLAGENTS is a Python of its own that has it (`make test-services` makes one)."""
    python = os.environ.get("SMOLAGENTS")
    if not python:
        pytest.skip("SMOLAGENTS is the Python of an environment with 'smolagents[mcp]' and 'mcp<2'")
    half = "structure" if structured else "content"
    command = [python, "-c", SMOLAGENTS, url, json.dumps({**ASKED, "caution": 0.5, "where": {"year": 1934}}), half]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(WORDS) >= 2, done.stdout
    assert done.stdout.count("'start': 0, 'end': 34" if structured else "bridge 0-34") >= 2, done.stdout
    assert [line for line in done.stdout.splitlines() if line in ("calls done", "code done")] == [
        "calls done",
        "code done",
    ]
