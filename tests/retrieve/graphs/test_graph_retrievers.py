"""The graph retrievers over a small library: what follows a chain of names is found, by rules and by a model; fallbacks are counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decoct.config import Resources, resolve
from decoct.data import Chunk, Document, Hit, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import MissingStructureError, ModelTimeoutError
from decoct.index.base import Entry
from decoct.llm.base import LLM, Request
from decoct.recipe import load_recipe
from decoct.retrieve.base import Retriever
from decoct.trace import recording
from decoct_lab.retrieve.graphs.beam import Beam, best_names
from decoct_lab.retrieve.graphs.lightrag import _behind, in_turn, nearest
from decoct_lab.retrieve.graphs.nodes import seeds
from decoct_lab.retrieve.graphs.recognition import recognised
from decoct_lab.structure.graphs.loaded import load_described, load_graph
from decoct_lab.structure.of_library import LibraryStructures
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.scripted import ScriptedLLM

# The question names the film; only the film's passage names its director, whose passage shares no word with the question.
TEXTS = {
    "film": ("Grey Hill (film)", "Grey Hill is a drama shot by director Lena Ash."),
    "ash": ("Lena Ash", "Lena Ash grew up near Brno."),
    "brno": ("Brno", "Brno has many parks."),
    "tea": ("Tea", "Tea is a drink of leaves."),
    "rain": ("Rain", "Rain falls on every hill."),
}
QUESTION = "Where did the director of the film Grey Hill grow up?"
METHODS = ("hipporag2", "hypergraphrag", "lightrag", "linearrag", "proprag")


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder(256)


@pytest.fixture
def store(embedder: HashEmbedder) -> MemoryStore:
    made = MemoryStore()
    for doc_id, (title, text) in TEXTS.items():
        chunk = Chunk(Span(doc_id, 0, len(text)), text, title)
        document = Document(doc_id, text, title, metadata={"kind": "film" if doc_id == "film" else "other"})
        made.put([Entry(document, (chunk,), embedder.embed([f"{title} {text}"], "passage"), doc_id)])
    return made


@pytest.fixture
def make(store: MemoryStore, embedder: HashEmbedder, tmp_path: Path) -> Callable[..., Retriever]:
    """A retriever over its structure, which is built; with the settings and model given."""

    def made(name: str, llm: LLM | None = None, *, builder: LLM | None = None, **settings: Any) -> Retriever:
        structures = LibraryStructures(store, embedder, tmp_path)
        method = resolve(name, "structure", name).build(Resources(store, embedder, llm=builder))
        structures.build(name, method).run()
        spec = resolve({"use": name, **settings}, "retrieve", name)
        retriever: Retriever = spec.build(Resources(store, embedder, llm=llm, structures=structures))
        return retriever

    return made


def found(store: MemoryStore, retriever: Retriever, question: str = QUESTION, k: int = 10) -> list[str]:
    return [chunk.span.doc_id for chunk in store.chunks(retriever.retrieve(Query(question), k).keys)]


@pytest.mark.parametrize(("name", "settings"), [("hipporag2", {"facts": 2}), ("linearrag", {})])
def test_a_name_leads_to_the_next_passage(
    name: str, settings: dict[str, Any], make: Callable[..., Retriever], store: MemoryStore
) -> None:
    """The director's passage comes before those that share a word with the question, and the film's is first."""
    order = found(store, make(name, **settings))
    assert order[0] == "film"
    assert order.index("ash") < order.index("tea")
    assert set(order) == set(TEXTS)


@pytest.mark.parametrize("name", METHODS)
def test_every_passage_has_a_place_and_the_filter_is_kept(
    name: str, make: Callable[..., Retriever], store: MemoryStore
) -> None:
    retriever = make(name)
    assert set(found(store, retriever)) == set(TEXTS)
    only = retriever.retrieve(Query(QUESTION, {"kind": ("film",)}), 10)
    assert [chunk.span.doc_id for chunk in store.chunks(only.keys)] == ["film"]


@pytest.mark.parametrize("name", METHODS)
def test_what_is_gone_is_not_found(name: str, make: Callable[..., Retriever], store: MemoryStore) -> None:
    retriever = make(name)
    store.delete(["film", "tea"])
    assert set(found(store, retriever)) == {"ash", "brno", "rain"}


@pytest.mark.parametrize("name", METHODS)
def test_a_recipe_without_its_structure_says_what_to_run(
    name: str, store: MemoryStore, embedder: HashEmbedder, tmp_path: Path
) -> None:
    structures = LibraryStructures(store, embedder, tmp_path)
    retriever = load_recipe(name).retrieve.build(Resources(store, embedder, structures=structures))
    with pytest.raises(MissingStructureError, match=f"decoct structure build {name} --library {tmp_path}"):
        retriever.retrieve(Query(QUESTION), 5)


@pytest.mark.parametrize(
    ("name", "fallback"),
    [
        ("linearrag", "linearrag.no_names"),
        ("hypergraphrag", "hypergraphrag.no_names"),
    ],
)
def test_a_question_without_a_name_is_counted(
    name: str, fallback: str, make: Callable[..., Retriever], store: MemoryStore
) -> None:
    with recording() as record:
        order = found(store, make(name), "which drink is made of leaves?")
    assert order[0] == "tea"
    assert record.fallbacks == {fallback: 1}


@pytest.mark.parametrize(
    ("name", "settings", "fallback"),
    [
        ("lightrag", {"mode": "local"}, "lightrag.nothing_found"),
        ("lightrag", {"least": 2.0}, "lightrag.nothing_found"),
        ("hypergraphrag", {"least": 2.0}, "hypergraphrag.nothing_found"),
    ],
)
def test_nothing_found_falls_back_to_dense(
    name: str, settings: dict[str, Any], fallback: str, make: Callable[..., Retriever], store: MemoryStore
) -> None:
    retriever, dense = make(name, **settings), resolve("dense", "retrieve", "dense")
    plain = dense.build(Resources(store, HashEmbedder(256)))
    with recording() as record:
        order = found(store, retriever, "which drink is made of leaves?")
    assert order == found(store, plain, "which drink is made of leaves?")
    assert record.fallbacks[fallback] == 1


def test_paths_go_along_names(
    make: Callable[..., Retriever], embedder: HashEmbedder, store: MemoryStore, tmp_path: Path
) -> None:
    """From the film's proposition to the director's, which share her name; never twice through one, best first."""
    make("proprag")
    graph = LibraryStructures(store, embedder, tmp_path).read("proprag", load_graph)
    vector = embedder.embed([QUESTION], "query")[0]
    cosines = np.asarray(graph.statement_vectors) @ vector
    texts = [graph.catalogue.text_of(n) for n in range(len(graph.catalogue.statements))]
    film, ash = texts.index(TEXTS["film"][1]), texts.index(TEXTS["ash"][1])
    paths = Beam(graph, embedder, vector, cosines, width=3, length=2, reread=10).paths(None)
    assert {film, ash} in [set(path.statements) for path in paths]
    assert all(len(set(path.statements)) == len(path.statements) <= 2 for path in paths)
    assert [path.score for path in paths] == sorted((path.score for path in paths), reverse=True)
    both = next(path for path in paths if set(path.statements) == {film, ash})
    together = embedder.embed([" ".join(texts[n] for n in both.statements)], "passage")[0]
    assert both.score == pytest.approx(float(together @ vector), abs=1e-5)
    (only,) = Beam(graph, embedder, vector, cosines, 1, 2, 0).paths(np.array([film]))
    assert only.statements == (film,)
    (first, *_) = best_names(graph, [both])
    assert graph.catalogue.names[first[0]] == "lena ash"
    assert len(first[1]) == 2


def test_lightrag_modes_take_their_lists(make: Callable[..., Retriever], store: MemoryStore) -> None:
    """Local begins with the named film; mix adds the nearest passage as the first of its turn."""
    assert found(store, make("lightrag", mode="local"))[0] == "film"
    nearest_first = found(store, make("lightrag", mode="mix"))[0]
    dense = resolve("dense", "retrieve", "dense").build(Resources(store, HashEmbedder(256)))
    assert nearest_first == found(store, dense)[0]


def test_lightrag_takes_the_passages_of_both_ends_of_what_it_found(
    make: Callable[..., Retriever], store: MemoryStore
) -> None:
    """The one relation found rests on the film's passage; its other end is named in the director's."""
    ranking = make("lightrag", mode="global", top=1).retrieve(Query(QUESTION), 5)
    docs = [chunk.span.doc_id for chunk in store.chunks(ranking.keys)]
    above = [doc for doc, score in zip(docs, ranking.scores.tolist(), strict=True) if score > 1]
    assert above == ["film", "ash"]


def test_what_stands_behind_entities_and_relations_is_ordered_by_cosine(
    make: Callable[..., Retriever], embedder: HashEmbedder, store: MemoryStore, tmp_path: Path
) -> None:
    """Whatever the order in which they were found; a passage that names an entity is in the first list alone."""
    make("lightrag")
    graph = LibraryStructures(store, embedder, tmp_path).read("lightrag", load_described)
    numbers, keys = graph.catalogue.numbers, graph.catalogue.keys.tolist()
    film, ash, brno = (keys.index(store.chunk_keys(doc)[0]) for doc in ("film", "ash", "brno"))
    dense = np.zeros(len(keys), np.float32)
    dense[[film, ash, brno]] = 0.2, 0.9, 0.5
    both = [numbers["grey hill"], numbers["brno"]]
    assert graph.relations is not None
    relations = list(range(len(graph.relations.pairs)))
    assert _behind(graph, both, [], dense) == [[ash, brno, film], []]
    assert _behind(graph, [numbers["brno"]], relations, dense) == [[ash, brno], [film]]
    assert _behind(graph, [], [], dense) == [[], []]


def test_lists_in_turn() -> None:
    assert in_turn([[1, 2, 3], [2, 4], []]) == [1, 2, 4, 3]


def test_nearest_rows() -> None:
    rows = np.array([[1.0, 0], [0, 1], [1, 0], [-1, 0]], np.float32)
    assert nearest(np.array([1, 0], np.float32), rows, 3, 0.2) == [0, 2]


def test_seeds_are_names_of_the_question(
    make: Callable[..., Retriever], embedder: HashEmbedder, store: MemoryStore, tmp_path: Path
) -> None:
    make("linearrag")
    graph = LibraryStructures(store, embedder, tmp_path).read("linearrag", load_graph)
    numbers = graph.catalogue.numbers
    assert seeds("who made grey hill?", graph, embedder, 0.5) == {numbers["grey hill"]: 1.0}
    # "Ash Lena" is no name of the graph: its vector is that of "lena ash", since word order does not count here.
    assert seeds("Who met Ash Lena?", graph, embedder, 0.5) == {numbers["lena ash"]: pytest.approx(1.0)}
    assert seeds("Who met Xxyzzy Plugh?", graph, embedder, 0.9) == {}


# -- with a model ------------------------------------------------------------------------------------------------
def scripted(request: Request) -> str:
    """Names and triples as a model would write them of `TEXTS`, and what it keeps of facts."""
    shown = request.messages[-1].content
    (first, *_) = (request.schema or {"properties": {"": 0}})["properties"]
    if first == "facts":
        lines = [line for line in shown.splitlines() if line[:1].isdigit()]
        return json.dumps({"facts": [n for n, line in enumerate(lines, 1) if "Grey Hill" in line][:4]})
    passage = next((text for _, text in TEXTS.values() if text in shown), "")
    names = [name for name in ("Grey Hill", "Lena Ash", "Brno") if name in passage]
    if first == "names":
        return json.dumps({"names": names})
    pairs = [{"subject": a, "relation": "goes with", "object": b} for a, b in pairwise(names)]
    return json.dumps({"triples": pairs})


def test_hipporag2_by_a_model_follows_its_triples(make: Callable[..., Retriever], store: MemoryStore) -> None:
    llm = ScriptedLLM(scripted)
    order = found(store, make("hipporag2", llm, builder=llm))
    assert order[0] == "film"
    assert order.index("ash") < min(order.index("tea"), order.index("rain"))


def test_recognition_keeps_what_the_model_names() -> None:
    assert recognised(ScriptedLLM(['{"facts": [2, 1, 9]}']), "q", ["a", "b", "c"]) == [1, 0]
    assert recognised(ScriptedLLM(['{"facts": []}']), "q", ["a"]) == []
    kept = recognised(ScriptedLLM(['{"facts": [2.0]}']), "q", ["a", "b"])
    assert ["a", "b"][kept[0]] == "b"


@pytest.mark.parametrize("reply", ["the second one", ModelTimeoutError("slow")])
def test_recognition_that_fails_keeps_all_and_is_counted(reply: Any) -> None:
    with recording() as record:
        assert recognised(ScriptedLLM([reply]), "q", ["a", "b"]) == [0, 1]
    assert record.fallbacks == {"hipporag2.recognition_failed": 1}


def test_no_fact_left_is_dense_and_counted(make: Callable[..., Retriever], store: MemoryStore) -> None:
    retriever = make("hipporag2", ScriptedLLM(lambda _: '{"facts": []}'))
    with recording() as record:
        found(store, retriever)
    assert record.fallbacks == {"hipporag2.no_facts": 1}


# -- tables ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["lightrag", "hypergraphrag"])
def test_tables_come_first_within_their_tokens(name: str, make: Callable[..., Any], store: MemoryStore) -> None:
    retriever = replace(make(name, entity_tokens=30, relation_tokens=40), tokenizer=default_tokenizer())
    query = Query(QUESTION)
    ranking = retriever.retrieve(query, 5)
    hits = [Hit(chunk, float(score)) for chunk, score in zip(store.chunks(ranking.keys), ranking.scores, strict=True)]
    draft = retriever.passages(query, hits, 3)
    titles = [passage.title for passage in draft.passages]
    assert titles[0] == "Entity"
    assert draft.passages[0].text.startswith("grey hill: ")
    assert "Relation" in titles
    assert [passage.kind for passage in draft.passages[-3:]] == ["quote"] * 3
    for title, most in (("Entity", 30), ("Relation", 40)):
        own = [passage for passage in draft.passages if passage.title == title]
        assert sum(default_tokenizer().counts([passage.text for passage in own])) <= most
        for passage in own:
            assert all(store.text(span) for span in passage.support)
    only = retriever.passages(Query(QUESTION, {"kind": ("film",)}), [], 3)
    assert {span.doc_id for passage in only.passages for span in passage.support} == {"film"}
    assert retriever.passages(Query(QUESTION, {"kind": ("none",)}), [], 3).passages == ()


def test_without_tables_a_context_is_chunks(make: Callable[..., Any], store: MemoryStore) -> None:
    retriever = replace(make("lightrag"), tokenizer=default_tokenizer())
    (chunk,) = store.chunks(store.chunk_keys("tea"))
    draft = retriever.passages(Query(QUESTION), [Hit(chunk, 1.0), Hit(chunk, 0.5)], 5)
    assert [(passage.text, passage.score) for passage in draft.passages] == [(chunk.text, 1.0)]


def test_without_a_model_facts_that_name_what_is_asked_come_first(
    make: Callable[..., Any], embedder: HashEmbedder, store: MemoryStore, tmp_path: Path
) -> None:
    retriever = make("hipporag2", facts=2, pool=5)
    graph = LibraryStructures(store, embedder, tmp_path).read("hipporag2", load_graph)
    texts = [graph.catalogue.text_of(n) for n in range(len(graph.catalogue.statements))]
    tea, film, rain = (texts.index(TEXTS[doc][1]) for doc in ("tea", "film", "rain"))
    question = "which drink of leaves do they have in grey hill?"
    assert retriever._recognised(question, graph, [tea, rain, film]) == [film, tea]
    assert retriever._recognised("which drink is it?", graph, [tea, rain, film]) == [tea, rain]
