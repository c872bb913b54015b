"""How a `where` filter reads a document's metadata: one meaning for every backend.

A filter maps a metadata key to what its value may be: any of several texts, or anything within a `Range`. Texts are compared as they
stand, so that `--filter year=2020` finds the number 2020 and `--filter draft=true` the boolean; where the value is a list, one of its
texts must pass. A range compares numbers as numbers, dates of the form 2024-05-17 at the coarser precision of the two (2024-05-17 is
within `<=2024-05` and `>=2024`), and other texts by code point; a number and a word are in no order, so a document whose year is
"unknown" is in no range of years.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from operator import ge, gt, le, lt
from typing import Any, TypeGuard

from decoct.data import Document, Metadata, MetadataValue, Range, Scalar
from decoct.embed.base import SURROGATE
from decoct.errors import CorpusError, QueryError
from decoct.index.base import Where

# What a caller may give: a value, values, or bounds by operator, each for a metadata key.
Given = Mapping[str, Scalar | Range | Sequence[Scalar | Range] | Mapping[str, Scalar]]

_HOLDS: Mapping[str, Callable[[int, int], bool]] = {">=": ge, ">": gt, "<=": le, "<": lt}
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2}([T ][0-9:.,+Z-]*)?)?)?")
# Of a condition without white space around it: a run of blanks can then be read in one way alone, and a long one takes no time.
_WRITTEN = re.compile(r"([^<>=!\s](?:[^<>=!]*[^<>=!\s])?)\s*(>=|<=|=|>|<)(?![=<>])(.*)", re.DOTALL)


def as_text(value: Scalar) -> str:
    """The text that a filter compares: booleans as `true` and `false`, numbers as Python writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def as_pairs(metadata: Metadata) -> list[tuple[str, str]]:
    """What filters compare: each key with its value as text, with every different one of a list."""
    lists = ((name, value if isinstance(value, list) else [value]) for name, value in metadata.items())
    return list(dict.fromkeys((name, as_text(one)) for name, values in lists for one in values))


def is_filterable(value: object) -> TypeGuard[MetadataValue]:
    """Whether metadata can hold the value: a text, number, truth value or list of texts."""
    return isinstance(value, str | int | float) or (
        isinstance(value, list) and all(isinstance(one, str) for one in value)
    )


def with_plain_metadata(document: Document) -> Document:
    """The document without metadata that is None, and with its dates as texts (2024-05-17)."""
    plain = {key: as_plain(value) for key, value in document.metadata.items() if value is not None}
    return document if plain == document.metadata else replace(document, metadata=plain)


def as_plain(value: Any) -> Any:  # noqa: ANN401
    """A date or time as its text; anything else as it is."""
    return value.isoformat() if isinstance(value, date | time) else value


def keeps(metadata: Metadata, where: Where) -> bool:
    """Whether a document with `metadata` passes: every key is there with one of its values."""
    pairs = as_pairs(metadata)
    return all(any(key == name and allows(allowed, value) for key, value in pairs) for name, allowed in where.items())


def allows(allowed: Sequence[str | Range], value: str) -> bool:
    """Whether `value` is one of those allowed, or within a range of them."""
    return any(within(one, value) if isinstance(one, Range) else one == value for one in allowed)


def within(asked: Range, value: str) -> bool:
    """Whether `value` keeps every bound."""
    orders = ((_HOLDS[operator], _order(value, bound)) for operator, bound in asked.bounds)
    return all(order is not None and holds(order, 0) for holds, order in orders)


def encodable(text: str) -> bool:
    """Whether `text` can be stored at all: it holds no half of a surrogate pair."""
    return text.isascii() or not SURROGATE.search(text)


def storable(text: str) -> bool:
    """Whether metadata can hold `text`: it can be stored, and has no NUL."""
    return "\0" not in text and encodable(text)


def check_filterable(document: Document) -> None:
    """`CorpusError` for an id or metadata with a NUL: what cuts texts there would take one document for another."""
    if "\0" in document.id:
        raise CorpusError(f"the document's id {document.id!r} holds a NUL character; give it another id")
    for name, value in as_pairs(document.metadata):
        if "\0" in name + value:
            raise CorpusError(f"the metadata {name!r} of document {document.id!r} holds a NUL character; remove it")


