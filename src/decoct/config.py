"""Recipes: TOML tables to pipelines.

A recipe names stages and their settings; its nesting is the nesting of the objects. A stage is a frozen dataclass, and its fields are
the schema:

- a field typed with a resource (`Store`, `Embedder`, `Tokenizer`, `LLM`, `Layout` …) is handed the library's or the recipe's own;
- a field typed with a stage's protocol (`Retriever`, `Scorer` …) is a table with `use = "name"`, or just the name;
- any other field is a plain setting, checked against its type.

`resolve` checks everything that can be checked without a library and answers with a `StageSpec`, a printable tree with every default
filled in; `StageSpec.build` makes the objects. An unknown key is an error with its path and the nearest valid name.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from decoct import registry
from decoct.budget import SupportsOffsets, Tokenizer
from decoct.context.base import Layout
from decoct.embed.base import Embedder
from decoct.errors import ConfigError, MissingAbilityError
from decoct.index.abilities import SupportsNames
from decoct.index.base import Store
from decoct.llm.base import LLM, SupportsLogprobs
from decoct.retrieve.base import CardSource
from decoct.structure.library import Structures

RESOURCES: Mapping[object, str] = {
    Store: "store",
    SupportsNames: "names",
    Embedder: "embedder",
    Tokenizer: "tokenizer",
    LLM: "llm",
    SupportsLogprobs: "logprobs",
    SupportsOffsets: "offsets",
    Layout: "layout",
    Structures: "structures",
    CardSource: "cards",
}


@dataclass(frozen=True, slots=True)
class Resources:
    """What a library hands to its stages; `llm` is None where no language model is configured."""

    store: Store | None = None
    embedder: Embedder | None = None
    tokenizer: Tokenizer | None = None
    llm: LLM | None = None
    layout: Layout | None = None
    structures: Structures | None = None
    cards: CardSource | None = None

    def get(self, name: str) -> object | None:
        """The resource of a name in `RESOURCES`."""
        if name == "names":
            return self.store if isinstance(self.store, SupportsNames) else None
        if name == "logprobs":
            return self.llm if hasattr(self.llm, "losses") else None
        if name == "offsets":
            return self.tokenizer if hasattr(self.tokenizer, "offsets") else None
        found: object | None = getattr(self, name)
        return found


@dataclass(frozen=True, slots=True)
class StageSpec:
    """A stage resolved: its class, every setting with its default, its inner stages, and the resources it will be handed."""

    stage: str
    name: str
    cls: type
    settings: dict[str, Any]
    children: dict[str, StageSpec | tuple[StageSpec, ...]]
    resources: dict[str, tuple[str, bool]]  # field -> (resource, required)
    path: str
    without: list[str]  # fields of resources that the recipe switched off

    def build(self, resources: Resources) -> Any:  # noqa: ANN401 - one of the stage protocols
        """Make the object; `ConfigError` when a resource it needs is not there."""
        values: dict[str, Any] = dict(self.settings)
        for name, child in self.children.items():
            is_many = isinstance(child, tuple)
            values[name] = tuple(c.build(resources) for c in child) if is_many else child.build(resources)  # type: ignore[union-attr]
        for name, (resource, required) in self.resources.items():
            found = resources.get(resource)
            if found is None and required:
                kind = MissingAbilityError if resource in _ABILITIES and resources.store is not None else ConfigError
                raise kind(f"{self.path}: {self.name!r} needs {_WANTED[resource]}")
            values[name] = found
        try:
            return self.cls(**values)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{self.path}: {error}") from error

    def as_dict(self) -> dict[str, Any]:
        """The stage as it would stand in a recipe with nothing left out."""
        shown: dict[str, Any] = {"use": self.name, **{k: v for k, v in self.settings.items() if v is not None}}
        shown |= dict.fromkeys(self.without, False)
        for name, child in self.children.items():
            shown[name] = [c.as_dict() for c in child] if isinstance(child, tuple) else child.as_dict()
        return shown

    def needs(self, resource: str) -> bool:
        """Whether this stage or one inside it cannot work without `resource`."""
        if any(name == resource and required for name, required in self.resources.values()):
            return True
        inner = (c for child in self.children.values() for c in (child if isinstance(child, tuple) else (child,)))
        return any(child.needs(resource) for child in inner)

    @property
    def needs_llm(self) -> bool:
        """Whether this stage or one inside it cannot work without a language model."""
        return self.needs("llm") or self.needs("logprobs")


_ABILITIES = frozenset({"names"})
_WANTED = {
    "store": "a library",
    "names": "a store that keeps the names in its documents, which this library's does not: take a recipe that follows no links "
    "(hybrid, dense, bm25; `decoct recipes list` tells), or keep the library in a folder",
    "embedder": "an embedder",
    "tokenizer": "a tokenizer",
    "llm": "a language model: give --llm NAME or set DECOCT_LLM (`decoct models list` names some)",
    "offsets": "a tokenizer that tells where its tokens lie",
    "layout": "a layout",
    "structures": "a library with structures",
    "cards": "the cards of a library",
    "logprobs": "a language model that gives log-probabilities: a local GGUF model (local:NAME) or a vLLM endpoint",
}


def resolve(table: object, stage: str, path: str) -> StageSpec:
    """Check a recipe's table (or just a name) for one stage; `path` is where it stands, for errors."""
    table = {"use": table} if isinstance(table, str) else table
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: expected the name of a {stage!r} part or a table with `use`, not {table!r}")
    name = table.get("use")
    if not isinstance(name, str):
        raise ConfigError(
            f'{path}: a table needs `use = "…"`; {stage!r} parts: {", ".join(sorted(registry.names(stage)))}'
        )
    cls = registry.load(stage, name, path)
    given = {key.replace("-", "_"): value for key, value in table.items() if key != "use"}
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
    hints = _hints(cls)
    for key in given:
        if key not in fields:
            settable = [n for n in fields if _resource(hints[n]) is None]
            raise ConfigError(f"{path}.{key}: unknown setting of {name!r}; {registry.nearest(key, settable)}")
    spec = StageSpec(stage, name, cls, {}, {}, {}, path, [])
    for key, field in fields.items():
        _resolve_field(spec, field, hints[key], given)
    return spec


