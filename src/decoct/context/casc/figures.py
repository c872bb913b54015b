"""A question for a thing whose noun no list knows as a quantity ("What is the battery life of X?"), read off the documents.

If half of the sources that name the noun let it lead to a figure ("a battery life of 36 hours"), a figure is what is asked for. Words that
are no English question (keywords, another language) say nothing of the kind of answer: it is a figure or a date where the sentences nearest
to them in half of the sources hold one, else nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from decoct.context.casc.focus import Focus, head_root
from decoct.context.casc.phrases import expected
from decoct.context.casc.text import Sentence

_ASKS = re.compile(r"\b(?:what|which|whose|who|whom|where|why|how|name|list)\b", re.IGNORECASE)
_WHAT = re.compile(r"^\W*what\b(?! (?:kind|type|sort))", re.IGNORECASE)
# A measured property by its word: unlike a genre or a cause, it is not told without being named.
_MEASURED = re.compile(r"(?:index|(?<!act)ivity|bility|bance|ittance)$", re.IGNORECASE)
_LEADS = re.compile(
    r"[\w-]+(?: [\w%-]+){0,3}?[ :]+(?:(?:is|was|of|are|were|reach\w+|to|about|around|at|some|up|only|just|now|by|roughly|≈|~|=) ?)*"
    r"[$€£]?"
)


def as_figure(texts: Sequence[Sequence[Sentence]], focus: Focus) -> Focus:
    """The focus, on a quantity of any dimension where the sources answer it in figures."""
    if focus.target == "entity" and not _ASKS.search(focus.text):
        return _keyed(texts, focus)
    if focus.target != "entity" or not focus.noun or expected(focus.noun) != "phrase" or not _WHAT.search(focus.text):
        return focus
    head = head_root(focus)
    naming = [[sentence for sentence in text if head in sentence.roots] for text in texts]
    naming = [sentences for sentences in naming if sentences]
    if not naming and _MEASURED.search(focus.noun):
        return replace(focus, target="open")  # no source speaks of that property of anything
    figures = sum(any(_figure(sentence, head) for sentence in sentences) for sentences in naming)
    return replace(focus, target="number") if figures and 2 * figures >= len(naming) else focus


def _keyed(texts: Sequence[Sequence[Sentence]], focus: Focus) -> Focus:
    nearest = [max(text, key=lambda sentence: len(sentence.roots & focus.words)) for text in texts if text]
    nearest = [sentence for sentence in nearest if sentence.roots & focus.words]
    kinds: tuple[Literal["number", "date"], ...] = ("number", "date")
    for kind in kinds:
        held = sum(any(value.kind == kind for value in sentence.values) for sentence in nearest)
        if held and 2 * held >= len(nearest):
            return replace(focus, target=kind, head=frozenset(), noun="")
    return replace(focus, target="open")


def _figure(sentence: Sentence, head: str) -> bool:
    text = sentence.text
    places = [at for at, word in sentence.words if word == head]
    return any(
        value.kind == "number" and any(at < value.start and _LEADS.fullmatch(text[at : value.start]) for at in places)
        for value in sentence.values
    )
