"""The possible answers of a question in the passages that were read, each with its evidence (`claim_evidence.py`), likeliest first.

Words that a span of the reader gives, cells that the question names, steps, and entries under a heading that is asked for are candidates in
one list. The same words in several passages are one candidate, as sure as all of them are together; words that are said of another
thing than the question names stay alone and come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from decoct.answer.answer_types import holds_expected
from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.decision import Certainty, ClaimCandidate, ranked
from decoct.answer.demands import QuestionDemands, demands_of
from decoct.answer.entries import with_entries
from decoct.answer.found import with_cells, with_procedures
from decoct.answer.quoted import FoundWords, ReadPassage, together
from decoct.answer.siblings import SiblingSentences
from decoct.answer.surroundings import surroundings
from decoct.reading.base import log_odds
from decoct.reading.second import ClaimToRead, SecondReader
from decoct.text.overlap import rarities
from decoct.text.questions import ParsedQuestion, parsed_question
from decoct.text.words import content_stems
from decoct.text.words import words as folded

_READ_AGAIN = 5  # candidates that a second reader is asked about


@dataclass(slots=True)
class ClaimFinder:
    """Finds the candidates of `question` in `read`; `related` is the relevance from which a passage's forms are looked at."""

    question: str
    read: Sequence[ReadPassage]
    related: float
    _parsed: ParsedQuestion = field(init=False)
    _demands: QuestionDemands = field(init=False)
    _siblings: SiblingSentences = field(init=False)
    _rare: Mapping[str, float] = field(init=False)

    def __post_init__(self) -> None:
        asked = content_stems(self.question)
        passages = [one.passage for one in self.read]
        self._parsed = parsed_question(self.question)
        self._demands = demands_of(self.question, [f"{one.title}\n{one.text}" for one in passages])
        self._siblings = SiblingSentences(asked, passages)
        texts = [content_stems(f"{one.title}\n{one.text}") for one in passages]
        self._rare = rarities(sorted(asked), texts) if asked and texts else {}

    @property
    def named(self) -> list[tuple[int, int]]:
        """Where identifiers and labels stand in the question."""
        return [(one.start, one.end) for one in (*self._demands.identifiers, *self._demands.labels)]

    @property
    def names(self) -> tuple[frozenset[str], ...]:
        """The stems of each name in the question."""
        return self._demands.names

    def claims(
        self, places: Sequence[FoundWords], certainty: Certainty, second: SecondReader | None = None
    ) -> list[ClaimCandidate]:
        """The candidates of the words at `places` and of the passages' forms, likeliest first."""
        by_words: dict[tuple[str, ...], list[FoundWords]] = {}
        others: list[ClaimCandidate] = []
        for place in places:
            evidence = self.evidence(place)
            if evidence.is_of_another:
                others.append(ClaimCandidate(place, evidence))
            else:
                by_words.setdefault(tuple(folded(place.words)), []).append(place)
        found = sorted((together(same) for same in by_words.values()), key=lambda one: -one.weight)
        found = with_cells(self.question, found, self.read, self.related)
        found = with_procedures(self.question, found, self.read, self.related)
        found = with_entries(self.question, found, self.read)
        return self.ranked(found, certainty, second, others)

    def ranked(
        self,
        found: Sequence[FoundWords],
        certainty: Certainty,
        second: SecondReader | None = None,
        others: Sequence[ClaimCandidate] = (),
    ) -> list[ClaimCandidate]:
        """What was `found` and the `others`, each with its evidence, likeliest first; `second` reads the first of them again."""
        claims = ranked([*(ClaimCandidate(one, self.evidence(one)) for one in found), *others], certainty)
        return claims if second is None or not claims else ranked(self._read_again(claims, second), certainty)

    def evidence(self, found: FoundWords) -> ClaimEvidence:
        """What speaks for the words."""
        passage = found.read.passage
        around = surroundings(passage, found.sentence, found.place, judged=found.judged)
        standings = self._demands.identified(around)
        valued = self._demands.valued(around)
        reading, span = found.read.reading, found.span
        answers = reading.answers if span is None or span.answers is None else span.answers
        relevance = reading.relevance if span is None or span.relevance is None else span.relevance
        spoken = around.stems | content_stems(around.words)
        near = spoken | around.near
        return ClaimEvidence(
            form=found.form,
            weight=log_odds(found.weight),
            rank=found.read.rank,
            passages=found.places,
            answers=answers,
            relevance=relevance,
            share=1.0 if span is None else span.score / max(answers, 1e-6),
            in_sentence=self.coverage(spoken),
            in_part=self.coverage(near),
            in_heading=self.coverage(near | around.over),
            identifiers=len(standings),
            identifiers_present=standings.count("present"),
            values=len(valued),
            values_present=valued.count("present"),
            rivals=standings.count("rival") + valued.count("rival"),
            named=self._demands.named(around),
            of_another=float(self._siblings.is_of_another(passage, found.sentence, found.words)),
            unknown=float(self._demands.unknown),
            expected=float(holds_expected(found.quote, self._parsed)),
            length=len(found.words.split()),
        )

    def coverage(self, stems: frozenset[str]) -> float:
        """The share of the question's words in some stems, each as it is rare among the passages."""
        return sum(weight for word, weight in self._rare.items() if word in stems)

    def _read_again(self, claims: Sequence[ClaimCandidate], second: SecondReader) -> list[ClaimCandidate]:
        """The candidates, the first of them with what a second reader says of each."""
        first = claims[:_READ_AGAIN]
        asked = []
        for one in first:
            found, passage = one.found, one.found.read.passage
            around = surroundings(passage, found.sentence, found.place, judged=found.judged)
            title = ": ".join(dict.fromkeys((around.title, *reversed(around.above))))
            start, end = found.sentence if found.judged else found.place
            asked.append(ClaimToRead(self.question, found.words, passage.text, start, end, title))
        said = second.entailed(asked)
        again = [
            replace(one, evidence=replace(one.evidence, entailed=sure)) for one, sure in zip(first, said, strict=True)
        ]
        return [*again, *claims[_READ_AGAIN:]]
