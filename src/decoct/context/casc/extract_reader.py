"""Extract(Q, d) by a reader of passages: the small trained model (`extract-reader`).

1. The reader reads every piece of every source with the question (`decoct.reading`).
2. Each piece's candidates (`candidates_of_pieces`) are ordered by what the reader says of them, by how well their kind fits and by
   whether another source says the same, and the best one's probability is told (`weighing`: fitted, not
   chosen).
3. A document whose best candidate is not likely enough is silent. A list in the plural may give several claims.
4. A `second` reading drops what is no answer, and says yes and no (`upheld`).
5. A question of yes or no is answered by the sentence that is most likely evidence, as its source was read.
6. What the reader that `ask` uses (`plain`) would not answer with from its document alone is no side of a conflict that nothing decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import cast

from decoct import registry
from decoct.answer.base import QuotingReader
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.casc.candidates import Candidate, Read, candidates_of_pieces, in_words, sentence_at
from decoct.context.casc.claims import Claim
from decoct.context.casc.cues import status_of
from decoct.context.casc.extractor import Extraction
from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource
from decoct.context.casc.upheld import answering, replaced
from decoct.context.casc.weighing import Weighing, thresholds, weights_of
from decoct.data import Context, Draft, Query, ShortAnswer, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.reading.base import PassageReader, SecondReader, SentenceRelevance
from decoct.reading.common_names import CommonNamesReader
from decoct.reading.verifier import Verifier
from decoct.text.struck import STRUCK, without_struck
from decoct.text.values import Value, value_of
from decoct.text.words import content_stems

_DOUBTED = 0.55  # at most so sure is a yes or no, whose sign is read off negations
_ALSO = 0.8  # a further value of a list needs this share of the best one's probability
_BEARS = 0.3  # the least probability of a sentence that is told beside the claims
_ROOM = 10**9  # tokens: nothing is cut
ALONE = 0.45
"""How likely what one document alone answers is right, for it to be a side (benchmarks/conflict_bars.py)."""


def alone(question: str, source: EvidenceSource) -> Context:
    """What a reader is asked about a source alone."""
    return assemble(Query(question), Draft(source.passages), Budget(_ROOM, WordPieceTokenizer()))


def _plain() -> QuotingReader:
    return cast("QuotingReader", registry.load("read", "short-answers", "")())


@dataclass(frozen=True, slots=True)
class ByReader:
    """Claims by the bundled reader, to which the question's names are nothing but names.

    `heard` is the least probability of a claim; `plain` says which documents answer alone.
    """

    reader: PassageReader = field(default_factory=CommonNamesReader)
    heard: float = field(default_factory=lambda: thresholds()["heard"])
    second: SecondReader | None = field(default_factory=Verifier)
    plain: QuotingReader | None = field(default_factory=_plain)

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What the reader finds."""
        return read_claims(self.reader, question, sources, parts, self.heard, second=self.second, plain=self.plain)


def read_claims(
    reader: PassageReader,
    question: str,
    sources: Sequence[EvidenceSource],
    parts: Sequence[Focus],
    heard: float,
    *,
    second: SecondReader | None = None,
    plain: QuotingReader | None = None,
) -> Extraction:
    """The claims of all sources on all parts, as `reader` reads them, and the sentences that it holds for evidence.

    `second` says which values are no answers, `plain` which documents answer alone; without one all are, and do.
    """
    claims: list[Claim] = []
    sentences: list[Claim] = []
    for number, focus in enumerate(parts):
        asked = question if len(parts) == 1 else focus.text
        pieces = [(source, span, without_struck(text)) for source in sources for span, text in source.pieces]
        passages = [passage for source in sources for passage in source.passages]
        readings = reader.read(asked, [replace(one, text=without_struck(one.text)) for one in passages])
        reads = [Read(source, span, text, got) for (source, span, text), got in zip(pieces, readings, strict=True)]
        spoken = [read for read in reads if read.reading.spans]
        told = _verdicts(spoken) if focus.target == "truth" else _values(spoken, focus)
        within = [pair for pair in told if pair[0] >= heard]
        own = [
            pair
            for source in sources
            for pair in _listed([one for one in within if one[1].read.source.doc_id == source.doc_id], focus)
        ]
        if second is not None:
            own = answering(second, asked, own, truth=focus.target == "truth")
        made = [_claim(sure, candidate, number, focus) for sure, candidate in own]
        claims += _read_alone(plain, asked, made) if plain is not None else made
        sentences += [
            _bearing(read, s, number) for read in reads for s in read.reading.sentences if s.relevance >= _BEARS
        ]
    gone = replaced(second, sources) if second is not None else frozenset()
    claims = [replace(claim, status="withdrawn") if claim.source.doc_id in gone else claim for claim in claims]
    claims, sentences = ([one for one in found if STRUCK not in one.quote] for found in (claims, sentences))
    sentences.sort(key=lambda claim: (-claim.relevance, claim.span))
    return Extraction(tuple(claims), tuple(sentences))


