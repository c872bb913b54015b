"""The possible answers of a question in the passages that were read, each with its evidence (`claim_evidence.py`), likeliest first.

Every statement of the passages is a candidate (`statements.py`), with the likeliest words in it; cells that the question names, steps, and
entries under a heading that is asked for are candidates in the same list. The likeliest by what is cheap to know are read again. Words
that are said of another thing than the question names come last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from decoct import trace
from decoct.answer.asked_values import values_meant, words_alike
from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.decision import Certainty, ClaimCandidate, ranked
from decoct.answer.demands import QuestionDemands, demands_of
from decoct.answer.found import cells_named, entries_asked_for, fields_asked_for, steps_named
from decoct.answer.in_force import in_force_first, replaced_editions
from decoct.answer.quoted import FoundWords, ReadPassage, together
from decoct.answer.siblings import SiblingSentences
from decoct.answer.statements import ReadStatement, spoken_rarities
from decoct.answer.surroundings import names_over, surroundings
from decoct.reading.base import SecondReader, StatementToRead, log_odds, logistic, one_each
from decoct.text.cells import cells_as_text, placed_cells, row_said
from decoct.text.questions import asks_yes_or_no, parsed_question
from decoct.text.quotable import is_row
from decoct.text.struck import STRUCK
from decoct.text.values import held_by_ranges, value_of
from decoct.text.wholes import Place
from decoct.text.words import content_stems
from decoct.text.words import words as folded

_READ_AGAIN = 24  # candidates of which a second reader reads the statement
_READ_IN_WORDS = 8  # and of the likeliest of these the words alone
_SURER = 1.0  # log-odds by which other words must answer rather than the one that was found
_NO_WHOLE = -10.0  # log-odds of words that join values of two things
_MEANT = 1.0  # log-odds that a value has before others where its clause says more of the question


@dataclass(slots=True)
class ClaimFinder:
    """Finds the candidates of `question` in `read`, of which `near` are statements.

    `related` is the relevance from which a passage's forms are looked at; `today` the day on which what is claimed is to hold.
    """

    question: str
    read: Sequence[ReadPassage]
    related: float
    near: Sequence[ReadStatement] = ()
    today: date = field(default_factory=date.today)
    _demands: QuestionDemands = field(init=False)
    _siblings: SiblingSentences = field(init=False)
    _replaced: frozenset[str] = field(init=False)
    _near: Mapping[int, list[ReadStatement]] = field(init=False)
    _rare: Mapping[str, float] = field(init=False)
    _takes_yes: bool = field(init=False)

    def __post_init__(self) -> None:
        asked = content_stems(self.question)
        passages = [one.passage for one in self.read]
        self._demands = demands_of(self.question, [f"{one.title}\n{one.place}\n{one.text}" for one in passages])
        self._siblings = SiblingSentences(asked, passages)
        by_rank: dict[int, list[ReadStatement]] = defaultdict(list)
        for one in self.near:
            by_rank[one.read.rank].append(one)
        self._near = by_rank
        self._replaced = replaced_editions(self.question, passages)
        self._rare = spoken_rarities(self.question, passages)
        self._takes_yes = parsed_question(self.question).kind in ("open", "yes-no")

    @property
    def named(self) -> list[tuple[int, int]]:
        """Where identifiers and labels stand in the question."""
        return [(one.start, one.end) for one in (*self._demands.identifiers, *self._demands.labels)]

    def claims(
        self, places: Sequence[FoundWords], certainty: Certainty, second: SecondReader | None = None
    ) -> list[ClaimCandidate]:
        """The candidates of the words at `places` and of the passages' forms, likeliest first."""
        formed = [
            *([] if asks_yes_or_no(self.question) else fields_asked_for(self.question, self.read)),
            *cells_named(self.question, self.read, self.related),
            *steps_named(self.question, self.read, self.related),
            *entries_asked_for(self.question, self.read),
        ]
        told = {(one.read.rank, one.sentence) for one in formed}
        found = [*formed, *(one for one in places if (one.read.rank, one.sentence) not in told)]
        saying: dict[tuple[str, ...], dict[int, FoundWords]] = defaultdict(dict)
        for one in sorted(found, key=lambda one: -one.weight):
            saying[tuple(folded(one.words))].setdefault(one.read.rank, one)
        witnessed = []
        for one in found:
            same = list(saying[tuple(folded(one.words))].values())
            witnessed.append(together(same) if same[0] is one else one)
        return self.ranked(witnessed, certainty, second)

    def ranked(
        self, found: Sequence[FoundWords], certainty: Certainty, second: SecondReader | None = None
    ) -> list[ClaimCandidate]:
        """What was `found` and is not blank, each with its evidence, likeliest first; `second` reads the first of them again."""
        claims = ranked(
            [ClaimCandidate(one, self.evidence(one)) for one in found if self._may_answer(one)],
            certainty,
        )
        if second is None or not claims:
            return self._in_force_first(claims, certainty)
        read = ranked(self._read_again(claims[:_READ_AGAIN], second), certainty)
        if asks_yes_or_no(self.question):
            return [*self._in_force_first(read, certainty), *claims[_READ_AGAIN:]]
        first = ranked(self._read_in_words(read[:_READ_IN_WORDS], second), certainty)
        return [*self._in_force_first(first, certainty), *read[_READ_IN_WORDS:], *claims[_READ_AGAIN:]]

    def _in_force_first(self, claims: Sequence[ClaimCandidate], certainty: Certainty) -> list[ClaimCandidate]:
        return in_force_first(self.question, claims, certainty, self.today)

    def _may_answer(self, found: FoundWords) -> bool:
        """Whether the words say anything, and none is struck out; "yes" in a cell does not say how many, when, who or where."""
        if found.is_blank or STRUCK in found.read.passage.text[slice(*found.place)]:
            return False
        return self._takes_yes or len(folded(found.words)) != 1 or value_of(found.words).kind != "bool"

    def evidence(self, found: FoundWords) -> ClaimEvidence:
        """What speaks for the words."""
        passage = found.read.passage
        around = surroundings(passage, found.sentence, found.place, judged=found.judged)
        reading, span = found.read.reading, found.span
        relevance = reading.relevance if span is None or span.relevance is None else span.relevance
        spoken = around.stems | content_stems(around.words)
        told = [one for one in self._near.get(found.read.rank, ()) if _overlap(one.statement.place, found.sentence)]
        marked = found.read.reading.sentences
        return ClaimEvidence(
            form=found.form,
            weight=log_odds(found.weight),
            near=max((one.near for one in told), default=0.0),
            likely=max(
                (one.relevance for one in marked if _overlap((one.start, one.end), found.sentence)), default=0.0
            ),
            rank=found.read.rank,
            relevance=relevance,
            in_heading=self.coverage(spoken | around.near | around.over),
            rivals=self._demands.rivals(around),
            named=self._demands.named(around),
            of_another=float(self._siblings.is_of_another(passage, found.sentence, found.words)),
            unknown=float(self._demands.unknown),
            replaced=float(passage.support[0].doc_id in self._replaced),
            size=found.sentence[1] - found.sentence[0],
        )

    def _meant(self, found: FoundWords) -> tuple[list[Place], bool]:
        """Of several values of a sentence the ones that the question means by its words; whether the found words join several."""
        if is_row(found.quote):
            return [], False
        low, high = found.sentence
        place = found.place[0] - low, found.place[1] - low
        meant, joined = values_meant(self._rare, found.read.passage.text[low:high], place)
        return [(low + start, low + end) for start, end in meant], joined

    def coverage(self, stems: frozenset[str]) -> float:
        """The share of the question's words in some stems, each as it is rare among the passages."""
        return sum(weight for word, weight in self._rare.items() if word in stems)

    def _read_again(self, claims: Sequence[ClaimCandidate], second: SecondReader) -> list[ClaimCandidate]:
        """The candidates with what a second reader says of each: whether its statement answers."""
        asked, judged = [], asks_yes_or_no(self.question)
        for one in claims:
            found = one.found
            over = [
                told.statement.over
                for told in self._near.get(found.read.rank, ())
                if told.statement.place == found.sentence
            ]
            row = judged and is_row(found.quote)
            asked.append(_row(self.question, found) if row else _statement(self.question, found, *over[:1]))
        return [
            replace(
                one,
                evidence=replace(
                    one.evidence,
                    entailed=reading.of(one.found.words if one.found.judged else ""),
                    leaning=log_odds(reading.yes) - log_odds(reading.no),
                ),
            )
            for one, reading in zip(claims, second.read(asked), strict=True)
        ]

    def _read_in_words(self, claims: Sequence[ClaimCandidate], second: SecondReader) -> list[ClaimCandidate]:
        """The candidates with what a second reader says of their words; of these the ones that answer likelier than what was found."""
        options = [
            [
                option
                for n, option in enumerate(_worded(self.question, one.found))
                if not n or self._may_answer(option[0])
            ]
            for one in claims
        ]
        said = iter(second.read([statement for each in options for _, statement in each]))
        judged = []
        for one, each in zip(claims, options, strict=True):
            odds = [log_odds(next(said).answers) for _ in each]
            if not odds:
                judged.append(replace(one, evidence=replace(one.evidence, worded=one.evidence.entailed)))
                continue
            meant, joined = self._meant(one.found)
            told = [value + _MEANT * (option.place in meant) for value, (option, _) in zip(odds, each, strict=True)]
            told[0] += _NO_WHOLE if joined and len(told) > 1 else _SURER
            at = told.index(max(told))
            lead = min((odds[at] - other for n, other in enumerate(odds) if n != at), default=5.0)
            evidence = replace(one.evidence, worded=logistic(odds[at]), lead=max(-5.0, min(5.0, lead)))
            judged.append(replace(one, found=each[at][0], evidence=evidence))
        return judged


