"""What a question asks for, read off its words: its content words and the kind of answer expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decoct.text.elliptical import asks_of_predicate, is_elliptical
from decoct.text.names import question_runs
from decoct.text.words import content, is_stop, singular

Kind: TypeAlias = Literal["person", "time", "place", "number", "yes-no", "open"]

_TIME = re.compile(
    r"\b(?:when|(?:what|which) (?:\w+ )?(?:year|date|day|month|time)|since when)\b",
    re.I,
)
_PLACE = re.compile(
    r"\b(?:where|(?:what|which) (?:\w+ ){0,2}(?:city|country|state|town|place|location|district))\b",
    re.I,
)
_NUMBER = re.compile(
    r"\b(?:how (?:many|much|old|long|far|tall|high|large|deep|fast|often|heavy)|(?:what|which) (?:\w+ ){0,2}"
    r"(?:number|percentage|age|amount|height|length|distance|size|total|price|cost|score))\b",
    re.I,
)
_PERSON = re.compile(
    r"\b(?:who|whom|whose|(?:what|which) (?:\w+[ -]){0,4}(?:singer|director|president|person|name))\b",
    re.I,
)
_SEVERAL = re.compile(
    r"^\W*(?:(?:what|which|who) (?:are|were)\b"
    r"|(?:what|which) (?:[\w-]+ )?(?P<noun>[\w-]+s) (?:are|were|do|does|did|have|had|can|could|will|should|must|may)\b"
    r"|(?:what|which) (?P<first>[\w-]+s)\b(?! (?:the|a|an|if|when|my|your|this|that)\b)"
    r"|(?:please )?(?:list|name)\b|give (?:me )?(?:all|the)\b|how (?:do|can|should|must|to)\b|(?:the )?steps\b"
    r"|what (?:do|can|should|must) (?:[\w-]+ ){1,4}do\b)",
    re.I,
)


def asks_for_several(question: str) -> bool:
    """Whether the question asks for several things or for steps: "which probes", "who are", "list", "how do I"."""
    match = _SEVERAL.match(question)
    if match is None:
        return False
    noun = (match["noun"] or match["first"] or "").lower()
    return not noun or (singular(noun) != noun and not is_stop(noun))


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """`words` are its content words, by their stems, as they are written, in the question's order; `names` the names in it."""

    words: Mapping[str, str]
    kind: Kind
    names: tuple[str, ...] = ()


def parsed_question(text: str) -> ParsedQuestion:
    """Read a question."""
    words: dict[str, str] = {}
    for stem, written in content(text):
        words.setdefault(stem, written)
    return ParsedQuestion(words, _kind(text), question_runs(text))


def _kind(text: str) -> Kind:
    if _AUXILIARY.match(text) or asks_yes_or_no(text):
        return "yes-no"
    # The question word that comes first decides: "who was president when …" asks for a person.
    kinds: tuple[tuple[re.Pattern[str], Kind], ...] = (
        (_TIME, "time"),
        (_NUMBER, "number"),
        (_PLACE, "place"),
        (_PERSON, "person"),
    )
    found = [
        (match.start(), order, kind) for order, (pattern, kind) in enumerate(kinds) if (match := pattern.search(text))
    ]
    return min(found)[2] if found else "open"


AUXILIARIES = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must"
"""The auxiliary verbs of English that take any subject, as alternatives of a pattern; "am" takes "I" alone."""
# English asks for yes or no by putting the auxiliary verb first (Quirk et al. 1985, A Comprehensive Grammar, 11.5) in the clause that asks:
# what stands before it says who asks or when ("I'm 74, is it free?"), and a tag asks of a statement ("it is free, isn't it?"; 11.8).
_CLAUSE = re.compile(r"(?:[,;:.!?)]|\s[-–—])\s+")
_AUXILIARY = re.compile(
    r"\W*(?:(?:and|but|so|then)\s+)?"
    r"(?:(?:as|in|at|on|for|with|under|during|since)\b(?=\s\w)(?:(?!\b(?:wh\w+|how)\b)[^,?]){1,80}?\s"
    r"(?=\w+ (?:i|we|you|they|he|she|it|there|my|our|your|the|an?)\b))?"
    rf"(?:(?:{AUXILIARIES}|am|isn't|aren't|wasn't|weren't|"
    r"don't|doesn't|didn't|hasn't|haven't|can't|couldn't|won't|wouldn't|shouldn't)\b|(?:right|correct|ok|okay)\W*$)",
    re.IGNORECASE,
)
_OTHER_QUESTION = re.compile(
    rf"\W*(?P<joined>(?:and|but|so|then)\s+)?(?:(?:in|at|on|for|to|from|by|with)\s+)?"
    rf"(?:what|which|who|whom|whose|how|why|(?:when|where)\s+(?:{AUXILIARIES}|am))\b",
    re.IGNORECASE,
)


def asks_yes_or_no(question: str) -> bool:
    """Whether the (English) question asks for yes or no: by its grammar, or without a verb by what it asks of (`elliptical.py`)."""
    said = question[:2000]
    return asks_by_grammar(said) or (
        is_elliptical(said) and "or" not in said.lower().split() and asks_of_predicate(said)
    )


def asks_by_grammar(question: str) -> bool:
    """Whether a clause of the question begins with an auxiliary verb or is a tag, and none asks otherwise or offers a choice."""
    starts = [0, *(clause.end() for clause in _CLAUSE.finditer(question))]
    asking = next((at for at in starts if _AUXILIARY.match(question, at)), None)
    if asking is None or "or" in question[asking:].lower().split():
        return False
    told = [(at, other) for at in starts if (other := _OTHER_QUESTION.match(question, at))]
    return not any(at < asking or other["joined"] for at, other in told)  # behind it "who is 13" tells more of somebody
