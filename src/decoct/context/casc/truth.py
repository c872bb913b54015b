"""Yes or no: whether a sentence affirms or denies what a question asks.

The question's predicate is its last common word before a closing phrase with a preposition ("Is the sale of fireworks *legal* in
Norland?"). A sentence speaks to it if it holds that word, its opposite ("closed" for "open"), or its negated form ("illegal"),
and three quarters of the question's words stand in it, in the sentence before or in the title. It denies it if the number of turns is odd:
an opposite, a negated form, or a negation before a word of the question ("does not support"; "is not found south of the Alps" turns none).

Questions that compare or measure ("before 1900", "taller than", "A or B") need an inference: there nothing is claimed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from decoct.context.casc.roots import root, roots
from decoct.text.values import Value

_COVERED = 0.74
# A line a pair: what is asked on the left, its opposites on the right, and the other way round.
_OPPOSITES = """
    open opened | closed shut closes
    legal allowed permitted lawful | illegal banned forbidden prohibited outlawed unlawful
    safe harmless | unsafe dangerous harmful hazardous
    edible | poisonous toxic inedible
    alive living | dead deceased died extinct
    true correct right | false wrong incorrect
    free | paid
    active | inactive dormant extinct
    possible | impossible
    required mandatory compulsory obligatory necessary | optional voluntary
    approved accepted passed adopted granted | rejected denied refused
    support supported | dropped discontinued abandoned
    present | absent
    guilty convicted | innocent acquitted
    profitable | unprofitable
    available | unavailable discontinued
    won win | lost lose
    confirmed | denied refuted
    effective | ineffective useless
    public | private
    resistant | susceptible
    married | unmarried divorced
    natural | artificial synthetic
    soluble | insoluble
    completed finished | unfinished incomplete
"""
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|cannot|can't|won't|\w+n[’']t|no|neither|nor|without|lacks?|fail(?:s|ed)? to|unable to|refus(?:es|ed) to"
    r"|stopped|ceased to|far from|hardly)\b",
    re.IGNORECASE,
)
_PREFIXES = ("un", "in", "im", "il", "ir", "non", "non-", "dis")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INFERENCE = re.compile(
    r"\b(?:than|before|after|or|same|both|more|less|older|younger|larger|smaller|longer|shorter|equal|enough|would|could|might|ever)\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\s(?:in|on|at|to|for|by|with|during|under|from|since|within|among|into|of)\s(?:[^\s?]+\s?){1,4}\??$",
    re.IGNORECASE,
)
_REACH = 3  # words after a negation in which the word that it turns may stand: "did not significantly support"


@lru_cache(maxsize=256)
def asked(question: str) -> str:
    """The root of the question's predicate; empty where its answer needs an inference."""
    if _INFERENCE.search(question):
        return ""
    body = re.sub(r"^\W*\w+\s", "", question)  # without the auxiliary
    for text in (_CLOSING.sub("", body), body):
        common = [word for word in _WORD.findall(text) if word[0].islower() and root(word)]
        if len(common) > 1 or (common and common[-1] != _WORD.findall(text)[0]):
            return root(common[-1])
    return ""


def answers(text: str, beside: frozenset[str], question: str, words: frozenset[str]) -> list[Value]:
    """The place in sentence `text` that affirms ("yes") or denies ("no"); `beside` are the roots of its title and the sentence before."""
    predicate = asked(question)
    if not predicate:
        return []
    held = roots(text)
    place, turned, met = _place(text, predicate)
    if place is None or len(words & (held | beside | {predicate})) < _COVERED * len(words):
        return []
    start, end = place
    for negation in _NEGATION.finditer(text):
        after = list(_WORD.finditer(text, negation.end()))[:_REACH]
        turns = next((word for word in after if root(word.group())), None)
        if turns is not None and (root(turns.group()) in words | {met} or turns.start() == place[0]):
            turned = not turned
            start, end = min(start, negation.start()), max(end, turns.end())
    if end - start > 80:
        start, end = place
    return [Value(text[start:end], "bool", start, end, dimension="no" if turned else "yes")]


def _place(text: str, predicate: str) -> tuple[tuple[int, int] | None, bool, str]:
    """Where the predicate stands, whether it stands there in an opposite form, and the root found."""
    opposite: tuple[tuple[int, int], bool, str] | None = None
    for match in _WORD.finditer(text):
        word = match.group().lower()
        found = root(word)
        if found == predicate:
            return match.span(), False, found
        if opposite is None and found and (found in _opposites().get(predicate, ()) or _negated(word, predicate)):
            opposite = match.span(), True, found
    return opposite or (None, False, "")


def _negated(word: str, predicate: str) -> bool:
    return any(word.startswith(prefix) and root(word[len(prefix) :]) == predicate for prefix in _PREFIXES)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _OPPOSITES.splitlines():
        left, _, right = line.partition("|")
        for one, other in ((left, right), (right, left)):
            rivals = frozenset(root(word) for word in other.split())
            for word in one.split():
                found[root(word)] = found.get(root(word), frozenset()) | rivals
    return found
