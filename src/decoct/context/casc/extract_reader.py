"""Extract(Q, d) by a reader of passages: the small trained model (`extract-reader`).

1. The reader reads every piece of every source with the question (`decoct.reading`).
2. Each piece's candidates (`candidates_of_pieces`) are ordered by what the reader says of them, by how well their kind fits, by the
   question's words beside them and by whether another source says the same, and the best one's probability is told (`weighing`: fitted, not
   chosen).
3. A document whose best candidate is not likely enough is silent; that its title names another thing, year or edition speaks against it
   (`same_question`). A list in the plural may give several claims.
4. A `second` reading drops what is no answer or is denied, and says yes and no (`upheld`).
5. A question of yes or no is answered by the sentence that is most likely evidence, as its source was read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from decoct.context.casc.candidates import Candidate, Read, candidates_of_pieces, in_part, in_words, sentence_at
from decoct.context.casc.claims import Claim
from decoct.context.casc.cues import status_of
from decoct.context.casc.extractor import Extraction
from decoct.context.casc.focus import Focus
from decoct.context.casc.same_question import asks_of_another
from decoct.context.casc.sources import EvidenceSource
from decoct.context.casc.upheld import Upheld, answering, replaced, upheld
from decoct.context.casc.weighing import Nearness, Weighing, thresholds, weights_of
from decoct.data import Passage, Span
from decoct.reading.base import PassageReader, SentenceRelevance, log_odds
from decoct.reading.common_names import CommonNamesReader
from decoct.reading.second import SecondReader
from decoct.reading.verifier import Verifier
from decoct.text.values import Value, value_of
from decoct.text.words import content_stems

_DOUBTED = 0.55  # at most so sure is a yes or no, whose sign is read off negations
_ALSO = 0.8  # a further value of a list needs this share of the best one's probability
_BEARS = 0.3  # the least probability of a sentence that is told beside the claims
_SPEAKS = 5.0  # log odds for a sentence that holds all the question's words
_TOLD = 0.4  # a sentence answers yes or no from this probability of being evidence on


@dataclass(frozen=True, slots=True)
class ByReader:
    """Claims by the bundled reader, to which the question's names are nothing but names; `heard` is the least probability of a claim."""

    reader: PassageReader = field(default_factory=CommonNamesReader)
    heard: float = field(default_factory=lambda: thresholds()["heard"])
    second: SecondReader | None = field(default_factory=Verifier)

    def extract(self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus]) -> Extraction:
        """What the reader finds."""
        return read_claims(self.reader, question, sources, parts, self.heard, second=self.second)


def read_claims(
    reader: PassageReader,
    question: str,
    sources: Sequence[EvidenceSource],
    parts: Sequence[Focus],
    heard: float,
    *,
    second: SecondReader | None = None,
) -> Extraction:
    """The claims of all sources on all parts, as `reader` reads them, and the sentences that it holds for evidence.

    `second` says which values are no answers; without one all are told.
    """
    claims: list[Claim] = []
    sentences: list[Claim] = []
    for number, focus in enumerate(parts):
        asked = question if len(parts) == 1 else focus.text
        pieces = [(source, span, text) for source in sources for span, text in source.pieces]
        readings = reader.read(asked, [Passage(text, (span,), title=source.title) for source, span, text in pieces])
        reads = [Read(source, span, text, got) for (source, span, text), got in zip(pieces, readings, strict=True)]
        spoken = [read for read in reads if read.reading.spans]
        told = _verdicts(spoken, focus) if focus.target == "truth" else _values(spoken, focus)
        within = [(sure, candidate) for sure, candidate in told if sure >= heard and in_part(candidate, focus)]
        own = [pair for source in sources for pair in _listed(_best_piece_first(within, source), focus)]
        kept = [Upheld(*pair) for pair in own]
        if second is not None:
            own = answering(second, asked, own, truth=focus.target == "truth")
            kept = [Upheld(*pair) for pair in own] if focus.target == "truth" else upheld(second, asked, own, told)
        claims += [_claim(one, number, focus) for one in kept]
        sentences += [
            _bearing(read, s, number) for read in reads for s in read.reading.sentences if s.relevance >= _BEARS
        ]
    gone = replaced(second, sources) if second is not None else frozenset()
    claims = [replace(claim, status="withdrawn") if claim.source.doc_id in gone else claim for claim in claims]
    sentences.sort(key=lambda claim: (-claim.relevance, claim.span))
    return Extraction(tuple(claims), tuple(sentences))


