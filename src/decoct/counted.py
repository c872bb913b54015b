"""Numbers with their nouns: `1 document`, `2 documents`."""

from __future__ import annotations


def counted(amount: int, noun: str, many: str = "") -> str:
    """`amount` and the noun in the form that agrees with it; `many` where the plural is not formed by an s."""
    return f"{amount} {noun if amount == 1 else many or f'{noun}s'}"
