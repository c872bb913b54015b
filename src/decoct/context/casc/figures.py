"""A question for a thing whose noun no list knows as a quantity ("What is the battery life of X?"), read off the documents.

If half of the sources that name the noun let it lead to a figure ("a battery life of 36 hours"), a figure is what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from decoct.context.casc.focus import Focus, head_root
from decoct.context.casc.phrases import expected
from decoct.context.casc.text import Sentence

_WHAT = re.compile(r"^\W*what\b(?! (?:kind|type|sort))", re.IGNORECASE)
_LEADS = re.compile(
    r"[\w-]+(?: [\w%-]+){0,3}?[ :]+(?:(?:is|was|of|are|were|reach\w+|to|about|around|at|some|up|only|just|now|by|roughly|≈|~|=) ?)*"
    r"[$€£]?"
)


def as_figure(texts: Sequence[Sequence[Sentence]], focus: Focus) -> Focus:
    """The focus, on a quantity of any dimension where the sources answer it in figures."""
    if focus.target != "entity" or not focus.noun or expected(focus.noun) != "phrase" or not _WHAT.search(focus.text):
        return focus
    head = head_root(focus)
    naming = [[sentence for sentence in text if head in sentence.roots] for text in texts]
    naming = [sentences for sentences in naming if sentences]
    figures = sum(any(_figure(sentence, head) for sentence in sentences) for sentences in naming)
    return replace(focus, target="number") if figures and 2 * figures >= len(naming) else focus


def _figure(sentence: Sentence, head: str) -> bool:
    text = sentence.text
    places = [at for at, word in sentence.words if word == head]
    return any(
        value.kind == "number" and any(at < value.start and _LEADS.fullmatch(text[at : value.start]) for at in places)
        for value in sentence.values
    )
