"""A part of a question exchanged for what goes on with it: "in winter" for "in summer", a name for a name, a code for a code.

Else it is what means what is most like the piece ("an adult" for "teenagers"), and where nothing does, what the question asks something of,
if both are of a form ("lost umbrellas", "keys"). "The default" is something of what was spoken of and no other of its kind, which
`leaning.py` tells, and "gracefully" is no thing: they take no place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.conversation.leaning import LEANS, leaning
from decoct.conversation.mentions import (
    PREPOSITIONS,
    WORD,
    auxiliary_before,
    meaning_places,
    named_phrases,
    names,
)
from decoct.embed.minilm import MiniLM
from decoct.text.identifiers import identifiers
from decoct.text.wholes import Place
from decoct.text.words import singular

AT_PREPOSITION = re.compile(rf"^(?P<word>{'|'.join(PREPOSITIONS)})\s+(?=\w)", re.IGNORECASE)
_ALIKE = 0.3  # the cosine of what may stand for each other ("winter", "summer"), on the conversations of 27 programs and 12 houses


def exchanged(last: str, piece: str) -> str | None:
    """The last question with `piece` in the place of what has its form there; None where nothing has."""
    end = len(last.rstrip(" ?.!"))
    preposition = AT_PREPOSITION.match(piece)
    if preposition is not None:
        found = list(re.finditer(rf"\b{preposition['word']}\b\s+", last[:end], re.IGNORECASE))
        if not found:
            bare = piece[preposition.end() :]
            place = _nearest(bare, [*meaning_places(last[:end]), *names(last[:end])], last)
            added = f" {piece[0].lower()}{piece[1:]}"
            return f"{last[: place[0]]}{bare}{last[place[1] : end]}?" if place else f"{last[:end]}{added}?"
        start = found[-1].start()
        named = [place for place in names(last[:end]) if place[0] >= found[-1].end()]
        stop = named[0][1] if named and names(piece) else _phrase_end(last, found[-1].end(), end)
        return f"{last[:start]}{piece}{last[stop:end]}?"
    place = _counterpart(last[:end], piece)
    if place is None:
        return None
    before = last[: place[0]]
    if has_article(piece) and has_article(before.rpartition(" ")[0].rpartition(" ")[2]):
        # "a carer" takes the place of "an employee", not of "employee" alone
        before = before.rstrip().rpartition(" ")[0] + " "
    return f"{before}{piece}{last[place[1] : end]}?"


def has_article(words: str) -> bool:
    """Whether the words begin with an article."""
    return words.partition(" ")[0].lower() in ("a", "an", "the")


def _phrase_end(text: str, start: int, end: int) -> int:
    """Where the phrase that begins at `start` ends: before the next preposition, or with the question."""
    further = re.compile(rf"\s+(?:{'|'.join(PREPOSITIONS)})\s", re.IGNORECASE).search(text, start, end)
    return further.start() if further is not None else end


def _counterpart(last: str, piece: str) -> Place | None:
    """What of the last question `piece` takes the place of."""
    if codes := identifiers(piece):
        others = [one for one in identifiers(last) if one.shape == codes[0].shape] or identifiers(last)
        if others:
            return others[-1].start, others[-1].end
    if piece.isdigit() and (numbers := [match.span() for match in WORD.finditer(last) if match[0].isdigit()]):
        return numbers[-1]
    named = names(last)
    if names(piece) and named:
        whole = (place for place in named_phrases(last) if place[0] <= named[-1][0] and named[-1][1] <= place[1])
        return next(whole, named[-1]) if has_article(piece) else named[-1]
    # Words of a name are none by themselves.
    places = [place for place in meaning_places(last) if not any(a <= place[0] < b for a, b in named)]
    return _nearest(piece, [*places, *named], last) or _of_its_form(piece, places, named, last)


def _nearest(piece: str, places: Sequence[Place], text: str) -> Place | None:
    """Of the places in a question the one whose words mean what is most like the piece; None where none is like it."""
    if not places:
        return None
    vectors = MiniLM().embed([piece, *(text[slice(*place)] for place in places)], "query")
    alike = vectors[1:] @ vectors[0]
    return places[int(alike.argmax())] if alike.max() >= _ALIKE else None


def _of_its_form(piece: str, places: Sequence[Place], named: Sequence[Place], last: str) -> Place | None:
    """The subject of the last question, a name before others, where the piece is a thing as it is one."""
    several = not has_article(piece) and _is_plural(piece)
    subject = next((place for place in places if auxiliary_before(last, place[0])), None)
    words = [match.span() for match in WORD.finditer(last, *subject)] if subject else []
    fitting = next((one for one in reversed(words) if last[slice(*one)].endswith("s") == piece.endswith("s")), subject)
    if several and fitting is not None and _is_plural(last[slice(*fitting)]):
        return fitting  # "how long are backups kept?", "and logs?"
    if leaning(f"what is {piece}") > LEANS or not (has_article(piece) or several):
        return None
    return named[-1] if named and not (several and places) else fitting


def _is_plural(words: str) -> bool:
    return singular(words) != words
