"""Reads what a model was asked for out of what it wrote.

A reply that fits its schema is taken as it is. Anything else is searched for what it was asked for, since small models answer in lists,
with headings, numbers and comments, or break off in the middle of their JSON: questions are the lines (or quoted strings) that end with a
question mark, topics and queries the items of lists. Answers and headings are no questions and fall out. That is counted by the caller.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

# Longer "questions" are paragraphs that end in a question; shorter ones ("Why?") ask nothing.
LONGEST, SHORTEST = 300, 12
# Of bounded length: an opening quote that is never closed would be read to the end of the reply, and so would each one after it.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.){0,1200}+)"')
_MARK = re.compile(
    r"^\s*(?:[-*•#>]+|\(?[QA]?\d{1,2}[.):]|Q\d*:|Question(?: \d+)?:|\*\*[^*]{1,20}\*\*:?)\s*", re.IGNORECASE
)
# Whole runs, so that a long line without a question mark is read once; what does not end as a question falls out.
_ASKS = re.compile(r"[^.?!\n]+\??")


def questions_in(reply: str) -> list[str]:
    """The questions of a reply that is not the JSON it should be, in order, none twice."""
    quoted = [text for text in _strings(reply) if text.rstrip().endswith("?")]
    lines = (match[0] for line in reply.splitlines() for match in _ASKS.finditer(line))
    return tidied(quoted or lines)


def items_in(reply: str) -> list[str]:
    """The items of a reply's lists (JSON strings, else lines with a list mark, else the parts between commas), in order, none twice."""
    keys = {"topics", "queries", "questions", "summary", "keywords"}
    found = [text for text in _strings(reply) if text.strip().lower() not in keys]
    if not found:
        found = [_MARK.sub("", line) for line in reply.splitlines() if _MARK.match(line)]
    if not found:
        found = reply.replace("\n", ",").split(",")
    return _unique(" ".join(text.split()).strip(" .;,*") for text in found if 2 < len(text.strip()) <= LONGEST)


def tidied(questions: Iterable[str]) -> list[str]:
    """Questions without marks and numbers before them, with single spaces, of a sensible length, none twice."""
    plain = (" ".join(_MARK.sub("", question.replace("**", "")).split()) for question in questions)
    return _unique(question for question in plain if SHORTEST <= len(question) <= LONGEST and question.endswith("?"))


def _strings(reply: str) -> list[str]:
    """The quoted strings of JSON that may be broken, unescaped."""
    found = []
    for match in _QUOTED.finditer(reply):
        try:
            found.append(str(json.loads(match[0])))
        except ValueError:
            found.append(match[1])
    return found


def _unique(texts: Iterable[str]) -> list[str]:
    seen: dict[str, str] = {}
    for text in texts:
        if text:
            seen.setdefault(text.casefold(), text)
    return list(seen.values())
