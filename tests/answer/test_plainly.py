"""Where the notes are not sure the passages behind them are read, and their answer is given: silence is the user's choice alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from decoct.answer.base import NO_ANSWER
from decoct.answer.casc import (
    HEADING,
    CascReader,
    beside_passages,
    elsewhere,
    marked,
    plain_answer,
    quotes_of,
    with_lines,
)
from decoct.answer.sources import quoted_at
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.casc.notes import Conflict, Fact, Option, ReadSource, Sections
from decoct.data import Answer, Citation, Context, Draft, Passage, Query, ShortAnswer, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import ConfigError
from decoct_testing.scripted import ScriptedLLM

FIRST = "The ward is on the third floor. Give 12 mg in the morning."
SECOND = "Adults get 15 mg."
READ = (
    Passage(FIRST, (Span("a", 10, 10 + len(FIRST)),), title="Ward sheet"),
    Passage(SECOND, (Span("b", 0, len(SECOND)),), title="Leaflet"),
)
PLACE = FIRST.index("Give"), len(FIRST)
LINE = Passage(
    'Dose: "12 mg" (D1) vs "15 mg" (D2); unresolved', (Span("a", 42, 68), Span("b", 0, 17)), "rewrite", 1.0, "CONFLICTS"
)


@dataclass(frozen=True)
class Quotes:
    """A reader that quotes one sentence of the first passage, so sure; below `caution` it claims nothing, below .1 it shows nothing."""

    score: float = 0.7
    caution: float = 0.3

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        passage = context.passages[0]
        if self.score < 0.1:
            return Answer(NO_ANSWER, (), context, found=False)
        start = PLACE[0]
        place, words = (
            ((start, len(passage.text)), "12 mg") if passage.support[0].doc_id == "a" else ((0, len(SECOND)), "15 mg")
        )
        said = passage.text[slice(*place)]
        citation = Citation(1, len(said) + 1, len(said) + 4, passage, quoted_at(passage, *place))
        if self.score < self.caution:
            return Answer(f"{said} [1]", (citation,), context, found=False, outcome="passages")
        at = citation.source.start + said.index(words)
        short = ShortAnswer(words, citation.source.doc_id, at, at + len(words), self.score)
        return Answer(f"{said} [1]", (citation,), context, answers=(short,))

    def with_(self, *, caution: float | None = None, reader: object = None, check: object = None) -> Quotes:
        return replace(self, caution=caution or 0.1)

    def likely(self, context: Context) -> list[ShortAnswer]:
        return list(self.with_(caution=0.1).answer(context).answers)


def conflict(*, sure: bool, chosen: str | None = None) -> Conflict:
    said = [ShortAnswer("15 mg", "b", 11, 16, 0.4), ShortAnswer("12 mg", "a", 44, 49, 0.3)]
    new = Option("15 mg", (LINE.support[1],), kinds="paper 2020", said=said[0])
    sides = (new, Option("12 mg", (LINE.support[0],), said=said[1]))
    return Conflict("dose", "numeric", sides, "flagged", "none", chosen, 0.64, "nothing decides", sure=sure)


def context_of(*notes: Conflict, limit: int = 400, read: tuple[Passage, ...] = READ) -> Context:
    kept = {"conflicts": notes, "read": tuple(map(ReadSource, read))}
    return assemble(Query("What dose?"), Draft((LINE,), kept), Budget(limit, WordPieceTokenizer()), Sections())


def test_what_plain_reading_answers_is_the_answer_and_an_unsure_conflict_is_told_after_it() -> None:
    answer = CascReader(plain=Quotes()).answer(context_of(conflict(sure=False), read=READ[:1]))
    said = (
        'Give 12 mg in the morning. [1] Less surely read: the sources disagree: "15 mg" (b; paper 2020; likelier, 64%) [2] '
        'or "12 mg" (a) [2]'
    )
    assert answer.text == said
    assert (answer.found, answer.outcome) == (True, "answer")
    assert [one.text for one in answer.answers] == ["12 mg"]
    first, *sides = answer.citations
    assert (first.source.doc_id, first.source.quote) == ("a", "Give 12 mg in the morning.")
    assert first.source.start == 10 + PLACE[0]
    assert (first.passage.title, first.passage.kind) == (HEADING, "quote")
    assert [one.passage.title for one in sides] == ["CONFLICTS"] * 2
    assert answer.context.text.startswith("READ\n[1] Give 12 mg in the morning.\nCONFLICTS\n[2] ")
    assert all(citation.passage in answer.context.passages for citation in answer.citations)


def test_marks_of_the_documents_own_stand_as_they_are_and_cite_nothing() -> None:
    own = READ[0].text.replace("12 mg", "12 mg [2] of dose[1]")
    read = (Passage(own, (Span("a", 10, 10 + len(own)),)),)
    answer = CascReader(plain=Quotes()).answer(context_of(conflict(sure=False), read=read))
    said = "Give 12 mg [2] of dose[1] in the morning."
    assert answer.text.startswith(f"{said} [1] Less surely read: ")
    assert [answer.text[one.start : one.end] for one in answer.citations] == ["[1]", "[2]", "[2]"]
    assert answer.citations[0].source.quote == said


def test_a_document_that_answers_otherwise_by_itself_is_the_other_side_and_tells_the_conflict_of_the_notes() -> None:
    answer = CascReader(plain=Quotes()).answer(context_of(conflict(sure=False)))
    assert answer.text == 'Give 12 mg in the morning. [1] Other sources say otherwise: "Adults get 15 mg." [2] (50%)'
    assert [citation.source.doc_id for citation in answer.citations] == ["a", "b"]
    assert answer.context.text.startswith(
        "READ\n[1] Give 12 mg in the morning.\n[2] Adults get 15 mg.\nCONFLICTS\n[3] "
    )


@dataclass(frozen=True)
class ShowsBoth(Quotes):
    """It answers from the first passage and shows the second one's sentence too."""

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        made = Quotes.answer(self, context)
        if len(context.passages) == 1:
            return made
        text = f"{made.text} See also: {SECOND} "
        also = Citation(2, len(text), len(text) + 3, READ[1], quoted_at(READ[1], 0, len(SECOND)))
        return replace(made, text=f"{text}[2]", citations=(*made.citations, also))


