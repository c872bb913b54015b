"""Answers without a language model: what is claimed, what is shown instead, and what is cited."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from reader_certainty import ReaderCertainty

from decoct.answer.as_json import answer_as_json
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.data import Context, Passage, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.reading.base import AnswerSpan, PassageReader, Readable, Reading, SentenceRelevance, Verdict
from decoct.text.sentences import sentences
from decoct.trace import Trace, recording

BRIDGE = "The Harrow Bridge crosses the Lune. It was opened in 1934 by the mayor. Tolls ended in 1960."
GUIDE = "Visitors like the bridge very much. The guide says it was opened in 1934 after long delays."


def answering(reader: PassageReader, **settings: Any) -> ShortAnswers:
    """By the reader's own weights alone, so that a test can say how sure it is."""
    return ShortAnswers(
        reader, certainty=ReaderCertainty(), second=None, near=None, **{"sure": 0.3, "faint": 0.25, **settings}
    )


class WordReader:
    """Finds given words: each with the probability that its passage answers. Verdicts by passage text."""

    fingerprint = "words"

    def __init__(self, answers: Mapping[str, float], verdicts: Mapping[str, Verdict] | None = None) -> None:
        self._answers = answers
        self._verdicts = verdicts or {}

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        return [self._reading(passage.text) for passage in passages]

    def _reading(self, text: str) -> Reading:
        found = [
            (m.start(), m.end(), p) for words, p in self._answers.items() for m in re.finditer(re.escape(words), text)
        ]
        best = max((p for *_, p in found), default=0.01)
        spans = tuple(AnswerSpan(a, b, p) for a, b, p in sorted(found, key=lambda one: -one[2])[:1])
        marked = tuple(
            SentenceRelevance(a, b, 0.9 if any(a <= c < b for c, *_ in found) else 0.1) for a, b in sentences(text)
        )
        verdict: Verdict = next((said for start, said in self._verdicts.items() if text.startswith(start)), "neither")
        return Reading(spans, best, best, marked, verdict)


def context(question: str, *texts: str) -> Context:
    passages = tuple(
        Passage(text, (Span(f"d{number}", 0, len(text)),), title=f"Document {number}")
        for number, text in enumerate(texts, 1)
    )
    return Context(question, "\n".join(texts), passages, Budget(900, default_tokenizer()), Trace())


def test_the_words_are_the_answer_and_their_sentence_is_cited() -> None:
    answer = answering(WordReader({"1934": 0.9})).answer(context("When was the bridge opened?", BRIDGE))
    assert (answer.found, answer.outcome) == (True, "answer")
    (short,) = answer.answers
    assert (short.text, short.doc_id) == ("1934", "d1")
    assert BRIDGE[short.start : short.end] == "1934"
    assert answer.text == "It was opened in 1934 by the mayor. [1]"
    (citation,) = answer.citations
    assert citation.source.quote == "It was opened in 1934 by the mayor."
    assert answer.text[citation.start : citation.end] == "[1]"


def test_two_documents_that_say_the_same_are_surer_than_one() -> None:
    reader = answering(WordReader({"1934": 0.5}))
    alone = reader.answer(context("When was the bridge opened?", BRIDGE))
    both = reader.answer(context("When was the bridge opened?", BRIDGE, GUIDE))
    assert len(both.answers) == 1
    assert both.answers[0].score > alone.answers[0].score


def test_where_the_reader_is_not_sure_passages_are_shown_and_nothing_is_claimed() -> None:
    reader = answering(WordReader({"1934": 0.4}), sure=0.5, related=0.1)
    answer = reader.answer(context("When was the bridge opened?", BRIDGE))
    assert (answer.found, answer.outcome, answer.answers) == (False, "passages", ())
    assert answer.citations[0].source.quote == "It was opened in 1934 by the mayor."


@pytest.mark.parametrize(("second", "marks"), [(0.3, 2), (0.02, 1)])
def test_a_statement_that_is_far_less_likely_than_the_first_is_not_marked_beside_it(second: float, marks: int) -> None:
    reader = answering(WordReader({"1934": 0.4, "1871": second}), sure=0.9, related=0.1)
    other = "A ferry was opened here in 1871 by the abbot."
    answer = reader.answer(context("When was the bridge opened?", BRIDGE, other))
    assert answer.outcome == "passages"
    assert answer.text.count("→ ") == marks
    assert answer.citations[0].source.quote == "It was opened in 1934 by the mayor."


