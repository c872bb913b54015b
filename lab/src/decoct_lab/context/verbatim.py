"""Take from a model's text only what its sources say word for word (lab/docs/methods.md, verified merging).

The text is aligned with the passages it was made from (`align`): a sentence that stands in one of them is exchanged for the
source's own characters, numbers, negations and names unchanged; what stands in none is dropped and counted
(`invented_fragments`). So whatever a model writes, what is shown is a quote.

A few words that are no sentence of the source (a model that answers instead of copying) stand somewhere by chance: they count as
invented too.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoct import trace
from decoct.context.quotes import pieces
from decoct.data import Passage, Span
from decoct.text.sentences import sentences
from decoct.text.wholes import Place
from decoct_lab.context.align import align

_TELLING = 4  # words that a copied part of a sentence has at least; `align` asks the same of clauses


def found_in(text: str, passages: Sequence[Passage]) -> list[tuple[int, Place]]:
    """Where each sentence of `text` stands, in its order: (number of the passage, characters of it); earlier passages win."""
    sources: list[tuple[Span, str]] = []
    places: list[tuple[int, int]] = []
    for number, passage in enumerate(passages):
        for at, span in pieces(passage):
            sources.append((span, passage.text[at : at + span.end - span.start]))
            places.append((number, at))
    alignment = align(text, sources)
    found = []
    for fragment in alignment.fragments:
        number, at = places[fragment.source]
        start = at + fragment.span.start - sources[fragment.source][0].start
        place = (start, start + fragment.span.end - fragment.span.start)
        if len(fragment.text.split()) >= _TELLING or place in sentences(passages[number].text):
            found.append((number, place))
    invented = len(alignment.dropped) + len(alignment.fragments) - len(found)
    trace.count(aligned_fragments=len(found), invented_fragments=invented)
    return found