def test_a_sentence_that_is_only_shown_has_not_been_heard_and_is_not_told_twice() -> None:
    answer = CascReader(plain=ShowsBoth()).answer(context_of(conflict(sure=False)))
    said = (
        'Give 12 mg in the morning. [1] See also: Adults get 15 mg. [2] Other sources say otherwise: "15 mg" [2] (50%)'
    )
    assert answer.text == said


def test_a_document_that_says_the_same_is_no_other_side() -> None:
    again = Passage("Adults get 12 mg.", (Span("c", 0, 17),))
    assert not elsewhere(Quotes(), context_of(read=(again,)), ["15 mg"], ["c"])
    assert not elsewhere(Quotes(), context_of(read=(READ[0],)), ["0.012 g"], [])
    assert not elsewhere(Quotes(), context_of(read=READ), ["3 euros"], [])  # a dose denies no price
    (other,) = elsewhere(Quotes(), context_of(read=READ), ["12 mg"], [])
    assert (other.said.text, other.quote.text, other.quote.title) == ("15 mg", SECOND, HEADING)


def test_what_documents_agree_on_is_told_where_plain_reading_claims_the_same_and_is_as_sure_as_it() -> None:
    said = ShortAnswer("0.012 g", "a", 44, 49, 0.95)
    fact = Fact(FIRST[29:], (Span("a", 39, 68),), ("a",), 0.8, "0.012 g", status="agreed", said=said)
    line = Passage(f'Dose: "0.012 g" (D1, D3): "{FIRST[29:]}"', fact.support, "rewrite", 1.0, "KEY FACTS")
    kept = {"facts": (fact,), "read": tuple(map(ReadSource, READ))}
    made = assemble(Query("What dose?"), Draft((line,), kept), Budget(400, WordPieceTokenizer()), Sections())
    answer = CascReader(plain=Quotes()).answer(made)
    assert (answer.text, answer.score) == ("0.012 g [1]", 0.7)
    alone = replace(made, notes={**made.notes, "facts": (replace(fact, status="stated", line=1),)})
    told = 'Give 12 mg in the morning. [1] Other sources say otherwise: "Adults get 15 mg." [2] (50%)'
    assert CascReader(plain=Quotes()).answer(alone).text.startswith(told)
    silent = CascReader(plain=Quotes(0.6)).answer(made)
    assert (silent.outcome, silent.text) == ("passages", "Give 12 mg in the morning. [1] Less surely read: 0.012 g [2]")


def test_a_decided_conflict_takes_the_place_of_the_words_that_gave_way_and_is_as_sure_as_they_were() -> None:
    sure = context_of(conflict(sure=True, chosen="15 mg"))
    answer = CascReader(plain=Quotes(0.8)).answer(sure)
    assert (answer.text, answer.score) == ("15 mg [1]", 0.8)
    assert answer.context is sure


def test_sides_of_an_open_conflict_share_what_their_documents_answer_with() -> None:
    answer = CascReader(plain=Quotes(0.8)).answer(context_of(conflict(sure=True)))
    assert answer.text.startswith("the sources disagree")
    assert [(one.text, one.score) for one in answer.answers] == [("15 mg", 0.5), ("12 mg", 0.5)]


def test_where_plain_reading_claims_nothing_passages_are_shown_as_it_would_show_them() -> None:
    shown = CascReader(plain=Quotes(0.2)).answer(context_of(conflict(sure=False)))
    assert (shown.outcome, shown.found) == ("passages", False)
    assert shown.text.startswith("Give 12 mg in the morning. [1] Less surely read: the sources disagree")
    nothing = CascReader(plain=Quotes(0.0)).answer(context_of(conflict(sure=False)))
    assert nothing.outcome == "passages"
    assert nothing.text.startswith("not surely read: the sources disagree")
    assert plain_answer(Quotes(), context_of(conflict(sure=False), read=())) is None


