"""Retrieval by chunks and their best sentences; the contract is in test_registered_contracts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from decoct import Document, Library, trace
from decoct.data import Query
from decoct.errors import MissingStructureError
from decoct.retrieve.dense import Dense
from decoct_lab.retrieve.sentences import NearestSentences
from decoct_testing.hash_embedder import HashEmbedder

SUBJECTS = ("painter portrait canvas museum", "bridge river arch engineer", "opera aria composer stage")
QUESTION = "Which engineer built the bridge of 1906?"


def document(subject: int, number: int) -> Document:
    a, b, c, d = SUBJECTS[subject].split()
    text = f"The {a} of year {1900 + number} met a {b}. A {c} was shown to number{number}. The {d} said nothing of it."
    return Document(f"{subject}-{number:02}", text, metadata={"subject": subject})


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(256)) as opened:
        opened.add([document(subject, number) for subject in range(3) for number in range(8)])
        opened.structure("sentences").run()
        yield opened


def retriever(library: Library, **settings: Any) -> NearestSentences:
    return NearestSentences(library.store, library.embedder, library.structures, **settings)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_the_score_is_the_formula(library: Library, share: float) -> None:
    found = retriever(library, share=share).retrieve(Query(QUESTION), 100)
    embed = library.embedder.embed
    (vector,) = embed([QUESTION], "query")
    chunks = library.store.chunks(found.keys)
    assert len(chunks) == 24
    own = library.store.vectors(found.keys) @ vector
    for chunk, cosine, score in zip(chunks, own, found.scores, strict=True):
        said = re.split(r"(?<=\.) ", chunk.text)
        best = float((embed(said, "passage") @ vector).max())
        assert score == pytest.approx((1 - share) * cosine + share * best, abs=0.004)


def test_without_a_share_it_is_dense_retrieval(library: Library) -> None:
    asked = Query(QUESTION)
    dense = Dense(library.store, library.embedder).retrieve(asked, 10)
    found = retriever(library, share=0).retrieve(asked, 10)
    assert found.keys.tolist() == dense.keys.tolist()
    assert found.scores == pytest.approx(dense.scores, abs=1e-6)


def test_a_sentence_lifts_its_chunk_over_a_chunk_that_is_nearer_as_a_whole(tmp_path: Path) -> None:
    other = " ".join(f"Nothing about it is told in part {n} of the long report." for n in range(6))
    documents = [
        Document("says", f"The valve opens at forty degrees. {other}"),
        Document("near", "The valve is old. Forty men were at the gate. Degrees are given by schools. It opens late."),
    ]
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(512)) as opened:
        opened.add(documents)
        opened.structure("sentences").run()
        question = "opens the valve at forty degrees"

        def first(use: str) -> str:
            return opened.search(question, 1, {"retrieve": use})[0].chunk.span.doc_id

        assert first("dense") == "near"
        assert first("sentences") == "says"


def test_chunks_that_are_gone_or_filtered_out_leave_their_places_to_others(library: Library) -> None:
    every = retriever(library).retrieve(Query(QUESTION), 24).keys
    for doc_id in ("1-06", "1-05", "0-01"):
        library.delete(doc_id)
    library.add(document(1, 20))
    library.structures._of_library._asked = (-np.inf, ("", 0, 0))  # it asks again whether it is behind
    with trace.recording() as record:
        found = retriever(library).retrieve(Query(QUESTION), 24)
    living = {int(key) for info in library.store.documents() for key in library.store.chunk_keys(info.id)}
    assert found.keys.tolist() == [key for key in every.tolist() if key in living]
    assert record.fallbacks["structure.stale"] == 1
    some = retriever(library).retrieve(Query(QUESTION, {"subject": ("2",)}), 5)
    assert len(some) == 5
    assert {chunk.span.doc_id[0] for chunk in library.store.chunks(some.keys)} == {"2"}


def test_few_that_pass_are_found_among_many(library: Library) -> None:
    library.add([Document(f"x-{n:03}", f"The bridge of 1906 has number {n} now.") for n in range(300)])
    library.structure("sentences").run()
    found = retriever(library).retrieve(Query("the bridge of 1906", {"subject": ("0",)}), 3)
    assert len(found) == 3
    assert {chunk.span.doc_id[0] for chunk in library.store.chunks(found.keys)} == {"0"}


def test_the_trace_counts_the_different_sentences_that_were_compared(library: Library) -> None:
    with trace.recording() as record:
        retriever(library).retrieve(Query(QUESTION), 5)
    (stage,) = [stage for stage in record.stages if stage.name == "sentences"]
    assert stage.counts == {"hits": 5, "compared": 51}


@pytest.mark.parametrize("recipe", ["hybrid-sentences", "best-sentences"])
def test_the_recipes_say_what_to_build_and_then_find(recipe: str, tmp_path: Path) -> None:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(256)) as opened:
        opened.add([document(subject, number) for subject in range(3) for number in range(3)])
        with pytest.raises(MissingStructureError, match="decoct structure build sentences"):
            opened.context(QUESTION, 300, recipe)
        opened.structure("sentences").run()
        context = opened.context(QUESTION, 300, recipe)
        assert context.passages[0].support[0].doc_id.startswith("1-")
        assert context.tokens <= 300
        hits = opened.search(QUESTION, 3, recipe)
        assert "sentences" in hits[0].found_by


def test_settings_that_cannot_be_are_refused(library: Library) -> None:
    for share in (-0.1, 1.1):
        with pytest.raises(ValueError, match="from 0 to 1"):
            retriever(library, share=share)