def _best_piece_first(told: Sequence[tuple[float, Candidate]], source: EvidenceSource) -> list[tuple[float, Candidate]]:
    """The candidates of a source, those of the piece whose best one is the surest first; within a piece their own order stands.

    The probability is that of a piece's best candidate (`weighing`): it tells pieces apart, and no candidates of one piece.
    """
    pieces: dict[int, list[tuple[float, Candidate]]] = {}
    for sure, candidate in told:
        if candidate.read.source.doc_id == source.doc_id:
            pieces.setdefault(candidate.read.span.start, []).append((sure, candidate))
    return [pair for piece in sorted(pieces.values(), key=lambda piece: -piece[0][0]) for pair in piece]


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
    every = candidates_of_pieces(reads, focus)
    weighing = Weighing(reads, every, focus)
    found: list[tuple[float, Candidate]] = []
    for at, read in enumerate(reads):
        weights = weights_of("places" if read.reading.places is not None else "spans")
        found += _in_force(weighing.weighed(at, weights))
    return found


def _in_force(ranked: Sequence[tuple[float, Candidate]]) -> Sequence[tuple[float, Candidate]]:
    """Without the values that their own sentence withdraws, where another one stands; the best of the rest is as sure as the best was."""
    kept = [
        pair for pair in ranked if status_of(pair[1].read.text, pair[1].value.start, pair[1].value.end) != "withdrawn"
    ]
    if not kept or kept[0] is ranked[0]:
        return kept or ranked
    rivals = [pair for pair in kept if pair[1].kind == ranked[0][1].kind or _puts_right(pair[1])]
    if not rivals:
        return ranked
    return [(ranked[0][0], rivals[0][1]), *(pair for pair in kept if pair is not rivals[0])]


def _puts_right(candidate: Candidate) -> bool:
    """Whether its own sentence puts it in another one's place: "from 30 to 10 seconds" gives a unit to the second alone."""
    return status_of(candidate.read.text, candidate.value.start, candidate.value.end) == "correction"


def _verdicts(reads: Sequence[Read], focus: Focus) -> list[tuple[float, Candidate]]:
    """For each piece the sentence that tells, with its yes or no."""
    found = []
    near = Nearness(reads, focus)
    for read in reads:
        if asks_of_another(focus, read.source):
            continue
        told = {s: log_odds(s.relevance) + near.share(read, s) * _SPEAKS for s in read.reading.sentences}
        for sentence in sorted(told, key=lambda s: -told[s]):
            if sentence.relevance < _TOLD:
                continue
            text = read.text[sentence.start : sentence.end]
            answer = "no" if read.reading.verdict == "no" else "yes"
            value = Value(text, "bool", sentence.start, sentence.end, dimension=answer)
            sure = min(_DOUBTED, sentence.relevance * read.reading.answers**0.5)
            found.append((sure, Candidate(read, value, math.log(sentence.relevance))))
            break
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


def _claim(one: Upheld, part: int, focus: Focus) -> Claim:
    read, value = one.candidate.read, _stated(one.candidate.value, focus)
    sentence = sentence_at(read, value.start)
    start, end = sentence.start, max(sentence.end, value.end)
    quote, at = read.text[start:end], read.span.start
    status = status_of(quote, value.start - start, value.end - start)
    return Claim(
        read.source,
        quote,
        Span(read.span.doc_id, at + start, at + end),
        value,
        Span(read.span.doc_id, at + value.start, at + value.end),
        max(0.0, min(1.0, sentence.relevance)),
        part,
        status=one.status or status,
        over=one.over,
        sure=one.sure,
    )
