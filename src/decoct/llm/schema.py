"""Checks a reply against the JSON schema that was asked for.

A server that constrains decoding cannot go wrong here, but many endpoints only promise to try. The reply is parsed (a Markdown
fence around it is taken off) and checked keyword by keyword; the first misfit is reported with its path, in words that can be
handed back to the model. The keywords are those that structured output of OpenAI, vLLM and llama.cpp know; any other keyword
that would constrain the reply is refused, so that nothing goes unchecked without a sign.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from decoct.errors import ConfigError, ReplyError
from decoct.llm.base import Schema

_ANNOTATIONS = {
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "$comment",
    "format",
}
_CHECKED = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "oneOf", "allOf", "$ref",
    "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "pattern",
}  # fmt: skip
_FENCE = "```"
_LANGUAGE = re.compile(r"```[\w-]*+\s*+")


def conform(text: str, schema: Schema) -> str:
    """The JSON document in `text`, checked against `schema`; `ReplyError` names the first misfit and carries `text`."""
    document = _unfenced(text.strip())
    try:
        value = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise ReplyError(f"the reply is not JSON: {error}", text) from error
    if (misfit := next(misfits(value, schema), None)) is not None:
        raise ReplyError(f"the reply does not fit its schema: {misfit}", text)
    return document


def _unfenced(text: str) -> str:
    """`text` without the Markdown fence around it, if there is one; in linear time, whatever the reply."""
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    opening, line_break, rest = text.partition("\n")
    if not line_break or _LANGUAGE.fullmatch(opening) is None:
        return text
    return rest[: -len(_FENCE)].strip()


def misfits(value: Any, schema: Any, path: str = "reply", root: Schema | None = None) -> Iterator[str]:  # noqa: ANN401
    """Each way in which `value` breaks `schema`, with its path, in the order of the document."""
    root = schema if root is None else root
    if schema is True or schema is False:
        if schema is False:
            yield f"{path} is not allowed"
        return
    if unknown := sorted(set(schema) - _ANNOTATIONS - _CHECKED):
        raise ConfigError(
            f"the JSON schema at {path} uses {unknown[0]!r}, which is not checked; use {', '.join(sorted(_CHECKED))}"
        )
    if "$ref" in schema:
        yield from misfits(value, _resolve(schema["$ref"], root), path, root)
    yield from _scalar_misfits(value, schema, path)
    for part in schema.get("allOf", ()):
        yield from misfits(value, part, path, root)
    yield from _alternative_misfits(value, schema, path, root)
    if isinstance(value, dict):
        yield from _object_misfits(value, schema, path, root)
    elif isinstance(value, list):
        yield from _size_misfits(len(value), schema, "Items", "items", path)
        if "items" in schema:
            for index, item in enumerate(value):
                yield from misfits(item, schema["items"], f"{path}[{index}]", root)


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


def _alternative_misfits(value: Any, schema: Mapping[str, Any], path: str, root: Schema) -> Iterator[str]:  # noqa: ANN401
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            fitting = sum(next(misfits(value, part, path, root), None) is None for part in schema[keyword])
            if fitting == 0 or (keyword == "oneOf" and fitting > 1):
                yield f"{path} fits {fitting} of the {len(schema[keyword])} alternatives"


def _object_misfits(value: dict[str, Any], schema: Mapping[str, Any], path: str, root: Schema) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{path} lacks {name!r}"
    for name, item in value.items():
        inner = properties.get(name, schema.get("additionalProperties", True))
        if inner is False:
            yield f"{path} has {name!r}, which is not allowed"
        else:
            yield from misfits(item, inner, f"{path}.{name}", root)


def _scalar_misfits(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:  # noqa: ANN401
    if "type" in schema:
        types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(_is(value, name) for name in types):
            yield f"{path} must be {' or '.join(types)}, not {_name(value)}"
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        yield f"{path} must be one of {json.dumps(schema['enum'])}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{path} must be {json.dumps(schema['const'])}"
    if isinstance(value, str):
        yield from _size_misfits(len(value), schema, "Length", "characters", path)
        if "pattern" in schema and re.search(schema["pattern"], value) is None:
            yield f"{path} must match {schema['pattern']}"
    if _is(value, "number"):
        if value < schema.get("minimum", value):
            yield f"{path} must be at least {schema['minimum']}"
        if value > schema.get("maximum", value):
            yield f"{path} must be at most {schema['maximum']}"


def _size_misfits(size: int, schema: Mapping[str, Any], suffix: str, unit: str, path: str) -> Iterator[str]:
    if size < schema.get(f"min{suffix}", 0):
        yield f"{path} must have at least {schema[f'min{suffix}']} {unit}"
    if size > schema.get(f"max{suffix}", size):
        yield f"{path} must have at most {schema[f'max{suffix}']} {unit}"


def _resolve(reference: str, root: Schema) -> Any:  # noqa: ANN401
    found: Any = root
    try:
        for step in reference.removeprefix("#").strip("/").split("/"):
            found = found[step] if step else found
    except (KeyError, TypeError) as error:
        raise ConfigError(f"the JSON schema refers to {reference!r}, which it does not define") from error
    return found


def _is(value: Any, name: str) -> bool:  # noqa: ANN401
    if name == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    return _name(value) == name


def _name(value: Any) -> str:  # noqa: ANN401
    names = {
        bool: "boolean",
        type(None): "null",
        dict: "object",
        list: "array",
        str: "string",
        int: "integer",
        float: "number",
    }
    return names[type(value)]


def _same(left: Any, right: Any) -> bool:  # noqa: ANN401 - JSON equality: true is not 1
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)
