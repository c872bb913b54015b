"""The pages of `docs/reference/` that are written from the program: `python docs/reference_pages.py` writes them, a test compares them.

The pages of classes (`library.md`, `types.md` …) are drawn from docstrings when the site is built; the command line has its own writer
(`python docs/command_page.py`).
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import tempfile
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent / "reference"
_WRITTEN = "Written from the program (`python docs/reference_pages.py`); a test keeps it true.\n"
_TAGS = {
    "questions": "Questions",
    "documents": "Documents",
    "jobs": "Jobs",
    "evaluations": "Evaluations",
    "libraries": "Libraries",
    "openai": "OpenAI's interface",
    "ollama": "Ollama's interface",
    "system": "The process",
}


def http() -> str:
    """The routes with what they take, the errors, and the limits."""
    from decoct.server.app import create_app
    from decoct.server.problems import TABLE
    from decoct.server.settings import ServerLimits, ServerSettings

    with tempfile.TemporaryDirectory() as state:
        app = create_app(ServerSettings(state=state))
        described, scopes = app.openapi(), _scopes(app)
        app.state.decoct.close()
    parts = [
        f"# HTTP\n\nEvery route of `decoct serve`. {_WRITTEN}\n"
        "```\ndecoct serve --library handbook     # the page /docs shows the same, /openapi.json tells programs\n```\n\n"
        "`L` is `/api/v1/libraries/NAME`. Keys go into `Authorization: Bearer`; the scope that a key needs stands behind the route. "
        "How to use them: [the server](../server.md).\n"
    ]
    for tag, title in _TAGS.items():
        parts.append(f"\n## {title}\n")
        for path, item in described["paths"].items():
            for method, route in item.items():
                if (route.get("tags") or ["system"])[0] == tag:
                    parts.append(_route(method, path, route, described, scopes.get((method.upper(), path), "")))
    parts.append(
        '\n## Errors\n\nAlways `{"error": {"message", "type", "code", "param", "request_id"}}`. What a field '
        "shows by itself (an empty question, a bound that is none, an unknown field) is `validation` (422), with the field as `param`. "
        "Codes of the engine's errors:\n\n"
        "| code | status | message |\n|---|---|---|\n"
    )
    parts += [
        f"| `{code}` | {one.status} | {one.words or 'its own, with what to do'} |\n" for code, one in TABLE.items()
    ]
    parts.append("\n## Limits\n\n| limit | default |\n|---|---|\n")
    parts += [f"| `{name}` | {default} |\n" for name, default in _defaults(ServerLimits)]
    return "".join(parts)


def _scopes(app: Any) -> dict[tuple[str, str], str]:  # noqa: ANN401 - routes of several kinds
    """The scope a key needs, by method and path."""
    found = {}
    for path, methods, dependant in _endpoints(app.routes):
        for inner in dependant.dependencies:
            scope = (
                inspect.getclosurevars(inner.call).nonlocals.get("scope") if inspect.isfunction(inner.call) else None
            )
            if isinstance(scope, str):
                found.update({(method, path): scope for method in methods})
    return found


def _endpoints(routes: Any) -> Iterator[tuple[str, set[str], Any]]:  # noqa: ANN401
    for route in routes:
        if hasattr(route, "dependant") and hasattr(route, "methods"):
            yield route.path, route.methods, route.dependant
        elif hasattr(route, "effective_route_contexts"):  # an included router
            for one in route.effective_route_contexts():
                if one.methods and one.dependant is not None:
                    yield one.path, one.methods, one.dependant


def _route(method: str, path: str, route: dict[str, Any], described: dict[str, Any], scope: str) -> str:
    short = re.sub(r"^/api/v1/libraries/\{lib\}", "L", path)
    about = " ".join((route.get("description") or "").split())
    lines = [f"\n**`{method.upper()} {short}`**{f' ({scope})' if scope else ''}: {route['summary']}. {about}\n"]
    fields = [
        (one["name"], one["schema"], one.get("required", False), one.get("description", ""))
        for one in route.get("parameters", [])
        if one["in"] != "path"
    ]
    contents = route.get("requestBody", {}).get("content", {})
    for content in contents.values():
        schema = _resolved(content.get("schema", {}), described)
        needed = (
            schema.get("required", []) if len(contents) == 1 else []
        )  # a form or JSON: neither's are needed in the other
        fields += [
            (name, one, name in needed, one.get("description", ""))
            for name, one in schema.get("properties", {}).items()
        ]
    for name, schema, needed, text in fields:
        told = " ".join(part for part in (text or _within(schema, "description"), _bounds(schema)) if part)
        lines.append(f"\n- `{name}`{' (needed)' if needed else ''}{': ' + ' '.join(told.split()) if told else ''}")
    return "".join([*lines, "\n" if fields else ""])


def _within(schema: dict[str, Any], key: str) -> Any:  # noqa: ANN401 - of a schema
    """What a schema, or the first of its forms that tells it, says under `key`."""
    found = (one[key] for one in (schema, *schema.get("anyOf", ())) if key in one)
    return next(found, None)


def _bounds(schema: dict[str, Any]) -> str:
    """The default and the bounds of a field in words: `(default 10; 1 to 100)`."""
    default, words = _within(schema, "default"), [one for one in _within(schema, "enum") or () if one]
    parts = [f"default `{default}`"] if isinstance(default, int | str | list) and default not in ("", False) else []
    if words:
        parts.append("one of " + ", ".join(f"`{one}`" for one in words))
    for least, most, unit in (
        ("minimum", "maximum", ""), ("minLength", "maxLength", " characters"), ("minItems", "maxItems", " of them"),
    ):  # fmt: skip
        low, high = _within(schema, least), _within(schema, most)
        if high and high < _SAFE:
            parts.append(
                f"{low or 0:,g} to {high:,g}{unit}" if low is not None or not unit else f"up to {high:,g}{unit}"
            )
    return f"({'; '.join(parts)})" if parts else ""


_SAFE = 2**53  # what JSON's numbers hold exactly, and no bound that a user meets


def _resolved(schema: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _defaults(cls: type) -> Iterator[tuple[str, str]]:
    for one in dataclasses.fields(cls):
        if one.default is dataclasses.MISSING:
            yield one.name, "of the machine"
        else:
            yield one.name, f"{one.default:,}" if isinstance(one.default, int | float) else str(one.default)


_PACKAGES = {
    ".docx": "office.docx",
    ".pptx": "office.pptx",
    ".xlsx": "tables.xlsx",
    ".epub": "markup.epub",
    ".odt": "office.odf",
}
_READ_BY = Path(__file__).parents[1] / "src" / "decoct" / "documents"


def formats() -> str:
    """The formats by suffix, with the first sentence of their parser, the limits, and the codes of failures."""
    from decoct.documents.base import Failure, Limits
    from decoct.documents.formats import ARCHIVE, FORMATS, PICTURE

    parts = [
        f"# Formats\n\nWhat `decoct ingest` reads. {_WRITTEN}\n```\ndecoct ingest FOLDER --library library\n```\n\n"
        "Each may also be packed (`.gz`, `.bz2`, `.xz`). "
        "What stands in which metadata, and how tables are written: [documents](../documents.md).\n\n"
        "| suffixes | what is read |\n|---|---|\n"
    ]
    for one in (*FORMATS, PICTURE, ARCHIVE):
        parts.append(f"| `{' '.join(one.suffixes)}` | {_lead(_PACKAGES.get(one.suffixes[0], one.module))} |\n")
    parts.append(f"\n## Limits\n\n`decoct.documents.base.Limits`. {_paragraph(Limits, 0)}\n\n{_paragraph(Limits, 1)}\n")
    parts.append("\n| limit | default |\n|---|---|\n")
    parts += [f"| `{name}` | {default} |\n" for name, default in _defaults(Limits)]
    return "".join([*parts, f"\n## Failures\n\n{_paragraph(Failure, 0)} {_paragraph(Failure, 1)}\n"])


def _lead(module: str) -> str:
    text = ast.get_docstring(ast.parse((_READ_BY / f"{module.replace('.', '/')}.py").read_text("utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def _paragraph(of: object, number: int) -> str:
    return " ".join((inspect.getdoc(of) or "").split("\n\n")[number].split())


_LOOKED_UP = (
    "chunk",
    "retrieve",
    "score",
    "reading",
    "context",
    "extract",
    "affinity",
    "fuse",
    "sentence-judge",
    "layout",
    "read",
)


def parts_of_recipes() -> str:
    """Every part that a recipe may name, with its settings, and the recipes that ship."""
    from decoct import registry
    from decoct.index import abilities
    from decoct.recipe import load_recipe

    lines = [
        f"# Recipes and their parts\n\nWhat a recipe may name. {_WRITTEN}\n"
        "```\ndecoct recipes\ndecoct recipes show default      # with every setting\n```\n\n"
        "How a recipe is written, and which to take: [recipes](../recipes.md). "
        "What the laboratory brings: [its recipes](../../lab/docs/recipes.md).\n\n"
        "## Recipes\n\n| recipe | what |\n|---|---|\n"
    ]
    for path in sorted((Path(__file__).parents[1] / "src" / "decoct" / "recipes").glob("*.toml")):
        lines.append(f"| `{path.stem}` | {load_recipe(path.stem).description.strip().rstrip('.')} |\n")
    for stage in _LOOKED_UP:
        lines.append(f"\n## {stage}\n")
        for name in registry.STAGES[stage]:
            part = registry.load(stage, name, stage)
            settings = ", ".join(f"`{one}`" for one in _settings(part))
            lines.append(f"\n**`{name}`**: {_sentence(part)}{f' Settings: {settings}.' if settings else ''}\n")
    lines.append("\n## Abilities of stores\n\n")
    for name, ability in vars(abilities).items():
        if name.startswith("Supports") and ability.__module__ == abilities.__name__:
            lines.append(f"- `{name}`: {_sentence(ability)}\n")
    return "".join(lines)


def _sentence(part: Any) -> str:  # noqa: ANN401 - a class, a method or a property
    text = (inspect.getdoc(part) or "").split("\n\n")[0]
    if text.startswith("See the module"):
        text = (inspect.getdoc(sys.modules[part.__module__]) or "").split("\n\n")[0]
    return " ".join(text.split())


def _settings(part: type) -> Iterator[str]:
    """The fields that a recipe sets, each with its default: what is handed in has no default or one that is no plain value."""
    if not dataclasses.is_dataclass(part):
        return
    for one in dataclasses.fields(part):
        plain = isinstance(one.default, str | int | float | bool)
        if plain and one.init and not one.name.startswith("_"):
            yield f"{one.name} = {str(one.default).lower() if isinstance(one.default, bool) else repr(one.default)}".replace(
                "'", '"'
            )


def python() -> str:
    """The names that `decoct` exports, and the library's methods."""
    import decoct

    lines = [
        f"# Python\n\nThe public names, which stay within a major version ([what stays](../upgrading.md#what-stays)). {_WRITTEN}\n"
        '```python\nfrom decoct import Library\n\nwith Library.open("my-library") as library:\n'
        '    print(library.ask("When was the bridge opened?").text)\n```\n\n'
        "Fields and signatures: [library](library.md), [types](types.md). "
        "Parts have homes of their own: [parts of your own](extend.md).\n\n"
        "| name | what |\n|---|---|\n"
    ]
    lines += [f"| `{name}` | {_sentence(getattr(decoct, name))} |\n" for name in decoct.__all__]
    for name in ("Library", "AsyncLibrary"):
        lines.append(f"\n## {name}\n\n")
        for method, found in vars(getattr(decoct, name)).items():
            if not method.startswith("_") and (text := _sentence(found)):
                lines.append(f"- `{method}`: {text}\n")
    return "".join(lines)


