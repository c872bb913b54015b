"""Programs of other people that run in Node.js: the AI SDK and the MCP inspector. Run by `make test-services`, which installs them.

NODE_CLIENTS is the folder with their `node_modules`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import COMMAND, LiveServer

from decoct import Document, Library

pytestmark = pytest.mark.services
WORDS = "The old bridge was opened in 1934."
QUESTION = "When was the bridge opened?"
MCP = [sys.executable, "-c", COMMAND, "mcp", "--library", "bridges"]


@pytest.fixture(scope="module")
def clients() -> Path:
    folder = os.environ.get("NODE_CLIENTS", "")
    if shutil.which("node") is None or not folder or not (Path(folder) / "node_modules" / "ai").is_dir():
        pytest.skip("needs Node.js, and NODE_CLIENTS as the folder with `ai` and the MCP inspector")
    return Path(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, clients: Path) -> Path:
    place = tmp_path_factory.mktemp("node")
    with Library.open(place / "bridges") as library:
        library.add([Document("bridge", WORDS, "Old bridge"), Document("salt", "Salt is mined in the hills.")])
    return place


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with subprocess.Popen([*MCP, "--http", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def output(*command: str, cwd: Path) -> Any:
    """What the program printed, as JSON."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_the_ai_sdk_chats_streams_embeds_reranks_and_calls_tools(clients: Path, folder: Path, url: str) -> None:
    """Its reranker took a reply without `meta` for a broken one."""
    server = LiveServer(folder, "--library", "bridges")
    try:
        script = str(Path(__file__).with_name("ai_sdk.cjs"))
        told = output("node", script, str(clients), server.url, url, "bridges", QUESTION, cwd=folder)
    finally:
        server.stop()
    assert "1934" in told["text"]
    assert told["streamed"] == told["text"]
    assert told["dimensions"] == [384, 384]
    assert told["first"] == 1
    assert "ask" in told["tools"]
    assert "1934" in json.dumps(told["called"]["content"])


@pytest.mark.parametrize("by", ["stdio", "http"])
def test_the_mcp_inspector_lists_and_calls(clients: Path, folder: Path, url: str, by: str) -> None:
    """It named the resource by its function's name."""
    inspector = str(clients / "node_modules" / ".bin" / "mcp-inspector")
    where = MCP if by == "stdio" else [url, "--transport", "http"]
    start = (inspector, "--cli", *where)
    tools = output(*start, "--method", "tools/list", cwd=folder)["tools"]
    assert all(tool["title"] and tool["description"] for tool in tools)
    called = output(
        *start, "--method", "tools/call", "--tool-name", "ask", "--tool-arg", f"question={QUESTION}", cwd=folder
    )
    assert "1934" in called["content"][0]["text"]
    names = [one["name"] for one in output(*start, "--method", "resources/list", cwd=folder)["resources"]]
    assert names
    assert all(names)
