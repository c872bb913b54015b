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
from decoct.llm.schema import begun, conform


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
