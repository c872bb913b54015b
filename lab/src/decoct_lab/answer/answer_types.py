"""Whether a sentence holds something of the kind that a question asks for, by patterns."""

from __future__ import annotations

import re

from decoct.text.lists import MONTHS, SCALES, SPELT
from decoct.text.names import RUN
from decoct.text.questions import ParsedQuestion
from decoct.text.words import is_stop, stem

_MONTH = "(?:" + "|".join(name.capitalize() for name in sorted(MONTHS, key=len, reverse=True)) + ")"
_TIME = re.compile(
    rf"\b(?:1[0-9]\d\d|20\d\d)s?\b|\b{_MONTH}\.? \d|\b\d{{1,2}} {_MONTH}\b|\b\d+(?:st|nd|rd|th) century\b|\b\d+ (?:BC|AD|BCE|CE)\b"
    r"|\b(?:every|each) (?:year|month|week|day)\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
)
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join([*SPELT, *SCALES])}|several|half|once|twice)\b", re.I)
# A name in a place's position: after a preposition, before a comma and another name, or an adjective of origin.
_PLACE = re.compile(
    r"\b(?:in|at|of|near|from|to|between|on|into|outside)\s+(?:the\s+|a\s+)?(?:[a-z]+(?:ern)?\s+)?(?:(?:city|town|village|state|county|island)\s+of\s+)?"
    r"([A-Z]\w+)|([A-Z]\w+),\s+[A-Z]|([A-Z]\w+(?:an|ese|ish|ch|ss|i))\b"
)
_CALENDAR = re.compile(rf"{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day")


def holds_expected(sentence: str, question: ParsedQuestion) -> bool:
    """Whether `sentence` has a time, number, place or person's name for a question that asks for one; True for other questions.

    A name that stands in the question is no answer to it.
    """
    match question.kind:
        case "time":
            return _TIME.search(sentence) is not None
        case "number":
            return any(found.group() not in question.words for found in _NUMBER.finditer(sentence))
        case "place":
            places = (found[1] or found[2] or found[3] for found in _PLACE.finditer(sentence))
            return any(_is_new(name, question) for name in places)
        case "person":
            return _new_name(sentence, question)
        case _:
            return True


def _new_name(sentence: str, question: ParsedQuestion) -> bool:
    """Whether a capitalised word that the question does not have stands in the sentence, other than alone at its beginning."""
    for found in RUN.finditer(sentence):
        words = [word for word in found.group().split() if not is_stop(word.lower())]
        if (found.start() > 0 or len(words) > 1) and any(_is_new(word, question) for word in words):
            return True
    return False


def _is_new(word: str, question: ParsedQuestion) -> bool:
    return stem(word) not in question.words and not word[0].isdigit() and not _CALENDAR.fullmatch(word)
