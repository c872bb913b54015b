"""The page of the HTTP interface: every route with what it takes and gives, drawn from the server's own description."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from decoct.server.web.render import page

router = APIRouter(include_in_schema=False)
_TAGS = ("questions", "openai", "documents", "jobs", "evaluations", "libraries", "system")
Schema = dict[str, Any]


@router.get("/docs")
async def reference(request: Request) -> HTMLResponse:
    """The routes by what they are about; `/openapi.json` says the same to programs."""
    described = request.app.openapi()
    groups: dict[str, list[Schema]] = {tag: [] for tag in _TAGS}
    for path, item in described["paths"].items():
        for method, route in item.items():
            tag = (route.get("tags") or ["system"])[0]
            groups.setdefault(tag, []).append(_route(path, method, route, described["components"]["schemas"]))
    origin, about = str(request.base_url).rstrip("/"), described["info"]["description"]
    return page(request, "reference.html", groups=groups, origin=origin, about=about)


def _route(path: str, method: str, route: Schema, schemas: Schema) -> Schema:
    content = route.get("requestBody", {}).get("content", {})
    media = "application/json" if "application/json" in content else next(iter(content), "")
    body = content.get(media, {})
    schema = _resolved(body.get("schema", {}), schemas)
    success = next((code for code in route["responses"] if code.startswith("2")), "")
    replies: list[Schema] = list(route["responses"].get(success, {}).get("content", {}).values())
    example = body.get("example") or next(iter(schema.get("examples", [])), None) or _example(schema, schemas)
    return {
        "id": f"{method}-{path.strip('/').replace('/', '-').replace('{', '').replace('}', '')}",
        "method": method.upper(),
        "path": path,
        "summary": route.get("summary", ""),
        "text": route.get("description", ""),
        "parameters": [
            {**_field(one["name"], {**one["schema"], **one}, needed=one.get("required", False)), "where": one["in"]}
            for one in route.get("parameters", [])
        ],
        "media": media,
        "fields": _fields(schema),
        "example": json.dumps(example, indent=2, ensure_ascii=False) if example else "",
        "success": success,
        "reply": _fields(_resolved(replies[0].get("schema", {}), schemas)) if replies else [],
    }


def _fields(schema: Schema) -> list[Schema]:
    needed = schema.get("required", [])
    return [_field(name, one, needed=name in needed) for name, one in schema.get("properties", {}).items()]


def _field(name: str, schema: Schema, *, needed: bool) -> Schema:
    default = schema.get("default")
    return {
        "name": name,
        "kind": _kind(schema),
        "needed": needed,
        "text": schema.get("description", ""),
        "default": json.dumps(default) if default not in (None, "", [], {}) else "",
    }


def _kind(schema: Schema) -> str:
    """A schema in a few words: `text`, `list of spans`, `a or b`."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(one) for one in schema.get("enum", [schema.get("const")]))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            kinds = map(_kind, schema[several])
            return " or ".join(dict.fromkeys(kind for kind in kinds if kind != "null"))
    named = schema.get("type", "any")
    if named == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if named == "string":
        return "file" if schema.get("format") == "binary" else "text"
    return " or ".join(named) if isinstance(named, list) else str(named)


def _example(schema: Schema, schemas: Schema) -> Schema | None:
    """What the examples of the needed and described fields make together; None where there are none."""
    found = {name: _resolved(one, schemas).get("examples") for name, one in schema.get("properties", {}).items()}
    return {name: examples[0] for name, examples in found.items() if examples} or None


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    found: Schema = schemas.get(schema["$ref"].rpartition("/")[2], {}) if "$ref" in schema else schema
    return found
