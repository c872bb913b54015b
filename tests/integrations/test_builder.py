"""Hits of another framework to a context: where they stand, what joins, what conflicts, and the budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from decoct.data import Chunk, Hit, Passage, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError, ConfigError, CorpusError, ProvenanceError, QueryError, StoreError
from decoct.integrations import ContextBuilder, HandedHit, HandedOver
from decoct.recipe import load_recipe, shipped
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

TEXT = (
    "The bridge over the Aare was opened in 1934. It was built of concrete. "
    "The mayor of the town spoke at the opening. Trains have crossed it since 1951."
)
QUESTION = "When was the bridge opened?"


@dataclass
class PageContent:
    """As LangChain's documents look."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class Content:
    """As Haystack's documents look."""

    content: str | None
    meta: dict[str, Any] = field(default_factory=dict)
    id: str = "hash"
    score: float | None = None


def built(hits: list[Any], recipe: Any = "default", budget: int | str = 200, **settings: Any) -> Any:
    return ContextBuilder(recipe, budget, HashEmbedder(), **settings).build(QUESTION, hits)


def spans(context: Any) -> list[tuple[str, int, int]]:
    return [(span.doc_id, span.start, span.end) for passage in context.passages for span in passage.support]


def test_texts_come_back_with_spans_within_them() -> None:
    context = built([TEXT, "Another text."])
    assert [passage.text for passage in context.passages] == [TEXT, "Another text."]
    assert {(start, end) for _, start, end in spans(context)} == {(0, len(TEXT)), (0, 13)}
    assert context.text == f"{TEXT}\n\nAnother text."


@pytest.mark.parametrize(
    "key", ["start_index", "start_char_idx", "split_idx_start"]
)  # LangChain's, LlamaIndex's, Haystack's
def test_hits_that_say_where_they_begin_are_joined_and_cited_there(key: str) -> None:
    cut, overlap = 71, 45
    hits = [
        PageContent(TEXT[overlap:], {"source": "aare.txt", key: overlap}),
        PageContent(TEXT[:cut], {"source": "aare.txt", key: 0, "title": "Aare"}),
    ]
    context = built(hits)
    assert context.text == TEXT
    assert spans(context) == [("aare.txt", 0, len(TEXT))]


def test_what_lies_between_hits_is_never_invented() -> None:
    first, second = PageContent(TEXT[:44], {"source": "a", "start_index": 0}), TEXT[45:71]
    context = built([first, PageContent(second, {"source": "a", "start_index": 45})])
    assert sorted(spans(context)) == [("a", 0, 44), ("a", 45, 71)]
    store = HandedOver([first, PageContent(second, {"source": "a", "start_index": 45})])
    assert store.text(Span("a", 45, 71)) == second
    with pytest.raises(ProvenanceError, match="not all"):
        store.text(Span("a", 40, 50))
    with pytest.raises(ConfigError, match="bridge_gap"):
        ContextBuilder({"retrieve": "bm25", "context": [{"use": "stitch", "bridge_gap": 5}]})


def test_hits_that_contradict_each_other_at_a_place_are_two_documents() -> None:
    hits = [
        PageContent("The first page begins here.", {"source": "r.pdf", "start_index": 0}),
        PageContent("Another page begins so.", {"source": "r.pdf", "start_index": 3}),
    ]
    context = built(hits)
    assert spans(context) == [("r.pdf", 0, 27), ("r.pdf#2", 3, 26)]
    assert context.trace.fallbacks["handed.apart"] == 1


def test_pages_that_count_from_their_own_beginning_are_documents() -> None:
    hits = [PageContent(f"Page {n} says this.", {"source": "r.pdf", "page": n, "start_index": 0}) for n in (3, 4)]
    assert [doc_id for doc_id, _, _ in spans(built(hits))] == ["r.pdf#page=3", "r.pdf#page=4"]


def test_a_name_means_the_document_wherever_a_hit_knows_its_place() -> None:
    hits = [HandedHit("Of nobody knows where.", "a"), HandedHit("At a place.", "a", 7)]
    assert spans(built(hits)) == [("a#2", 0, 22), ("a", 7, 18)]


@pytest.mark.parametrize("start", [-1, None, "7", True, 10**12])
def test_an_offset_that_cannot_be_is_passed_over(start: object) -> None:
    assert spans(built([PageContent("Some text.", {"source": "a", "start_index": start})])) == [("a", 0, 10)]


def test_own_hits_and_passages_go_round() -> None:
    hit = Hit(Chunk(Span("a", 5, 15), "Some text.", "T"), 0.5)
    quote = Passage("One.\nThree.", (Span("b", 0, 4), Span("b", 9, 15)))
    rewrite = Passage("In other words.", (Span("c", 4, 9),), "rewrite")
    context = built([hit, quote, rewrite])
    assert spans(context) == [("a", 5, 15), ("b", 0, 4), ("b", 9, 15), ("c", 0, 15)]
    told = {"spans": [{"doc_id": "b", "start": 0, "end": 4}, {"doc_id": "b", "start": 9, "end": 15}]}
    assert spans(built([PageContent("One.\nThree.", told)])) == [("b", 0, 4), ("b", 9, 15)]
    cut = PageContent("One.\nThr", {**told, "doc_id": "b"})
    assert spans(built([cut])) == [("b", 0, 8)]


