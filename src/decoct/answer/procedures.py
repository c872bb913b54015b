"""The section of a text that tells how to do what a question asks.

A reader that looks for a few words finds in "How do I return an item?" the days that are left, and no single span is a list of steps. But
who writes instructions puts them under a heading that says what they are for, so the section is told by its form:

- The question asks how something is done ("how do I", "how to", "what do I do when", "steps to", "what now?").
- A section is a heading (`#`, underlined, numbered, or a short line by itself) with the text up to the next one.
- At least `_LEAST` of the question's words stand in the section or in the document's title (of a heading that says most of them: in the
  passage), its verb ("reset") in the section itself; and what the section is for is said in one place: in its heading, in one sentence, or,
  of a list of numbered steps, in the title ("Red lentil soup").

What is quoted is its list of steps with the paragraph before it, or its first sentences where it has none, with fenced code between them
(whose comments are no headings, and whose pipes no table); what to do in a case ("when the
screen stays black") is asked of lists alone, since one sentence says it otherwise. A question for several things ("which ingredients") is
answered by the list under the heading that names them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from decoct.text.outline import HeadedSection, sections, within
from decoct.text.questions import asks_for_several
from decoct.text.quotable import is_item, is_prose, is_row, item_words, leads, with_what_it_leads_into
from decoct.text.sentences import sentences
from decoct.text.wholes import Place
from decoct.text.words import content_stems, is_stop, stem, words

_LEAST = 0.75  # of the question's words: of three all, of four three
_SPOKEN = 2 / 3  # of them, those in one sentence that says what the steps after it are for
_LONGEST, _MOST_SENTENCES = 700, 5  # characters and sentences that are quoted of a section without steps
_MOST_STEPS, _LEADING = 15, 3  # of a list that is one; sentences that may stand before it
_SOMEBODY = r"(?:i|we|you|one|people|users?|somebody|someone)"
_ASKS = re.compile(
    rf"\bhow (?:do|can|could|should|must|may|would) {_SOMEBODY}\b|\bhow to\b|\b(?:steps|instructions|procedure) (?:to|for|of)\b"
    rf"|\bwhat (?:do|can|could|should|must|would) {_SOMEBODY} do\b|\bwhat to do\b|\bwhat (?:now|next)\b",
    re.IGNORECASE,
)
_OF_A_CASE = re.compile(r"\bwhat\b", re.IGNORECASE)
_STEP = re.compile(r"(?:\d{1,3}[.)]|[a-z]\)|step \d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Procedure:
    """The `place` to be quoted, its `steps` (one, the whole, where it has no list), and the share of the question's words that are said."""

    place: Place
    steps: tuple[Place, ...]
    named: float


def asks_how(question: str) -> bool:
    """Whether the question asks how somebody does something, or what to do in a case."""
    return _ASKS.search(question) is not None


def procedure_asked_for(question: str, text: str, title: str = "") -> Procedure | None:
    """What of `text` tells how to do what the question asks; None where it does not ask that, or no section is named well enough."""
    asks = _ASKS.search(question)
    if asks is None:
        return None
    asked = content_stems(f"{question[: asks.start()]} {question[asks.end() :]}")
    if not asked:
        return None
    of_a_case = _OF_A_CASE.match(asks[0]) is not None
    verb = None if of_a_case else _verb(question[asks.end() :])
    about, said = content_stems(title), content_stems(text)
    found: list[tuple[tuple[float, float, bool], Procedure]] = []
    for section in sections(text):
        heading = content_stems(section.heading)
        own = heading | content_stems(text[slice(*section.place)])
        headed = len(asked & heading) / len(asked)
        named = len(asked & (own | about | (said if headed >= _SPOKEN else own))) / len(asked)
        quoted = _instructions(text, section, asked)
        if named < _LEAST or quoted is None or (verb is not None and verb not in own):
            continue
        place, steps = quoted
        if of_a_case and len(steps) < 2:
            continue  # what to do in one case is one sentence, which the reader finds
        ordered = len(steps) > 1 and _STEP.match(text[slice(*steps[0])]) is not None
        spoken = max(len(asked & content_stems(text[slice(*one)])) for one in _sentences(text, section.place))
        if headed or spoken >= _SPOKEN * len(asked) or (ordered and asked <= about):
            found.append(((headed, named, ordered), Procedure(place, tuple(_bare(text, steps)), named)))
    return max(found, key=itemgetter(0))[1] if found else None


