"""The answer without a language model: the words that answer, in their sentence, cited; or the best passages; or that there is none.

1. Every quoted passage of the context (at most `most_read`, best first) is read by the small reader (`decoct.reading`).
2. A span is weighed by the log-odds that its passage answers, `evidence` of the log-odds that it is evidence, and `placed` of the
   logarithm of the span's share in it, less `decay` for each rank; words that several places give add up (as independent witnesses: one
   minus the product of the doubts).
3. Every statement of the passages (`statements.py`) is a possible answer, with the likeliest words in it. Of each the probability that it
   is right is told (`certainty.py`, with the vectors of `near` and what the `second` reader says of the likeliest, where there are such).
   From `sure` on the best is the answer, with every other that has at least `further` of its probability: a question may have several.
   It is quoted and cited. Below `settled` the next likeliest follow it, `most` in all, so that a person can see for themselves.
4. Below `sure` nothing is claimed: the outcome is "passages", and of the `most` likeliest statements those at least `_NEAR_FIRST` as
   likely as the first are marked; below `faint` it is "not-found", unless a statement speaks of all that the question does.
5. A question of yes or no is answered with that word and the sentence that decides (`verdicts.py`). Where it is not sure, it goes as
   in 4.
6. A comparison of two and a question about what another one describes are also answered in steps (`decoct.answer.in_steps`). Where
   that answer is `sure`, and as likely as `further` of what the best words read at once are, it is the answer, behind the sentences of the
   steps that lead to it. The steps' readings count towards `most_read`: `_STEPS` of them are kept for such a question. Words read at once
   that speak of one half of such a question alone are an answer to that half, and never claimed.

Passages are read by their parts, under the headings and items over them (`decoct.reading.placed`). Every possible answer has its evidence
(`claim_evidence.py`), of which `certainty` makes the probability that decides (`decision.py`). Forms are looked at in passages that are
evidence with `related`. Words of another thing than the question names (another identifier, label, date, sibling) are never claimed
(`demands.py`, `siblings.py`).

What is in a language that the reader does not know (`ReadsLanguages`) is not put to it; where that is the question, or every passage, the
answer says so and shows of each passage the sentence that shares most words with the question.

A heading, a line of navigation or a fragment is no sentence and never quoted as the answer. What lists and tables say is told by their form
(`found.py`). A question without a word of its own ("what is it?") is answered by passages alone.

A language model's readings go the same way (`reader`); it may also `check` what would be claimed (`confirmed`), steps aside.
Extractive answering with a score for "no answer" is Rajpurkar et al. 2018, "Know what you don't know"; that votes of passages add up is
the redundancy of Clarke et al. 2001. The numbers were chosen on held-back questions of the public sets (lab/docs/reader.md); they are
settings since a reader of other weights (`decoct train reader`) wants others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from decoct import trace
from decoct.answer.base import NO_ANSWER, NO_CONTEXT, handed_to
from decoct.answer.candidates import ClaimFinder, confirmed
from decoct.answer.certainty import FittedCertainty
from decoct.answer.decision import Certainty, ClaimCandidate, decided
from decoct.answer.found import with_lists
from decoct.answer.in_steps import ComparisonQuestion, NestedQuestion, StepReader, step_sentences
from decoct.answer.quoted import (
    FoundWords,
    ReadPassage,
    best_sentence,
    claimed_answer,
    different,
    marked_passages,
    short_answer,
)
from decoct.answer.statements import ReadStatement, near_statements
from decoct.answer.surroundings import surroundings
from decoct.answer.verdicts import VerdictFinder
from decoct.context.casc.claims import same_answer
from decoct.data import Answer, Context, Passage, ShortAnswer
from decoct.documents.matter import without_matter
from decoct.embed.base import unknown_language
from decoct.embed.minilm import MiniLM
from decoct.reading.base import (
    NOTHING_READ,
    AnswerSpan,
    PassageReader,
    Reading,
    SecondReader,
    languages_read,
    log_odds,
    logistic,
)
from decoct.reading.placed import read_by_parts
from decoct.reading.small import SmallReader
from decoct.reading.turn_kinds import turn_kind
from decoct.reading.verifier import Verifier
from decoct.text.analysis import stems
from decoct.text.cells import cell_meant
from decoct.text.languages import document_language
from decoct.text.questions import asks_for_several, asks_yes_or_no
from decoct.text.quotable import is_quotable, item_words, quotable_words
from decoct.text.sentences import sentences
from decoct.text.struck import STRUCK, without_struck
from decoct.text.values import value_of
from decoct.text.wholes import Place, whole_words
from decoct.text.words import content_stems, question_stems
from decoct.text.words import words as folded

_EVIDENT = 0.5  # what is told beside an answer is more likely evidence than not
_ALL = 0.999  # of the question's words: what speaks of all of them is near
_STEPS = 8  # readings that a question in steps takes of `most_read`
_HALF = 0.5
_NEAR_FIRST = 0.15  # of the first one's probability: what is less likely is not marked beside it


@dataclass(frozen=True, slots=True)
class ShortAnswers:
    """Answers from the readings of the context's passages; see the module for the fields."""

    reader: PassageReader = field(default_factory=SmallReader)
    most_read: int = 20
    most: int = 3
    sure: float = 0.67
    settled: float = 0.9
    further: float = 0.5
    related: float = 0.4
    faint: float = 0.12
    evidence: float = 0.3
    placed: float = 0.4
    decay: float = 0.1
    certainty: Certainty = field(default_factory=FittedCertainty)
    second: SecondReader | None = field(default_factory=Verifier)
    near: MiniLM | None = field(default_factory=MiniLM)
    check: SecondReader | None = None

    def __post_init__(self) -> None:
        for name in ("sure", "settled", "further", "related", "faint"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a probability from 0 to 1, not {getattr(self, name)!r}")

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The answer and its outcome; `found` is True where the words of the answer were found."""
        return handed_to(sink, self._answer(context))

    def _answer(self, context: Context) -> Answer:
        if not context.passages:
            return Answer(NO_CONTEXT, (), context, found=False)
        quotes = self._quotes(context)
        known = languages_read(self.reader)
        if known is not None:
            strange = unknown_language(context.question, known)
            readable = [] if strange else [one for one in quotes if document_language(one.text) in known]
            if quotes and not readable:
                return _unread(quotes[: self.most], strange or document_language(quotes[0].text), known, context)
            if len(readable) < len(quotes):
                trace.fallback("read.language", len(quotes) - len(readable))
            quotes = readable
        if turn_kind(context.question) != "question":
            return self._unasked(quotes, context)
        steps = StepReader(context.question, self.reader, self._probability, quotes, _STEPS)
        room = self.most_read if steps.parts is None else self.most_read - _STEPS
        read = self._readings(context.question, quotes[:room])
        found, told = self._claims(self._finder(context.question, read))
        claims = _whole_first(steps.parts, found)
        answer = self._stepwise(steps, claims, told, context)
        trace.count(read=len(read) + steps.made)
        return answer if answer is not None else self._at_once(read, claims, told, context)

    def with_(
        self,
        *,
        caution: float | None = None,
        reader: PassageReader | None = None,
        check: SecondReader | None = None,
    ) -> ShortAnswers:
        """See `QuotingReader.with_`."""
        sure = self.sure if caution is None else caution
        return replace(self, sure=sure, reader=reader or self.reader, check=check or self.check)

    def likely(self, context: Context) -> list[ShortAnswer]:
        """See `QuotingReader.likely`."""
        return [short_answer(one) for one in _likely(self.candidates(context))]

    def candidates(self, context: Context) -> list[ClaimCandidate]:
        """What may answer the question at once, with its evidence, likeliest first (steps aside)."""
        read = self._readings(context.question, self._quotes(context))
        return self._claims(self._finder(context.question, read))[0]

    def _quotes(self, context: Context) -> list[Passage]:
        quotes = [passage for passage in context.passages if passage.kind == "quote"][: self.most_read]
        return [replace(one, text=without_struck(one.text)) if "~~" in one.text else one for one in quotes]

    def _finder(self, question: str, read: Sequence[ReadPassage]) -> ClaimFinder:
        near = near_statements(question, read, self.near) if self.near is not None else []
        return ClaimFinder(question, read, self.related, near)

    def _claims(self, finder: ClaimFinder) -> tuple[list[ClaimCandidate], list[ClaimCandidate]]:
        """What may be claimed (of a question of yes or no the verdicts), and the statements, cells, steps and entries."""
        told = finder.claims(self._words(finder), self.certainty, self.second)
        return (VerdictFinder(finder).claims(told) if asks_yes_or_no(finder.question) else told), told

    def _readings(self, question: str, quotes: Sequence[Passage]) -> list[ReadPassage]:
        readings = read_by_parts(self.reader, question, [replace(one, text=without_matter(one.text)) for one in quotes])
        return [ReadPassage(*pair, rank) for rank, pair in enumerate(zip(quotes, readings, strict=True))]

    def _unasked(self, quotes: Sequence[Passage], context: Context) -> Answer:
        """The best passages for a question that asks nothing of one, since nothing can be right by itself."""
        read = self._readings(context.question, quotes[: self.most])
        return marked_passages(self._shown((), read), context)

    def _stepwise(
        self, steps: StepReader, claims: Sequence[ClaimCandidate], told: Sequence[ClaimCandidate], context: Context
    ) -> Answer | None:
        """The answer in steps, shown where nothing is sure; None where there is none, or the `claims` that answer at once are surer."""
        found = steps.answer()
        shown = step_sentences(found, steps.passages) if found is not None else []
        if not shown or any(STRUCK in one.words for one in shown):
            return None
        sure, alone = shown[-1].weight, claims[0].probability if claims else 0.0
        if sure >= max(self.sure, self.further * alone):
            return claimed_answer(shown[-1:], context, leading=shown[:-1])
        return None if alone >= self.sure else marked_passages(self._first([*shown[::-1], *_likely(told)]), context)

    def _at_once(
        self,
        read: Sequence[ReadPassage],
        claims: Sequence[ClaimCandidate],
        told: Sequence[ClaimCandidate],
        context: Context,
    ) -> Answer:
        """The answer that `claims` make; where they make none, the likeliest statements of those `told`."""
        if not told and max((one.reading.relevance for one in read), default=0.0) < self.related:
            return Answer(NO_ANSWER, (), context, found=False)
        judged = asks_yes_or_no(context.question)
        if not judged and not asks_for_several(context.question):
            claims = [one for one in claims if not one.found.announces]
        outcome = decided(claims, self.sure, self.faint)
        if judged and outcome != "answer":
            outcome = "not-found" if decided(told, self.sure, self.faint) == "not-found" else "passages"
        if outcome == "not-found" and not any(one.evidence.in_heading > _ALL for one in told):
            return Answer(NO_ANSWER, (), context, found=False)
        if outcome == "answer" and content_stems(context.question):
            likely = _likely([one for one in claims if judged or not one.evidence.replaced])
            best = self._surest(likely[:1] if judged else likely, context.question)
            if best:
                best = with_lists(best, several=asks_for_several(context.question))
                beside, shares = self._beside(best, told), _shares(best, context.question)
                if shares:
                    best = [replace(one, weight=share) for one, share in zip(best, shares, strict=True)]
                return claimed_answer(best, context, beside=beside, disagree=bool(shares))
        return marked_passages(self._shown(told, read), context)

    def _surest(self, found: Sequence[FoundWords], question: str) -> list[FoundWords]:
        """The surest words, with the others of their form that are about as sure; none where `check` denies them."""
        first = found[0]
        forms = ("cell", "steps", "entry") if first.form in ("cell", "steps", "entry") else ("words", "verdict")
        by_words: dict[tuple[str, ...], FoundWords] = {}
        for one in found:
            if one is first or (one.form in forms and one.weight >= self.further * first.weight):
                by_words.setdefault(tuple(folded(one.words)), one)
        best = list(by_words.values())[: self.most]
        return best if self.check is None else confirmed(question, best, self.check, self.sure, self.further)

    def _words(self, finder: ClaimFinder) -> list[FoundWords]:
        """The likeliest words of each statement: those of the reader's surest span in it, else the likeliest of its tokens."""
        found = list[FoundWords]()
        taken: set[tuple[int, Place]] = set()
        for one in finder.read:
            for span in sorted(one.reading.spans, key=lambda span: -self._weight(one.reading, span)):
                words = self._quoted(finder, one, span)
                if words is not None and (one.rank, words.sentence) not in taken:
                    taken.add((one.rank, words.sentence))
                    found.append(words)
        for told in finder.near:
            one, place = told.read, told.statement.place
            if (one.rank, place) in taken:
                continue
            if (words := self._stated(finder, told)) is not None:
                found.append(words)
        return found

    def _stated(self, finder: ClaimFinder, told: ReadStatement) -> FoundWords | None:
        """The likeliest words of a statement, in a row those of the cell that the question means, else what it says as a whole.

        None where that cell is blank.
        """
        one, place, text = told.read, told.statement.place, told.read.passage.text
        likely = one.reading.places.likeliest(*place) if one.reading.places is not None else None
        start, end, share = likely or (*place, -6.0)
        whole = whole_words(text, start, end) or item_words(text, place)
        meant = cell_meant(finder.question, text, whole)
        if meant is None:
            return None
        words = meant if place[0] <= meant[0] < meant[1] <= place[1] else whole
        span = AnswerSpan(start, end, one.reading.answers * math.exp(share))
        weight = logistic(self._weight(one.reading, span) - self.decay * one.rank)
        return FoundWords(one, place, words, text[slice(*words)], weight, span=span, form="statement")

    def _quoted(self, finder: ClaimFinder, one: ReadPassage, span: AnswerSpan) -> FoundWords | None:
        """The words of a span in the cell that the question means and the sentence that may be quoted."""
        text = one.passage.text
        place = cell_meant(finder.question, text, (span.start, span.end))
        if place is None or (held := quotable_words(text, place)) is None:
            return None
        sentence, place = held
        weight = logistic(self._weight(one.reading, span) - self.decay * one.rank)
        return FoundWords(one, sentence, place, text[slice(*place)], weight, span=span)

    def _probability(self, reading: Reading, span: AnswerSpan) -> float:
        """How likely a span of the first passage answers."""
        return logistic(self._weight(reading, span))

    def _weight(self, reading: Reading, span: AnswerSpan) -> float:
        answers = reading.answers if span.answers is None else span.answers
        relevance = reading.relevance if span.relevance is None else span.relevance
        placed = self.placed * math.log(max(span.score / max(answers, 1e-6), 1e-6))
        return log_odds(answers) + self.evidence * log_odds(relevance) + placed

    def _beside(self, best: Sequence[FoundWords], told: Sequence[ClaimCandidate]) -> list[FoundWords]:
        """Where the answers are not settled, the next likeliest statements that say their words too and read like evidence."""
        if best[0].weight >= self.settled or best[0].judged:
            return []
        quoted = {(one.read.rank, one.sentence) for one in best}
        answers = [stems for one in best if (stems := content_stems(one.words))]
        evident = [one for one in told if one.evidence.is_evident(_EVIDENT) and not one.evidence.replaced]
        likely = [
            one
            for one in _likely(evident)
            if (one.read.rank, one.sentence) not in quoted
            and any(stems <= content_stems(one.quote) for stems in answers)
        ]
        shown = different((*best, *likely), self.most)
        return [one for one in shown if not any(one is answered for answered in best)]

    def _shown(self, told: Sequence[ClaimCandidate], read: Sequence[ReadPassage]) -> list[FoundWords]:
        """The likeliest statements, else those that read most like evidence, `most` different ones; of another thing only where none is."""
        likely = _likely(told)[: self.most]
        near = [one for one in likely if one.weight >= _NEAR_FIRST * likely[0].weight]
        return self._first(near or _evidence(read) or [one.found for one in told])

    def _first(self, found: Sequence[FoundWords]) -> list[FoundWords]:
        places = {(one.read.rank, one.sentence): one for one in reversed(found)}
        return different([one for one in found if places[one.read.rank, one.sentence] is one], self.most)


def _shares(best: Sequence[FoundWords], question: str) -> list[float]:
    """How likely each answer is where those of two documents exclude each other, at most one all together; none where no two do."""
    if asks_for_several(question):
        return []
    values, asked = [value_of(one.words) for one in best], content_stems(question)
    documents = [one.read.passage.support[0].doc_id for one in best]
    same = {(i, j): same_answer(values[i], values[j], asked) for i, j in combinations(range(len(best)), 2)}
    if not any(known is False and documents[i] != documents[j] for (i, j), known in same.items()):
        return []
    first = [n for n in range(len(best)) if not any(same[i, n] for i in range(n))]
    total = max(1.0, sum(best[n].weight for n in first))
    return [one.weight / total for one in best]


def _likely(claims: Sequence[ClaimCandidate]) -> list[FoundWords]:
    """What was found, likeliest first, weighed by its probability; not what is said of another thing."""
    return [replace(one.found, weight=one.probability) for one in claims if not one.evidence.is_of_another]


def _whole_first(
    parts: ComparisonQuestion | NestedQuestion | None, claims: Sequence[ClaimCandidate]
) -> list[ClaimCandidate]:
    """The claims likeliest first; those that speak of one half of the question alone are as likely as not at the most."""
    if parts is None:
        return list(claims)
    capped = []
    for one in claims:
        found = one.found
        around = surroundings(found.read.passage, found.sentence, found.place, judged=found.judged)
        half = parts.is_half_said(around.all_stems | content_stems(around.words))
        capped.append(replace(one, probability=min(one.probability, _HALF)) if half else one)
    return sorted(capped, key=lambda one: (one.evidence.is_of_another, -one.probability))


def _evidence(read: Sequence[ReadPassage]) -> list[FoundWords]:
    """The best sentence of each passage, the one that reads most like evidence first."""
    best = [
        FoundWords(one, sentence, sentence, "", one.reading.relevance)
        for one in read
        if (sentence := best_sentence(one)) is not None
    ]
    return sorted(best, key=lambda one: -one.weight)


def _unread(passages: Sequence[Passage], language: str, known: frozenset[str], context: Context) -> Answer:
    """That nothing was read, since it is in `language`; of each passage the sentence with most of the question's words, cited."""
    trace.fallback("read.language", len(passages))
    said = f"This is in a language ({language}) that the reader does not know ({', '.join(sorted(known))}): name a language model."
    found = []
    asked = set(question_stems(context.question, (language,)))
    for rank, passage in enumerate(passages):
        places = [place for place in sentences(passage.text) if is_quotable(passage.text[slice(*place)])]
        if places:
            shared = [len(asked & set(stems(passage.text[slice(*place)], (language,)))) for place in places]
            place = places[shared.index(max(shared))]
            found.append(FoundWords(ReadPassage(passage, NOTHING_READ, rank), place, place, "", 0.0))
    return marked_passages(found, context, f"{said} The first passages:" if found else said)
