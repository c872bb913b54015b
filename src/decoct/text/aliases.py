"""Whether two names mean the same: initials, particles, titles, acronyms, word order and the additions that names are written with.

`same_name` answers True, False, or None where nothing tells: "Oxford" may be the city or the university, "York" is not "New York" and
"Marie" may be any Marie. Nicknames that everybody knows count ("Bill" for "William").
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import permutations
from typing import NamedTuple

from decoct.text.lists import listed, table
from decoct.text.words import WORD, singular

_ARTICLE = re.compile(r"^(?:the|a|an|its|their|this|that|these|those|only|in)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?\b")
_COMMA = re.compile(r"^([^,]+), ([^,]+)$")
_GENERATIONS = {"junior": "jr", "senior": "sr"}
_ROMAN = frozenset("IVXL")
_ONLY = ("only", "solely", "exclusively")
_REACH = re.compile(r"(only|solely|exclusively|all|any|every|both)\b", re.IGNORECASE)


class _Name(NamedTuple):
    folded: str
    words: tuple[str, ...]
    acronym: str
    capitals: bool
    reach: str
    generation: str
    shouted: bool = False


def same_name(one: str, other: str) -> bool | None:
    """Whether two names or phrases are the same; None where the words alone do not tell."""
    a, b = _name(one), _name(other)
    if a.reach != b.reach:
        return False  # "all employees" is not "only full-time employees"
    if a.generation and b.generation and a.generation != b.generation:
        return False
    if a.folded == b.folded or (a.words and sorted(a.words) == sorted(b.words)):
        return True
    if _is_acronym(a, b) or _is_acronym(b, a):
        return True
    if not a.words or not b.words or may_abbreviate(one, other):
        return None
    return _compared(a, b) if a.capitals and b.capitals else _phrases(a, b)


def _phrases(a: _Name, b: _Name) -> bool | None:
    """Words that are no names: the same but for words of which one has more; else nothing is known (synonyms)."""
    fewer, more = sorted((set(a.words), set(b.words)), key=len)
    return True if fewer <= more and len(more) - len(fewer) <= 1 and len(fewer) > 1 else None


def _compared(a: _Name, b: _Name) -> bool | None:
    fewer, more = sorted((a.words, b.words), key=len)
    if len(fewer) == 1:
        return _family_name(fewer[0], more)
    first_same = _first(fewer[0], more[0])
    if fewer[-1] == more[-1] and first_same:
        return _middle(fewer[1:-1], more[1:-1])  # "George W. Bush" and "George H. W. Bush" are two
    if set(fewer) <= set(more):
        return None  # "University of London" and "University College London"
    return False


def _family_name(single: str, more: tuple[str, ...]) -> bool | None:
    """A single name beside a longer one: the last of it stands for a person, any other part tells nothing."""
    if single == more[-1] and more[0] not in listed("names", "before_places"):
        return True
    return None if single in more else False


def _first(one: str, other: str) -> bool:
    if one == other or (min(len(one), len(other)) == 1 and one[0] == other[0]):
        return True
    return _nicknames().get(one, one) == _nicknames().get(other, other)


def _middle(fewer: tuple[str, ...], more: tuple[str, ...]) -> bool | None:
    """Middle names may be left out or be initials, but not others; of some left out nothing is known."""
    if not all(any(_first(one, other) for other in more) for one in fewer):
        return False
    return True if not fewer or len(fewer) == len(more) else None


def _is_acronym(short: _Name, long: _Name) -> bool:
    letters = short.folded.replace(".", "").replace(" ", "")
    return len(letters) > 1 and letters in (long.acronym, long.acronym.replace(" ", "")) and len(long.acronym) > 1


def may_abbreviate(one: str, other: str) -> bool:
    """Whether one is in capitals alone and a letter longer than the other's initials: "USA" beside "United States"."""
    return any(
        short.shouted and len(long.acronym) > 1 and short.folded.replace(".", "")[:-1] == long.acronym
        for short, long in permutations((_name(one), _name(other)))
    )


@lru_cache(maxsize=16384)  # every candidate is compared with every other
def _name(name: str) -> _Name:
    reach = _REACH.match(name.strip())
    stripped = name.strip(" .,;:\"'“”‘’()")
    turned = _COMMA.match(stripped)
    if turned is not None and len(turned[2].split()) <= 2 and _is_given(turned[2]):
        stripped = f"{turned[2]} {turned[1]}"  # "Rowling, J. K."
    folded = " ".join(_plain(_ARTICLE.sub("", stripped)).casefold().replace("-", " ").split())
    written = WORD.findall(_POSSESSIVE.sub("", _plain(_ARTICLE.sub("", stripped))))
    lower = [word.casefold() for word in written]
    core = _core(lower)
    words = tuple(singular(word) for word in _split_initials(written, core))
    content = [word for word in lower if word not in listed("names", "particles")]
    acronym = "".join(word[0] for word in content) if len(content) > 1 else ""
    capitals = all(word[:1].isupper() or word[:1].isdigit() for word in written if word.casefold() in core)
    kind = "" if reach is None else "only" if reach[1].lower() in _ONLY else "all"
    generation = next(
        (_GENERATIONS.get(word, word) for word in lower[1:] if word in listed("names", "generations")), ""
    )
    if not generation and len(written) > 1 and set(written[-1]) <= _ROMAN:
        generation = lower[-1]  # "Elizabeth I", "World War I"
    shouted = len(stripped) > 2 and stripped.replace(".", "").isalpha() and stripped.isupper()
    return _Name(folded, words, acronym, capitals, kind, generation, shouted)


def _core(lower: list[str]) -> list[str]:
    """A name's own words: without titles before it, degrees and legal forms after it, and the small words inside."""
    words = list(lower)
    while len(words) > 1 and words[0] in listed("names", "titles"):
        del words[0]
    while len(words) > 1 and (words[-1] in listed("names", "after") or words[-1] in listed("names", "generations")):
        del words[-1]
    return [word for word in words if word not in listed("names", "particles")] or words


def _split_initials(written: list[str], kept: list[str]) -> list[str]:
    """Two or three capitals before a name are initials: "JK Rowling" is "J K Rowling"."""
    if len(kept) < 2 or written[0].casefold() != kept[0] or not 1 < len(written[0]) <= 3:
        return kept
    return [*kept[0], *kept[1:]] if written[0].isupper() and not written[-1].isupper() else kept


def _is_given(words: str) -> bool:
    """Whether what follows the comma looks like given names: initials, or one that is known to be one."""
    return (
        all(len(word.strip(".")) <= 2 for word in words.split())
        or words.split(maxsplit=1)[0].casefold() in _nicknames()
    )


def _plain(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).replace("ß", "ss")


@cache
def _nicknames() -> dict[str, str]:
    return {name: line.split()[0] for line in table("names")["nicknames"].splitlines() for name in line.split()}
