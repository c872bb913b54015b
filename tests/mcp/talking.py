"""A talk with a server of tools, in memory, by the SDK's own client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import Client


def spoken(server: Any, talk: Callable[[Client], Awaitable[Any]]) -> Any:
    """What `talk` makes of a client of the server."""

    async def whole() -> Any:
        async with Client(server) as client:
            return await talk(client)

    return asyncio.run(whole())


def called(server: Any, tool: str, **arguments: Any) -> Any:
    """What a tool answers."""
    return spoken(server, lambda client: client.call_tool(tool, arguments))