def where_of(given: Given | None) -> dict[str, tuple[str | Range, ...]]:
    """The filter that a caller wrote: `{"kind": "report", "year": [2020, 2021], "pages": {">=": 10, "<": 50}}`.

    `QueryError` for what is none.
    """
    if given is not None and not isinstance(given, Mapping):
        raise QueryError(f'a filter is a table such as {{"kind": "report"}}, not {given!r}')
    return {_name(name): _allowed(name, asked) for name, asked in (given or {}).items()}


def where_all_hold(conditions: Iterable[tuple[str, str, object]]) -> dict[str, tuple[str | Range, ...]]:
    """The filter that keeps what meets every condition: a key, an operator (`==`, `in` or a bound such as `>=`), and what it compares with.

    Several of one key must hold for one value; where none can (`== 3` and `> 5`), nothing passes. `QueryError` for other operators.
    """
    one_each = []
    for name, operator, value in conditions:
        if not name or operator not in ("==", "in", *_HOLDS):
            raise QueryError(
                f"a condition is a field with ==, in, >, >=, < or <=, and all must hold; not {name!r} with {operator!r}"
            )
        one_each.append({name: {operator: value} if operator in _HOLDS else value})
    return narrowed(*one_each)


def narrowed(*given: Any) -> dict[str, tuple[str | Range, ...]]:  # noqa: ANN401 - each as `where_of` takes it
    """The filter that keeps what passes every one of those `given`; where they name one key, one value must pass them all."""
    where: dict[str, tuple[str | Range, ...]] = {}
    for one in given:
        for name, asked in where_of(one).items():
            before = where.get(name)
            where[name] = (
                asked if before is None else tuple(both for a in before for b in asked for both in _both(a, b))
            )
    return where


def where_of_written(conditions: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, tuple[str | Range, ...]]:
    """The filter of conditions as people write them (`written_condition`), the values of a key with `=` as a list: alternatives.

    Its bounds must all hold, and so must all keys.
    """
    values: dict[str, list[str]] = {}
    bounds: list[tuple[str, str, object]] = []
    for key, operator, value in conditions:
        if operator == "=":
            values.setdefault(key, []).extend(value)
        else:
            bounds.append((key, operator, value))
    return where_all_hold([*((key, "in", found) for key, found in values.items()), *bounds])


def written_condition(text: str) -> tuple[str, str, str] | None:
    """Key, operator and value of a condition as people write it (`year >= 2020`, `kind = paper`); None for what is none."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or not (found[2] == "=" or found[3].strip()):  # nothing lies beyond an empty bound
        return None
    return found[1], found[2], found[3].strip()


def _both(one: str | Range, two: str | Range) -> tuple[str | Range, ...]:
    """What passes both: one range or text, or nothing."""
    if isinstance(one, Range) and isinstance(two, Range):
        return (Range(one.bounds + two.bounds),)
    text = two if isinstance(one, Range) else one
    return (text,) if allows((one,), str(text)) and allows((two,), str(text)) else ()


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise QueryError(f"a filter's key must be a text, not {name!r}")
    return name


def _allowed(name: str, asked: object) -> tuple[str | Range, ...]:
    if isinstance(asked, Mapping):
        return (Range(tuple((operator, _text(name, bound)) for operator, bound in asked.items())),)
    several = asked if isinstance(asked, Sequence | set | frozenset) and not isinstance(asked, str) else (asked,)
    return tuple(one if isinstance(one, Range) else _text(name, one) for one in several)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str | int | float):
        raise QueryError(
            f"the filter of {name!r} cannot be read: {value!r} is no text, number, truth value, list or bounds"
        )
    return as_text(value)


def _order(value: str, bound: str) -> int | None:
    """Where `value` stands to `bound`: below (negative), equal (0), above (positive), or in no order (None)."""
    numbers = bool(_NUMBER.fullmatch(value)), bool(_NUMBER.fullmatch(bound))
    if all(numbers):
        mine, other = _read(value), _read(bound)
        return (mine > other) - (mine < other)
    if _DATE.fullmatch(value) and _DATE.fullmatch(bound):  # not both are numbers, so one is more than a year
        precision = min(len(value), len(bound))
        value, bound = value[:precision], bound[:precision]
    elif any(numbers):
        return None
    return (value > bound) - (value < bound)


def _read(number: str) -> int | float:
    try:
        return int(number)  # exact, however large
    except ValueError:
        return float(number)
