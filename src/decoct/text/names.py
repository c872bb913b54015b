"""Names in a text: runs of capitalised words, parts of them, and what else may be a name; how names are compared.

- Mentions (`runs`): runs of capitalised words, across the connectives that names use ("Battle of El Herri"); the parts between connectives;
  years.
- Candidates: what may be the name of a document although it is no such run, namely the ends of a run ("In Before Sunset") and two runs
  with one or two plain words between ("Look What the Cat Dragged In"). They are looked up, never linked to each other.
- Questions may write a name in any case (`question_names`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from decoct.text.lists import listed
from decoct.text.words import is_stop

# Capitals of the Latin alphabets, Greek and Cyrillic.
CAPITAL = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽȘȚΑ-ΡΣ-ΫΆΈ-ΏЀ-Я"
_CONNECTIVE = r"(?:of|the|and|de|la|le|du|des|von|van|der|den|di|da|del|al|el|bin|ibn|&)"
_WORD = r"[^\W_]+(?:['’-][^\W_]+)*"
RUN = re.compile(
    rf"[{CAPITAL}][^\W_]*(?:['’-][^\W_]+)*"
    r"(?:(?: |(?<=\b[A-Z])\. ?|(?<=\bSt|\bDr|\bMr|\bMs|\bJr|\bSr|\bLt)\. |, (?=[JS]r\b)| "
    + _CONNECTIVE
    + rf" (?:(?:the|la|de|der) )?)(?=[{CAPITAL}0-9])"
    + _WORD
    + r")*|\b(?:1[0-9]{3}|20[0-9]{2})\b"
)
_BETWEEN = re.compile(" " + _CONNECTIVE + "(?: (?:the|la|de|der))? ")
_SPACED = re.compile(r"[^ ]+")
_GAP = re.compile(r" (?:[a-z'’]+ ){1,2}")
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ADDITION = re.compile(r"\s*\([^()]*\)\s*$")
_COMMON = listed("names", "common")
_LONGEST = 8  # words of a name
_REMEMBERED = 40  # characters of a word whose folded form is kept: the same words stand in name after name


def normal(name: str) -> str:
    """The name as it is compared: folded to plain lower-case words, without possessive and leading article."""
    return _without_article(_folded(name))


def title_without_brackets(title: str) -> str:
    """A title without what stands in brackets at its end: "Titanic" of "Titanic (1997 film)"; the title where nothing else is left."""
    return _ADDITION.sub("", title) or title


def stands_in(name: str, text: str) -> bool:
    """Whether `name` stands in `text` as it is written, as whole words: how a sentence names the document of that title."""
    at = text.find(name) if name else -1
    while at >= 0:
        past = at + len(name)
        before, after = text[at - 1 : at], text[past : past + 1]
        if not (before.isalnum() and name[0].isalnum()) and not (after.isalnum() and name[-1].isalnum()):
            return True
        at = text.find(name, at + 1)
    return False


def is_common(name: str) -> bool:
    """Whether a normalised name is no name on its own: a word that begins sentences, a month, a day, an adjective of place."""
    return name in _COMMON


def runs(text: str) -> Iterator[tuple[str, int, int]]:
    """The names that `text` mentions, normalised, with the characters where each stands; names may repeat."""
    for match in RUN.finditer(text):
        yield from _named(text, *match.span())
        borders = [match.start()]
        for between in _BETWEEN.finditer(text, *match.span()):
            borders += between.span()
        borders.append(match.end())
        for start, end in zip(borders[::2], borders[1::2], strict=True) if len(borders) > 2 else ():
            yield from _named(text, start, end)


def question_runs(question: str) -> tuple[str, ...]:
    """The runs of capitalised words in a question, as written, without the words at their beginning that ask ("Did Ada" is "Ada")."""
    found = []
    for match in RUN.finditer(question):
        words = match.group().split()
        while words and (words[0].lower() in _COMMON or is_stop(words[0].lower())):
            del words[0]
        if words:
            found.append(" ".join(words))
    return tuple(found)


def possible_names(text: str) -> Iterator[tuple[str, int, int]]:
    """What else may name a document: ends of runs, and two runs with a plain word or two between them."""
    before: re.Match[str] | None = None
    for match in RUN.finditer(text):
        start, end = match.span()
        words = [(word.start(), word.end()) for word in _SPACED.finditer(text, start, end)][: _LONGEST + 1]
        for (_, stop), (go_on, _) in pairwise(words):
            if not text[text.rfind(" ", start, stop) + 1].islower():
                yield from _named(text, start, stop)
            if not text[go_on].islower():
                yield from _named(text, go_on, end)
        if before is not None and _GAP.fullmatch(text, before.end(), start):
            yield from _named(text, before.start(), end)
        before = match


def _named(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    key = normal(text[start:end])
    if len(key) > 2 and key not in _COMMON:
        yield key, start, end


@dataclass(frozen=True, slots=True)
class Possible:
    """Words `first` to `past` of a question, which may be a name; `joined`: a longer capitalised run goes on beside them."""

    name: str
    first: int
    past: int
    joined: bool


def question_names(question: str) -> list[Possible]:
    """What a question may name: up to `_LONGEST` of its words in a row, in any case; a single word only with a capital or digit."""
    tokens = [(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(question)]
    capital = [token[:1].isupper() or token[:1].isdigit() for token, _, _ in tokens]
    folded = [_folded(token) for token, _, _ in tokens]
    goes_on = [_is_one_name(question, tokens, capital, left) for left in range(len(tokens) - 1)] + [False]
    found = []
    for first in range(len(tokens)):
        words: list[str] = []
        joined = first > 0 and goes_on[first - 1]
        for past in range(first + 1, min(first + _LONGEST, len(tokens)) + 1):
            words += folded[past - 1]
            if past == first + 1 and not capital[first]:
                continue
            key = _without_article(words)
            if len(key) > 2 and key not in _COMMON:
                found.append(Possible(key, first, past, joined or goes_on[past - 1]))
    return found


def longest_mentions(possible: Iterable[Possible]) -> list[Possible]:
    """Those that a reader would see: from left to right the longest, none inside or across another."""
    kept: list[Possible] = []
    for one in sorted(possible, key=lambda one: (one.first, -one.past)):
        if not kept or one.first >= kept[-1].past:
            kept.append(one)
    return kept


def _is_one_name(text: str, tokens: list[tuple[str, int, int]], capital: list[bool], left: int) -> bool:
    near = text[tokens[left][2] : tokens[left + 1][1]] == " "
    return near and capital[left] and capital[left + 1] and tokens[left][0].casefold() not in _COMMON


def _without_article(words: list[str]) -> str:
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words)


def _folded(text: str) -> list[str]:
    words: list[str] = []
    for part in text.split(" "):  # no token goes across a blank
        words += _folded_part(part) if len(part) <= _REMEMBERED else _folded_part.__wrapped__(part)
    return words


@lru_cache(maxsize=1 << 16)
def _folded_part(part: str) -> tuple[str, ...]:
    words = []
    for token in _TOKEN.findall(part):
        word = token.lower().replace("’", "'")
        word = word.removesuffix("'s")
        if not word.isascii():
            word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
        words.append(word.replace("'", ""))
    return tuple(word for word in words if word)
