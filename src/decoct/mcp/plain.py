"""A server whose refusals an agent can read: an argument that there is not is named, one that is wrong is told in a plain sentence."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from decoct.registry import nearest


class PlainServer(MCPServer):
    """`MCPServer`, with arguments checked before the tool sees them."""

    def __init__(self, instructions: str) -> None:
        super().__init__(
            "decoct", title="Decoct", version=version("decoct"), instructions=instructions, log_level="WARNING"
        )

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; `ToolError` says which argument is wrong, and how. An optional argument that is null is one left out."""
        tool = self._tool_manager.get_tool(name)
        if tool is None:
            known = [one.name for one in self._tool_manager.list_tools()]
            raise ToolError(f"there is no tool {name[:64]!r}; {nearest(name[:64], known)}")
        known, needed = list(tool.parameters["properties"]), tool.parameters.get("required", ())
        for given in arguments:
            if given not in known:
                raise ToolError(f"{name} has no argument {given[:64]!r}; {nearest(given[:64], known)}")
        arguments = {given: value for given, value in arguments.items() if value is not None or given in needed}
        try:
            tool.fn_metadata.arg_model.model_validate(arguments)
        except ValidationError as error:
            raise ToolError("; ".join(dict.fromkeys(_sentence(one) for one in error.errors()))) from error
        return await super().call_tool(name, arguments, context)

    def close_schemas(self) -> None:
        """Say in each tool's schema that it takes no other arguments, and of one that may be left out its own type.

        Agents read a `type` and pass over `anyOf`; some take every argument for needed that is not `nullable`.
        """
        for tool in self._tool_manager.list_tools():
            properties, needed = tool.parameters["properties"], tool.parameters.get("required", ())
            optional = {name: _optional(schema) for name, schema in properties.items() if name not in needed}
            tool.parameters.update(properties={**properties, **optional}, additionalProperties=False)


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an argument that may be left out: without the null that stands for that."""
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    told = {
        name: value for name, value in schema.items() if name != "anyOf" and (name != "default" or value is not None)
    }
    return {**(kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {}), **told, "nullable": True}


def _sentence(error: Any) -> str:  # noqa: ANN401 - pydantic's ErrorDetails
    """One error in words: the argument, and what it should be."""
    place = ".".join(map(str, error["loc"])) or "the arguments"
    if error["type"] == "missing":
        return f"{place} is missing"
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{place}: {message[:1].lower()}{message[1:]}"
