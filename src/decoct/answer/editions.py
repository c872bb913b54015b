"""What a later text replaces: an edition, "Shift rules 2023" where "Shift rules 2025" is read too, and what a reply quotes.

Two names are of editions of one thing where they are the same words but for their years; the one with the later year holds, unless the
question names the year of the other. What a message quotes is older than the message: where its own words answer as much of the question,
they hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from decoct.answer.decision import ClaimCandidate
from decoct.text.quotations import is_quoted
from decoct.text.words import words as folded

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")


def replaced_editions(question: str, names: Sequence[str]) -> frozenset[str]:
    """Those of `names` that a later edition among them replaces."""
    asked = set(_YEAR.findall(question))
    years = {name: set(_YEAR.findall(name)) for name in names}
    latest: dict[tuple[str, ...], str] = {}
    for name, held in years.items():
        if held:
            frame = _frame(name)
            latest[frame] = max(latest.get(frame, ""), *held)
    return frozenset(
        name for name, held in years.items() if held and not held & asked and max(held) < latest[_frame(name)]
    )


def replies_first(claims: Sequence[ClaimCandidate]) -> list[ClaimCandidate]:
    """The claims, of those that a text quotes the ones replaced that its own words say otherwise."""
    places = [(one.found.read.passage, one.found.sentence[0]) for one in claims]
    quoted = [is_quoted(passage.text, at, passage.place) for passage, at in places]
    own = [one for one, other in zip(claims, quoted, strict=True) if not other]
    return [
        replace(one, evidence=replace(one.evidence, replaced=1.0))
        if other and any(_answers_for(reply, one) for reply in own)
        else one
        for one, other in zip(claims, quoted, strict=True)
    ]


def _answers_for(reply: ClaimCandidate, older: ClaimCandidate) -> bool:
    """Whether the reply speaks of as much of the question as what it quotes, and says something else of the kind."""
    mine, theirs = reply.evidence, older.evidence
    same = reply.found.read.passage.support[0].doc_id == older.found.read.passage.support[0].doc_id
    as_much = mine.in_heading >= theirs.in_heading
    return same and as_much and folded(reply.found.words) != folded(older.found.words)


def _frame(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(name))
