"""The same documents in PostgreSQL and in the embedded store are found alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from decoct import trace
from decoct.data import Floats, Range
from decoct.index.abilities import SupportsNames
from decoct.index.base import Entry, Store, Where
from decoct.index.embedded import EmbeddedStore
from decoct_postgresql import PostgreSQLStore, nearest, postings, words
from decoct_postgresql.testing import PostgreSQLServer
from decoct_testing.store_corpus import WORDS, make_entry

pytestmark = pytest.mark.services

DOCUMENTS, DIMENSION = 600, 48


def documents() -> list[Entry]:
    """Documents of 1 to 6 chunks; their vectors lie around 40 centres, as texts do around topics."""
    random = np.random.default_rng(11)
    centres = random.standard_normal((40, DIMENSION))
    vocabulary = [f"{word}{n}" for word in WORDS for n in range(40)]
    common = 1 / np.arange(1, len(vocabulary) + 1)
    found = []
    for n in range(DOCUMENTS):
        texts = [
            " ".join(random.choice(vocabulary, random.integers(20, 90), p=common / common.sum()))
            for _ in range(random.integers(1, 7))
        ]
        entry = make_entry(
            f"doc-{n:04}", texts, seed=n, title=str(random.choice(WORDS)), metadata={"year": 1990 + n % 30}
        )
        rows = centres[random.integers(40)] + 0.7 * random.standard_normal((len(texts), DIMENSION))
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        found.append(Entry(entry.document, entry.chunks, rows, entry.digest, signatures=entry.signatures))
    return found


@pytest.fixture(scope="module")
def both(server: PostgreSQLServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SupportsNames, str]]:
    url = server.url("agreeing")
    folder: Path = tmp_path_factory.mktemp("agreeing")
    with EmbeddedStore.open(folder, settings={}) as embedded, PostgreSQLStore.open(url, settings={}) as other:
        for one in (embedded, other):
            one.put(documents())
        yield embedded, url


def places(store: Store, keys: np.ndarray) -> list[tuple[str, int]]:
    return [(chunk.span.doc_id, chunk.span.start) for chunk in store.chunks(keys)]


def questions() -> Floats:
    random = np.random.default_rng(5)
    rows = np.stack([entry.vectors[0] for entry in documents()[:40]]) + 0.4 * random.standard_normal((40, DIMENSION))
    unit: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


FILTERS: list[Where] = [{}, {"year": ("1993", "2001")}, {"year": (Range(((">=", "2000"),)),)}]


@pytest.mark.parametrize("few", [nearest.EXACT, 100])
@pytest.mark.parametrize("where", FILTERS)
def test_exact_vectors_rank_equally(
    both: tuple[SupportsNames, str], where: Where, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where more chunks pass than are asked for by their keys."""
    embedded, url = both
    monkeypatch.setattr(nearest, "EXACT", few)
    with PostgreSQLStore.open(f"{url}&vectors=exact", settings={}) as store:
        for question in questions():
            ours, theirs = store.nearest(question, 200, where), embedded.nearest(question, 200, where)
            assert ours.scores == pytest.approx(theirs.scores, abs=2e-6)
            differing = [
                n
                for n, pair in enumerate(zip(places(store, ours.keys), places(embedded, theirs.keys), strict=True))
                if pair[0] != pair[1]
            ]
            for n in differing:  # only where two scores are the same to the last digits
                assert min(abs(theirs.scores[n] - theirs.scores[m]) for m in (n - 1, (n + 1) % 200)) < 1e-6


@pytest.mark.parametrize("where", FILTERS)
def test_the_graph_finds_the_nearest(
    both: tuple[SupportsNames, str], where: Where, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall of the first 200 at least .97, with the scores that the exact mode gives."""
    embedded, url = both
    monkeypatch.setattr(nearest, "EXACT", 100)
    with PostgreSQLStore.open(f"{url}&vectors=hnsw", settings={}) as store:
        store.refresh()
        with trace.recording() as told:
            recalls = []
            for question in questions():
                ours, theirs = store.nearest(question, 200, where), embedded.nearest(question, 200, where)
                assert len(ours) == min(200, len(theirs))
                recalls.append(len(set(places(store, ours.keys)) & set(places(embedded, theirs.keys))) / len(theirs))
        assert "store.graph_missing" not in told.fallbacks
        assert np.mean(recalls) >= 0.97


@pytest.mark.parametrize("few", [words.FEW, 20])
@pytest.mark.parametrize("where", FILTERS)
def test_words_rank_equally(
    both: tuple[SupportsNames, str], where: Where, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are BM25 with lengths rounded alike, also where most words are too frequent to be read first, or a filter lets many pass."""
    embedded, url = both
    monkeypatch.setattr(words, "FEW", few)
    with PostgreSQLStore.open(url, settings={}) as store:
        check_words(store, embedded, where)


@pytest.mark.parametrize("where", FILTERS)
def test_words_rank_equally_by_postings(
    both: tuple[SupportsNames, str], where: Where, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded, url = both
    monkeypatch.setattr(postings, "LEAST", 100)
    monkeypatch.setattr(words, "FEW", 20)
    with PostgreSQLStore.open(url, settings={}) as store:
        store.refresh()
        assert store._connections.read(postings.end)
        check_words(store, embedded, where)


def check_words(store: Store, embedded: Store, where: Where) -> None:
    for n in range(0, 800, 40):
        question = f"{WORDS[n % 20]}{n % 40} river0 {WORDS[(n // 40) % 20]}{n % 7}"
        for k in (5, 50):
            ours, theirs = store.lexical(question, k, where), embedded.lexical(question, k, where)
            assert ours.scores == pytest.approx(theirs.scores, abs=2e-5)
            overlap = set(places(store, ours.keys)) & set(places(embedded, theirs.keys))
            assert len(overlap) >= len(theirs) - 1  # the last places may tie within a rounding


def test_words_are_counted_alike(both: tuple[SupportsNames, str]) -> None:
    embedded, url = both
    with PostgreSQLStore.open(url, settings={}) as store:
        stems = ["river0", "stone3", "bridg", "absent"]
        ours, theirs = store.frequencies(stems), embedded.frequencies(stems)
        assert ours[0].tolist() == theirs[0].tolist()
        assert ours[1] == theirs[1]
        assert [info.id for info in store.documents()] == [info.id for info in embedded.documents()]
        assert store.metadata_keys() == embedded.metadata_keys() == ["year"]
