"""Reading as work that can be handed to others: one part a document, with the time that it took."""

from __future__ import annotations

import pickle

from decoct_lab.structure.base import Chunked
from decoct_lab.structure.graphs.hipporag2 import HippoGraph
from decoct_lab.structure.reading import ReadingBy, StaleDocuments
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.retriever_contract import library


def test_a_batch_gives_its_parts_wherever_it_is_read() -> None:
    store = library(HashEmbedder())
    documents = tuple(
        Chunked(store.document(one), tuple(store.chunks(store.chunk_keys(one)))) for one in ("d00", "d01", "d02")
    )
    method = HippoGraph()
    work, batch = pickle.loads(pickle.dumps((ReadingBy(method), StaleDocuments(documents, {"d00": "1"}))))
    read = work(batch)
    assert read.parts == method.read(documents)
    assert len(read.parts) == 3
    assert read.seconds > 0
    assert batch.digests == {"d00": "1"}
