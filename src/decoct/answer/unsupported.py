"""What a written answer says that stands in none of the passages that it cites: numbers, identifiers and names.

A number is supported where a cited passage (or the question) writes it or states the same value; an identifier where the same stands there;
a name of two words and more where any of its words does. A yes is unsupported where a cited passage has another value in the place of the
one that the question asks for ("Yes" to 12 people, of a lift that carries 8). What is left is told behind the answer, since words that were
streamed cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.answer.asked_values import asked_values
from decoct.context.marks import harmless
from decoct.data import Citation
from decoct.reading.yes_no import asks_yes_or_no
from decoct.text.equality import same_value
from decoct.text.identifiers import identifiers
from decoct.text.names import question_runs
from decoct.text.sentences import sentences
from decoct.text.values import quantities
from decoct.text.words import content_stems

_MARK = re.compile(r"[\[［]\d{1,3}[\]］]")
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_SPOKEN = 0.5  # of the question's words, values aside
_MOST = 4  # told; more would be an answer of nothing but such


def unsupported(text: str, citations: Sequence[Citation], question: str) -> tuple[str, ...]:
    """The numbers, identifiers and names of an answer that neither its cited passages nor the question hold, as written, at most four."""
    if not citations:
        return ()
    said = _MARK.sub(" ", text)
    passages = {id(one.passage): one.passage for one in citations}.values()
    held = "\n".join([question, *(f"{one.title}\n{one.place}\n{one.text}" for one in passages)])
    known, values, stems = identifiers(held), quantities(held), content_stems(held)
    codes = identifiers(said)
    found = [one.written for one in codes if not any(one.is_same(other) for other in known)]
    for value in quantities(said):
        inside = any(one.start <= value.start < one.end for one in codes)
        written = any(char.isdigit() for char in value.raw) and value.raw not in held
        if written and not inside and not any(same_value(value, other) for other in values):
            found.append(value.raw)
    names = [name for name in question_runs(said) if " " in name]
    found += [name for name in names if (own := content_stems(name)) and not own & stems]
    return tuple(dict.fromkeys(found))[:_MOST]


def denied_by(text: str, citations: Sequence[Citation], question: str) -> str:
    """The sentence of a cited passage that has another value where the answer, a yes, has the question's; "" where none has.

    It is the one that says most of the question; at least half of the question's words stand in it or over it.
    """
    asked = asked_values(question)
    if not asked.any or not asks_yes_or_no(question) or _YES.match(text) is None:
        return ""
    best: tuple[float, bool, str] = (0.0, False, "")
    for passage in {id(one.passage): one.passage for one in citations}.values():
        over = f"{passage.title} {passage.place}"
        for start, end in sentences(passage.text):
            said = passage.text[start:end]
            agreement = asked.agreement(said, over)
            if agreement in ("same", "other"):
                spoken = len(asked.rest & content_stems(f"{over} {said}")) / max(1, len(asked.rest))
                best = max(best, (spoken, agreement == "same", said), key=lambda one: one[:2])
    spoken, same, said = best
    return "" if same or spoken < _SPOKEN else said


def told_unsupported(found: Sequence[str], denied: str = "") -> str:
    """The words that tell of them, and of the sentence that says otherwise; "" for nothing."""
    missing = f" (In no cited passage: {', '.join(found)}.)" if found else ""
    return f"{missing} (A cited passage says otherwise: “{harmless(' '.join(denied.split()))}”)" if denied else missing