def _overlap(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]


# What is about to be claimed, put to a second reader once more: a language model can be asked of the one claim that it would be.
#
# The bundled second reading judges every likely candidate and is part of the calibrated probability (`certainty.py`). A reader that costs a
# call each is asked of the words alone that would be shown as the answer. Its word is not calibrated: a yes leaves the probability as it
# is, and a no takes its log-odds from it, so what it adds can only be doubt.
def confirmed(
    question: str, found: Sequence[FoundWords], second: SecondReader, sure: float, further: float
) -> list[FoundWords]:
    """Those of `found` (weighed by their probability) that stay as likely as `further` of the likeliest, it first; none below `sure`.

    The trace's fact `second` holds how likely each is an answer to the second reader.
    """
    with trace.stage("second"):
        readings = one_each(second.read([_statement(question, one) for one in found]), found, second)
        said = [reading.of(one.words if one.judged else "") for one, reading in zip(found, readings, strict=True)]
        trace.fact("second", [round(one, 3) for one in said])
        doubted = [
            replace(one, weight=logistic(log_odds(one.weight) + min(0.0, log_odds(share)))) if share < 1 / 2 else one
            for one, share in zip(found, said, strict=True)
        ]
        most = max((one.weight for one in doubted), default=0.0)
        kept = [one for one in doubted if most >= sure and one.weight >= further * most]
        trace.count(claims=len(found), refused=len(found) - len(kept))
        return sorted(kept, key=lambda one: -one.weight)


