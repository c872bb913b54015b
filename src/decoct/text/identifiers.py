"""Identifiers: what tells one thing from others of its kind and means nothing else: "CVE-2024-3904", "F50", "LH 1938", "read_line()".

They are told by their form, never by a list: letters and digits in one word, a few capitals before a number, a name with an underscore or
"()", an option with its dashes, a number of three parts. "12-month", "25th", "1990s", "5 kg" and "8 am" are quantities and none. A `Label`
is a word with the number or letter that it gives its bearer ("tram 9", "zone A"); that it is one shows where the text says it of others.

X-771, X 771 and x771 are one identifier. Another of the same kind is a rival: it has as many parts, one of them in common, or all as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from decoct.text.values import parse_values
from decoct.text.words import is_stop, stem

Shape: TypeAlias = Literal["code", "call", "option", "symbol", "version", "label"]

_IN_CODE = ("call", "symbol")
_CALL = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)\(\)")
_OPTION = re.compile(r"(?<![\w-])(--[A-Za-z][\w-]*|-[A-Za-z])(?![\w-])")
_TOKEN = re.compile(r"(?<![\w-])[A-Za-z0-9]+(?:[-‑–_./][A-Za-z0-9]+)*(?![\w-])")
_SPACED = re.compile(r"(?<![\w-])([A-Z]{1,6}) (\d{1,9})(?![\w,.]*\d|\s?%)(?!\w)")
_LABEL = re.compile(
    r"(?<![\w-])([A-Za-z]{2,})(?:[ \u00a0](?:no\.? |nr\.? |number )?)(\d{1,6}(?:\.\d{1,4})*|[A-Z])(?![\w-]|[.,]\d|\s?%|['’])"
)
_RUN = re.compile(r"[A-Za-z]+|\d+")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")
_SYMBOL = re.compile(r"[A-Za-z]+(?:_[A-Za-z0-9]+)+")
# Letters beside digits that say how much or when: "12-month", "25th", "1990s", "mid-1990", "2x", "19th-century", "3D" stays one.
_QUANTITY = re.compile(r"\d+(?:st|nd|rd|th|s|x)(?:-.*)?|\d[\d.,]*-[a-z].*|[a-z]+-(?:1\d|20)\d\ds?|\d+(?:[./-]\d+)+|\d+")


@dataclass(frozen=True, slots=True)
class Identifier:
    """What stands at `start`..`end` of a text as `written`; those with equal `parts` are the same."""

    written: str
    shape: Shape
    parts: tuple[str, ...]
    start: int
    end: int

    def is_same(self, other: Identifier) -> bool:
        """Whether both name one thing."""
        return self.name == other.name and (self.shape == "label") == (other.shape == "label")

    @property
    def name(self) -> tuple[str, ...]:
        """What is compared: its parts, those of a name in code as one word."""
        return ("_".join(self.parts),) if self.shape in _IN_CODE else self.parts

    def is_rival(self, other: Identifier) -> bool:
        """Whether `other` is another one of the same kind."""
        if self.is_same(other):
            return False
        if self.shape in _IN_CODE and other.shape in _IN_CODE:
            return "call" in (self.shape, other.shape) or bool(set(self.parts) & set(other.parts))
        return self.shape == other.shape and len(self.parts) == len(other.parts) and self._is_like(other)

    def _is_like(self, other: Identifier) -> bool:
        """Whether the parts of one as many as its own are of one form."""
        pairs = list(zip(self.parts, other.parts, strict=True))
        alike = all(one.isdigit() == two.isdigit() for one, two in pairs)
        if self.shape == "label":
            return alike and self.parts[0] == other.parts[0]
        shared = any(one == two for one, two in pairs) or all(len(one) == len(two) for one, two in pairs)
        return self.shape in ("option", "version") or (alike and shared)


def stands_in(written: str, text: str) -> bool:
    """Whether `text` holds an identifier, in any of the ways that it may be written; an option as it is."""
    if written.startswith("-"):
        return any(one.written == written for one in identifiers(text))
    return f" {' '.join(runs(written))} " in f" {' '.join(runs(text))} "


def runs(text: str) -> list[str]:
    """The letters in a row and the digits in a row of `text`: X-771, X 771 and x771 have the same."""
    return _RUN.findall(text.casefold())


@lru_cache(maxsize=4096)
def identifiers(text: str) -> tuple[Identifier, ...]:
    """The identifiers that stand in `text`, in order; labels are left to `labels`."""
    found: list[Identifier] = []
    for one in sorted(_written(text), key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return tuple(found)


@lru_cache(maxsize=4096)
def labels(text: str) -> tuple[Identifier, ...]:
    """The words with a number or letter of their own behind them, in order."""
    found = []
    for match in _LABEL.finditer(text):
        word = match[1]
        if not is_stop(word.lower()) and not word.isupper() and match[2] != "I":
            found.append(Identifier(match[0], "label", (stem(word.lower()), match[2].casefold()), *match.span()))
    return tuple(found)


def _written(text: str) -> Iterator[Identifier]:
    for match in _CALL.finditer(text):
        yield Identifier(match[0], "call", (match[1].casefold(),), *match.span())
    for match in _OPTION.finditer(text):
        yield Identifier(match[0], "option", (match[1],), *match.span())
    for match in _SPACED.finditer(text):
        if not _is_quantity(text, match.start(2), match.end(2), dated=False):
            yield Identifier(match[0], "code", (match[1].casefold(), match[2]), *match.span())
    for match in _TOKEN.finditer(text):
        word = match[0]
        if _VERSION.fullmatch(word):
            yield Identifier(word, "version", tuple(word.split(".")), *match.span())
        elif _SYMBOL.fullmatch(word):
            yield Identifier(word, "symbol", tuple(word.casefold().split("_")), *match.span())
        elif _mixed(word) and not _QUANTITY.fullmatch(word) and not _is_quantity(text, *match.span()):
            yield Identifier(word, "code", tuple(run.casefold() for run in _RUN.findall(word)), *match.span())


def _mixed(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_quantity(text: str, start: int, end: int, *, dated: bool = True) -> bool:
    """Whether the characters are (part of) a number with its unit, or (`dated`) a date."""
    near = text[max(0, start - 24) : end + 24]
    at = start - max(0, start - 24)
    for value in parse_values(near):
        if value.kind in ("date", "ordinal") and not dated:
            continue
        if (
            value.start < at + (end - start)
            and at < value.end
            and (value.dimension or value.kind in ("date", "ordinal"))
        ):
            return True
    return False
