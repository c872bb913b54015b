"""Extract(Q, d) by a reader of passages: the small trained model (`extract-reader`) or a language model by a short schema (`extract-llm`).

1. The reader reads every piece of every source with the question (`decoct.reading`).
2. Each piece's candidates of the kind asked for are as likely as the reader says (`candidates`); where the question's own words stand near
   one of several, it gains (`nearness`).
3. A document on another thing, year or edition than the question's is silent (`same_question`), and so is one whose best candidate is
   not sure enough. A list in the plural may give several claims.
4. A question of yes or no is answered by the sentence that is most likely evidence, and by whether it denies (`polarity`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from decoct.context.casc.candidates import Candidate, Read, agreeing, candidates, in_part
from decoct.context.casc.claims import Claim
from decoct.context.casc.cues import as_of, hedge_of, status_of
from decoct.context.casc.effects import effects
from decoct.context.casc.extractor import Extraction
from decoct.context.casc.focus import Focus, several
from decoct.context.casc.nearness import Nearness
from decoct.context.casc.polarity import denies
from decoct.context.casc.same_question import another
from decoct.context.casc.sources import Source
from decoct.data import Passage, Span
from decoct.llm.base import LLM
from decoct.reading.base import PassageReader, SentenceRelevance, log_odds
from decoct.reading.language_model import LanguageModelReader
from decoct.reading.small import SmallReader
from decoct.text.values import Value
from decoct.text.words import content_stems

# Probability that the best candidate is the document's answer: a logistic fit on everyday-conflicts and scidocs-conflicts (development).
_OFFSET, _LIKELY, _EVIDENCE, _WORDS = 1.6, 0.4, 0.2, -0.9
HEARD = 0.35
"""Below this probability a document counts as silent."""
AGREED = 2.5
"""What another source's saying the same adds to a candidate's log probability, where a document has several."""
_DOUBTED = 0.55  # at most so sure is a yes or no, whose sign is read off negations
_FLOOR = -10.0
_ALSO = 0.8  # a further value of a list needs this share of the best one's probability
_ANSWERS = 0.5  # below this probability a text that shares no word with the question is silent
_BEARS = 0.3  # the least probability of a sentence that is told beside the claims
_SPEAKS = 5.0  # log odds for a sentence that holds all the question's words
_TOLD = 0.4  # a sentence answers yes or no from this probability of being evidence on


@dataclass(frozen=True, slots=True)
class ByReader:
    """Claims by the bundled reader; `heard` is the least probability of a claim."""

    reader: PassageReader = field(default_factory=SmallReader)
    heard: float = HEARD

    def extract(self, question: str, sources: Sequence[Source], parts: Sequence[Focus]) -> Extraction:
        """What the reader finds."""
        return read_claims(self.reader, question, sources, parts, self.heard)


@dataclass(frozen=True, slots=True)
class ByLanguageModel:
    """Claims by a language model, one call a document and part, with the schema `{"answer": string or null}`."""

    llm: LLM

    def extract(self, question: str, sources: Sequence[Source], parts: Sequence[Focus]) -> Extraction:
        """What the reader finds."""
        return read_claims(LanguageModelReader(self.llm), question, sources, parts, HEARD)


def read_claims(
    reader: PassageReader, question: str, sources: Sequence[Source], parts: Sequence[Focus], heard: float
) -> Extraction:
    """The claims of all sources on all parts, as `reader` reads them, and the sentences that it holds for evidence."""
    claims: list[Claim] = []
    sentences: list[Claim] = []
    for number, focus in enumerate(parts):
        asked = question if len(parts) == 1 else focus.text
        pieces = [(source, span, text) for source in sources for span, text in source.pieces]
        readings = reader.read(asked, [Passage(text, (span,), title=source.title) for source, span, text in pieces])
        reads = [Read(source, span, text, got) for (source, span, text), got in zip(pieces, readings, strict=True)]
        reads = [read for read in reads if not another(focus, read.source)]
        words = content_stems(asked)
        spoken = [read for read in reads if read.reading.spans and _speaks(read, words)]
        told = _verdicts(spoken, focus) if focus.target in ("truth", "effect") else _values(spoken, focus)
        best: dict[str, list[tuple[float, Candidate]]] = {}
        for sure, candidate in told:
            if sure >= heard and in_part(candidate, focus):
                best.setdefault(candidate.read.source.doc_id, []).append((sure, candidate))
        for source in sources:
            mine = sorted(best.get(source.doc_id, ()), key=lambda pair: -pair[0])
            for sure, candidate in _listed(mine, focus):
                claims.append(_claim(candidate, number, sure))
        sentences += [
            _bearing(read, s, number) for read in reads for s in read.reading.sentences if s.relevance >= _BEARS
        ]
    sentences.sort(key=lambda claim: (-claim.relevance, claim.span))
    return Extraction(tuple(claims), tuple(sentences))


def _speaks(read: Read, words: frozenset[str]) -> bool:
    """Whether a piece may answer at all: the reader thinks so, or a word of the question stands in it or its title."""
    return read.reading.answers >= _ANSWERS or bool(words & content_stems(f"{read.source.title} {read.text}"))


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
    """The best candidate of a source; of a list that is asked for in the plural all that are nearly as good."""
    if not mine or not several(focus):
        return mine[:1]
    return [pair for pair in mine if pair[0] >= _ALSO * mine[0][0]]


def _values(reads: Sequence[Read], focus: Focus) -> list[tuple[float, Candidate]]:
    near = Nearness(reads, focus)
    found = []
    every = candidates(reads, focus)
    for at, mine in enumerate(every):
        ranked = sorted(mine, key=lambda c: -(c.likely + near.gain(c) + AGREED * agreeing(every, at, c)))
        spoken = _in_force(ranked)
        found += [(_sure(candidate, focus), candidate) for candidate in spoken]
    return found


def _in_force(ranked: Sequence[Candidate]) -> Sequence[Candidate]:
    """Without the values that their own sentence withdraws, where another one stands."""
    kept = [c for c in ranked if status_of(c.read.text, c.value.start, c.value.end) != "withdrawn"]
    return kept or ranked


def _sure(candidate: Candidate, focus: Focus) -> float:
    evidence = _sentence(candidate.read, candidate.value.start).relevance
    words = candidate.value.kind in ("entity", "text")
    odds = _OFFSET + _LIKELY * max(candidate.likely, _FLOOR) + _EVIDENCE * log_odds(evidence) + _WORDS * words
    return 1 / (1 + math.exp(-odds))


def _verdicts(reads: Sequence[Read], focus: Focus) -> list[tuple[float, Candidate]]:
    """For each piece the sentence that tells, with its yes or no (or the direction of an effect)."""
    found = []
    near = Nearness(reads, focus)
    for read in reads:
        told = {s: log_odds(s.relevance) + near.share(read, s) * _SPEAKS for s in read.reading.sentences}
        for sentence in sorted(told, key=lambda s: -told[s]):
            if sentence.relevance < _TOLD:
                continue
            text = read.text[sentence.start : sentence.end]
            if focus.target == "effect":
                if not (ways := effects(text)):
                    continue
                way = ways[0]
                value = Value(
                    way.raw, "bool", sentence.start + way.start, sentence.start + way.end, dimension=way.dimension
                )
            else:
                answer = "no" if read.reading.verdict == "no" or denies(text) else "yes"
                value = Value(text, "bool", sentence.start, sentence.end, dimension=answer)
            sure = min(_DOUBTED, sentence.relevance * read.reading.answers**0.5)
            found.append((sure, Candidate(read, value, math.log(sentence.relevance))))
            break
    return found


def _sentence(read: Read, at: int) -> SentenceRelevance:
    for sentence in read.reading.sentences:
        if sentence.start <= at < sentence.end:
            return sentence
    return SentenceRelevance(0, len(read.text), read.reading.relevance)


def _claim(candidate: Candidate, part: int, sure: float) -> Claim:
    read, value = candidate.read, candidate.value
    sentence = _sentence(read, value.start)
    start, end = sentence.start, max(sentence.end, value.end)
    quote, at = read.text[start:end], read.span.start
    inner = (value.start - start, value.end - start)
    return Claim(
        read.source,
        quote,
        Span(read.span.doc_id, at + start, at + end),
        value,
        Span(read.span.doc_id, at + value.start, at + value.end),
        max(0.0, min(1.0, sentence.relevance)),
        part,
        hedge=hedge_of(quote),
        status=status_of(quote, *inner),
        stated=as_of(quote, *inner) if value.kind != "date" else "",
        sure=sure,
    )
