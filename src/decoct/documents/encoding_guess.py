"""Which encoding of one byte a letter a text is in, told by the language that it then is.

Each of the usual encodings is tried. In the right one the text is in some language, and its letters beyond ASCII are those of that
language, with capitals at the beginning of words and no signs between letters; in a wrong one ("б" for "Â", "¿" for "ż") they are not.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from decoct.text.languages import classified

_SURE = 0.9  # probability of the language
_GOOD = 0.9  # of the characters outside ASCII that fit, at the least
_OFTEN, _LEAST = 10, 0.45  # the commonest letters, and their share of a text: in prose .6 to .7, of any letters .3
_SAMPLE = 4_000  # bytes: more decides nothing
_FEW_LETTERS = 24  # outside ASCII, for a script that is not Latin: with fewer, several encodings give words
_SIGNS = frozenset("«»„“”‚‘’‹›–—…°§№€£©®•±×÷½¼¾¿¡²³µ\u00a0\u00ad")
_INSIDE = frozenset("’·\u00ad")  # may stand between letters
_HIGH = re.compile(r"[^\x00-\x7f]")


def single_byte_encoding(data: bytes) -> str:
    """The encoding of one byte a character in which `data` reads as some language; empty where none or several do."""
    first = next((at for at, byte in enumerate(data) if byte > 0x7F), 0)
    sample = data[max(0, first - _SAMPLE // 2) :][:_SAMPLE]
    found: dict[str, tuple[float, str]] = {}
    for name, table in _tables().items():
        for encoding in table["encodings"]:
            try:
                text = sample.decode(encoding)
            except UnicodeDecodeError:
                continue
            score = _fits(text, name, table["letters"])
            if score >= _GOOD and text not in found:
                found[text] = score, encoding
    ranked = sorted(found.values(), key=lambda one: -one[0])
    if not ranked or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < 1e-9):
        return ""
    return ranked[0][1]


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(resources.files("decoct.documents").joinpath("alphabets.toml").read_text("utf-8"))


def _fits(text: str, script: str, letters: dict[str, str]) -> float:
    """The share of the characters outside ASCII that a text in its language has there; 0 for a language of another script."""
    odd = [(found.start(), found.group()) for found in _HIGH.finditer(text)]
    if not odd or (script == "other" and len(odd) < _FEW_LETTERS):
        return 0.0
    if sum(character.isalpha() or character in _SIGNS for _, character in odd) < _GOOD * len(odd):
        return 0.0
    code, sure = classified(text)
    known = letters.get(code, "")
    if not known or sure < _SURE:
        return 0.0
    if script == "other":
        said = [character.lower() for _, character in odd if character.isalpha()]
        often = known[:_OFTEN]
        if not said or sum(character in often for character in said) < _LEAST * len(said):
            return 0.0
    return sum(_stands(text, at, known) for at, _ in odd) / len(odd)


def _stands(text: str, at: int, known: str) -> bool:
    """Whether the character at a place can stand there in a language of these letters."""
    character, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if character.isalpha():
        return character.lower() in known and not (character.isupper() and before.islower())
    return character in _SIGNS and (character in _INSIDE or not (before.isalpha() and after.isalpha()))
