"""Whether two almost equal wordings say the same: what a small edit must never change."""

from __future__ import annotations

import re
from collections import Counter

from decoct.text.lists import ORDINALS, SCALES, SPELT, listed

_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


_SPELT = frozenset(SPELT) | frozenset(SCALES) | frozenset(ORDINALS) | {"half"}


def same_facts(one: str, other: str) -> bool:
    """Whether both hold the same numbers (in digits or words), the same negations and the same capitalised names."""
    return (
        Counter(_NUMBER.findall(one)) == Counter(_NUMBER.findall(other))
        and _negations_and_numbers(one) == _negations_and_numbers(other)
        and _same_names(one, other)
    )


def _negations_and_numbers(text: str) -> Counter[str]:
    """Negations (all alike) and spelt numbers, with how often each occurs."""
    found: Counter[str] = Counter()
    for word in _WORD.findall(text.lower()):
        if word in _SPELT:
            found[word] += 1
        elif word in listed("words", "negations") or word.endswith("n't"):
            found["not"] += 1
    return found


def _same_names(one: str, other: str) -> bool:
    """Capitalised words that only one side has may be its first word, if the other side has it in lower case."""
    left, right = ({word.casefold() for word in _WORD.findall(text) if word[0].isupper()} for text in (one, other))
    words_left, words_right = (_WORD.findall(text.casefold()) for text in (one, other))
    first = {*words_left[:1], *words_right[:1]}
    return all(name in first and name in words_left and name in words_right for name in left ^ right)
