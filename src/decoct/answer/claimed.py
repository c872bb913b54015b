"""Claims of an extractor that the reader of passages makes too, each document read by itself: what an audit of a folder compares.

An extractor looks for the likeliest value in every document, since it is handed documents that bear on the question. In a folder most do
not: so a document counts where the reader, whose certainty is fitted on whole libraries (`certainty.py`), answers from it alone, and a
claim where it stands in a sentence that this answer cites. Another edition of a document that answers speaks of the same: it counts from
`EDITION` on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from decoct.answer.base import Reader
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.casc.claims import Claim
from decoct.context.casc.extractor import Extraction, Extractor
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource, are_editions
from decoct.data import Draft, Passage, Query, Span
from decoct.embed.tokenizer import WordPieceTokenizer

CAUTION, EDITION = 0.5, 0.2  # more likely right than wrong; a claim that its other edition makes likely
_ROOM = 10**9  # tokens: nothing is cut


@dataclass(frozen=True, slots=True)
class ClaimedTwice:
    """The claims of `extractor` that `reader` makes as well, or `lenient` of an edition of a document that answers."""

    extractor: Extractor
    reader: Reader = field(default_factory=lambda: ShortAnswers().with_caution(CAUTION))
    lenient: Reader = field(default_factory=lambda: ShortAnswers().with_caution(EDITION))

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What both say."""
        cited = {source.doc_id: _cited(self.reader, question, source) for source in sources}
        answering = [source for source in sources if cited[source.doc_id]]
        for source in sources:
            if not cited[source.doc_id] and any(are_editions(source, other) for other in answering):
                cited[source.doc_id] = _cited(self.lenient, question, source)
        found = self.extractor.extract(question, [source for source in sources if cited[source.doc_id]], parts)
        return Extraction(tuple(claim for claim in found.claims if _stands_in(claim, cited)), found.sentences)


def _cited(reader: Reader, question: str, source: EvidenceSource) -> list[Span]:
    """Where the sentences stand with which the reader answers from a source alone."""
    read = tuple(Passage(text, (span,), title=source.title) for span, text in source.pieces)
    answer = reader.answer(assemble(Query(question), Draft(read), Budget(_ROOM, WordPieceTokenizer())))
    if answer.outcome != "answer":
        return []
    return [Span(one.source.doc_id, one.source.start, one.source.end) for one in answer.citations]


def _stands_in(claim: Claim, cited: dict[str, list[Span]]) -> bool:
    place = claim.value_span
    return any(span.start < place.end and place.start < span.end for span in cited[claim.source.doc_id])
