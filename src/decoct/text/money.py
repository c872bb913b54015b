"""Currencies beside a number: signs, codes and names, before it ("US$5", "NOK 5 million") or after ("5 yen", "5 EUR", "500 kr").

A way of writing may mean several currencies ("$", "crowns"): `codes` holds them all. Exchange rates are not known here: amounts in
different currencies cannot be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from decoct.text.lists import table

_SIGNS: dict[str, str] = table("money")["signs"]
_NAMES: dict[str, str] = table("money")["words"]
_MINOR: dict[str, str] = table("money")["minor"]
_ISO: list[str] = table("money")["codes"]["all"].split()
_SAME = {"RMB": "CNY"}


def _any(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_BEFORE = re.compile(rf"(?:(?<!\w)(?:{_any(list(_SIGNS))})\.?|(?<!\w)(?:{_any(_ISO)}))[\s\u00a0]?$")
_AFTER = re.compile(
    rf"[\s\u00a0]?(?:(?P<sign>{_any(list(_SIGNS))})(?!\w)|(?P<code>{_any(_ISO)})(?!\w)"
    rf"|-?(?i:(?P<name>{_any(list(_NAMES))})s?)(?!\w)|-?(?i:(?P<minor>{_any(list(_MINOR))})s?)(?!\w))"
)


@dataclass(frozen=True, slots=True)
class Money:
    """Characters `start` to `end` name a currency, one of `codes`; the number times `factor` is in its main unit."""

    start: int
    end: int
    codes: tuple[str, ...]
    factor: float = 1.0


def money_before(text: str, at: int) -> Money | None:
    """The currency whose sign or code ends right before character `at`."""
    first = max(0, at - 6)
    match = _BEFORE.search(text[first:at])
    if match is None:
        return None
    written = match.group().strip()
    codes = _SIGNS.get(written) or _SIGNS.get(written.rstrip(".")) or written
    return Money(first + match.start(), at, _codes(codes))


def money_after(text: str, at: int) -> Money | None:
    """The currency that follows the number which ends at character `at`."""
    match = _AFTER.match(text, at)
    if match is None:
        return None
    if match["minor"]:
        return Money(at, match.end(), _codes(_MINOR[match["minor"].lower()]), 0.01)
    name = (match["name"] or "").lower()
    codes = _SIGNS.get(match["sign"] or "") or match["code"] or _NAMES[name]
    return Money(at, match.end(), _codes(codes))


def _codes(written: str) -> tuple[str, ...]:
    return tuple(_SAME.get(code, code) for code in written.split())
