"""Questions that a document answers, made from its own sentences by templates: no model, nothing that the document does not say.

A contribution sentence is taken apart at its cue: "We propose X" becomes "How does X work?", "we show that S" becomes "What shows that S?",
"we use X to do Y" becomes "How can one do Y using X?"; a problem becomes "Why is it a problem that S?", a figure "What results were
obtained: S?". Clauses that hang on the object (", which …") are kept up to a length, since their words are what a question may use. Each
question points back to the sentence it was made from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from decoct.data import Span
from decoct.retrieve.cards.contributions import Contribution, Role

LONGEST_QUESTION = 230  # characters: two lines on a card
_ADVERB = r"(?:\w+ly |also |then |further |first |here |now |next )?"
_SUBJECT = r"(?:[Ww]e|I|[Tt]his (?:paper|article|work|study|report|thesis|note)|[Tt]he (?:paper|article|authors?))"
_PRESENT_VERB = "(?:present|propose|introduce|describe|develop|devise|design|formulate|define|outline|suggest)"
_STUDY_VERB = "(?:investigate|explore|examine|study|studies|address|consider|discuss|analy[sz]e|evaluate|compare|report on|report|extend)"
_SHOW_VERB = "(?:show|demonstrate|argue|find|found|observe|conclude|indicate|suggest|reveal|confirm|prove)"
_FINDINGS = r"(?:[Tt]he |[Oo]ur )?(?:\w+ )?(?:results?|experiments?|evaluations?|analysis)[^,.;]{0,60}?"
_PRESENT = re.compile(rf"\b{_SUBJECT} (?:will |can )?{_ADVERB}{_PRESENT_VERB}e?s?d? (?P<object>.+)")
_STUDY = re.compile(rf"\b{_SUBJECT} (?:will |can )?{_ADVERB}{_STUDY_VERB}e?s?d? (?P<object>.+)")
_SHOW = re.compile(rf"\b(?:{_SUBJECT}|{_FINDINGS}) (?:will |can )?{_ADVERB}{_SHOW_VERB}e?s?d? that (?P<clause>.+)")
_USE = re.compile(
    rf"\b{_SUBJECT} (?:will |can )?{_ADVERB}(?:use|apply|employ|adopt|combine|train|adapt|build|implement)e?s?d? (?P<object>.+)"
)
_LEAD = re.compile(
    r"^(?:however|but|thus|therefore|moreover|furthermore|in addition|finally|first|second|also|for example|in particular|specifically|"
    r"in this (?:paper|article|work|study)|here|in sum|to this end|in contrast|unfortunately|in fact|indeed),?\s+",
    re.IGNORECASE,
)
_CITATION = re.compile(r"\s*(?:\((?:[^()]*\d{4}[^()]*)\)|\[[\d, ]+\])")
# A sentence asks by the first pattern it fits, else by its role.
_TEMPLATES = (
    (_SHOW, "What shows that "),
    (_PRESENT, "What characterises "),
    (_STUDY, "What is found out about "),
    (_USE, "How can one use "),
)
_OPENINGS: Mapping[Role, str] = {
    "problem": "Why does it matter that ",
    "aim": "How is it that ",
    "method": "How is it done that ",
    "result": "What results show that ",
}


@dataclass(frozen=True, slots=True)
class CardAsk:
    """A question, the role of what it asks for (problem: why, aim and method: how, result: what), and the passage that answers it."""

    text: str
    role: Role
    answer: Span


def questions(doc_id: str, found: Sequence[Contribution]) -> list[CardAsk]:
    """One question a sentence, in the order given."""
    return [CardAsk(ask(c.text, c.role), c.role, Span(doc_id, c.start, c.end)) for c in found]


def ask(sentence: str, role: Role) -> str:
    """The question that `sentence` answers."""
    plain = _LEAD.sub("", _CITATION.sub("", sentence)).strip().rstrip(".;:, ")
    plain = _LEAD.sub("", plain)
    for pattern, opening in _TEMPLATES:
        if match := pattern.search(plain):
            return _closed(opening, match[1])
    return _closed(_OPENINGS[role], _lowered(plain))


def _closed(opening: str, rest: str) -> str:
    text = opening + rest
    if len(text) > LONGEST_QUESTION:
        cut = text.rfind(" ", 0, LONGEST_QUESTION)
        clause = max(text.rfind(mark, LONGEST_QUESTION // 2, cut) for mark in (", ", "; ", ": "))
        text = text[: clause if clause > 0 else cut]
    return text.rstrip(".,;:- ") + "?"


def _lowered(text: str) -> str:
    """The sentence as a clause: its first letter small unless its first word is a name or an abbreviation."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
