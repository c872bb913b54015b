"""Documents of a world: a statement of the value in the style of a paper, a report, a blog or an erratum, among other sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast

from decoct_lab.worlds.families import Family, Style
from decoct_lab.worlds.world import Stated, value_in_words

_VENUES = {
    "paper": ("Annals of Measured Things", "Letters on Invented Matter", "Journal of Careful Work"),
    "report": ("Federal Testing Institute", "Standards Office of Vestmark", "Regional Observatory"),
    "blog": ("Notes from the Bench", "Plain Figures", "A Curious Weekend"),
    "erratum": ("Annals of Measured Things",),
}
_TITLES = {
    "paper": ("On {e}", "{e} revisited", "A study of {e}"),
    "report": ("Record on {e}", "{e}: summary sheet", "Findings for {e}"),
    "blog": ("What I know about {e}", "{e} and I", "Talking about {e}"),
    "erratum": ("Erratum: On {e}",),
}
_OPENERS = {
    "paper": ("This article deals with the {noun} {e}.", "The {noun} {e} has drawn attention in recent years."),
    "report": ("Subject of this sheet is the {noun} {e}.", "The {noun} {e} was examined on request."),
    "blog": ("A reader asked me about {e} the other day.", "Let us talk about {e}, everybody's favourite {noun}."),
    "erratum": ("This notice concerns our article on the {noun} {e}.",),
}
_CORRECTS = (
    "The {about} was printed as {old}; the correct value is {new}.",
    "In the abstract the {about} of {e} was given in error as {old}. It should have read {new}.",
)
_HEDGES = ("Apparently, ", "As rumour has it, ", "If I remember rightly, ")


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """One document to be written: whether it tells the truth, its style, its year, its role and how many copies it has."""

    true: bool
    style: str
    year: int
    role: str = "plain"
    copies: int = 0


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A finished document, the value as it stands in it, and whether that is the truth."""

    record: dict[str, Any]
    said: str
    true: bool
    condition: str = ""
    copied: bool = False
    silent: bool = False

    def renamed(self, doc_id: str) -> WrittenDocument:
        """The same under another id."""
        return replace(self, record={**self.record, "id": doc_id})

    def copy(self, doc_id: str, rng: random.Random) -> WrittenDocument:
        """A near-duplicate in another venue: the same text but for a word at its end."""
        text = self.record["text"] + rng.choice((" Reprinted.", " Via our desk.", " Syndicated."))
        venue = rng.choice(("Daily Digest", "The Repeater", "Mirror of Science"))
        return replace(self, record={**self.record, "id": doc_id, "text": text, "venue": venue}, copied=True)


def document(
    doc_id: str,
    family: Family,
    entity: str,
    value: Stated,
    side: DocumentPlan,
    *,
    filler: Sequence[str],
    rival: tuple[str, Stated],
    rng: random.Random,
    old: Stated | None = None,
    hedge: bool = False,
    condition: str = "",
    used: set[str] | None = None,
) -> WrittenDocument:
    """One document of 80 to 300 tokens that says `value`; an erratum says `old` too, `condition` is said beside the value.

    `used` are the templates that other documents of the question have: sources that measure on their own do not write alike.
    """
    said = value_in_words(family, value, rng)
    opening = rng.choice(_OPENERS[side.style]).format(e=entity, noun=family.noun)
    if side.style == "erratum" and old is not None:
        statement = rng.choice(_CORRECTS).format(
            about=family.about, e=entity, old=value_in_words(family, old, rng), new=said
        )
    else:
        known = family.statements[cast("Style", side.style)]
        template = rng.choice([t for t in known if t not in (used or ())] or known)
        if used is not None:
            used.add(template)
        statement = template.format(e=entity, v=said)
        statement = _under(statement, family, condition) if condition else statement
        statement = rng.choice(_HEDGES) + statement if hedge else statement
    other, amount = rival
    # A name or an effect of something else makes no sense in a sentence about an amount.
    fitting = [sentence for sentence in filler if "{w}" not in sentence or family.units or family.dates]
    chosen = rng.sample(fitting, rng.randint(5, 8))
    around = [_filled(sentence, other, value_in_words(family, amount, rng), rng) for sentence in chosen]
    if side.role != "silent":
        around.insert(rng.randint(0, len(around)), statement)
    month, day = rng.randint(1, 12), rng.randint(1, 28)
    record = {
        "id": doc_id,
        "title": rng.choice(_TITLES[side.style]).format(e=entity),
        "date": f"{side.year}-{month:02d}-{day:02d}",
        "kind": side.style,
        "venue": rng.choice(_VENUES[side.style]),
        "text": " ".join([opening, *around]),
    }
    return WrittenDocument(record, said, side.true, condition, silent=side.role == "silent")


def _under(statement: str, family: Family, condition: str) -> str:
    """The statement with `condition` in the place of the family's usual one, or before it."""
    for usual in ("in healthy volunteers", "at room temperature"):
        if usual in statement:
            return statement.replace(usual, condition)
        if usual.capitalize() in statement:
            return statement.replace(usual.capitalize(), condition.capitalize())
    lower = statement.startswith(("The ", "For "))
    rest = statement[0].lower() + statement[1:] if lower else statement
    return f"{condition[0].upper()}{condition[1:]}, {rest}"


def _filled(sentence: str, other: str, amount: str, rng: random.Random) -> str:
    n = rng.randint(20, 400)
    return sentence.format(n=n, m=rng.randint(2, max(3, n // 10)), o=other, w=amount)


def conflicts_of(documents: Sequence[WrittenDocument], family: Family, error: str) -> list[dict[str, Any]]:
    """Every pair of documents that say different things, as in the hand-written set."""
    kinds = {"entity": "entity", "negation": "polarity", "date": "date", "unit": "unit"}
    default = "date" if family.dates else "polarity" if family.effects else "entity" if family.values else "numeric"
    return [
        {
            "documents": [a.record["id"], b.record["id"]],
            "type": kinds.get(error, default),
            "values": [a.said, b.said],
            "about": family.about,
        }
        for a, b in combinations(documents, 2)
        if a.true != b.true and not a.silent and not b.silent
    ]


def said_in(documents: Sequence[WrittenDocument]) -> dict[str, str]:
    """What each document says, by its id; documents that say nothing are left out."""
    return {str(w.record["id"]): w.said for w in documents if not w.silent}
