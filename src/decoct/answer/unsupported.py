"""What a written answer says or is asked for that stands in none of the passages that it cites: numbers, identifiers and names.

A number is supported where a cited passage (or the question) writes it or states the same value; an identifier where the same stands there;
a name of two words and more where any of its words does. A yes is unsupported where a cited passage has another value in the place of the
one that the question asks for ("Yes" to 12 people, of a lift that carries 8). What the question names has to stand in a cited passage
too: an answer about CVE-2024-3094 does not answer for CVE-2024-3904, nor one depot's hours for the other's, nor an edition that a later
one replaces. What is left is told behind the answer, since words that were streamed cannot be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.answer.asked_values import asked_values
from decoct.answer.demands import demands_of
from decoct.answer.in_force import replaced_editions
from decoct.answer.siblings import SiblingSentences
from decoct.answer.statements import name_of
from decoct.answer.surroundings import names_over
from decoct.data import Citation, Passage
from decoct.text.equality import comparable, same_value
from decoct.text.identifiers import identifiers, labels
from decoct.text.names import question_runs
from decoct.text.questions import asks_yes_or_no
from decoct.text.sentences import sentences
from decoct.text.values import parse_values, quantities
from decoct.text.words import content_stems

_MARK = re.compile(r"\[\d{1,3}\]")
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_SPOKEN = 0.5  # of the question's words, values aside
_MOST = 4  # told; more would be an answer of nothing but such


def unsupported(text: str, citations: Sequence[Citation], question: str) -> tuple[str, ...]:
    """The numbers, identifiers and names of an answer that neither its cited passages nor the question hold, as written, at most four.

    A number is held where it, or the same value, is written; a name of two words and more where any of its words is.
    """
    if not citations:
        return ()
    said = _MARK.sub(" ", text)
    held = "\n".join([question, *(f"{one.title}\n{one.place}\n{one.text}" for one in _passages(citations))])
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
    for passage in _passages(citations):
        over = f"{passage.title} {passage.place}"
        for start, end in sentences(passage.text):
            said = passage.text[start:end]
            agreement = asked.agreement(said, over)
            if agreement in ("same", "other"):
                spoken = len(asked.rest & content_stems(f"{over} {said}")) / max(1, len(asked.rest))
                best = max(best, (spoken, agreement == "same", said), key=lambda one: one[:2])
    spoken, same, said = best
    return "" if same or spoken < _SPOKEN else said


def unmet(citations: Sequence[Citation], question: str) -> tuple[str, ...]:
    """The question's identifiers that no cited passage holds, and its labels, dates and quantities in whose stead another one stands."""
    held = [f"{one.title}\n{one.place}\n{one.text}" for one in _passages(citations)]
    if not held:
        return ()
    demands, whole = demands_of(question, held), "\n".join(held)
    named = (*identifiers(whole), *labels(whole))
    asked = (*demands.identifiers, *demands.labels)
    found = [one.written for one in asked if not any(one.is_same(other) for other in named)]
    known = parse_values(whole)
    for value in demands.values:
        alike = [one for one in known if comparable(value, one)]
        within = alike and min(one.low for one in alike) <= value.low <= value.high <= max(one.high for one in alike)
        if alike and not within and not any(same_value(value, one) for one in alike):
            found.append(value.raw)
    return tuple(dict.fromkeys(found))[:_MOST]


def of_another(text: str, citations: Sequence[Citation], question: str, passages: Sequence[Passage]) -> str:
    """The place of a sibling of what the question names, or the replaced edition, where the answer cites nothing else; "" otherwise.

    `passages` are all that the answer was written from: one of them is of what the question names, or of the later edition.
    """
    said, cited = content_stems(_MARK.sub(" ", text)), _passages(citations)
    replaced = replaced_editions(question, passages)
    if cited and all(one.support[0].doc_id in replaced for one in cited):
        return name_of(cited[0])
    asked = content_stems(question)
    siblings, told, places = SiblingSentences(asked, passages), " ".join(sorted(said - asked)), []
    for passage in cited:
        spoken = [(len(said & content_stems(passage.text[slice(*one)])), one) for one in sentences(passage.text)]
        if not spoken:
            return ""
        _, place = max(spoken, key=lambda one: one[0])
        if not siblings.is_of_another(passage, place, told):
            return ""
        places.append(names_over(passage, place[0]))
    return next((name for name in reversed(places[0]) if name), "") if places else ""


def _passages(citations: Sequence[Citation]) -> list[Passage]:
    return list({id(one.passage): one.passage for one in citations}.values())


def told_unsupported(found: Sequence[str], denied: str = "", other: str = "") -> str:
    """The words that tell of them, of the sentence that says otherwise, and of what else the cited passages are of; "" for nothing."""
    missing = f" (In no cited passage: {', '.join(found)}.)" if found else ""
    otherwise = f" (A cited passage says otherwise: “{' '.join(denied.split())}”)" if denied else ""
    beside = f" (The cited passages are of another: “{' '.join(other.split())}”)" if other else ""
    return f"{missing}{otherwise}{beside}"