def test_where_the_best_words_are_faint_nothing_is_found_unless_all_that_is_asked_is_spoken_of() -> None:
    asked = context("When was the bridge painted?", BRIDGE)
    assert answering(WordReader({"1934": 0.2}), related=0.1).answer(asked).outcome == "not-found"
    assert answering(WordReader({"1934": 0.2}), related=0.1, faint=0.02).answer(asked).outcome == "passages"
    spoken = context("When was the bridge opened?", BRIDGE)
    assert answering(WordReader({"1934": 0.2}), related=0.1).answer(spoken).outcome == "passages"


def test_where_no_passage_answers_nothing_is_found_and_nothing_cited() -> None:
    answer = answering(WordReader({"Paris": 0.9})).answer(context("What is the capital of France?", BRIDGE))
    assert (answer.found, answer.outcome, answer.answers, answer.citations) == (False, "not-found", (), ())


def test_a_heading_is_never_the_answer() -> None:
    text = "Opening 1934\n\nThe bridge was painted green by its owner."
    answer = answering(WordReader({"1934": 0.9})).answer(context("When was the bridge opened?", text))
    assert answer.outcome != "answer"


def test_several_answers_are_all_given() -> None:
    reader = WordReader({"1934": 0.9, "1936": 0.9})
    other = "Another book says that it was opened in 1936 instead."
    answer = answering(reader).answer(context("When was the bridge opened?", BRIDGE, other))
    assert [short.text for short in answer.answers] == ["1934", "1936"]
    assert [citation.number for citation in answer.citations] == [1, 2]


def test_a_question_of_yes_or_no_is_answered_so() -> None:
    reader = WordReader({"1934": 0.9}, {"It was": "yes"})
    answer = answering(reader).answer(context("Was the bridge opened in 1934?", BRIDGE))
    assert [short.text for short in answer.answers] == ["yes"]
    assert answer.text == "Yes. It was opened in 1934 by the mayor. [1]"


def test_marks_in_a_document_are_no_citations() -> None:
    text = "It was opened in 1934 [2] by the mayor of the town, says `argv[1]`."
    answer = answering(WordReader({"1934": 0.9})).answer(context("When was the bridge opened?", text))
    assert answer.text == f"{text} [1]"
    assert [citation.start for citation in answer.citations] == [len(text) + 1]


def test_an_empty_context_says_so() -> None:
    answer = answering(WordReader({})).answer(context("When?"))
    assert (answer.outcome, answer.citations) == ("not-found", ())


def test_no_more_passages_are_read_than_asked() -> None:
    texts = [f"Passage number {number} speaks of other things entirely." for number in range(5)]
    answer = answering(WordReader({"1934": 0.9}), most_read=5).answer(
        context("When was the bridge opened?", *texts, BRIDGE)
    )
    assert answer.outcome == "not-found"


def test_json_has_the_outcome_and_the_short_answers() -> None:
    made = answer_as_json(answering(WordReader({"1934": 0.9})).answer(context("When was the bridge opened?", BRIDGE)))
    assert made["outcome"] == "answer"
    assert made["found"] is True
    (short,) = made["answers"]
    assert set(short) == {"text", "doc_id", "start", "end", "score"}


@pytest.mark.parametrize("sink_sees", ["all at once"])
def test_the_sink_is_handed_the_text(sink_sees: str) -> None:
    seen: list[str] = []
    answer = answering(WordReader({"1934": 0.9})).answer(context("When was it opened?", BRIDGE), seen.append)
    assert "".join(seen) == answer.text, sink_sees


class EnglishReader(WordReader):
    """Knows English alone."""

    languages = frozenset({"en"})


GERMAN = "Die Brücke wurde im Jahr 1934 vom Bürgermeister eröffnet und war für alle Besucher der Stadt sehr wichtig."