def _statement(question: str, found: FoundWords, over: str | None = None) -> StatementToRead:
    """The sentence of found words, under what stands `over` it; None for what is above it in its passage."""
    passage = found.read.passage
    if over is None:
        over = surroundings(passage, found.sentence, found.place, judged=found.judged).heading
    return StatementToRead(question, passage.text, *found.sentence, over)


def _worded(question: str, found: FoundWords) -> list[tuple[FoundWords, StatementToRead]]:
    """What is found with the words alone as what is to be read; behind it the others of its kind, of a row each other cell.

    A cell is read in its row, behind its head. None for steps, entries and whole statements, which are read as they are.
    """
    passage, (start, end) = found.read.passage, found.place
    if found.form in ("steps", "entry") or found.place == found.sentence:
        return []
    cells = (placed_cells(passage.text, found.sentence) or []) if is_row(found.quote) else []
    own = next((n for n, (_, cell) in enumerate(cells) if cell[0] <= start and end <= cell[1]), None)
    if own is None:
        low, high = found.sentence
        alike = [] if cells else words_alike(passage.text[low:high], (start - low, end - low))
        others = [(low + first, low + last) for first, last in alike]
        stated = _statement(question, found)
        own_words, *read = [replace(stated, start=first, end=last) for first, last in (found.place, *others)]
    else:
        said, places = cells_as_text([(head, passage.text[slice(*cell)]) for head, cell in cells])
        over = ": ".join(filter(None, names_over(passage, found.sentence[0])))
        read = [StatementToRead(question, said, *place, over) for place in places]
        others = [cell for n, (_, cell) in enumerate(cells) if n != own]
        own_words = read.pop(own)
        if own in held_by_ranges(question, [head for head, _ in cells]):
            others, read = [], []
    beside = [replace(found, place=place, words=passage.text[slice(*place)]) for place in others]
    return [(found, own_words), *zip(beside, read, strict=True)]


def _row(question: str, found: FoundWords) -> StatementToRead:
    """The row of a table as it is said to the question (`row_said`)."""
    passage = found.read.passage
    said = row_said(question, passage.text, found.sentence)
    return StatementToRead(
        question, said, 0, len(said), ": ".join(filter(None, names_over(passage, found.sentence[0])))
    )
