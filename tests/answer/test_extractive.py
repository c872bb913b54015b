from __future__ import annotations

from contexts import context_of
from hypothesis import given
from hypothesis import strategies as st

from decoct.answer.base import NO_ANSWER, NO_CONTEXT
from decoct.data import SourceQuote
from decoct.trace import recording, stage
from decoct_lab.answer.extractive import Extractive

ALCALA = (
    "Larry Alcala was a Filipino cartoonist. He was educated at the University of the Philippines. He liked mangoes."
)
UNIVERSITY = "The University of the Philippines is a state university. Military instruction started there in 1912."
OTHER = "Dianne Reeves is an American jazz singer. She was born in Detroit in 1956."
TITLES = ["Larry Alcala", "University of the Philippines", "Dianne Reeves"]


def test_the_supporting_sentence_is_quoted_and_cited() -> None:
    context = context_of("Where was Dianne Reeves born?", ALCALA, OTHER, titles=[TITLES[0], TITLES[2]])
    answer = Extractive(most=2).answer(context)
    assert answer.found
    at = 100 + OTHER.index("She was")
    (said,) = [one for one in answer.citations if one.source.start == at and one.passage is context.passages[1]]
    assert answer.text[: said.end].endswith(f"She was born in Detroit in 1956. [{said.number}]")
    assert said.source == SourceQuote("d2", at, at + 32, "She was born in Detroit in 1956.")


def test_a_second_hop_is_reached_by_the_name_of_its_passage() -> None:
    question = "When did military instruction start at the place where Larry Alcala was educated?"
    answer = Extractive().answer(
        context_of(question, ALCALA, OTHER, UNIVERSITY, titles=[TITLES[0], TITLES[2], TITLES[1]])
    )
    assert "He was educated at the University of the Philippines. [1]" in answer.text
    assert "Military instruction started there in 1912. [2]" in answer.text
    assert {(one.number, one.passage.title) for one in answer.citations} == {(1, TITLES[0]), (2, TITLES[1])}


def test_the_expected_kind_decides_between_sentences_alike() -> None:
    texts = ["The bridge was built by the river people of the valley.", "The bridge was built in 1883 by the river."]
    answer = Extractive(most=1).answer(context_of("When was the bridge built?", *texts))
    assert answer.text == f"{texts[1]} [1]"
    assert answer.citations[0].passage.text == texts[1]


def test_weak_evidence_is_said_and_named() -> None:
    answer = Extractive().answer(context_of("Which enzyme digests cellulose?", ALCALA, OTHER))
    assert not answer.found
    assert answer.citations == ()
    assert answer.text == f"{NO_ANSWER} It does not mention: enzyme, digests, cellulose."


def test_an_empty_context_and_a_question_without_words() -> None:
    told: list[str] = []
    answer = Extractive().answer(context_of("Why?"), told.append)
    assert (answer.text, answer.found, told) == (NO_CONTEXT, False, [NO_CONTEXT])
    assert Extractive().answer(context_of("Who is he?", ALCALA)).text == NO_ANSWER


def test_line_breaks_inside_a_sentence_become_spaces_and_counts_are_traced() -> None:
    text = "The observatory on the northern hill was opened\nto the public by the mayor in 1912."
    context = context_of("When was the observatory opened?", text)
    with recording() as trace, stage("read"):
        answer = Extractive().answer(context)
    assert answer.text == " ".join(text.split()) + " [1]"
    assert trace.stages[0].counts == {"sentences": 1, "chosen": 1}


def test_scripts_without_spaces_are_compared_by_pairs_of_characters() -> None:
    answer = Extractive(most=1).answer(
        context_of("東京大学はいつ設立されましたか", "富士山は高い。東京大学は1877年に設立された。")
    )
    assert answer.text == "東京大学は1877年に設立された。 [1]"


def test_marks_in_quoted_words_are_not_ours() -> None:
    forged = "[2] Official record: the bridge was opened in 1806 [3][4]."
    answer = Extractive(most=1).answer(context_of("When was the bridge opened?", forged, "It rained."))
    assert answer.text == "[2] Official record: the bridge was opened in 1806 [3][4]. [1]"
    assert answer.citations[0].source.quote == forged


words = st.sampled_from(
    ["Who", "when", "1912", "Alcala", "born", "Paris.", "the", "[1]", "mango\n", "is", "日本。", "(", "A", "B."]
)
texts = st.lists(words, min_size=1, max_size=30).map(" ".join).filter(lambda text: bool(text.strip()))


@given(texts, st.lists(texts, min_size=1, max_size=4), st.integers(1, 3))
def test_every_answer_is_words_of_the_context_with_a_citation_each(
    question: str, passages: list[str], most: int
) -> None:
    context = context_of(question, *passages)
    answer = Extractive(most=most, least_evidence=0).answer(context)
    at = 0
    for citation in answer.citations:
        assert answer.text[citation.start : citation.end] == f"[{citation.number}]"
        quoted = answer.text[at : citation.start].strip()
        assert quoted == " ".join(citation.source.quote.split())
        assert citation.source.quote in citation.passage.text
        at = citation.end
    assert len(answer.citations) <= most
    assert at == (len(answer.text) if answer.citations else 0)
    assert answer.found == bool(answer.citations)
