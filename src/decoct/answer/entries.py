"""The entry of a list of codes or of a glossary: what stands under the heading (or item) that is the very identifier asked for.

"What does E-1402 mean?" asks for what `## E-1402` stands over; its first sentence is the answer. Questions for something of it (how many,
who, when) are left to the reader.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.text.identifiers import identifiers
from decoct.text.outline import outline
from decoct.text.questions import parsed_question
from decoct.text.quotable import is_quotable, is_row
from decoct.text.sentences import sentences
from decoct.text.wholes import whole_words
from decoct.text.words import content_stems

_NAMED, _SAID = 0.55, 0.42  # an entry under all that is asked is as sure as the surest words


def entries_asked_for(question: str, read: Sequence[ReadPassage]) -> list[FoundWords]:
    """The entries that the question asks for, surest first."""
    codes = identifiers(question)
    if not codes or parsed_question(question).kind != "open":
        return []
    asked = content_stems(question)
    entries: list[FoundWords] = []
    for one in read:
        text = one.passage.text
        for part in outline(text):
            heads = identifiers(part.above[-1]) if part.above else ()
            if not any(code.is_same(head) for code in codes for head in heads):
                continue
            named = len(asked & content_stems(" ".join((one.passage.title, *part.above)))) / len(asked)
            places = [(part.start + a, part.start + b) for a, b in sentences(text[part.start : part.end])]
            first = next((place for place in places if is_quotable(text[slice(*place)])), None)
            table = first is not None and is_row(text[slice(*first)].partition("\n")[0])
            words = whole_words(text, *first) if first and not table else None
            if first and words and not content_stems(part.above[-1]) - asked:
                weight = _NAMED + _SAID * named
                entries.append(FoundWords(one, first, words, text[slice(*words)].rstrip("."), weight, form="entry"))
                break
    return sorted(entries, key=lambda one: -one.weight)
