"""Questions from sentences by rules, without a model.

Templates are tried in this order on each declarative sentence; the first that fits is taken.

1. Passive with a time, place or agent: "X was opened in 1912" -> "When was X opened?"; "… in Geneva" -> "Where …?"; "… by Y" -> "By
   whom …?".
2. Definition: "X is a/an/the …" -> "What is X?", answered by the clause.
3. Cloze: the last year, number or name of the sentence is left out: "Which year is missing? “It opened in ____.”"

A sentence that begins with a pronoun or points backwards ("It", "This", "The latter") cannot be understood alone and is passed over, and
so is one that is too short to tell its fact apart or too long to read. The grammar is English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from decoct.text.sentences import sentences

SHORTEST, LONGEST = 6, 40  # words of a usable sentence
_UNCLEAR = re.compile(
    r"(?:he|she|it|its|his|her|hers|they|their|this|that|these|those|there|here|we|our|i|you|however|but|and|or|so|also|then|thus|"
    r"the (?:former|latter|same|following|other|above|two|three|first|second))\b",
    re.IGNORECASE,
)
_SUBJECT = r"(?P<subject>(?:The |the )?[A-Z][^,;:()\[\]\"“”]{1,70}?)"
_PASSIVE = re.compile(
    rf"^{_SUBJECT} (?P<be>was|were|is|are) (?P<verb>(?:[a-z]+ly )?(?:born|built|held|made|sung|sold|led|won|begun|known|seen|shot|set|put|"
    r"[a-z]+(?:ed|en|wn))) "
    r"(?P<link>in|on|at|by|near) (?P<object>[^,;:()\[\]]+)"
)
_DEFINITION = re.compile(
    rf"^{_SUBJECT} (?P<be>is|was|are|were) (?P<object>(?:an?|the|one of the) [^,;:()\[\]]{{8,120}}?)(?=,|\.|;| \(|$)"
)
_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")
_DATE = re.compile(r"(?:[A-Z][a-z]+ \d{1,2}, )?(?:\d{1,2} [A-Z][a-z]+ )?(?:[A-Z][a-z]+ )?(?:1[0-9]{3}|20[0-9]{2})\b")
_NAME = re.compile(r"(?:[A-Z][\w-]+)(?: (?:(?:of|the|de|van|von) )?[A-Z][\w-]+)*(?!['’\w-])")
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")


@dataclass(frozen=True, slots=True)
class Made:
    """A question made of characters `start` to `end` of a text, with its answer and the rule's name."""

    question: str
    answer: str
    start: int
    end: int
    kind: str


def from_text(text: str) -> Iterator[Made]:
    """The questions that the sentences of `text` give, in order, at most one a sentence."""
    for start, end in sentences(text):
        sentence = text[start:end]
        if not SHORTEST <= len(sentence.split()) <= LONGEST or "\n" in sentence.strip() or not _declares(sentence):
            continue
        made = _passive(sentence) or _definition(sentence) or _cloze(sentence)
        if made is not None:
            question, answer, kind = made
            yield Made(question, answer, start, end, kind)


def _declares(sentence: str) -> bool:
    return sentence[:1].isupper() and sentence.rstrip().endswith(".") and not _UNCLEAR.match(sentence)


def _passive(sentence: str) -> tuple[str, str, str] | None:
    found = _PASSIVE.match(sentence)
    if found is None:
        return None
    subject, be, verb, link = (found[name] for name in ("subject", "be", "verb", "link"))
    what = found["object"].rstrip(" .")
    when = _DATE.match(what)
    if link in ("in", "on") and when:
        return f"When {be} {_lower(subject)} {verb}?", when.group(), "when"
    name = _NAME.match(what.removeprefix("the "))
    if name is None:
        return None
    answer = what[: what.find(name.group()) + len(name.group())]
    if link == "by":
        return f"By whom {be} {_lower(subject)} {verb}?", answer, "who"
    return f"Where {be} {_lower(subject)} {verb}?", answer, "where"


def _definition(sentence: str) -> tuple[str, str, str] | None:
    found = _DEFINITION.match(sentence)
    if found is None or len(found["subject"].split()) > 6:
        return None
    return f"What {found['be']} {_lower(found['subject'])}?", found["object"].rstrip(" ."), "what"


def _cloze(sentence: str) -> tuple[str, str, str] | None:
    for kind, pattern in (("year", _YEAR), ("number", _NUMBER), ("name", _NAME)):
        found = [match for match in pattern.finditer(sentence) if match.start() > 0]
        if found:
            last = found[-1]
            rest = sentence[: last.start()], sentence[last.end() :]
            if last.group() not in " ".join(rest):  # else the sentence itself gives it away
                return f"Which {kind} is missing? “{'____'.join(rest).strip()}”", last.group(), "cloze"
    return None


def _lower(subject: str) -> str:
    return f"the {subject[4:]}" if subject.startswith("The ") else subject
