"""A model's reply to a request for lists (names, relations, sections), as what all structures read of it.

Of a reply that the limit of tokens cut, what was complete is kept (fallback `structure.reply_cut`): a small model repeats itself until it
is stopped, and what it wrote before that is as good as any.
"""

from __future__ import annotations

import json
from typing import Any

from decoct import trace
from decoct.errors import ModelError, ReplyError
from decoct.llm.base import Reply, Schema
from decoct.llm.schema import behind_fence, conform, misfits


def listed_in(reply: Reply | ModelError, schema: Schema) -> dict[str, Any]:
    """The reply's JSON, which fits `schema`. The request's error, or `ReplyError`, where nothing can be read."""
    if isinstance(reply, ReplyError) and reply.cut:
        value: dict[str, Any] = begun(reply.reply, schema)
        trace.fallback("structure.reply_cut")
        return value
    if isinstance(reply, ModelError):
        raise reply
    found: dict[str, Any] = json.loads(conform(reply.text, schema))
    return found


def begun(text: str, schema: Schema) -> Any:  # noqa: ANN401 - JSON
    """What a cut reply began, without its last item: that may be cut within. Lists it did not come to are empty.

    The item is the innermost without which the rest fits `schema`: an entity of a segment, else the segment. `ReplyError` if nothing
    is left.
    """
    from pydantic_core import from_json

    try:
        value = from_json(behind_fence(text.strip()), allow_partial="trailing-strings")
    except ValueError as error:
        raise ReplyError(f"the reply is not JSON: {error}", text) from error
    for items in reversed(_unfinished(value)):
        del items[-1:]
        whole = _with_empty_lists(value, schema)
        if any(whole.values() if isinstance(whole, dict) else whole) and next(misfits(whole, schema), None) is None:
            return whole
    raise ReplyError("the reply was cut before its first item was complete", text)


def _unfinished(value: Any) -> list[list[Any]]:  # noqa: ANN401
    """The lists in which a document was cut, the outermost first: it ends with the last of each object and list."""
    lists = []
    while isinstance(value, (dict, list)):
        if isinstance(value, list):
            lists.append(value)
        inside = list(value.values()) if isinstance(value, dict) else value
        value = inside[-1] if inside else None
    return lists


def _with_empty_lists(value: Any, schema: Schema) -> Any:  # noqa: ANN401
    if not isinstance(value, dict):
        return value
    fields = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    return value | {name: [] for name in missing if fields.get(name, {}).get("type") == "array"}
