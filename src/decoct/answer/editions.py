"""What a later text replaces: an edition, "Shift rules 2023" where "Shift rules 2025" is read too, and what a reply quotes.

Two documents are editions of one thing where their titles, or the names of their files, are the same but for years or versions; the one
with the later holds, unless the question names the other's. What a message quotes is older than the message: where its own words answer as
much of the question, they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from decoct.answer.decision import ClaimCandidate
from decoct.context.casc.sources import numbered_name, numbers_of_edition
from decoct.data import Passage
from decoct.text.quotable import is_quoted
from decoct.text.words import words as folded


def replaced_editions(question: str, passages: Sequence[Passage]) -> frozenset[str]:
    """The ids of those documents of `passages` that a later edition among them replaces."""
    asked = set(numbers_of_edition(question))
    held: list[tuple[str, tuple[str, str], list[tuple[int, ...]]]] = []
    for doc_id, title in dict.fromkeys((one.support[0].doc_id, one.title) for one in passages):
        for kind, name in (("title", title), ("file", doc_id.partition("#")[0])):
            if (numbered := numbered_name(name)) is not None:
                held.append((doc_id, (kind, numbered[0]), numbered[1]))
    latest: dict[tuple[str, str], list[tuple[int, ...]]] = {}
    for _, frame, numbers in held:
        latest[frame] = max(latest.get(frame, numbers), numbers)
    return frozenset(doc_id for doc_id, frame, numbers in held if numbers < latest[frame] and asked.isdisjoint(numbers))


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
