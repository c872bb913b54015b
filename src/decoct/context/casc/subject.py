"""Whether a claim is about another subject than the question: another name, or an identifier of the same shape with another number.

Only where its source names nothing of what the question asks about: a document may well speak of "it" and "the company".
"""

from __future__ import annotations

import re

from decoct.context.casc.claims import Claim
from decoct.context.casc.focus import Focus
from decoct.context.casc.roots import root, roots
from decoct.text.names import RUN

_OF = re.compile(r"\b(?P<head>[\w-]+) of (?:the |a |an )?(?P<what>\w[^,.;:?]*)")
_RELATIVE = re.compile(r"\b(?:that|whose|who|where)\b(?<!^who)|\w which\b", re.IGNORECASE)
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_IDENTIFIER = re.compile(r"\b(?P<shape>[A-Za-z]+-?)(?P<number>\d+[A-Za-z]?)\b")


def other_identifier(claim: Claim, focus: Focus) -> str:
    """An identifier like one of the question's with another number, where the question's own is nowhere in the source."""
    near = f"{claim.source.title}. {claim.quote}"
    whole = f"{claim.source.title}. {claim.source.text}"
    for match in _IDENTIFIER.finditer(focus.text):
        name = match.group()
        if re.search(rf"\b{re.escape(name)}\b", whole):
            continue
        shape = re.escape(match["shape"])
        other = re.search(rf"\b{shape}(?!{re.escape(match['number'])}\b)\d+[A-Za-z]?\b", near) or re.search(
            rf"\b{shape}(?!{re.escape(match['number'])}\b)\d+[A-Za-z]?\b", whole
        )
        if other is not None:
            return other.group()
    return ""


def other_subject(claim: Claim, focus: Focus) -> str:
    """What the claim's sentence is about instead, where the source names nothing of what the question is about.

    Names count by their words; else the complement of the noun asked for ("the boiling point of fluxane").
    """
    if _RELATIVE.search(focus.text):
        return ""  # "the drug that …": the answer's document may name only what another one leads to
    whole = f"{claim.source.title}. {claim.source.text}"
    held = roots(whole)
    names = [name for name in _question_names(focus.text) if roots(name)]
    if names and not any(roots(name) & held or _initials(name) & set(_CAPITALS.findall(whole)) for name in names):
        others = [match.group() for match in RUN.finditer(claim.quote) if match.start() > 0]
        others = [
            name
            for name in others
            if not roots(name) & focus.words and not name[0].isdigit() and name not in claim.value.raw
        ]
        if others:
            return others[0]
    asked, said = _complement(focus.text, focus.head), _complement(claim.quote, focus.head)
    if asked and said and not roots(asked) & held and not roots(said) & focus.words:
        return said.split()[0]
    return ""


def _question_names(text: str) -> list[str]:
    return [match.group() for match in RUN.finditer(text) if match.start() > 0 and not match.group()[0].isdigit()]


def _initials(name: str) -> set[str]:
    return {"".join(word[0] for word in name.split() if word[0].isupper())}


def _complement(text: str, head: frozenset[str]) -> str:
    """The words from "of" on that follow the noun asked for, to the end of the clause."""
    for match in _OF.finditer(text):
        if root(match["head"]) in head:
            return match["what"]
    return ""
