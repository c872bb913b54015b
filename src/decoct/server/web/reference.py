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
            shown = {"path": path, "method": method.upper(), **_route(route, described["components"]["schemas"])}
            groups.setdefault((route.get("tags") or ["system"])[0], []).append(shown)
    origin, about = str(request.base_url).rstrip("/"), described["info"]["description"]
    return page(request, "reference.html", groups=groups, origin=origin, about=about, kind=kind_of)


def _route(route: Schema, schemas: Schema) -> Schema:
    """A route's description, with the schemas of its parameters (`asked`), its body (`taken`) and its reply (`given`)."""
    bodies, parameters = route.get("requestBody", {}).get("content", {}), route.get("parameters", [])
    media = "application/json" if "application/json" in bodies else next(iter(bodies), "")
    body = bodies.get(media, {})
    success = next((code for code in route["responses"] if code.startswith("2")), "")
    replies: list[Schema] = list(route["responses"].get(success, {}).get("content", {}).values())
    asked = {
        "properties": {one["name"]: {**one["schema"], **one} for one in parameters},
        "required": [one["name"] for one in parameters if one.get("required")],
    }
    taken = _resolved(body.get("schema", {}), schemas)
    given = _resolved(replies[0].get("schema", {}), schemas) if replies else {}
    example = body.get("example") or next(iter(taken.get("examples", [])), None) or _example(taken, schemas)
    told = json.dumps(example, indent=2, ensure_ascii=False) if example else ""
    return {
        **route,
        "media": media,
        "success": success,
        "asked": asked,
        "taken": taken,
        "given": given,
        "example": told,
    }


def kind_of(schema: Schema) -> str:
    """A schema in a few words: `text`, `list of spans`, `a or b`."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(one) for one in schema.get("enum", [schema.get("const")]))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            kinds = map(kind_of, schema[several])
            return " or ".join(dict.fromkeys(kind for kind in kinds if kind != "null"))
    named = schema.get("type", "any")
    if named == "array":
        return f"list of {kind_of(schema.get('items', {}))}"
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
