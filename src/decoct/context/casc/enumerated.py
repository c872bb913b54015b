"""The whole of a list of which one item was read: "English, German or Polish" for "German"."""

from __future__ import annotations

import re
from dataclasses import replace

from decoct.text.values import Value

_ITEM = r"(?:[A-Z][\w'’-]+ [A-Z][\w'’-]+|(?!(?:and|or)\b)[\w'’-]+)"
_BEFORE = re.compile(rf"\b(?:(?:{_ITEM}, )*{_ITEM},? (?:and|or|&) |(?:{_ITEM}, )+)$")
_AFTER = re.compile(rf"(?:, {_ITEM})*,? (?:and|or|&) {_ITEM}")
_JOINED = re.compile(r",| (?:and|or|&) ")


def enumerated(text: str, value: Value) -> Value:
    """`value` in words with the items that a list of `text` gives beside it; as it is where it stands in no list."""
    start, end = value.start, value.end
    if after := _AFTER.match(text, end):
        end = after.end()
    closed = after is not None or _JOINED.search(value.raw) is not None or re.search(r"(?:and|or|&) $", text[:start])
    if closed and (before := _BEFORE.search(text, max(0, start - 200), start)):
        start = before.start()
    return replace(value, raw=text[start:end], start=start, end=end)