@pytest.mark.parametrize(
    ("caution", "outcome"), [(0.1, "answer"), (0.7, "answer"), (0.71, "passages"), (1.0, "passages")]
)
def test_silence_has_a_price_that_the_user_names(caution: float, outcome: str) -> None:
    answer = CascReader(plain=Quotes(), caution=caution).answer(context_of(conflict(sure=False)))
    assert answer.outcome == outcome
    assert answer.found is (outcome == "answer")
    assert "Give 12 mg in the morning. [1]" in answer.text
    assert len(answer.citations) > 1


def test_caution_is_a_share() -> None:
    with pytest.raises(ConfigError, match="caution must be from 0"):
        CascReader(caution=1.2)


def test_the_sentence_that_answers_has_room_before_the_notes_and_the_budget_is_kept() -> None:
    whole = context_of(conflict(sure=False))
    plain = plain_answer(Quotes(), whole)
    assert plain is not None
    lined = with_lines(whole, quotes_of(plain))
    small = with_lines(replace(whole, text="", passages=(), budget=Budget(20, WordPieceTokenizer())), quotes_of(plain))
    assert small.tokens <= 20 < lined.tokens
    assert [passage.title for passage in small.passages] == [HEADING]
    assert marked(plain, small) == marked(plain, lined) == "Give 12 mg in the morning. [1]"


def test_a_model_reads_short_documents_whole_after_a_line_for_each_conflict() -> None:
    fact = Passage('Dose: "12 mg"', (Span("a", 42, 68),), "rewrite", 1.0, "KEY FACTS")
    notes = {"conflicts": (conflict(sure=True),), "read": tuple(map(ReadSource, READ))}
    whole = assemble(Query("What dose?"), Draft((LINE, fact), notes), Budget(400, WordPieceTokenizer()), Sections())
    llm = ScriptedLLM(["15 mg or 12 mg, the sources disagree [1][3]"])
    answer = CascReader(llm).answer(whole)
    asked = llm.requests[0].messages[-1].content
    assert f"CONFLICTS\n[1] {LINE.text}\nREAD\n[2] {FIRST}\n[3] {SECOND}" in asked
    assert "KEY FACTS" not in asked
    assert [citation.passage.text for citation in answer.citations] == [LINE.text, SECOND]
    long = (*READ, Passage("Nothing of it. " * 200, (Span("c", 0, 3000),)))
    notes |= {"read": tuple(map(ReadSource, long))}
    cut = assemble(Query("What dose?"), Draft((LINE, fact), notes), Budget(400, WordPieceTokenizer()), Sections())
    assert beside_passages(cut) is cut


def test_the_passages_that_were_read_are_written_as_places() -> None:
    assert ReadSource(READ[1]).as_dict() == {"title": "Leaflet", "support": [{"doc_id": "b", "start": 0, "end": 17}]}


def test_where_a_decided_conflict_prefers_another_side_that_side_is_the_answer() -> None:
    decided = conflict(sure=False, chosen="15 mg")
    answer = CascReader(plain=Quotes()).answer(context_of(decided))
    assert answer.text == "15 mg [1] Other sources say otherwise: Give 12 mg in the morning. [2]"
    assert (answer.outcome, answer.score, [one.text for one in answer.answers]) == ("answer", 0.7, ["15 mg"])
    agreeing = CascReader(plain=Quotes()).answer(context_of(conflict(sure=False, chosen="12 mg"), read=READ[:1]))
    assert agreeing.text.startswith("Give 12 mg in the morning. [1]")


def test_a_preferred_yes_or_no_is_told_with_its_word() -> None:
    sides = tuple(
        replace(side, value=text, word=word)
        for side, text, word in zip(conflict(sure=True).sides, ("Stop it.", "Give it."), ("no", "yes"), strict=True)
    )
    decided = Conflict("dose", "polarity", sides, "resolved", "correction", "Stop it.", 0.9, "corrects")
    assert CascReader(plain=Quotes()).answer(context_of(decided)).text == "No. Stop it. [1]"


@dataclass(frozen=True)
class Torn(Quotes):
    """It claims of one document what it does not dare to claim of two."""

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        less = replace(self, score=0.2) if len(context.passages) > 1 else self
        return Quotes.answer(less, context)


def test_a_conflict_that_is_ended_is_claimed_where_each_side_would_be_claimed_of_its_document_alone() -> None:
    ended = context_of(conflict(sure=False, chosen="15 mg"))
    answer = CascReader(plain=Torn()).answer(ended)
    assert (answer.text, answer.outcome, answer.score) == ("15 mg [1]", "answer", 0.7)
    unsure = CascReader(plain=Torn(0.6)).answer(ended)
    assert (unsure.text, unsure.outcome) == ("Give 12 mg in the morning. [1] Less surely read: 15 mg [2]", "passages")
