"""Asking a model: the four passes, messy replies, failures, cost; the filters."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct import trace
from decoct.data import Chunk, Document, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import ModelError, ModelTimeoutError, ReplyError
from decoct.index.base import Entry
from decoct.llm.base import Reply, Request
from decoct.llm.cache import Cached
from decoct.retrieve.cards.card import MOST_BYTES, card_within_size
from decoct.retrieve.cards.contributions import CardAsk, CardMaterial, MaterialBatch, MaterialCost
from decoct.trace import recording
from decoct_lab.cards.filters import Filtered
from decoct_lab.cards.generate_llm import PASSES, Asking, read
from decoct_lab.cards.replies import items_in, questions_in, tidied
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.scripted import ScriptedLLM

GOOD = [
    '{"questions": ["Why is the order of words difficult for phrase models?"], "summary": "Word order is hard."}',
    '```json\n{"questions": ["Q1: How does clause restructuring move the verb?"], "summary": "It moves verbs."}\n```',
    '{"questions": ["Does restructuring outperform the baseline on BLEU?"], "summary": "It gains 2.3%."}',
    '{"topics": ["clause restructuring"], "queries": ["german word order", "translate long sentences"]}',
]


def asking(replies: Any, **settings: Any) -> Asking:
    return Asking(ScriptedLLM(replies, **settings), WordPieceTokenizer())


def test_four_passes_make_one_card(paper: Document) -> None:
    llm = ScriptedLLM(GOOD)
    with recording() as trace:
        (outcome,) = Asking(llm, WordPieceTokenizer()).generate([paper]).outcomes
    assert isinstance(outcome, CardMaterial)
    assert [(q.text, q.role) for q in outcome.questions] == [
        ("Why is the order of words difficult for phrase models?", "problem"),
        ("How does clause restructuring move the verb?", "method"),
        ("Does restructuring outperform the baseline on BLEU?", "result"),
    ]
    assert outcome.summary == "Word order is hard. It moves verbs. It gains 2.3%."
    assert outcome.keywords[:3] == ("clause restructuring", "german word order", "translate long sentences")
    answers = [" ".join(paper.text[q.answer.start : q.answer.end].split()) for q in outcome.questions]
    assert answers[0].startswith("The order of words is difficult for phrase models")
    assert answers[2] == "We show that clause restructuring outperforms the baseline."
    assert trace.fallbacks == {}
    # Each pass reads its own sections.
    prompts = [request.messages[-1].content for request in llm.requests]
    assert "Europarl" not in prompts[0]
    assert "Europarl" in prompts[1]
    assert "gain is largest" in prompts[2]
    assert all("Clause Restructuring" in prompt for prompt in prompts)
    assert not any("thank the reviewers" in prompt for prompt in prompts)


def test_messy_replies_are_searched_and_counted(paper: Document) -> None:
    messy = [
        "Here are the questions:\n\n**Questions**\n1. Why is word order difficult for phrase models?\nA: It is.\n2) Why does it matter?",
        '{"questions": ["How are the verbs moved before decoding?", "How is it tra',
        "I cannot answer.",
        "Topics:\n- word order\n- verbs\n* German.",
    ]
    with recording() as trace:
        (outcome,) = asking(messy).generate([paper]).outcomes
    assert isinstance(outcome, CardMaterial)
    assert [q.text for q in outcome.questions] == [
        "Why is word order difficult for phrase models?",
        "How are the verbs moved before decoding?",
        "Why does it matter?",
    ]
    assert outcome.keywords[:3] == ("word order", "verbs", "German")
    assert outcome.summary == ""
    assert trace.fallbacks == {"cards.reply_not_json": 4, "cards.pass_lost": 1}


def test_a_reply_error_of_the_model_is_searched_too(paper: Document) -> None:
    failures = {0: ReplyError("not JSON", "Why are phrase models bad at order?")}
    (outcome,) = asking(GOOD, failures=failures).generate([paper]).outcomes
    assert isinstance(outcome, CardMaterial)
    assert outcome.questions[0].text == "Why are phrase models bad at order?"


def test_failures(paper: Document) -> None:
    (outcome,) = asking(GOOD, failures={2: ModelTimeoutError("slow")}).generate([paper]).outcomes
    assert isinstance(outcome, ModelTimeoutError)
    (outcome,) = asking(["no"] * 4).generate([paper]).outcomes
    assert isinstance(outcome, ReplyError)
    assert "no pass gave a question" in str(outcome)


class NeverJSON:
    """Answers no request in the form asked for, after asking each twice, as a client does that repairs."""

    fingerprint = "never"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        trace.count(
            model_calls=2 * len(requests), prompt_tokens=10 * len(requests), completion_tokens=3 * len(requests)
        )
        return [ReplyError("not JSON", "1. Why do taggers need labels?") for _ in requests]


def test_replies_that_cannot_be_used_are_paid_for(paper: Document) -> None:
    batch = Asking(NeverJSON(), WordPieceTokenizer()).generate([paper])
    assert isinstance(batch.outcomes[0], CardMaterial)
    assert batch.cost == MaterialCost(documents=1, calls=8, prompt_tokens=40, completion_tokens=12)


def test_cost_and_cache(paper: Document, tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: GOOD[_pass(request)])
    generator = Asking(Cached(llm, tmp_path), WordPieceTokenizer())
    estimate = generator.estimate(paper)
    assert (estimate.documents, estimate.calls, estimate.completion_tokens) == (1, 4, 1600)
    assert llm.requests == []
    first, second = generator.generate([paper]), generator.generate([paper])
    assert (first.cost.calls, first.cost.cached) == (4, 0)
    assert 0 < first.cost.prompt_tokens <= estimate.prompt_tokens
    assert second.cost == MaterialCost(documents=1, calls=4, cached=4)
    assert second.outcomes == first.outcomes
    assert len(llm.requests) == 4


def _pass(request: Request) -> int:
    return [one.prompt for one in PASSES].index(request.prompt.partition(":")[0])


def test_long_documents_are_cut_to_the_context(paper: Document) -> None:
    long = Document("l", "1 Introduction\n" + "word " * 9000 + "\n2 Conclusion\nShort end.", "L")
    generator = Asking(ScriptedLLM(GOOD), WordPieceTokenizer(), context=500)
    assert generator.estimate(long).prompt_tokens < 4 * (500 + 250)
    assert "Short end." in generator._requests(long)[0].messages[-1].content


def test_reading_lists() -> None:
    assert questions_in("Q1: What is a verb in German? It is.\n- Is it so (yes or no)?\nWhy?") == [
        "What is a verb in German?",
        "Is it so (yes or no)?",
    ]
    assert questions_in("") == []
    assert items_in('{"topics": ["a b", "c d') == ["a b"]
    assert items_in("verbs, clauses, verbs") == ["verbs", "clauses"]
    assert tidied(["**Q2:** What is   a verb?", "what is a verb?", "No question at all."]) == ["What is a verb?"]


class Fixed:
    """Generates the same questions for every document."""

    fingerprint = "fixed"

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def estimate(self, document: Document) -> MaterialCost:
        return MaterialCost(1)

    def generate(self, documents: Any) -> MaterialBatch:
        questions = [tuple(CardAsk(t, "aim", Span(d.id, 0, 1)) for t in self.texts) for d in documents]
        return MaterialBatch(tuple(CardMaterial(q, "", ()) for q in questions))


@pytest.fixture
def library() -> MemoryStore:
    store, embedder = MemoryStore(), HashEmbedder()
    for doc_id, text in (
        ("verbs", "German verbs move"),
        ("sound", "telephone speech sounds"),
        ("rest", "sea sand sky"),
    ):
        chunk = Chunk(Span(doc_id, 0, len(text)), text)
        store.put([Entry(Document(doc_id, text), (chunk,), embedder.embed([text], "passage"), doc_id)])
    return store


def test_filters(library: MemoryStore) -> None:
    generator = Fixed("Do German verbs move?", "do german verbs move", "Which telephone speech sounds?")
    document = library.document("verbs")
    (outcome,) = Filtered(generator, library, HashEmbedder(), round_trip=1).generate([document]).outcomes
    assert isinstance(outcome, CardMaterial)
    assert [q.text for q in outcome.questions] == ["Do German verbs move?"]
    (outcome,) = Filtered(generator, library, HashEmbedder()).generate([document]).outcomes
    assert isinstance(outcome, CardMaterial)
    assert [q.text for q in outcome.questions] == ["Do German verbs move?", "Which telephone speech sounds?"]
    with recording() as trace:
        (outcome,) = (
            Filtered(Fixed("Which telephone speech sounds?"), library, HashEmbedder(), round_trip=1)
            .generate([document])
            .outcomes
        )
    assert isinstance(outcome, CardMaterial)
    assert len(outcome.questions) == 1
    assert trace.fallbacks == {"cards.round_trip_kept_all": 1}
    assert Filtered(generator, library, HashEmbedder()).fingerprint == "fixed|filters-1:0.95:0"


GERMAN = """Wir stellen ein Verfahren vor, das deutsche Verben vor der Übersetzung verschiebt. Die Wortstellung ist für Modelle aus
Phrasen schwierig, weil sie ein Verb nicht über weite Strecken bewegen. Versuche zeigen, dass die Güte steigt."""


def test_over_english_text_the_grammar_wants_questions(paper: Document) -> None:
    llm = ScriptedLLM(GOOD * 2)
    Asking(llm, WordPieceTokenizer()).generate([paper, Document("d", GERMAN, "Verben")])

    def items(request: Request) -> Any:
        return dict(request.schema or {})["properties"]["questions"]["items"]

    english, german = llm.requests[:3], llm.requests[4:7]
    for request in english:
        wanted = items(request)["pattern"]
        assert re.search(wanted, "In what way does restructuring move the verb?")
        assert not re.search(wanted, "The method moves the verb of each clause.")
        assert not re.search(wanted, "The method moves the verb of each clause?")
    assert not any("pattern" in items(request) for request in german)


def test_a_question_that_opens_otherwise_is_read_all_the_same() -> None:
    reply = '{"questions": ["Given parallel text, which order do verbs take?"], "summary": "Order."}'
    with recording() as told:
        assert read(Reply(reply), topics=False)["questions"] == ["Given parallel text, which order do verbs take?"]
    assert told.fallbacks == {}


def test_a_reply_that_fits_its_schema_survives_a_round_trip(paper: Document) -> None:
    for one, reply in zip(PASSES, GOOD, strict=True):
        value = json.loads(reply.replace("```json\n", "").replace("\n```", ""))
        texts = value.get("questions") or value["topics"]
        assert (questions_in if one.role else items_in)(json.dumps(value))[:1] == (
            tidied(texts) if one.role else texts
        )[:1]


MESSY = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(
            [
                '{"questions": [', '"', "\\", "?", "\n", "1. ", "- ", "Q1: ", "**", "How are verbs moved?", '"Why is it so hard?"', ", ",
                "]", "}", "```json", "null", "\\u12", "\ud800", '{"topics": ["a b"]', "Answer: yes.", "12345", "[[[", ": ", "\x00", "é",
            ]
        ),
        max_size=40,
    ).map("".join),
)  # fmt: skip


@given(MESSY, st.booleans())
@settings(max_examples=400, deadline=None)
def test_whatever_a_model_writes_is_read(text: str, topics: bool) -> None:
    value = read(Reply(text), topics)
    if topics:
        assert all(0 < len(one) <= 300 for one in [*value["topics"], *value["queries"]])
    else:
        assert all(one.endswith("?") and len(one) <= 300 and one == " ".join(one.split()) for one in value["questions"])
        assert isinstance(value["summary"], str)


@given(st.lists(MESSY, min_size=4, max_size=4))
@settings(max_examples=100, deadline=None)
def test_whatever_a_model_writes_makes_a_card_or_a_typed_failure(texts: list[str]) -> None:
    document = Document("d", "We propose to move verbs. They are moved before decoding. It helps.", "Verbs")
    (outcome,) = asking(texts).generate([document]).outcomes
    if isinstance(outcome, CardMaterial):
        card = card_within_size(document, outcome.questions, outcome.summary, outcome.keywords)
        assert len(card.markdown().encode("utf-8", "surrogatepass")) <= MOST_BYTES
        assert card.questions
    else:
        assert isinstance(outcome, ReplyError)


def test_a_long_ramble_is_read_in_linear_time() -> None:
    start = time.process_time()
    for text in (
        "word " * 100_000,
        '"' * 100_000,
        "- " * 100_000,
        '{"a": ' * 50_000,
        "a," * 100_000,
        "**" * 100_000,
        "?" * 100_000,
    ):
        read(Reply(text), True)
        read(Reply(text), False)
    assert time.process_time() - start < 20  # quadratic takes minutes
