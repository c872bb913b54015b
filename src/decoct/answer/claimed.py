"""Claims of an extractor that the reader of passages makes too, each document read by itself: what an audit of a folder compares.

An extractor looks for the likeliest value in every document, since it is handed documents that bear on the question. In a folder most do
not: so a document counts where the reader, whose certainty is fitted on whole libraries (`certainty.py`), answers from it alone, and a
claim where it stands in a sentence that this answer cites, with the same yes or no. Two documents that are both right with `CAUTION`
conflict rightly with four fifths of a chance, as a claim at .75 is right for nine of ten. The surest document counts from `ANSWERS` on.
Editions of one document speak of the same: they count from `EDITION` on beside one that counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from decoct.answer.base import Reader
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.casc.claims import Claim
from decoct.context.casc.extractor import Extraction, Extractor
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource, are_editions
from decoct.data import Answer, Draft, Passage, Query
from decoct.embed.tokenizer import WordPieceTokenizer

CAUTION = 0.75  # sure by itself
ANSWERS, EDITION = 0.5, 0.2  # more likely right than wrong; what another edition makes likely
_ROOM = 10**9  # tokens: nothing is cut


@dataclass(frozen=True, slots=True)
class ClaimedTwice:
    """The claims of `extractor` that `reader`, which answers from `EDITION` on, makes as well."""

    extractor: Extractor
    reader: Reader = field(default_factory=lambda: ShortAnswers().with_caution(EDITION))

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What both say."""
        read = {source.doc_id: _read(self.reader, question, source) for source in sources}
        heard = _heard(sources, {doc_id: _sure(answer) for doc_id, answer in read.items()})
        found = self.extractor.extract(question, heard, parts)
        return Extraction(
            tuple(claim for claim in found.claims if _says(read[claim.source.doc_id], claim)), found.sentences
        )


def _read(reader: Reader, question: str, source: EvidenceSource) -> Answer:
    """What the reader answers from a source alone."""
    read = tuple(Passage(text, (span,), title=source.title) for span, text in source.pieces)
    return reader.answer(assemble(Query(question), Draft(read), Budget(_ROOM, WordPieceTokenizer())))


def _sure(answer: Answer) -> float:
    """How sure an answer is: 1 where the reader does not tell."""
    if answer.outcome != "answer":
        return 0.0
    return 1.0 if answer.score is None else answer.score


def _heard(sources: Sequence[EvidenceSource], sure: Mapping[str, float]) -> list[EvidenceSource]:
    """The documents that count, in their order."""
    surest = max(sources, key=lambda source: sure[source.doc_id], default=None)
    leading = [one for one in sources if sure[one.doc_id] >= (ANSWERS if one is surest else CAUTION)]
    return [
        source
        for source in sources
        if source in leading or (sure[source.doc_id] >= EDITION and any(are_editions(source, one) for one in leading))
    ]


def _says(answer: Answer, claim: Claim) -> bool:
    """Whether an answer cites a claim's words and, to a question of yes or no, is the same word."""
    value, place = claim.value, claim.value_span
    if value.kind == "bool" and value.dimension not in {one.text for one in answer.answers}:
        return False
    return any(one.source.start < place.end and place.start < one.source.end for one in answer.citations)
