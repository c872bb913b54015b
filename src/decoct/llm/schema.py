"""Checks a reply against the JSON schema that was asked for.

A server that constrains decoding cannot go wrong here, but many endpoints only promise to try. The reply is parsed (a Markdown
fence around it is taken off) and checked by the library `jsonschema`; the first misfit is reported with its path, in words that can be
handed back to the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from decoct.errors import ConfigError, ReplyError
from decoct.llm.base import Reply, Request, Schema

_MOST = 300  # characters of a misfit: it may show the value, and goes back to the model
_FENCE = "```"
_LANGUAGE = re.compile(r"```[\w-]*+\s*+")


def conform(text: str, schema: Schema) -> str:
    """The JSON document in `text`, checked against `schema`; `ReplyError` names the first misfit and carries `text`.

    A whole number written as 3.0, which JSON schema takes for an integer, comes back as 3: who asks for integers counts places with them.
    """
    document = _unfenced(text.strip())
    turned: list[int] = []

    def number(written: str) -> float:
        value = float(written)
        if not value.is_integer():
            return value
        turned.append(int(value))
        return turned[-1]

    try:
        value = json.loads(document, parse_float=number)
        misfit = next(misfits(value, schema), None)
    except (ValueError, RecursionError) as error:
        raise ReplyError(f"the reply is not JSON: {error}", text) from error
    if misfit is not None:
        raise ReplyError(f"the reply does not fit its schema: {misfit}", text)
    return json.dumps(value, ensure_ascii=False) if turned else document


def conformed(reply: Reply, request: Request) -> Reply:
    """The reply with its JSON checked against the request's schema; `ReplyError` as `conform`, `cut` where the limit of tokens ended it."""
    assert request.schema is not None
    try:
        text = conform(reply.text, request.schema)
    except ReplyError as error:
        if reply.finish != "length":
            raise
        message = f"the reply was cut at max_tokens = {request.max_tokens} before its JSON was complete; raise it"
        took = {"prompt_tokens": reply.prompt_tokens, "completion_tokens": reply.completion_tokens}
        raise ReplyError(message, reply.text, cut=True, **took) from error
    return Reply(text, reply.prompt_tokens, reply.completion_tokens, reply.finish)


def behind_fence(text: str) -> str:
    """What stands behind the line that opens a Markdown fence; `text` where none does. In linear time, whatever the reply."""
    opening, line_break, rest = text.partition("\n")
    return rest if line_break and _LANGUAGE.fullmatch(opening) else text


def _unfenced(text: str) -> str:
    """`text` without the Markdown fence around it, if there is one."""
    rest = behind_fence(text)
    return text if rest is text or not text.endswith(_FENCE) else rest[: -len(_FENCE)].strip()


def misfits(value: object, schema: Schema) -> Iterator[str]:
    """Each way in which `value` breaks `schema`, with its path; `ConfigError` for what is no schema. Nothing is ever fetched."""
    from jsonschema import Draft202012Validator, SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        Draft202012Validator.check_schema(schema)
        for error in Draft202012Validator(schema, registry=Registry()).iter_errors(value):
            place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
            yield f"reply{place}: {error.message[:_MOST]}"
    except SchemaError as error:
        raise ConfigError(f"the JSON schema of a reply is none: {error.message}") from error
    except Unresolvable as error:
        raise ConfigError(f"the JSON schema of a reply refers to {error.ref!r}, which it does not define") from error


def is_closed(schema: Any) -> bool:  # noqa: ANN401
    """Whether every object in `schema` requires all of its properties and allows no others (what OpenAI calls strict)."""
    if isinstance(schema, list):
        return all(map(is_closed, schema))
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    is_object = schema.get("type") == "object" or isinstance(properties, Mapping)
    if is_object and (
        schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties or ())
    ):
        return False
    return all(is_closed(part) for part in schema.values())
