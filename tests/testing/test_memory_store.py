"""The reference store: BM25 against bm25s and by hand, filters, replacement, names."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.data import Chunk, Document, Metadata, Span
from decoct.errors import CorpusError, ProvenanceError, StoreError
from decoct.index.base import Entry, Store
from decoct.text.analysis import stems
from decoct_testing.memory_store import MemoryStore


def entry(
    doc_id: str,
    texts: Iterable[str],
    vectors: Any = None,
    metadata: Metadata | None = None,
    names: tuple[tuple[int, float], ...] = (),
    mentions: tuple[tuple[int, ...], ...] = (),
) -> Entry:
    pieces, whole, chunks = list(texts), "", []
    for piece in pieces:
        chunks.append(Chunk(Span(doc_id, len(whole), len(whole) + len(piece)), piece))
        whole += piece + "\n"
    rows = np.zeros((len(pieces), 2), np.float32) if vectors is None else np.array(vectors, np.float32)
    return Entry(Document(doc_id, whole, metadata=metadata or {}), tuple(chunks), rows, doc_id, names, mentions)


def filled(*entries: Entry) -> MemoryStore:
    store: Store = MemoryStore()
    store.put(entries)
    assert isinstance(store, MemoryStore)
    return store


TEXTS = [
    "The cat sat on the mat and the other cat ran",
    "Dogs run; a dog was running after cats",
    "Nothing to see here",
    "A mat is a flat thing on which a cat may sit",
]


@pytest.mark.parametrize("question", ["cat mat", "running dogs", "the thing", "unknown word", "cat cat dog"])
def test_lexical_agrees_with_bm25s(question: str) -> None:
    store = filled(*(entry(f"d{n}", [text]) for n, text in enumerate(TEXTS)))
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    peer.index([stems(text) for text in TEXTS], show_progress=False)
    known = [word for word in stems(question) if any(word in stems(text) for text in TEXTS)]
    expected = peer.get_scores(known) * 2.2 if known else np.zeros(len(TEXTS))  # bm25s leaves out the factor k1 + 1
    found = store.lexical(question, 10)
    assert dict(zip(found.keys.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(
        {n + 1: score for n, score in enumerate(expected) if score > 0}, rel=1e-5
    )
    assert list(found.scores) == sorted(found.scores, reverse=True)


def test_lexical_by_hand() -> None:
    store = filled(entry("a", ["red"]), entry("b", ["red blue blue"]))
    # lengths 1 and 3, mean 2; df(blue) = 1 of 2, tf = 2
    idf = math.log(1 + (2 - 1 + 0.5) / 1.5)
    score = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    found = store.lexical("Blue!", 5)
    assert found.keys.tolist() == [2]
    assert found.scores[0] == pytest.approx(score)


def test_no_words_no_results_and_ties_by_key() -> None:
    store = filled(*(entry(d, ["same words"]) for d in "abc"))
    assert len(store.lexical("?!", 5)) == 0
    assert store.lexical("words", 2).keys.tolist() == [1, 2]
    assert len(store.lexical("words", 0)) == 0
    assert len(MemoryStore().lexical("words", 3)) == 0


def test_the_title_is_searched() -> None:
    document = Document("a", "He wrote it.", title="Alan Turing")
    chunk = Chunk(Span("a", 0, 12), document.text, title=document.title)
    store = filled(Entry(document, (chunk,), np.zeros((1, 2), np.float32), "x"))
    assert len(store.lexical("turing", 1)) == 1


def test_nearest_orders_by_dot_product() -> None:
    store = filled(entry("a", ["x", "y", "z"], [[1, 0], [0, 1], [0.6, 0.8]]))
    found = store.nearest(np.array([1, 0], np.float32), 2)
    assert found.keys.tolist() == [1, 3]
    assert found.scores.tolist() == pytest.approx([1, 0.6])


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, [1, 2, 3]),
        ({"lang": ("en",)}, [1, 3]),
        ({"lang": ("en", "de"), "year": ("2020",)}, [1, 2]),
        ({"none": ("x",)}, []),
        ({"lang": ()}, []),
    ],
)
def test_where(where: Mapping[str, tuple[str, ...]], expected: list[int]) -> None:
    store = filled(
        entry("a", ["x"], metadata={"lang": "en", "year": 2020}),
        entry("b", ["x"], metadata={"lang": "de", "year": 2020}),
        entry("c", ["x"], metadata={"lang": "en", "year": 2021}),
    )
    assert store.lexical("x", 9, where).keys.tolist() == expected
    assert store.nearest(np.zeros(2, np.float32), 9, where).keys.tolist() == expected
    assert len(list(store.documents(where))) == len(expected)


def test_replacing_gives_new_keys_and_forgets_the_old() -> None:
    store = filled(entry("a", ["one", "two"]), entry("b", ["three"]))
    store.put([entry("a", ["four"])])
    assert store.chunk_keys("a").tolist() == [4]
    assert [chunk.text for chunk in store.chunks([1, 4, 3])] == ["four", "three"]
    assert len(store.lexical("one", 5)) == 0
    assert store.vectors([1, 4]).shape == (2, 2)
    assert store.document("a").text == "four\n"


def test_delete_and_unknown_ids() -> None:
    store = filled(entry("a", ["one"]), entry("b", ["two"]))
    assert store.delete(["a", "a", "zzz"]) == 1
    assert store.digests(["a", "b"]) == {"b": "b"}
    with pytest.raises(CorpusError, match="no document 'a'"):
        store.document("a")
    with pytest.raises(ProvenanceError):
        store.text(Span("b", 0, 99))
    assert store.text(Span("b", 0, 3)) == "two"


def test_put_is_all_or_nothing() -> None:
    store = MemoryStore()
    with pytest.raises(StoreError, match="vectors"):
        store.put([entry("a", ["one"]), entry("b", ["two"], np.zeros((2, 2)))])
    wrong = Entry(Document("c", "text"), (Chunk(Span("c", 0, 4), "tixt"),), np.zeros((1, 2), np.float32), "c")
    with pytest.raises(ProvenanceError):
        store.put([entry("a", ["one"]), wrong])
    assert store.status().documents == 0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(1, 3)), max_size=12))
def test_histories_end_with_the_last_version(history: list[tuple[str, bool, int]]) -> None:
    store, expected = MemoryStore(), {}
    for step, (doc_id, put, size) in enumerate(history):
        if put:
            texts = [f"word{step}x{n}" for n in range(size)]
            store.put([entry(doc_id, texts)])
            expected[doc_id] = texts
        else:
            assert store.delete([doc_id]) == (expected.pop(doc_id, None) is not None)
    for doc_id in "abc":
        texts = [chunk.text for chunk in store.chunks(store.chunk_keys(doc_id))]
        assert texts == expected.get(doc_id, [])
    assert store.status().chunks == sum(map(len, expected.values()))
