"""What every step of context construction, every layout and every reader must pass. Subclass in a test module and give the fixture.

All work on the same small corpus (`CORPUS`), so that a quote can be held against its document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product

import pytest

from decoct.answer.base import Reader
from decoct.budget import Budget
from decoct.context.as_json import context_as_json
from decoct.context.assemble import assemble
from decoct.context.base import ContextStep, Layout
from decoct.data import Context, Draft, Passage, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError
from decoct.trace import Trace

CORPUS: Mapping[str, str] = {
    "bridge": "The stone bridge was opened in 1906. It crosses the river Mur in two arches. Anna Leitner designed it. Tolls ended in 1931.",
    "leitner": "Anna Leitner was an engineer from Graz. She studied in Vienna. She built four bridges and a tower.",
    "market": "The market is held on Fridays. Farmers sell apples and cheese there.",
}
QUESTIONS = ("When was the bridge opened?", "Where did the designer of the bridge study?", "zebra")


def drafts() -> dict[str, Draft]:
    """Drafts by name: none, one passage, overlapping and distant passages, several documents, a rewrite among quotes."""
    bridge = CORPUS["bridge"]

    def quote(doc_id: str, start: int, end: int, score: float) -> Passage:
        text = CORPUS[doc_id][start:end]
        return Passage(text, (Span(doc_id, start, end),), score=score, title=doc_id)

    whole = [quote(doc_id, 0, len(text), 3.0 - n) for n, (doc_id, text) in enumerate(CORPUS.items())]
    rewrite = Passage("A bridge of 1906.", (Span("bridge", 0, 36),), kind="rewrite", score=0.5)
    return {
        "none": Draft(()),
        "one": Draft((whole[0],)),
        "overlapping": Draft((quote("bridge", 37, len(bridge), 2.0), quote("bridge", 0, 76, 1.0))),
        "several": Draft((*whole, rewrite)),
    }


class ContextStepContract:
    """Support is only narrowed, quotes stay quotes, and every draft and budget is coped with."""

    @pytest.fixture
    def step(self) -> ContextStep:
        """The step under test."""
        raise NotImplementedError("give the fixture 'step'")

    @pytest.mark.parametrize("name", drafts())
    def test_support_is_never_widened_and_quotes_are_quotes(self, step: ContextStep, name: str) -> None:
        """Every span lies inside a span that came in (or between two that were joined), and a quote equals its document there.

        A step that counts may raise `BudgetError` where not even one sentence fits.
        """
        draft = drafts()[name]
        came = [span for passage in draft.passages for span in passage.support]
        for question, limit in product(QUESTIONS, (1, 12, 40, 5000)):
            try:
                made = step.apply(Query(question), draft, Budget(limit, default_tokenizer()))
            except BudgetError:
                assert limit < 20
                continue
            for passage in made.passages:
                for span in passage.support:
                    own = [one for one in came if one.doc_id == span.doc_id]
                    assert min(one.start for one in own) <= span.start < span.end <= max(one.end for one in own)
                if passage.kind == "quote" and len(passage.support) == 1:
                    (span,) = passage.support
                    assert passage.text == CORPUS[span.doc_id][span.start : span.end]

    @pytest.mark.parametrize("name", drafts())
    def test_what_it_notes_can_be_written_as_json(self, step: ContextStep, name: str) -> None:
        """A context is printed and sent with its notes."""
        budget = Budget(5000, default_tokenizer())
        made = step.apply(Query(QUESTIONS[0]), drafts()[name], budget)
        shown = context_as_json(Context(QUESTIONS[0], "", made.passages, budget, Trace(), made.notes))
        assert set(json.loads(json.dumps(shown, allow_nan=False))) >= set(made.notes)

    def test_nothing_comes_of_nothing(self, step: ContextStep) -> None:
        """An empty draft stays empty."""
        assert step.apply(Query("When?"), Draft(()), Budget(50, default_tokenizer())).passages == ()

    def test_the_same_twice(self, step: ContextStep) -> None:
        """Steps are deterministic."""
        budget = Budget(40, default_tokenizer())
        made = [step.apply(Query(QUESTIONS[0]), drafts()["several"], budget).passages for _ in range(2)]
        assert made[0] == made[1]


class LayoutContract:
    """The text is the passages' blocks in their order, and nothing where there is nothing."""

    @pytest.fixture
    def layout(self) -> Layout:
        """The layout under test."""
        raise NotImplementedError("give the fixture 'layout'")

    @pytest.mark.parametrize("name", drafts())
    def test_blocks_stand_in_order(self, layout: Layout, name: str) -> None:
        """Each passage's block stands in the text as `block` writes it, after the one before it."""
        draft = drafts()[name]
        text, at = layout.render(draft), 0
        for number, passage in enumerate(draft.passages, 1):
            block = layout.block(number, passage)
            assert passage.text in block
            at = text.index(block, at) + len(block)
        assert bool(text) == bool(draft.passages)


class NumberedLayoutContract(LayoutContract):
    """Each block bears its number, too: citations name it."""

    @pytest.mark.parametrize("name", drafts())
    def test_blocks_bear_their_numbers(self, layout: Layout, name: str) -> None:
        """The number stands in the block."""
        for number, passage in enumerate(drafts()[name].passages, 1):
            assert str(number) in layout.block(number, passage)


class ReaderContract:
    """Citations name passages of the context, where they say they stand; an empty context is no answer."""

    @pytest.fixture
    def reader(self) -> Reader:
        """The reader under test."""
        raise NotImplementedError("give the fixture 'reader'")

    @staticmethod
    def context(question: str, name: str) -> Context:
        """The draft `name` as a context."""
        return assemble(Query(question), drafts()[name], Budget(500, default_tokenizer()))

    @pytest.mark.parametrize("name", drafts())
    @pytest.mark.parametrize("question", QUESTIONS)
    def test_citations_name_passages_and_stand_where_they_say(self, reader: Reader, question: str, name: str) -> None:
        """`text[start:end]` holds the citation's number, numbers count in order, and the source is the document's words in the passage."""
        context = self.context(question, name)
        answer = reader.answer(context)
        assert answer.context is context
        for citation in answer.citations:
            assert answer.text[citation.start : citation.end] == f"[{citation.number}]"
            assert citation.passage in context.passages
            source = citation.source
            assert source.quote in {"", CORPUS[source.doc_id][source.start : source.end]}
            assert any(
                span.doc_id == source.doc_id and span.start <= source.start < source.end <= span.end
                for span in citation.passage.support
            )
        firsts = list(dict.fromkeys(citation.number for citation in answer.citations))
        assert firsts == list(range(1, len(firsts) + 1))
        assert answer.outcome != "not-found" or not answer.citations
        assert answer.found or not answer.answers
        for short in answer.answers:
            assert short.text in {"yes", "no", CORPUS[short.doc_id][short.start : short.end]}

    def test_an_empty_context_is_no_answer(self, reader: Reader) -> None:
        """It is said in words, and nothing is cited."""
        answer = reader.answer(self.context("When?", "none"))
        assert not answer.found
        assert answer.text
        assert answer.citations == ()

    def test_the_words_are_handed_out_as_they_come(self, reader: Reader) -> None:
        """A sink gets the answer's text, to the letter."""
        pieces: list[str] = []
        answer = reader.answer(self.context(QUESTIONS[0], "several"), pieces.append)
        assert answer.text == "".join(pieces)
