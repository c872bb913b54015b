"""A case: what a measure sees of a question, its context, its ranking and its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import tiny

from decoct import Library
from decoct.data import Context, Span
from decoct.evaluate.answers import UNASKED
from decoct.evaluate.contexts import Cases, Contexts, MadeContext
from decoct.evaluate.system import System, system
from decoct_testing.hash_embedder import HashEmbedder

TWO = tiny.QUESTIONS[2]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("cases") / "lib", embedder=HashEmbedder(), chunker="sentence") as opened:
        opened.add(tiny.read())
        yield opened


def made(library: Library, name: str) -> tuple[MadeContext, Context]:
    one = system(name)
    maker = Contexts({one.chunker: library}, (one,), tiny.dataset().gold)
    (found,) = maker.make(TWO, [(one, 80)])
    assert isinstance(found.context, Context)
    return found, found.context


def cases(library: Library, one: System, *metrics: str, cites: bool = False) -> Cases:
    return Cases(tiny.dataset(), {one.chunker: library}, "sentence", metrics, cites)


def test_the_ranking_names_each_document_once_at_its_best_place(library: Library) -> None:
    found, context = made(library, "naive")
    case = cases(library, found.system, "recall@5").of(TWO, found, context)
    assert sorted(case.ranking) == sorted(tiny.TEXTS)
    first = [hit.chunk.span.doc_id for hit in found.hits]
    assert case.ranking == tuple(sorted(set(first), key=first.index))
    assert case.found == tuple(hit.chunk.span for hit in found.hits)
    assert (case.text, case.answer, case.judged, case.notes) == (context.text, None, None, context.notes)


def test_gold_is_in_the_runs_unit_and_whole_beside_it(library: Library) -> None:
    found, context = made(library, "naive")
    case = cases(library, found.system).of(TWO, found, context)
    assert case.gold == TWO.supporting
    assert case.passages == tuple(Span(i, 0, len(tiny.TEXTS[i])) for i in ("stone", "tower"))


def test_chunks_of_gold_documents_are_read_only_for_measures_of_chunks(library: Library) -> None:
    found, context = made(library, "naive")
    assert cases(library, found.system, "recall@5").of(TWO, found, context).gold_chunks == ()
    chunks = cases(library, found.system, "chunk_recall@5").of(TWO, found, context).gold_chunks
    stored = library.store.chunks([key for i in ("stone", "tower") for key in library.store.chunk_keys(i)])
    assert chunks == tuple(chunk.span for chunk in stored)
    assert {span.doc_id for span in chunks} == {"stone", "tower"}


def test_a_condition_that_retrieves_nothing_has_no_chunks(library: Library) -> None:
    found, context = made(library, "gold-passages")
    case = cases(library, found.system, "chunk_recall@5").of(TWO, found, context)
    assert (case.gold_chunks, case.ranking, case.found) == ((), (), ())
    assert case.shown == case.quoted == TWO.supporting


@pytest.mark.parametrize(("cites", "citations"), [(True, ()), (False, None)])
def test_citations_are_measured_only_of_a_reader_that_cites(
    library: Library, cites: bool, citations: tuple[()] | None
) -> None:
    found, context = made(library, "naive")
    told = replace(UNASKED, text="Norwick")
    case = cases(library, found.system, cites=cites).of(TWO, found, context, told, judged=0.5)
    assert (case.answer, case.citations, case.judged) == ("Norwick", citations, 0.5)