def list_asked_for(question: str, text: str, title: str = "") -> Procedure | None:
    """The list under the heading that a question for several things names ("which ingredients …"); None for others."""
    asked = content_stems(question)
    if not asked or asks_how(question) or not asks_for_several(question):
        return None
    about = content_stems(title)
    found: list[tuple[int, Procedure]] = []
    for section in sections(text):
        heading = asked & content_stems(section.heading)
        named = len(heading | (asked & about)) / len(asked)
        if not heading - about or named < _LEAST:
            continue
        quoted = _instructions(text, section, asked)
        if quoted is not None and len(quoted[1]) > 1:
            found.append((len(heading), Procedure(quoted[0], tuple(_bare(text, quoted[1])), named)))
    return max(found, key=itemgetter(0))[1] if found else None


def _verb(rest: str) -> str | None:
    """The stem of the word that says what is to be done, None where that is a word such as "get" which says nothing."""
    first = next(iter(words(rest)), "")
    return stem(first) if first and not is_stop(first) else None


def _bare(text: str, steps: Sequence[Place]) -> list[Place]:
    return [item_words(text, step) for step in steps] if len(steps) > 1 else list(steps)


def _sentences(text: str, place: Place) -> list[Place]:
    return [(place[0] + start, place[0] + end) for start, end in sentences(text[slice(*place)])]


def _instructions(text: str, section: HeadedSection, asked: frozenset[str]) -> tuple[Place, tuple[Place, ...]] | None:
    """What is quoted of a section, and its steps; None for one that holds a table, or neither sentence nor code."""
    found = [one for one in _sentences(text, section.place) if not within(section.code, one[0])]
    if any(is_row(text[slice(*one)]) for one in found):
        return None
    items = _items(text, found)
    if 2 <= len(items) <= _MOST_STEPS:
        first = next(at for at, one in enumerate(found) if one[0] == items[0][0])
        return (_led_from(text, found, first), items[-1][1]), tuple(items)
    said = [one for one in found if is_prose(text[slice(*one)]) or leads(text[slice(*one)])]
    parts = sorted(said + [one for one in section.code if one[1] - one[0] <= _LONGEST])
    if not parts:
        return None
    first = 0
    if len(parts) > _MOST_SENTENCES or parts[-1][1] - parts[0][0] > _LONGEST:
        first = max(range(len(parts)), key=lambda at: len(asked & content_stems(text[slice(*parts[at])])))
        if first and leads(text[slice(*parts[first - 1])]):
            first -= 1
    fitting = [one for one in parts[first : first + _MOST_SENTENCES] if one[1] - parts[first][0] <= _LONGEST]
    last = fitting[-1] if fitting else parts[first]
    whole = parts[first][0], with_what_it_leads_into(text, last)[1]
    return whole, (whole,)


def _led_from(text: str, found: Sequence[Place], first: int) -> int:
    """Where the paragraph begins that stands before a list whose first item is sentence `first`; where the list does, without one."""
    begin = found[first][0]
    for at in range(first - 1, max(-1, first - 1 - _LEADING), -1):
        parted = at + 1 < first and "\n\n" in text[found[at][1] : found[at + 1][0]]
        if parted or not is_prose(text[slice(*found[at])]):
            break
        begin = found[at][0]
    return begin


def _items(text: str, found: Sequence[Place]) -> list[Place]:
    """The items of the first list of at least two, each with all that stands on its lines."""
    items: list[Place] = []
    for start, end in found:
        if is_item(text[start:end]):
            items.append((start, end))
        elif items and "\n" not in text[items[-1][1] : start]:
            items[-1] = items[-1][0], end
        elif len(items) > 1:
            break
        else:
            items = []
    return items