def test_a_question_in_another_language_is_declined_and_says_so() -> None:
    answer = answering(EnglishReader({"1934": 0.9})).answer(
        context("Wann wurde die Brücke von der Stadt eröffnet?", BRIDGE)
    )
    assert (answer.found, answer.outcome, answer.answers) == (False, "passages", ())
    assert "language (de) that the reader does not know (en)" in answer.text
    assert answer.citations[0].source.quote == "The Harrow Bridge crosses the Lune."


def test_passages_in_another_language_are_not_read() -> None:
    reader = answering(EnglishReader({"1934": 0.9}))
    alone = reader.answer(context("When was the bridge opened?", GERMAN))
    assert (alone.outcome, alone.found) == ("passages", False)
    assert alone.citations[0].source.quote == GERMAN
    with recording() as trace:
        beside = reader.answer(context("When was the bridge opened?", GERMAN, BRIDGE))
    assert [short.doc_id for short in beside.answers] == ["d2"]
    assert trace.fallbacks == {"read.language": 1}
    assert answering(WordReader({"1934": 0.9})).answer(context("When was the mill opened?", GERMAN)).outcome == "answer"


def test_beside_an_answer_that_is_not_settled_stands_what_says_it_too_and_nothing_else() -> None:
    reader = answering(WordReader({"1934": 0.6, "very much": 0.6}), further=0.9, settled=0.95)
    answer = reader.answer(
        context("When was the bridge opened?", BRIDGE, GUIDE.partition(". ")[2], "Visitors like the bridge very much.")
    )
    assert [short.text for short in answer.answers][:1] == ["1934"]
    _, also, beside = answer.text.partition(" See also: ")
    assert also
    assert beside == "The guide says it was opened in 1934 after long delays. [2]"
    settled = answering(WordReader({"1934": 0.99, "very much": 0.6})).answer(answer.context)
    assert settled.text == "It was opened in 1934 by the mayor. [1]"


def test_a_list_is_answered_as_a_whole_where_several_are_asked_for() -> None:
    text = "The guide is brief. The ferry takes these:\n\n- cars\n- bicycles\n- lorries\n\nIt is blue."
    answer = answering(WordReader({"bicycles": 0.9})).answer(context("Which vehicles does the ferry take?", text))
    assert [short.text for short in answer.answers] == ["cars", "bicycles", "lorries"]
    assert [text[short.start : short.end] for short in answer.answers] == ["cars", "bicycles", "lorries"]
    assert answer.text == "The ferry takes these:\n- cars\n- bicycles\n- lorries [1]"
    (citation,) = answer.citations
    assert citation.source.quote == text[citation.source.start : citation.source.end]
    one = answering(WordReader({"bicycles": 0.9})).answer(context("Which vehicle does the ferry take?", text))
    assert [short.text for short in one.answers] == ["bicycles"]


def test_a_table_answers_by_the_row_and_column_that_the_question_names() -> None:
    text = "Shops\n\nTown | Street | Opens\nMalmö | Fiskgatan 3 | 08:30\nLund | Bredgatan 7 | 10:00"
    reader = answering(WordReader({"08:30": 0.9}))
    answer = reader.answer(context("When does the shop in Lund open?", text))
    assert [short.text for short in answer.answers] == ["10:00"]
    assert answer.text == "Lund | Bredgatan 7 | 10:00 [1]"
    assert [short.text for short in reader.answer(context("When does Malmö open?", text)).answers] == ["08:30"]
    likely = reader.likely(context("When does Malmö open?", text))
    assert likely[0].text == "08:30"
    assert [one.score for one in likely] == sorted((one.score for one in likely), reverse=True)


@pytest.mark.parametrize(
    ("question", "other", "told"),
    [
        ("When was the bridge opened?", "1936", True),
        ("When was the bridge opened?", "1934", False),
        ("Which years saw the bridge opened?", "1936", False),
    ],
)
def test_sources_that_exclude_each_other_are_told_and_share_one_probability(
    question: str, other: str, *, told: bool
) -> None:
    texts = "The bridge was opened in 1934.", f"They opened the bridge in {other}, after long delays."
    answer = answering(WordReader({"1934": 0.97, "1936": 0.97})).answer(context(question, *texts))
    assert answer.text.startswith("The sources disagree: The bridge was") is told
    assert (sum(one.score for one in answer.answers) == pytest.approx(1.0)) is told


