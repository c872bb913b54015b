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
    """A reader that quotes one sentence of the first passage, so sure; below .3 it claims nothing, below .1 it shows nothing."""

    score: float = 0.7

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
        if self.score < 0.3:
            return Answer(f"{said} [1]", (citation,), context, found=False, outcome="passages")
        at = citation.source.start + said.index(words)
        short = ShortAnswer(words, citation.source.doc_id, at, at + len(words), self.score)
        return Answer(f"{said} [1]", (citation,), context, answers=(short,))


def conflict(*, sure: bool, chosen: str | None = None) -> Conflict:
    sides = (Option("15 mg", (LINE.support[1],), kinds="paper 2020"), Option("12 mg", (LINE.support[0],)))
    return Conflict("dose", "numeric", sides, "flagged", "none", chosen, 0.64, "nothing decides", sure=sure)


def context_of(*notes: Conflict, limit: int = 400, read: tuple[Passage, ...] = READ) -> Context:
    kept = {"conflicts": notes, "read": tuple(map(ReadSource, read))}
    return assemble(Query("What dose?"), Draft((LINE,), kept), Budget(limit, WordPieceTokenizer()), Sections())


def test_what_plain_reading_answers_is_the_answer_and_an_unsure_conflict_is_told_after_it() -> None:
    answer = CascReader(plain=Quotes()).answer(context_of(conflict(sure=False), read=READ[:1]))
    said = 'Give 12 mg in the morning. [1] Less surely read: the sources disagree: "15 mg" (paper 2020; likelier, 64%) [2] or "12 mg" [2]'
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


def test_what_one_document_alone_says_surely_is_set_beside_what_the_others_say_by_themselves() -> None:
    fact = Fact(FIRST[29:], (Span("a", 39, 68),), ("a",), 0.8, "12 mg", status="stated")
    line = Passage(f'Dose: "12 mg" (D1): "{FIRST[29:]}"', fact.support, "rewrite", 1.0, "KEY FACTS")
    kept = {"facts": (fact,), "read": tuple(map(ReadSource, READ))}
    made = assemble(Query("What dose?"), Draft((line,), kept), Budget(400, WordPieceTokenizer()), Sections())
    answer, sure = CascReader(plain=Quotes()).told(made)
    assert answer.text == '12 mg [1] Other sources say otherwise: "Adults get 15 mg." [2] (47%)'
    assert (sure, answer.found) == (0.8, True)
    agreed = replace(made, notes={**made.notes, "facts": (replace(fact, status="agreed", line=1),)})
    assert CascReader(plain=Quotes()).told(agreed)[0].text == "12 mg [1]"


def test_what_was_surely_read_needs_no_other_answer() -> None:
    sure = context_of(conflict(sure=True, chosen="15 mg"))
    answer = CascReader(plain=Quotes()).answer(sure)
    assert answer.text == "15 mg [1]"
    assert answer.context is sure


def test_where_plain_reading_claims_nothing_passages_are_shown_as_it_would_show_them() -> None:
    shown = CascReader(plain=Quotes(0.2)).answer(context_of(conflict(sure=False)))
    assert (shown.outcome, shown.found) == ("passages", False)
    assert shown.text.startswith("Give 12 mg in the morning. [1] Less surely read: the sources disagree")
    nothing = CascReader(plain=Quotes(0.0)).answer(context_of(conflict(sure=False)))
    assert nothing.outcome == "passages"
    assert nothing.text.startswith("not surely read: the sources disagree")
    assert plain_answer(Quotes(), context_of(conflict(sure=False), read=())) is None


@pytest.mark.parametrize(
    ("caution", "outcome"), [(0.0, "answer"), (0.7, "answer"), (0.71, "passages"), (1.0, "passages")]
)
def test_silence_has_a_price_that_the_user_names(caution: float, outcome: str) -> None:
    plain = context_of(conflict(sure=False))
    answer = CascReader(plain=Quotes(), caution=caution).answer(plain)
    assert answer.outcome == outcome
    assert answer.found is (outcome == "answer")
    assert "Give 12 mg in the morning. [1]" in answer.text
    assert len(answer.citations) == 2
    told, sure = CascReader(plain=Quotes(), caution=caution).told(plain)
    assert (told.outcome, sure) == ("answer", 0.7)


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


def test_how_sure_the_notes_are_is_that_of_their_least_sure_part() -> None:
    facts = (
        Fact("x", (Span("a", 0, 1),), ("a",), 0.9, "x", part=0, status="agreed"),
        Fact("y", (Span("b", 0, 1),), ("b",), 0.6, "y", part=1),
    )
    draft = Draft((LINE,), {"facts": facts})
    made = assemble(Query("What?"), draft, Budget(400, WordPieceTokenizer()), Sections())
    assert CascReader(plain=Quotes()).told(made)[1] == 0.6


def test_where_a_decided_conflict_prefers_another_side_that_side_is_the_answer() -> None:
    decided = conflict(sure=False, chosen="15 mg")
    answer = CascReader(plain=Quotes()).answer(context_of(decided))
    assert answer.text == "15 mg [1] Other sources say otherwise: Give 12 mg in the morning. [2]"
    assert (answer.outcome, answer.answers) == ("answer", ())
    agreeing = CascReader(plain=Quotes()).answer(context_of(conflict(sure=False, chosen="12 mg"), read=READ[:1]))
    assert agreeing.text.startswith("Give 12 mg in the morning. [1]")
    cautious = CascReader(plain=Quotes(), caution=0.7).answer(context_of(decided))
    assert cautious.outcome == "passages"


def test_a_preferred_yes_or_no_is_told_with_its_word() -> None:
    sides = tuple(
        Option(text, (span,), word=word)
        for text, span, word in zip(("Give it.", "Stop it."), LINE.support, ("yes", "no"), strict=True)
    )
    decided = Conflict("dose", "polarity", sides, "resolved", "correction", "Stop it.", 0.9, "corrects")
    assert CascReader(plain=Quotes()).answer(context_of(decided)).text == "No. Stop it. [1]"


def test_a_conflict_that_is_ended_is_told_where_plain_reading_claims_nothing() -> None:
    found = conflict(sure=False, chosen="15 mg")
    said = ShortAnswer("15 mg", "b", 11, 16, 0.5)
    sides = (replace(found.sides[0], said=said), found.sides[1])
    answer = CascReader(plain=Quotes(0.2)).answer(context_of(replace(found, sides=sides)))
    assert (answer.text, answer.outcome, answer.score) == ("15 mg [1]", "answer", 0.5)