def _read_alone(plain: QuotingReader, question: str, claims: Sequence[Claim]) -> list[Claim]:
    """The claims, each with whether its sentence likely answers, as `plain` reads its source alone, once that is asked."""
    sources = {claim.source.doc_id: claim.source for claim in claims}

    @cache
    def likely(doc_id: str) -> Sequence[ShortAnswer]:
        return [one for one in plain.likely(alone(question, sources[doc_id])) if one.score >= ALONE]

    def answers(claim: Claim) -> bool:
        return any(one.start < claim.span.end and claim.span.start < one.end for one in likely(claim.source.doc_id))

    return [replace(claim, alone=partial(answers, claim)) for claim in claims]


def _bearing(read: Read, sentence: SentenceRelevance, part: int) -> Claim:
    text = read.text[sentence.start : sentence.end]
    span = Span(read.span.doc_id, read.span.start + sentence.start, read.span.start + sentence.end)
    return Claim(
        read.source,
        text,
        span,
        Value(text, "text"),
        span,
        sentence.relevance * read.reading.relevance**0.5,
        part,
        sure=0.0,
    )


def _listed(mine: Sequence[tuple[float, Candidate]], focus: Focus) -> Sequence[tuple[float, Candidate]]:
    """The best candidate of a source; of a list that is asked for in the plural all of it, and what is nearly as good."""
    if not mine or not focus.several:
        return mine[:1]
    whole: list[tuple[float, Candidate]] = []
    for sure, candidate in mine:
        if sure >= _ALSO * mine[0][0]:
            value = candidate.value
            if not any(value.start < c.value.end and c.value.start < value.end for _, c in whole):
                whole.append((sure, candidate))
    return whole


def _values(reads: Sequence[Read], focus: Focus) -> list[tuple[float, Candidate]]:
    """The candidates of all pieces, those of the piece whose best one is the surest first; within a piece their own order stands."""
    weighing = Weighing(reads, candidates_of_pieces(reads, focus), focus)
    kinds = ["places" if read.reading.places is not None else "spans" for read in reads]
    pieces = [_in_force(weighing.weighed(at, weights_of(kind))) for at, kind in enumerate(kinds)]
    return [pair for piece in sorted(filter(None, pieces), key=lambda piece: -piece[0][0]) for pair in piece]


def _in_force(ranked: Sequence[tuple[float, Candidate]]) -> Sequence[tuple[float, Candidate]]:
    """Without the values that their own sentence withdraws, where another one stands; the best of the rest is as sure as the best was."""
    kept = [
        pair for pair in ranked if status_of(pair[1].read.text, pair[1].value.start, pair[1].value.end) != "withdrawn"
    ]
    return [(ranked[0][0], kept[0][1]), *kept[1:]] if kept else ranked


def _verdicts(reads: Sequence[Read]) -> list[tuple[float, Candidate]]:
    """For each piece the sentence that is most likely evidence, with its yes or no."""
    found = []
    for read in (one for one in reads if one.reading.sentences):
        sentence = max(read.reading.sentences, key=lambda s: s.relevance)
        text = read.text[sentence.start : sentence.end]
        answer = "no" if read.reading.verdict == "no" else "yes"
        value = Value(text, "bool", sentence.start, sentence.end, dimension=answer)
        sure = min(_DOUBTED, sentence.relevance * read.reading.answers**0.5)
        found.append((sure, Candidate(read, value, 0.0)))
    return found


def _stated(value: Value, focus: Focus) -> Value:
    """The quantity or date that an answer in words is, still in these words: "within 21 days of delivery" is another one than 14 days."""
    told = value_of(value.raw) if in_words(value) else value
    if told.kind not in ("number", "date"):
        return value
    rest = content_stems(value.raw[: told.start] + value.raw[told.end :])
    if focus.target == "entity" and not (told.dimension and rest <= focus.words):
        return value
    return replace(told, raw=value.raw, start=value.start, end=value.end)


def _claim(sure: float, candidate: Candidate, part: int, focus: Focus) -> Claim:
    read, value = candidate.read, _stated(candidate.value, focus)
    sentence = sentence_at(read, value.start)
    start, end = sentence.start, max(sentence.end, value.end)
    quote, at = read.text[start:end], read.span.start
    return Claim(
        read.source,
        quote,
        Span(read.span.doc_id, at + start, at + end),
        value,
        Span(read.span.doc_id, at + value.start, at + value.end),
        max(0.0, min(1.0, sentence.relevance)),
        part,
        status=status_of(quote, value.start - start, value.end - start),
        sure=sure,
    )