def errors() -> str:
    """Every error of the engine, with its code."""
    from decoct import errors as raised

    lines = [
        f"# Errors\n\nEvery error that Decoct raises on purpose says whose move is next. {_WRITTEN}\n"
        '```python\nfrom decoct import DecoctError, Library\n\ntry:\n    with Library.open("my-library") as library:\n'
        '        library.ask("When was the bridge opened?")\n'
        "except DecoctError as error:\n    print(error.code, error.retryable, error)\n```\n\n"
        "`code` is stable; it is also in `--json` and in HTTP ([statuses](http.md#errors)).\n\n"
        "| code | class | again? | what |\n|---|---|---|---|\n"
    ]
    for name, one in vars(raised).items():
        if isinstance(one, type) and issubclass(one, raised.DecoctError) and one.__module__ == raised.__name__:
            again = "yes" if one.retryable else ""
            lines.append(f"| `{one.code}` | `{name}` | {again} | {_sentence(one)} |\n")
    lines.append(
        "\nThe command line says `usage` of arguments that it cannot read, `interrupted` after Ctrl-C, `disk-full` without room. "
        f"The server has codes of its own besides: {', '.join(_codes_of_server())}.\n"
    )
    return "".join(lines)


def _codes_of_server() -> list[str]:
    """The codes of what the server itself finds, which are no engine's error's, with the status of those that have one."""
    from decoct import errors as raised
    from decoct.server import problems

    engine = {one.code for one in vars(raised).values() if isinstance(one, type) and hasattr(one, "code")}
    written = (file.read_text("utf-8") for file in Path(problems.__file__).parent.rglob("*.py"))
    named = {code for text in written for code in re.findall(r'code="([a-z_-]+)"', text)}
    statuses = {code: f" ({status})" for status, code in {**problems._BY_STATUS, 507: "disk-full"}.items()}
    return [f"`{code}`{statuses.get(code, '')}" for code in sorted({*named, *statuses} - engine)]