def test_no_neighbour_answers_for_a_blank_cell() -> None:
    text = "# Stock\n\n| Part | In stock | On order | Lead time |\n|---|---|---|---|\n| Rotor | | 12 | 3 weeks |\n| Shaft | 5 | | 2 days |"
    shown = context("How many shafts are on order?", text)
    assert [one.found.words for one in ShortAnswers().candidates(shown) if one.found.words == "5"] == []


def test_a_question_without_a_word_of_its_own_is_not_answered() -> None:
    answer = answering(WordReader({"1934": 0.9})).answer(context("What is it?", BRIDGE))
    assert (answer.found, answer.outcome) == (False, "passages")


def test_in_a_language_that_is_not_read_the_sentence_with_the_questions_words_is_shown() -> None:
    text = "Anträge werden im Rathaus angenommen. Die Gebühr beträgt vierzig Euro und wird bei der Abholung bezahlt."

    class English(WordReader):
        languages = frozenset({"en"})

    answer = answering(English({})).answer(context("Wie hoch ist die Gebühr bei der Abholung?", text))
    assert answer.outcome == "passages"
    assert answer.citations[0].source.quote.startswith("Die Gebühr beträgt")


FRONT = "---\ntitle: Pump\nauthor: Ida Holm\nopened: 1934\n---\n\n"


def test_a_field_of_the_front_matter_is_the_answer_and_its_line_is_cited() -> None:
    asked = context("Who wrote document 1?", f"{FRONT}It lifts water.", BRIDGE)
    answer = answering(WordReader({"water": 0.9})).answer(asked)
    assert [short.text for short in answer.answers] == ["Ida Holm"]
    assert [citation.source.quote for citation in answer.citations] == ["author: Ida Holm"]


def test_no_field_answers_a_question_of_yes_or_no() -> None:
    asked = context("Can I write document 1?", f"{FRONT}It lifts water.", BRIDGE)
    answer = answering(WordReader({"water": 0.9})).answer(asked)
    assert [citation.source.quote for citation in answer.citations] == ["It lifts water."]


def test_front_matter_is_not_read() -> None:
    reader = answering(WordReader({"1934": 0.9, "water": 0.8}))
    (short,) = reader.answer(context("What does the pump lift?", f"{FRONT}It always lifts water.")).answers
    assert (short.text, short.start) == ("water", len(FRONT) + len("It always lifts "))


def test_all_steps_are_answers_and_are_cited_together() -> None:
    steps = "1. Close the valve.\n2. Fill it.\n3. Press Start.\n4. Wait."
    text = f"# Pump\n\n## Priming the pump\n\n{steps}\n\n## Care\n\nIt always lifts water."
    answer = answering(WordReader({"water": 0.9})).answer(context("How do I prime the pump?", text))
    assert answer.outcome == "answer"
    assert [short.text for short in answer.answers] == ["Close the valve", "Fill it", "Press Start", "Wait"]
    assert [citation.source.quote for citation in answer.citations] == [steps]


@pytest.mark.parametrize("question", ["When was it opened?", "thanks!", "Summarize the documents"])
def test_what_no_passage_answers_by_itself_is_never_claimed(question: str) -> None:
    answer = answering(WordReader({"1934": 0.99})).answer(context(question, BRIDGE))
    assert (answer.outcome, answer.answers) == ("passages", ())
    assert answer.citations


def test_words_that_only_announce_what_stands_below_are_shown_and_not_claimed() -> None:
    text = "Behind the number of the gate stands an optional status letter:\n\n- a: the gate is open\n- b: it is shut"
    announced = answering(WordReader({"an optional status letter": 0.9})).answer(
        context("What does the b behind the number of a gate mean?", text)
    )
    assert (announced.outcome, announced.answers) == ("passages", ())
    said = answering(WordReader({"the number of the gate": 0.9})).answer(
        context("What does the letter stand behind?", text)
    )
    assert [one.text for one in said.answers] == ["the number of the gate"]
