"""What each method makes of the same two sentences: edges, relations and descriptions counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from decoct.data import Chunk, Document, Span
from decoct.errors import ModelUnavailableError
from decoct.trace import recording
from decoct_lab.structure.base import Chunked, Part, Spending, StructureMethod
from decoct_lab.structure.graphs.catalogue import Catalogue, catalogued
from decoct_lab.structure.graphs.entities import LONGEST, as_one, load_entities
from decoct_lab.structure.graphs.hipporag2 import HippoGraph, stars
from decoct_lab.structure.graphs.hypergraphrag import HyperGraph
from decoct_lab.structure.graphs.lightrag import LightGraph
from decoct_lab.structure.graphs.linearrag import LinearGraph
from decoct_lab.structure.graphs.loaded import load_graph
from decoct_lab.structure.graphs.places import LONGEST as LONGEST_NAME
from decoct_lab.structure.graphs.places import ChunkSentences, names_in_chunk
from decoct_lab.structure.graphs.proprag import PropositionGraph
from decoct_lab.structure.graphs.relations import load_relations
from decoct_lab.structure.graphs.synonyms import synonyms
from decoct_lab.structure.parts import PartRow, Parts
from decoct_lab.structure.workshop import Bench
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

TEXT = "It was made by Lena Ash. Lena Ash was born in Brno in 1901."
FILM = Chunked(
    Document("film", TEXT, "Grey Hill (film)"), (Chunk(Span("film", 0, len(TEXT)), TEXT, "Grey Hill (film)", 7),)
)
# By rules its names are, in order, Lena Ash (twice), Brno, 1901 and Grey Hill, and its statements are of
# Grey Hill and Lena Ash; of Lena Ash, Grey Hill, Brno and 1901.
LENA, BRNO, YEAR, HILL, PASSAGE = range(5)
METHODS: list[StructureMethod] = [HippoGraph(), HyperGraph(), LightGraph(), LinearGraph(), PropositionGraph()]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    folder = tmp_path / "made"
    folder.mkdir()
    parts = Parts(tmp_path / "parts.db")
    yield Bench(folder, None, parts, "f", HashEmbedder())
    parts.close()


def put_together(bench: Bench, method: StructureMethod, *documents: Chunked) -> None:
    rows = [
        PartRow(one.document.id, "d", len(one.chunks), part, {}, 0.0)
        for one, part in zip(documents, method.read(documents), strict=True)
    ]
    bench.kept.put("f", rows)
    method.put_together(bench)


def edges(bench: Bench) -> dict[tuple[int, int], float]:
    """The edges of a graph with their weights, each once."""
    adjacency = load_graph(bench.folder).adjacency
    assert (adjacency != adjacency.T).nnz == 0
    found = adjacency.tocoo()
    return {
        (int(a), int(b)): round(float(w), 4) for a, b, w in zip(found.row, found.col, found.data, strict=True) if a < b
    }


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
def test_without_a_model_reading_costs_nothing(method: StructureMethod) -> None:
    assert (method.model, method.estimate([FILM])) == ("", Spending())
    (part,) = method.read([FILM])
    assert isinstance(part, Part)
    assert part.failed == ()


def test_a_name_tells_everything_that_shapes_a_structure() -> None:
    llm = ScriptedLLM([])
    made = [
        *METHODS,
        HippoGraph(synonym=0.9),
        HippoGraph(most_synonyms=1),
        LinearGraph(neighbours=0.5),
        LightGraph(llm),
        LightGraph(llm, 2),
    ]
    assert len({one.fingerprint for one in made}) == len(made)
    assert LightGraph(llm).model == llm.fingerprint


@pytest.mark.parametrize("wrong", [{"synonym": 0.0}, {"synonym": 1.1}, {"most_synonyms": -1}])
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, float]) -> None:
    for method in (HippoGraph, PropositionGraph):
        with pytest.raises(ValueError, match="synonym is a cosine"):
            method(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gleaning"):
        LightGraph(gleaning=-1)


def test_hipporag_joins_a_subject_with_each_other_name(bench: Bench) -> None:
    put_together(bench, HippoGraph(synonym=1.0), FILM)
    # Lena Ash and Grey Hill stand in two facts, each counted in both directions; each name once with its passage.
    assert edges(bench) == {
        (LENA, HILL): 4, (LENA, BRNO): 2, (LENA, YEAR): 2,
        (LENA, PASSAGE): 1, (BRNO, PASSAGE): 1, (YEAR, PASSAGE): 1, (HILL, PASSAGE): 1,
    }  # fmt: skip


def test_hipporag_has_synonyms_at_twice_their_cosine(bench: Bench) -> None:
    text = "Lena Ash met Lena Berg."
    met = Chunked(Document("met", text), (Chunk(Span("met", 0, len(text)), text, key=9),))
    put_together(bench, HippoGraph(synonym=1.0), met)
    before = edges(bench)
    put_together(bench, HippoGraph(synonym=0.1), met)
    graph = load_graph(bench.folder)
    names, vectors = graph.catalogue.names, np.asarray(graph.name_vectors)
    first, second, cosines = synonyms(names, vectors, 0.1, 100, lambda *_: None)
    assert len(first) == 1
    (pair, cosine) = (int(first[0]), int(second[0])), float(cosines[0])
    assert edges(bench)[pair] - before.get(pair, 0) == pytest.approx(2 * cosine, abs=1e-3)


def test_proprag_joins_every_two_names_of_a_proposition(bench: Bench) -> None:
    put_together(bench, PropositionGraph(synonym=1.0), FILM)
    assert edges(bench) == {
        (LENA, HILL): 2, (LENA, BRNO): 1, (LENA, YEAR): 1, (BRNO, HILL): 1, (YEAR, HILL): 1, (BRNO, YEAR): 1,
        (LENA, PASSAGE): 1, (BRNO, PASSAGE): 1, (YEAR, PASSAGE): 1, (HILL, PASSAGE): 1,
    }  # fmt: skip


def test_linearrag_weighs_a_name_by_its_share_and_joins_chunks_that_follow(bench: Bench) -> None:
    text = f"{TEXT}\n\nBrno is old."
    chunks = (
        Chunk(Span("film", 0, len(TEXT)), TEXT, "Grey Hill (film)", 7),
        Chunk(Span("film", len(TEXT) + 2, len(text)), "Brno is old.", "Grey Hill (film)", 8),
    )
    put_together(bench, LinearGraph(neighbours=0.5), Chunked(Document("film", text, "Grey Hill (film)"), chunks))
    found = edges(bench)
    # Of five names of the first chunk two are Lena Ash; the second has Brno, and its title's name.
    assert {place: weight for place, weight in found.items() if place[1] == PASSAGE} == {
        (LENA, PASSAGE): 0.4, (BRNO, PASSAGE): 0.2, (YEAR, PASSAGE): 0.2, (HILL, PASSAGE): 0.2,
    }  # fmt: skip
    assert (found[PASSAGE, PASSAGE + 1], found[BRNO, PASSAGE + 1]) == (0.5, 0.5)


def test_chunks_of_other_documents_do_not_follow(bench: Bench) -> None:
    other = Chunked(Document("note", "Brno is old."), (Chunk(Span("note", 0, 12), "Brno is old.", key=9),))
    put_together(bench, LinearGraph(), FILM, other)
    assert (PASSAGE, PASSAGE + 1) not in edges(bench)


def catalogue_of(bench: Bench) -> Catalogue:
    (part,) = HippoGraph().read([FILM])
    return catalogued([("film", part.body)], bench.folder)[0]


def test_stars_begin_at_the_subject(bench: Bench) -> None:
    assert stars(catalogue_of(bench)) == ([HILL, LENA, LENA, LENA], [LENA, HILL, BRNO, YEAR])


def test_lightrag_merges_the_statements_of_two_names_into_a_relation(bench: Bench) -> None:
    put_together(bench, LightGraph(), FILM)
    relations = load_relations(bench.folder, 4)
    assert relations.pairs.tolist() == [[LENA, BRNO], [LENA, YEAR], [LENA, HILL]]
    assert [relations.statements_of(n) for n in range(3)] == [[1], [1], [0, 1]]
    assert relations.weights.tolist() == [1, 1, 2]
    assert relations.degrees.tolist() == [3, 1, 1, 1]
    assert relations.of_name.toarray()[HILL].tolist() == [0, 0, 1]
    statements = np.load(bench.folder / "statements.npy")
    vectors = np.load(bench.folder / "relations.npy")
    both = statements.mean(axis=0)
    assert vectors[2] == pytest.approx(both / np.linalg.norm(both), abs=1e-6)
    assert vectors[0] == pytest.approx(statements[1], abs=1e-6)


def test_without_a_model_a_name_is_described_by_its_first_sentences(bench: Bench) -> None:
    put_together(bench, HyperGraph(), FILM)
    entities = load_entities(bench.folder)
    assert list(entities.kinds) == [""] * 4
    assert entities.about[LENA] == "Grey Hill: It was made by Lena Ash. Grey Hill: Lena Ash was born in Brno in 1901."
    assert entities.about[BRNO] == "Grey Hill: Lena Ash was born in Brno in 1901."
    names, statements = np.load(bench.folder / "names.npy"), np.load(bench.folder / "statements.npy")
    own = names[BRNO] + statements[1]
    assert np.load(bench.folder / "entities.npy")[BRNO] == pytest.approx(own / np.linalg.norm(own), abs=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
def test_a_library_of_nothing_makes_an_empty_structure(bench: Bench, method: StructureMethod) -> None:
    put_together(bench, method)
    assert np.load(bench.folder / "names.npy").shape == (0, 64)


def test_descriptions_are_put_one_after_another_none_twice(bench: Bench) -> None:
    llm = ScriptedLLM([])
    assert as_one(bench, llm, "Lena", ["A painter.", "", "Of Brno.", "A painter."]) == "A painter. Of Brno."
    assert as_one(bench, llm, "Lena", []) == ""
    assert len(as_one(bench, llm, "Lena", ["x" * LONGEST])) == LONGEST
    assert llm.requests == []


def test_long_descriptions_are_written_anew_once(bench: Bench) -> None:
    llm = ScriptedLLM([" A painter of Brno. ", "y" * (LONGEST + 5)])
    long = ["x" * LONGEST, "y"]
    assert [as_one(bench, llm, "Lena", long) for _ in range(2)] == ["A painter of Brno."] * 2
    assert len(llm.requests) == 1
    assert as_one(bench, llm, "Other", long) == "y" * LONGEST
    assert "Lena" in llm.requests[0].messages[-1].content


@pytest.mark.parametrize("reply", [ModelUnavailableError("nobody answers"), " \n"])
def test_where_a_model_fails_or_says_nothing_a_description_is_cut(
    bench: Bench, reply: ModelUnavailableError | str
) -> None:
    with recording() as record:
        made = as_one(bench, ScriptedLLM([reply]), "Lena", ["x" * LONGEST, "y"])
    assert (made, record.fallbacks["structure.description_cut"]) == ("x" * LONGEST, 1)


def test_names_are_found_where_they_stand() -> None:
    chunk = Chunk(Span("d", 100, 141), "Lena  Ash met lena ash, not Lena Ashford.", key=1)
    found = names_in_chunk(
        chunk, ["Lena Ash", " LENA ASH ", "Brno", "", "x" * (LONGEST_NAME + 1)], {"brno": ("city", "An old city.")}
    )
    assert sorted(found) == ["brno", "lena ash"]
    lena, brno = found["lena ash"], found["brno"]
    assert (lena.start, lena.end, lena.count, lena.shown) == (100, 109, 2, "Lena Ash")
    # What does not stand there as written has the whole chunk.
    assert (brno.start, brno.end, brno.count, brno.kind, brno.about) == (100, 141, 1, "city", "An old city.")


def test_a_statement_rests_on_the_sentence_that_shares_most_words() -> None:
    text = "The dam holds water. The mill was built by Ada Green in 1911. Nothing else."
    found = ChunkSentences(Chunk(Span("d", 50, 50 + len(text)), text, key=1))

    def said(statement: str) -> str:
        start, end = found.of(statement)
        return text[start - 50 : end - 50].strip()

    assert said("Ada Green built a mill") == "The mill was built by Ada Green in 1911."
    assert said("Rivers flow") == "The dam holds water."  # none shares a word: the first
    assert ChunkSentences(Chunk(Span("d", 5, 8), "...", key=1)).of("x") == (5, 8)