def settings() -> str:
    """The settings file, the tables of models, and the environment."""
    from decoct import settings as told

    text = inspect.getdoc(told) or ""
    lines = [
        f"# Settings\n\n`decoct.toml` and the environment. {_WRITTEN}\n"
        "```\ndecoct status            # the library that the settings name\n```\n\n"
        f"{_fenced(text.partition(chr(10) * 2)[2])}\n\n## Models: `[llm.NAME]`\n\n| provider | keys |\n|---|---|\n"
    ]
    for provider, table in told.PROVIDERS.items():
        keys = (f"`{key}`{' (needed)' if one.is_required() else ''}" for key, one in table.model_fields.items())
        lines.append(f"| `{provider}` | {', '.join(keys)} |\n")
    lines.append("\n## Environment\n\n| variable | what |\n|---|---|\n")
    lines += [f"| `{name}` | {what} |\n" for name, what in ENVIRONMENT.items()]
    return "".join(lines)


ENVIRONMENT = {
    "DECOCT_LIBRARY": "the library, as `--library`",
    "DECOCT_RECIPE": "the recipe, as `--recipe`",
    "DECOCT_LLM": "the language model, as `--llm`",
    "DECOCT_BUDGET": "the budget, as `--budget`",
    "DECOCT_CONFIG": "the settings file in place of `decoct.toml`",
    "DECOCT_MODELS": "the folder of local models (`~/.cache/decoct/models`)",
    "DECOCT_CACHE": "the folder of language models' replies (`~/.cache/decoct/replies`)",
    "DECOCT_STATE": "a server's state, as `--state`",
    "DECOCT_THREADS": "the most cores that the bundled models take",
    "DECOCT_DATA": "the folder of data sets, as `--data`",
    "DECOCT_EVALUATE_CACHE": "the folder of evaluations' libraries and replies, as `--cache`",
}
"""Every variable that the program reads; a test looks for more in the source."""


def _fenced(text: str) -> str:
    """The indented blocks of a docstring in fences."""

    def block(found: re.Match[str]) -> str:
        return f"\n\n```toml\n{inspect.cleandoc(found[0])}\n```\n\n"

    return re.sub(r"\n{2}((?: {4}.*\n|\n(?= {4}))+)", block, text).strip()


PAGES: typing.Mapping[str, Callable[[], str]] = {
    "python.md": python,
    "http.md": http,
    "formats.md": formats,
    "parts.md": parts_of_recipes,
    "settings.md": settings,
    "errors.md": errors,
}

if __name__ == "__main__":
    for page in sys.argv[1:] or PAGES:
        (REFERENCE / page).write_text(PAGES[page](), "utf-8")
