"""Vectors of sentences: what is embedded, how it is kept, and that a change costs what it is (contract: test_registered_contracts)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct import Document, Library
from decoct.copying import copy_library
from decoct.data import Floats, Query
from decoct.embed.base import TextKind
from decoct.errors import StaleIndexError
from decoct_lab.retrieve.sentences import NearestSentences
from decoct_lab.structure.byte_vectors import ByteVectors, as_bytes
from decoct_lab.structure.sentences import ChunkedSentences, SentenceVectors, read_sentences
from decoct_testing.hash_embedder import HashEmbedder

SAID = "The bridge was opened in 1906. It rusts. The bridge was painted in the spring."
REPEATED = "The bridge was opened in 1906. A ferry crossed the river before."


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was embedded as a passage so far."""
    told: list[str] = []
    embed = HashEmbedder.embed

    def listening(self: HashEmbedder, texts: Sequence[str], kind: TextKind) -> Floats:
        told.extend(texts if kind == "passage" else ())
        return embed(self, texts, kind)

    monkeypatch.setattr(HashEmbedder, "embed", listening)
    return told


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder()) as library:
        library.add([Document("a", SAID), Document("b", REPEATED)])
    return tmp_path / "lib"


def opened(place: Path) -> Library:
    return Library.open(place, embedder=HashEmbedder())


def known(library: Library) -> ChunkedSentences:
    return library.structures.read("sentences", read_sentences)


def test_different_sentences_of_three_words_are_embedded_once(place: Path, embedded: list[str]) -> None:
    with opened(place) as library:
        library.structure("sentences").run()
        assert embedded == [
            "The bridge was opened in 1906.",
            "The bridge was painted in the spring.",
            "A ferry crossed the river before.",
        ]
        sentences = known(library)
        assert [sentences.rows[a:b].tolist() for a, b in zip(sentences.first, sentences.first[1:], strict=False)] == [
            [0, 1],
            [0, 2],
        ]
        assert sentences.keys.tolist() == [int(library.store.chunk_keys(doc_id)[0]) for doc_id in ("a", "b")]


def test_a_change_is_embedded_and_nothing_else(place: Path, embedded: list[str]) -> None:
    with opened(place) as library:
        library.structure("sentences").run()
        before = known(library).vectors
        old = (np.array(before.rows), np.array(before.scales))
        library.add(Document("c", "A tunnel will replace the bridge. The bridge was opened in 1906."))
        library.delete("b")
        embedded.clear()
        report = library.structure("sentences").run()
        assert (report.read, report.removed, report.unchanged) == (1, 1, 1)
        assert embedded == ["A tunnel will replace the bridge."]
        after = known(library).vectors
        assert after.rows.shape == (3, 64)
        assert np.array_equal(after.rows[:2], old[0][:2])
        assert np.array_equal(after.scales[:2], old[1][:2])


def test_a_vector_takes_a_byte_a_number(place: Path) -> None:
    with opened(place) as library:
        library.structure("sentences").run()
        vectors = known(library).vectors
    assert vectors.rows.dtype == np.int8
    (file,) = place.glob("structures/sentences/made-*/sentences.npy")
    assert file.stat().st_size == 3 * 64 + 128


def test_a_copy_of_the_library_builds_the_same_structure(place: Path, tmp_path: Path) -> None:
    with opened(place) as library:
        library.structure("sentences").run()
        vector = HashEmbedder().embed(["bridge"], "query")[0]
        expected = known(library).best(vector).tolist()
    report = copy_library(place, tmp_path / "copy")
    assert report.structures == ["sentences"]
    with opened(tmp_path / "copy") as library:
        library.structure("sentences").run()
        assert known(library).best(vector).tolist() == expected


def test_a_library_without_sentences_has_a_structure_too(tmp_path: Path) -> None:
    with opened(tmp_path / "empty") as library:
        library.structure("sentences").run()
        assert known(library).best(np.ones(64, np.float32)).shape == (0,)
        assert len(NearestSentences(library.store, library.embedder, library.structures).retrieve(Query("it"), 5)) == 0
        library.add(Document("a", "Yes. No."))
        library.structure("sentences").run()
        assert known(library).vectors.rows.shape == (0, 64)
        assert len(library.search("yes", 5, {"retrieve": "sentences"})) == 1


@pytest.mark.parametrize("name", ["chunks.npz", "sentences.npy", "sentences.scales.npy"])
def test_damaged_files_say_what_to_do(place: Path, name: str) -> None:
    with opened(place) as library:
        library.structure("sentences").run()
        (file,) = place.glob(f"structures/sentences/made-*/{name}")
        file.write_bytes(b"nothing")
        with pytest.raises(StaleIndexError, match="drop the structure and build it again"):
            library.search("bridge", 5, {"retrieve": "sentences"})


def test_files_that_do_not_belong_together_are_told(place: Path) -> None:
    with opened(place) as library:
        library.structure("sentences").run()
        (file,) = place.glob("structures/sentences/made-*/sentences.npy")
        np.save(file, np.zeros((1, 64), np.int8))
        with pytest.raises(StaleIndexError, match="damaged"):
            library.search("bridge", 5, {"retrieve": "sentences"})


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="words must be at least 1"):
        SentenceVectors(words=0)


@given(st.integers(0, 40), st.integers(1, 24), st.integers(0, 2**32 - 1))
def test_products_are_those_of_the_vectors_but_for_rounding(rows: int, dimension: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((rows, dimension)).astype(np.float32)
    vectors[::5] = 0
    asked = random.standard_normal(dimension).astype(np.float32)
    kept = as_bytes(vectors)
    allowed = np.abs(vectors).max(axis=1, initial=0) / 127 * 0.5001 * np.abs(asked).sum() + 1e-4
    assert (np.abs(kept.products(asked) - vectors @ asked) <= allowed).all()


def test_equal_rows_have_equal_products_in_every_block() -> None:
    row = HashEmbedder().embed(["The bridge was opened in 1906."], "passage")
    kept = as_bytes(np.repeat(row, 3000, axis=0))
    asked = HashEmbedder().embed(["When was the bridge opened?"], "query")[0]
    assert isinstance(kept, ByteVectors)
    assert len(set(kept.products(asked).tolist())) == 1