@cache
def _hints(cls: type) -> Mapping[str, Any]:
    return typing.get_type_hints(cls)


def _resolve_field(spec: StageSpec, field: dataclasses.Field[Any], hint: object, given: Mapping[str, object]) -> None:
    key, path = field.name, f"{spec.path}.{field.name}"
    if (resource := _resource(hint)) is not None:
        wanted = given.get(key, True)
        if not isinstance(wanted, bool):
            raise ConfigError(f"{path}: is handed in by the library; it may only be switched off with false")
        if wanted:
            spec.resources[key] = (resource, type(None) not in _alternatives(hint))
        else:
            spec.without.append(key)
    elif (inner := _inner_stage(hint)) is not None:
        stage, many = inner
        if key in given:
            spec.children[key] = _resolve_inner(given[key], stage, path, many)
        elif _has_no_default(field):
            raise ConfigError(f"{path}: {spec.name!r} needs one of the {stage!r} parts here")
    elif key in given:
        spec.settings[key] = _checked(given[key], hint, path)
    elif _has_no_default(field):
        raise ConfigError(f"{path}: {spec.name!r} needs this setting")
    elif not dataclasses.is_dataclass(
        default := _default(field)
    ):  # an object, which no table can name, is the class's affair
        spec.settings[key] = default


def _resolve_inner(value: object, stage: str, path: str, many: bool) -> StageSpec | tuple[StageSpec, ...]:
    if not many:
        return resolve(value, stage, path)
    if not isinstance(value, list):
        raise ConfigError(f"{path}: expected a list of {stage!r} parts")
    return tuple(resolve(item, stage, f"{path}[{i}]") for i, item in enumerate(value))


def _has_no_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _default(field: dataclasses.Field[Any]) -> object:
    if field.default_factory is not dataclasses.MISSING:
        made: object = field.default_factory()
        return made
    return field.default


def _alternatives(hint: object) -> tuple[object, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def _resource(hint: object) -> str | None:
    return next((RESOURCES[part] for part in _alternatives(hint) if part in RESOURCES), None)


def _inner_stage(hint: object) -> tuple[str, bool] | None:
    known = registry.protocols()
    for part in _alternatives(hint):
        if part in known:
            return known[part], False
        arguments = typing.get_args(part)
        if typing.get_origin(part) is tuple and arguments and arguments[0] in known:
            return known[arguments[0]], True
    return None


def _checked(value: object, hint: Any, path: str) -> object:  # noqa: ANN401 - a type as annotated
    from pydantic import ValidationError

    if isinstance(value, bool) and bool not in _alternatives(hint):
        raise ConfigError(f"{path}: expected {getattr(hint, '__name__', hint)}, not {value!r}")
    try:
        checked: object = _adapter(hint).validate_python(value)
    except ValidationError as error:
        raise ConfigError(f"{path}: {error.errors()[0]['msg']} (given: {value!r})") from error
    return checked


@cache
def _adapter(hint: Any) -> Any:  # noqa: ANN401 - a type as annotated; its adapter
    from pydantic import TypeAdapter

    return TypeAdapter(hint)
