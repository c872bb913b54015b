from __future__ import annotations

import random
from pathlib import Path

import pytest
from words import WordTokenizer

from decoct.data import Span
from decoct.evaluate.metrics.ranking import chunks_with_gold
from decoct_lab.dataset import load
from decoct_lab.measures.chunk_evidence import chunk_evidence, chunks_in_context


def windows(length: int, size: int, stride: int) -> list[Span]:
    return [Span("stream", start, min(start + size, length)) for start in range(0, length, stride)]


def test_by_hand() -> None:
    chunks = windows(40, 10, 5)  # 0-10, 5-15, 10-20, ... 35-40
    gold = chunks_with_gold(chunks, [Span("stream", 12, 18)])
    assert gold == {Span("stream", 5, 15), Span("stream", 10, 20), Span("stream", 15, 25)}
    made = chunk_evidence([chunks[2], chunks[6]], gold)
    assert made is not None
    assert (made.precision, made.recall) == (1 / 2, 1 / 3)
    assert made.f1 == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))


def test_touching_is_not_overlapping_and_documents_are_apart() -> None:
    assert chunks_with_gold([Span("a", 0, 10), Span("a", 10, 20), Span("b", 5, 15)], [Span("a", 10, 12)]) == {
        Span("a", 10, 20)
    }
    assert chunk_evidence([Span("a", 0, 10)], set()) is None
    nothing = chunk_evidence([], {Span("a", 0, 10)})
    assert nothing is not None
    assert nothing.f1 == 0


@pytest.mark.parametrize(("size", "papers"), [(150, 4.98), (600, 2.75), (1200, 2.37)])
def test_closed_form_on_a_stream(size: int, papers: float) -> None:
    """|G| = (g + s) / (s/2) explains the recall-oriented paper's Table 1 with its mean passage of 223.6 tokens.

    One character stands for one token. Passages of 223 and 224 tokens in the shares that make the mean 223.6 lie at random places of a
    long stream. Overlap is of whole tokens, so the exact mean is (g + s - 1) / (s/2).
    """
    rng = random.Random(0)
    length = 400_000
    chunks = windows(length, size, size // 2)
    counts = []
    for _ in range(300):
        g = 224 if rng.random() < 0.6 else 223
        start = rng.randrange(size, length - size - g)
        near = chunks[max(0, (start - size) // (size // 2)) : (start + g) // (size // 2) + 2]
        counts.append(len(chunks_with_gold(near, [Span("stream", start, start + g)])))
    mean = sum(counts) / len(counts)
    assert mean == pytest.approx((223.6 + size - 1) / (size / 2), abs=0.1)
    assert mean == pytest.approx(papers, abs=0.1)


def test_a_neighbours_half_is_no_chunk_of_its_own() -> None:
    ranking = [Span("s", 10, 20), Span("s", 30, 40), Span("s", 15, 25), Span("s", 5, 15), Span("s", 35, 45)]
    context = [Span("s", 10, 20), Span("s", 30, 40)]
    assert chunks_in_context(ranking, context) == set(ranking[:2])  # the halves of the other three stand there too
    assert chunks_in_context(ranking, []) == set()
    assert chunks_in_context(ranking, [Span("other", 10, 20)]) == set()


def test_a_chunk_that_stands_in_its_better_neighbours_was_given_only_before_a_worse_one_that_was() -> None:
    ranking = [Span("s", 0, 10), Span("s", 10, 20), Span("s", 5, 15), Span("s", 40, 50)]
    stitched = [Span("s", 0, 20)]
    assert chunks_in_context(ranking, stitched) == set(ranking[:2])
    assert chunks_in_context(ranking, [*stitched, Span("s", 40, 50)]) == set(ranking)


def test_a_cut_chunk_counts_and_so_do_joined_ones_and_sentences() -> None:
    ranking = [Span("s", 0, 10), Span("s", 5, 15), Span("s", 20, 30), Span("s", 25, 35)]
    assert chunks_in_context(ranking, [Span("s", 0, 10), Span("s", 5, 9)]) == set(
        ranking[:2]
    )  # cut within what the first one shows too
    assert chunks_in_context(ranking, [Span("s", 0, 15), Span("s", 20, 23)]) == set(ranking[:3])
    assert chunks_in_context(ranking, [Span("s", 12, 14), Span("s", 21, 24)]) == {Span("s", 5, 15), Span("s", 20, 30)}


def test_the_context_of_a_pipeline_is_made_of_the_first_chunks_of_its_ranking(tmp_path: Path) -> None:
    from decoct.data import Document, Query
    from decoct.evaluate.metrics.evidence import spans
    from decoct.library import Library
    from decoct_testing.hash_embedder import HashEmbedder

    words = [f"word{n % 37} thing{n % 11}." for n in range(400)]
    chunker = {"use": "fixed", "tokens": 40, "overlap": 0.5}
    with Library.open(tmp_path, embedder=HashEmbedder(), chunker=chunker) as library:
        library.add([Document("d", " ".join(words))])
        pipeline = library.pipeline("naive")
        for question in ("word3 thing4", "word12", "thing7 word20 word21"):
            query = Query(question)
            ranking = [hit.chunk.span for hit in pipeline.search(query, pipeline.depth)]
            context = pipeline.context(query, library.budget(250))
            assert chunks_in_context(ranking, spans(context)) == set(ranking[: len(context.passages)])


@pytest.mark.parametrize("size", [150, 600, 1200])
def test_closed_form_on_the_passages_of_clapnq(shared: Path, size: int) -> None:
    """All passages joined in one stream, windows across their borders, as lab/docs/methods.md reads the recall-oriented paper."""
    dataset = load("clapnq", shared, {"questions": "answerable"})
    places, at = {}, 0
    for document in dataset.documents():
        length = WordTokenizer().count(document.text)
        places[document.id] = Span("stream", at, at + length)
        at += length
    chunks = windows(at, size, size // 2)
    gold = [places[i] for question in dataset.questions for i in question.supporting_ids]
    mean_gold = sum(span.end - span.start for span in gold) / len(gold)
    mean = sum(len(chunks_with_gold(chunks, [span])) for span in gold) / len(gold)
    assert mean == pytest.approx((mean_gold + size) / (size / 2), rel=0.05)
