"""A table that someone wrote (TOML, JSON) as a typed model, and what is wrong with it in our words: where, what, the nearest name.

Imported where a table is read, never at the top of what `import decoct` loads: pydantic takes longer than all of that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

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

    model_config = ConfigDict(strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _no_other_keys(cls, table: object) -> object:
        for key in table if isinstance(table, Mapping) else ():
            if key not in cls.model_fields:
                raise PydanticCustomError("unknown_key", "unknown key", {"key": str(key), "here": [*cls.model_fields]})
        return table


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
        found = failure.errors(include_url=False)
    raise error(_complaint(found, table, path, places))


def _complaint(found: Sequence[Any], table: object, path: str, places: Mapping[str, str]) -> str:
    """The first thing that is wrong, unknown keys before all else: what is missing is often there under a name mistyped."""
    first = min(found, key=lambda one: one["type"] != "unknown_key")
    place = _place(table, first)
    where = ".".join(place).replace(".[", "[")
    if path and where:
        where = f"{path}{': ' if _FILE.search(path) else '.'}{where}"
    where = where or path or "the table"
    if first["type"] == "unknown_key":
        return f"{where}: unknown key; {_meant(place[-1], first['ctx']['here'], places)}"
    if first["type"] == "missing":
        return f"{where}: missing"
    wanted = [_expected(one) for one in found if _place(table, one) == place]
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


def _place(table: object, one: Any) -> list[str]:  # noqa: ANN401
    """Where in `table` an error is, without what pydantic adds to tell the alternatives of a union."""
    keys: list[str] = []
    for part in one["loc"]:
        if isinstance(part, int):
            keys.append(f"[{part}]")
        elif isinstance(table, Mapping) and part in table:
            keys.append(part)
        else:
            continue
        table = table[part]  # type: ignore[index]
    lacking = {"missing": one["loc"][-1:], "unknown_key": [one.get("ctx", {}).get("key")]}
    return [*keys, *lacking.get(one["type"], ())]
