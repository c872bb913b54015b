"""A table that someone wrote (TOML, JSON) as a typed model, and what is wrong with it in our words: where, what, the nearest name.

Imported where a table is read, never at the top of what `import decoct` loads: pydantic takes longer than all of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from decoct.errors import ConfigError, DecoctError
from decoct.registry import nearest

_TABLE = "a table"
# What pydantic calls the types that a table can hold.
_WORDS: Mapping[str, str] = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": _TABLE,
    "mapping_type": _TABLE,
    "model_type": _TABLE,
    "model_attributes_type": _TABLE,
    "list_type": "a list",
    "tuple_type": "a list",
}


_FILE = re.compile(r"\.toml$|:\d+$")  # the path is a file, or a line of one, and no key


class TypedTable(BaseModel):
    """What a table may hold: no other keys, and no text where a number is meant."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


T = TypeVar("T", bound=BaseModel)


def read_table(
    model: type[T],
    table: object,
    path: str = "",
    error: type[DecoctError] = ConfigError,
    *,
    places: Mapping[str, str] = MappingProxyType({}),
) -> T:
    """`table` as a `model`; an `error` says where (`path` and the keys below it) and what is wrong with the first thing that is.

    `places` tells in which other table of the same file a key belongs.
    """
    try:
        return model.model_validate(table)
    except ValidationError as failure:
        raise error(complaint(model, failure, path, places)) from None


def complaint(
    model: type[BaseModel],
    failure: ValidationError,
    path: str = "",
    places: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The first thing that is wrong, unknown keys before all else: what is missing is often there under a name mistyped."""
    found = failure.errors(include_url=False)
    first = min(found, key=lambda one: one["type"] != "extra_forbidden")
    place = _keys(model, first["loc"])
    where = ".".join(place).replace(".[", "[")
    if path and where:
        where = f"{path}{': ' if _FILE.search(path) else '.'}{where}"
    where = where or path or "the table"
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown key; {_meant(place[-1], _names(model, place[:-1]), places)}"
    if first["type"] == "missing":
        return f"{where}: missing"
    wanted = [_expected(one) for one in found if _keys(model, one["loc"]) == place]
    if all(wanted):
        elsewhere = places.get(place[-1]) if place and _TABLE in wanted else None
        told = f"; it belongs in {elsewhere}" if elsewhere else ""
        return f"{where}: expected {' or '.join(dict.fromkeys(map(str, wanted)))}, not {first['input']!r}{told}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]} (given: {first['input']!r})"


def _meant(key: str, here: Sequence[str], places: Mapping[str, str]) -> str:
    """Where an unknown key belongs, or which it is nearest to: of its own table, else of another."""
    if key in places:
        return f"it belongs in {places[key]}"
    if not get_close_matches(key, here) and (close := get_close_matches(key, places, n=1)):
        return f"did you mean {close[0]!r} in {places[close[0]]}?"
    return nearest(key, here)


def _expected(one: Any) -> str | None:  # noqa: ANN401 - pydantic's account of one error
    context = one.get("ctx", {})
    match one["type"]:
        case "literal_error":
            return str(context["expected"])
        case "greater_than":
            return f"a number above {context['gt']}"
        case "greater_than_equal":
            return f"a number of at least {context['ge']}"
        case "string_too_short":
            return "a text that is not empty"
    return _WORDS.get(one["type"])


def _keys(model: type[BaseModel], place: Sequence[int | str]) -> tuple[str, ...]:
    """`place` as keys of the table, without what pydantic adds to tell the alternatives of a union."""
    keys: list[str] = []
    current: object = model
    for part in place:
        if isinstance(part, int):
            keys.append(f"[{part}]")
            current = _inner(current)
        elif (fields := _fields(current)) is not None:
            keys.append(part)
            current = fields[part].annotation if part in fields else object
        elif _is_table(current):
            keys.append(part)
            current = _inner(current)
    return tuple(keys)


def _names(model: type[BaseModel], keys: Iterable[str]) -> list[str]:
    """The keys that the table at `keys` may have."""
    current: object = model
    for key in keys:
        fields = _fields(current)
        current = fields[key].annotation if fields is not None and key in fields else _inner(current)
    return list(_fields(current) or ())


def _fields(annotation: object) -> Mapping[str, Any] | None:
    for one in _alternatives(annotation):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one.model_fields
    return None


def _is_table(annotation: object) -> bool:
    return any(get_origin(one) in (dict, Mapping) for one in _alternatives(annotation))


def _inner(annotation: object) -> object:
    """What the items of a list, or the values of a table, are."""
    for one in _alternatives(annotation):
        if get_origin(one) in (dict, Mapping, list, tuple):
            return get_args(one)[1 if get_origin(one) in (dict, Mapping) else 0]
    return object


def _alternatives(annotation: object) -> tuple[object, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