def test_mappings_and_documents_without_text() -> None:
    hits = [
        {"text": "Some text.", "doc_id": "a", "start": 2},
        Content(None),
        Content("  "),
        Content("More.", {}, "x", 0.9),
    ]
    assert spans(built(hits)) == [("a", 2, 12), ("x", 0, 5)]
    film = PageContent("Said at a second.", {"source": "film", "start": 40})
    assert spans(built([film])) == [("film", 0, 17)]


class Picture:
    """A document whose content is no text."""

    content = 7
    meta: dict[str, Any] = {}  # noqa: RUF012


@pytest.mark.parametrize(
    ("hits", "named"), [([7], "int"), ([{"words": "x"}], "words"), ("text", "list"), ([Picture()], "int")]
)
def test_what_is_no_hit_says_so(hits: Any, named: str) -> None:
    with pytest.raises(CorpusError, match=named):
        built(hits)


def test_no_hits_make_an_empty_context_and_no_question_none() -> None:
    assert built([]).text == ""
    with pytest.raises(QueryError):
        ContextBuilder(embedder=HashEmbedder()).build(" ", ["Some text."])


@pytest.mark.parametrize("budget", [12, 20, 33, 40, "1x", "0.5x"])
def test_the_budget_is_kept_exactly_on_the_joined_text(budget: int | str) -> None:
    hits = [HandedHit(TEXT, "a", 0), HandedHit("A second text. It has two sentences.", "b", 10)]
    context = built(hits, budget=budget)
    joined = "\n\n".join(passage.text for passage in context.passages)
    assert context.tokens == default_tokenizer().count(joined)
    assert 0 < context.tokens <= context.limit
    whole = {"a": " " * 0 + TEXT, "b": " " * 10 + hits[1].text}
    assert all(whole[s.doc_id][s.start : s.end] in p.text for p in context.passages for s in p.support)


def test_a_budget_for_nothing_says_what_is_needed() -> None:
    with pytest.raises(BudgetError, match="at least"):
        built([TEXT], budget=2)


def test_only_as_many_hits_as_the_recipe_has_depth_for() -> None:
    table = {"retrieve": "bm25", "depth": 2}
    context = built([f"Text number {n}." for n in "abc"], table)
    assert [p.text for p in context.passages] == ["Text number a.", "Text number b."]
    assert context.trace.fallbacks["handed.beyond_depth"] == 1


def test_conflicts_are_found_in_hits() -> None:
    hits = [
        PageContent(
            "The sample was heated in argon. The melting point of the alloy was found to be 500 K.", {"source": "a"}
        ),
        PageContent(
            "We measured pure pieces twice. The melting point of the alloy is 900 K, as others say.", {"source": "b"}
        ),
    ]
    question = "What is the melting point of the alloy?"
    context = ContextBuilder("casc-rules", 200, HashEmbedder()).build(question, hits)
    assert len(context.conflicts) == 1
    assert {doc_id for doc_id, _, _ in spans(context)} == {"a", "b"}
    assert context.tokens == default_tokenizer().count(context.text)
    assert "500 K" in context.text
    own = ContextBuilder("casc-rules", 200, HashEmbedder(), layout=None).build(question, hits)
    assert own.text.startswith(("CONFLICTS", "KEY FACTS"))


@pytest.mark.parametrize(
    "recipe",
    [name for name in shipped() if not name.startswith(("llmlingua", "longllmlingua", "summarise", "decompose"))],
)
def test_every_recipe_builds_from_hits(recipe: str) -> None:
    def reply(request: Any) -> str:
        if request.schema is None:
            return "The bridge over the Aare was opened in 1934."
        return '{"keep": [1]}' if "keep" in request.schema["properties"] else '{"answer": "1934"}'

    hits = [HandedHit(TEXT, "a", 5), HandedHit("The bridge was repaired in 1999. It is long.", "b")]
    context = built(hits, recipe, 60, llm=ScriptedLLM(reply))
    assert 0 < context.tokens <= 60
    assert {doc_id for doc_id, _, _ in spans(context)} <= {"a", "b"}


def test_what_a_recipe_lacks_is_said_before_the_first_question() -> None:
    assert load_recipe("casc-llm").context[0].needs("llm")
    with pytest.raises(ConfigError, match="language model"):
        ContextBuilder("casc-llm", embedder=HashEmbedder())
    with pytest.raises(ConfigError, match="defualt"):
        ContextBuilder("defualt", embedder=HashEmbedder())
    with pytest.raises(ConfigError, match="layout"):
        ContextBuilder(layout="plane", embedder=HashEmbedder())


def test_hits_cannot_be_searched() -> None:
    store = HandedOver(["Some text."])
    with pytest.raises(StoreError, match="lexical"):
        store.lexical("text", 5)
    assert not hasattr(store, "no_such_method")
    with pytest.raises(CorpusError, match="handed over"):
        store.document("other")
    assert [chunk.text for chunk in store.chunks([1, 2])] == ["Some text."]
    store.close()
