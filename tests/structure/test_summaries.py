"""Central sentences and written summaries, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from decoct import trace
from decoct.data import Floats, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelError, ModelUnavailableError, ProvenanceError, ReplyError
from decoct.llm.base import Reply
from decoct.llm.prompts import parse_prompt
from decoct_lab.structure.summaries import Central, Summarising, Summary, SummaryWriter, centrality
from decoct_lab.structure.tree import Node, joined_quote, leaves_below, merged_spans
from decoct_lab.workforce import Here, Item, Result
from decoct_testing.scripted import ScriptedLLM

PROMPT = parse_prompt("# user\nAt most {{ words }} words:\n{{ text }}", "summary", ("text", "words"))
TEXTS = {"a": "Apples and pears grow here. Pears grow here.", "b": "Pears grow. Bolts rust."}


def leaf(key: int, doc_id: str, text: str) -> Node:
    start = TEXTS[doc_id].index(text)
    return Node(key, 0, text, (Span(doc_id, start, start + len(text)),), title=doc_id)


LEAVES = [leaf(0, "a", TEXTS["a"]), leaf(1, "b", TEXTS["b"])]


def test_what_most_sentences_share_is_central() -> None:
    scores = centrality(["Pears grow.", "Pears grow.", "Bolts rust."])
    # Two equal unit vectors u and one v that shares no word: the mean is (2u + v) / 3, of length sqrt(5) / 3.
    assert scores == pytest.approx([2 / 5**0.5, 2 / 5**0.5, 1 / 5**0.5], abs=1e-5)
    assert centrality(["?", "!"]).tolist() == [1, 1]


def test_central_sentences_are_quotes_in_the_order_of_the_documents() -> None:
    summary = Central(default_tokenizer(), 20).summary(LEAVES)
    assert summary.kind == "quote"
    assert summary.text == "\n".join(TEXTS[one.doc_id][one.start : one.end] for one in summary.spans)
    assert list(summary.spans) == sorted(summary.spans)
    assert "Bolts rust." not in Central(default_tokenizer(), 10).summary(LEAVES).text


def test_a_sentence_said_twice_is_taken_once_and_one_too_long_is_cut() -> None:
    twice = [Node(0, 0, "Pears grow.", (Span("x", 0, 11),)), Node(1, 0, "Pears  grow.", (Span("y", 0, 12),))]
    assert Central(default_tokenizer(), 50).summary(twice).spans == (Span("x", 0, 11),)
    words = " ".join(["word"] * 40)
    cut = Central(default_tokenizer(), 10).summary([Node(0, 0, words, (Span("x", 0, len(words)),))])
    assert cut.text == " ".join(["word"] * 10)
    assert cut.spans == (Span("x", 0, len(cut.text)),)


def test_spans_that_touch_are_one() -> None:
    assert joined_quote([(Span("x", 3, 6), "def"), (Span("x", 0, 3), "abc")]) == ("abcdef", (Span("x", 0, 6),))
    assert joined_quote([(Span("y", 0, 1), "y"), (Span("x", 0, 1), "x")]) == (
        "x\ny",
        (Span("x", 0, 1), Span("y", 0, 1)),
    )
    assert merged_spans([Span("x", 4, 9), Span("x", 0, 5), Span("x", 20, 22)]) == (Span("x", 0, 9), Span("x", 20, 22))
    with pytest.raises(ProvenanceError, match="must have the length"):
        Node(0, 0, "abc", (Span("x", 0, 2),))
    above = Node(2, 1, "ab", (Span("x", 0, 2),), children=(0, 1, 7))
    assert leaves_below({0: LEAVES[0], 1: LEAVES[1], 2: above}, 2) == [0, 1]  # 7 is gone


def test_a_summary_by_a_model_has_the_spans_of_what_it_read() -> None:
    (found,) = SummaryWriter(ScriptedLLM(["It is about pears."]), PROMPT).summaries([LEAVES])
    assert found == Summary("It is about pears.", (Span("a", 0, 44), Span("b", 0, 23)), "rewrite")
    cut = SummaryWriter(ScriptedLLM([Reply("One. Two and", finish="length")]), PROMPT).summaries([LEAVES])
    assert isinstance(cut[0], Summary)
    assert cut[0].text == "One."
    assert isinstance(SummaryWriter(ScriptedLLM([" "]), PROMPT).summaries([LEAVES])[0], ReplyError)


class Memory:
    """A workshop that only remembers."""

    folder, before = Path(), None

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def parts(self) -> Iterator[tuple[str, bytes]]:
        return iter(())

    def vectors(self, name: str, texts: Sequence[str]) -> Floats:
        return np.zeros((len(texts), 1), np.float32)

    def byte_vectors(self, name: str, texts: Sequence[str]) -> None:
        pass

    def remembered(self, key: str, make: Callable[[], str]) -> str:
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        return Here().results(work, items)

    def tell(self, doing: str, done: int = 0, total: int = 0) -> None:
        pass


def summarising(memory: Memory, llm: ScriptedLLM) -> Summarising:
    return Summarising(memory, SummaryWriter(llm, PROMPT), Central(default_tokenizer()), "tree")


def test_what_was_paid_for_is_not_asked_again() -> None:
    memory, llm = Memory(), ScriptedLLM(lambda request: "Said.")
    nodes = dict(enumerate(LEAVES))
    first = summarising(memory, llm).of([LEAVES, LEAVES[:1]], nodes)
    again = summarising(memory, llm).of([LEAVES, LEAVES[:1]], nodes)
    assert first == again
    assert len(llm.requests) == 2


def test_where_the_model_fails_sentences_take_its_place_and_are_counted() -> None:
    written = Node(2, 1, "It is about pears.", LEAVES[0].spans, "rewrite", children=(0, 1))
    nodes = {**dict(enumerate(LEAVES)), 2: written}
    memory = Memory()
    with trace.recording() as record:
        good, bad = summarising(memory, ScriptedLLM(["Said.", ModelError("no")])).of([LEAVES, [written]], nodes)
    assert (good.kind, bad.kind) == ("rewrite", "quote")
    assert record.fallbacks == {"tree.summary_failed": 1}
    # Asked again by the next build, since a failure is not remembered.
    assert [one.kind for one in summarising(memory, ScriptedLLM(["Now."])).of([LEAVES, [written]], nodes)] == [
        "rewrite"
    ] * 2


def test_a_model_that_nobody_answers_for_ends_the_build() -> None:
    gone = ScriptedLLM(lambda _: ModelUnavailableError("nobody answers"))
    with pytest.raises(ModelUnavailableError):
        summarising(Memory(), gone).of([LEAVES], dict(enumerate(LEAVES)))
