"""Claims of an extractor that the reader of passages makes too, each document read by itself: what an audit of a folder compares.

An extractor looks for the likeliest value in every document, since it is handed documents that bear on the question. In a folder most do
not: so a document counts where the reader, whose certainty is fitted on whole libraries (`certainty.py`), answers from it alone, and a
claim where it stands in the words of this answer, with the same yes or no. Where the extractor makes no such claim, as of most cells of
tables, the answer's own words are one. Two documents that are both right with `CAUTION` conflict rightly with four fifths of a chance, as
a claim at .75 is right for nine of ten. The surest document counts from `ANSWERS` on. Editions of one document speak of the same: they
count from `EDITION` on beside one that counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from decoct.answer.base import Reader
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.casc.claims import Claim
from decoct.context.casc.extractor import Extraction, Extractor
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource, are_editions
from decoct.data import Answer, Draft, Passage, Query, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.text.values import value_of

CAUTION = 0.75  # sure by itself
ANSWERS, EDITION = 0.5, 0.2  # more likely right than wrong; what another edition makes likely
_ROOM = 10**9  # tokens: nothing is cut


@dataclass(frozen=True, slots=True)
class ClaimedTwice:
    """The claims of `extractor` that `reader`, which answers from `EDITION` on, makes as well, and its own where there is none."""

    extractor: Extractor
    reader: Reader = field(default_factory=lambda: ShortAnswers().with_(caution=EDITION))

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What both say, and the reader alone."""
        read = {source.doc_id: _read(self.reader, question, source) for source in sources}
        heard = _heard(sources, {doc_id: _sure(answer) for doc_id, answer in read.items()})
        found = self.extractor.extract(question, heard, parts)
        both = [
            replace(claim, sure=max(claim.sure, _sure(read[claim.source.doc_id])))
            for claim in found.claims
            if _says(read[claim.source.doc_id], claim)
        ]
        told = {claim.source.doc_id for claim in both}
        alone = [source for source in heard if source.doc_id not in told and len(parts) == 1]
        own = [claim for source in alone for claim in _claim(read[source.doc_id], source)]
        places = {source.doc_id: at for at, source in enumerate(sources)}
        claims = sorted((*both, *own), key=lambda claim: (claim.part, places[claim.source.doc_id]))
        return Extraction(tuple(claims), found.sentences)


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
    """Whether an answer's words stand where a claim's value does; to a question of yes or no both are the same word."""
    value, place = claim.value, claim.value_span
    if value.kind == "bool" and value.dimension not in {one.text for one in answer.answers}:
        return False
    words = [one.text for one in answer.answers if one.start < place.end and place.start < one.end]
    return not all(_is_longer_number(one, value.raw) for one in words)


def _is_longer_number(words: str, part: str) -> bool:
    """Whether words are digits and marks alone, and more of them than `part` has: of a telephone number a part is no value."""
    return not any(map(str.isalpha, words)) and sum(map(str.isdigit, words)) > sum(map(str.isdigit, part))


def _claim(answer: Answer, source: EvidenceSource) -> Iterator[Claim]:
    """What the likeliest words of an answer say, in the sentence or row that is cited for them; yes and no need both readers."""
    for one in answer.answers[:1]:
        value = value_of(one.text)
        cited = next((c.source for c in answer.citations if c.source.start <= one.start < c.source.end), None)
        if cited is not None and value.kind != "bool":
            start = one.start + max(0, one.text.find(value.raw))
            place, span = Span(one.doc_id, start, start + len(value.raw)), Span(one.doc_id, cited.start, cited.end)
            yield Claim(source, cited.quote, span, value, place, one.score, sure=one.score)
