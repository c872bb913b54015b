"""Vector files and searches over them: exact against numpy, faiss with its exact tail, filters, compaction, growth by steps."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct import trace
from decoct.data import Floats, Keys
from decoct.errors import StoreError
from decoct.index.embedded import ivf, nearest, rows
from decoct.index.embedded.nearest import VectorView
from decoct.index.embedded.rows import KEY, Manifest, RowFiles, RowTraits, StoredRow
from decoct.index.embedded.vectors import VectorIndex
from decoct_testing.store_corpus import unit_rows


def blobs(vectors: Floats, first_key: int) -> Iterator[StoredRow]:
    for at, row in enumerate(vectors.astype(np.float16)):
        yield first_key + at, row.tobytes(), b"", b"traits of %d" % (first_key + at)


def clustered(count: int, seed: int = 0) -> Floats:
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(1).standard_normal((40, 16)).astype(np.float32)
    found = centres[random.integers(0, 40, count)] + 0.5 * random.standard_normal((count, 16)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.astype(np.float16).astype(np.float32)


def view_of(folder: Path) -> VectorView:
    found = VectorIndex(folder, "lib").load()
    assert found is not None
    return found


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds so low that a few hundred rows use every path."""
    monkeypatch.setattr(ivf, "EXACT", 300)
    monkeypatch.setattr(ivf, "TAIL", 100)
    monkeypatch.setattr(ivf, "PROBES", 8)
    monkeypatch.setattr(ivf, "CODES", 100)
    monkeypatch.setattr(nearest, "BLOCK", 64)
    monkeypatch.setattr(nearest, "FEW", 20)
    monkeypatch.setattr(rows, "FEW_DEAD", 50)


@settings(max_examples=60, deadline=None)
@given(count=st.integers(1, 200), k=st.integers(1, 60), seed=st.integers(0, 5), repeats=st.integers(1, 4))
def test_few_rows_are_ranked_as_numpy_ranks_them(count: int, k: int, seed: int, repeats: int) -> None:
    vectors = np.repeat(unit_rows(count, seed), repeats, axis=0)
    keys = np.arange(len(vectors), dtype=np.int64) * 3 + 5
    view = VectorView(
        Manifest("lib", 1, 12, 0, 1, len(keys)),
        keys,
        vectors.astype(np.float16),
        np.empty((len(keys), 0), np.uint8),
        RowTraits(np.empty(0, np.uint8), np.zeros(len(keys), KEY)),
        None,
        None,
    )
    query = unit_rows(1, seed + 100)[0]
    found = view.search(query, k, None)
    scores = np.einsum("ij,j->i", vectors, query)
    order = np.lexsort((keys, -scores))[:k]
    assert found.keys.tolist() == keys[order].tolist()
    assert found.scores.tolist() == scores[order].tolist()


@pytest.mark.usefixtures("small")
def test_many_rows_are_found_by_faiss_and_its_tail(tmp_path: Path) -> None:
    files = RowFiles(tmp_path, "lib")
    vectors = clustered(900)
    manifest = files.extend(None, 1, [], blobs(vectors[:800], 1))
    assert (manifest.rows, manifest.indexed, manifest.trained) == (800, 800, 800)
    manifest = files.extend(manifest, 2, [], blobs(vectors[800:], 801))
    assert (manifest.rows, manifest.indexed) == (900, 800)
    view = view_of(tmp_path)
    assert view.ivf is not None
    found_of_best = []
    for query in clustered(30, seed=9):
        found = view.search(query, 20, None)
        scores = vectors @ query
        best = np.argsort(-scores)[:20] + 1
        found_of_best.append(len(set(found.keys.tolist()) & set(best.tolist())) / 20)
        assert found.scores == pytest.approx(scores[found.keys - 1], abs=1e-6)  # exact, though quantised inside
        assert (np.diff(found.scores) <= 0).all()
    assert np.mean(found_of_best) > 0.9
    assert view.search(vectors[850], 1, None).keys.tolist() == [851]


@pytest.mark.usefixtures("small")
def test_a_filter_gives_k_when_k_exist(tmp_path: Path) -> None:
    vectors = clustered(900)
    RowFiles(tmp_path, "lib").extend(None, 1, [], blobs(vectors, 1))
    view = view_of(tmp_path)
    query = vectors[0]
    for first, number in ((1, 10), (101, 60), (401, 450), (1, 900)):  # few, more than few, half, all
        allowed = view.allow(np.array([[first, number]], dtype=np.int64))
        assert allowed[2] == number
        found = view.search(query, 50, allowed)
        assert len(found) == min(50, number)
        assert ((found.keys >= first) & (found.keys < first + number)).all()
    # Documents far from the query: their lists are not looked into, so all of them are scored.
    far = np.sort(np.argsort(vectors @ query)[:30])
    allowed = view.allow(np.array([[row + 1, 1] for row in far], dtype=np.int64))
    assert sorted(view.search(query, 30, allowed).keys.tolist()) == (far + 1).tolist()


@pytest.mark.usefixtures("small")
def test_dead_rows_are_never_found_and_are_moved_out_at_last(tmp_path: Path) -> None:
    files = RowFiles(tmp_path, "lib")
    vectors = clustered(800)
    manifest = files.extend(None, 1, [], blobs(vectors, 1))
    manifest = files.extend(manifest, 2, range(1, 101), [])
    assert (manifest.generation, manifest.dead) == (1, 100)
    view = view_of(tmp_path)
    assert len(view.search(vectors[0], 800, None)) == 700
    assert view.search(vectors[0], 800, None).keys.min() == 101
    assert not view.vectors(np.array([1, 5000])).any()
    manifest = files.extend(manifest, 3, range(101, 301), blobs(vectors[:10], 801))
    assert (manifest.generation, manifest.dead, manifest.rows) == (2, 0, 510)
    after = view_of(tmp_path)
    assert after.keys.tolist() == [*range(301, 811)]
    assert after.vectors(np.array([301, 805])) == pytest.approx(vectors[[300, 4]])
    assert len(view.search(vectors[0], 800, None)) == 700  # the older view still reads its own files
    assert {path.name.split("-")[1][0] for path in tmp_path.iterdir() if "-" in path.name} == {"2"}


@pytest.mark.usefixtures("small")
def test_the_index_is_trained_again_when_it_has_outgrown_itself(tmp_path: Path) -> None:
    files = RowFiles(tmp_path, "lib")
    vectors = clustered(1500)
    manifest = files.extend(None, 1, [], blobs(vectors[:310], 1))
    manifest = files.extend(manifest, 2, [], blobs(vectors[310:800], 311))
    assert (manifest.indexed, manifest.trained) == (800, 310)
    manifest = files.extend(manifest, 3, [], blobs(vectors[800:], 801))
    assert (manifest.indexed, manifest.trained) == (1500, 1500)


@pytest.mark.usefixtures("small")
def test_a_damaged_faiss_file_is_done_without_and_built_again(tmp_path: Path) -> None:
    files = RowFiles(tmp_path, "lib")
    vectors = clustered(900)
    manifest = files.extend(None, 1, [], blobs(vectors[:800], 1))
    file = files.index(manifest)
    file.write_bytes(b"\x00" * file.stat().st_size)
    with trace.recording() as record:
        view = view_of(tmp_path)
        assert view.ivf is None
        assert view.search(vectors[7], 1, None).keys.tolist() == [8]
        manifest = files.extend(manifest, 2, [], blobs(vectors[800:], 801))
        manifest = files.extend(manifest, 3, [], blobs(vectors[:1], 901))
    assert record.fallbacks["store.vector_index_damaged"] == 1
    assert record.fallbacks["store.vector_index_rebuilt"] in {0, 1}
    assert files.manifest() == manifest


def test_what_a_crash_left_behind_is_cut_off(tmp_path: Path) -> None:
    files = RowFiles(tmp_path, "lib")
    manifest = files.extend(None, 1, [], blobs(unit_rows(10), 1))
    for path in tmp_path.glob("*-*"):
        with path.open("ab") as file:
            file.write(b"left behind by a crash")
    assert view_of(tmp_path).keys.tolist() == [*range(1, 11)]
    files.extend(manifest, 2, [3], blobs(unit_rows(2, seed=1), 11))
    view = view_of(tmp_path)
    assert view.keys.tolist() == [*range(1, 13)]
    assert view.vectors(np.array([12]))[0] == pytest.approx(unit_rows(2, seed=1)[1])


@pytest.mark.parametrize("name", ["rows-1.f2", "keys-1.i8", "manifest.json"])
def test_files_shorter_than_the_manifest_are_not_taken(tmp_path: Path, name: str) -> None:
    RowFiles(tmp_path, "lib").extend(None, 1, [], blobs(unit_rows(10), 1))
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-1])
    assert VectorIndex(tmp_path, "lib").load() is None
    assert VectorIndex(tmp_path, "other").load() is None


def test_an_unfinished_faiss_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.faiss").write_bytes(b"IwSq")
    with pytest.raises(StoreError, match="vector index failed"):
        ivf.load(tmp_path / "x.faiss", 10)


def test_when_an_index_is_worth_its_writing() -> None:
    assert not ivf.is_index_due(ivf.EXACT, 0)
    assert ivf.is_index_due(ivf.EXACT + 1, 0)
    assert not ivf.is_index_due(30_000 + ivf.TAIL, 30_000)
    assert ivf.is_index_due(30_001 + ivf.TAIL, 30_000)
    assert not ivf.is_index_due(1_020_000, 1_000_000)
    assert ivf.is_index_due(1_032_000, 1_000_000)


def test_half_precision_moves_a_dot_product_by_less_than_a_ten_thousandth() -> None:
    vectors = np.random.default_rng(0).standard_normal((2000, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    moved: Keys | Floats = vectors.astype(np.float16).astype(np.float32) @ vectors[0] - vectors @ vectors[0]
    assert np.abs(moved).max() < 1e-4


@pytest.mark.usefixtures("small")
def test_vectors_come_from_the_copies_and_the_stored_rows_alike(tmp_path: Path) -> None:
    """Rows of the faiss file, of several blocks after it, the same twice, and a key that is not there, in no order."""
    vectors = clustered(890)
    files = RowFiles(tmp_path, "lib")
    manifest = files.extend(None, 1, [], blobs(vectors[:800], 1))
    files.extend(manifest, 2, [], blobs(vectors[800:], 801))
    view = view_of(tmp_path)
    assert view.indexed == 800
    assert [len(block) for block in view.blocks] == [64, 26]
    keys = np.array([890, 1, 5000, 800, 801, 865, 865, 3], dtype=np.int64)
    found, here = view.vectors(keys), keys != 5000
    expected = vectors[np.where(here, keys - 1, 0)] * here[:, None]
    assert found.dtype == np.float32
    assert np.array_equal(found, expected)


@pytest.mark.usefixtures("small")
def test_rows_are_found_by_key_with_and_without_gaps(tmp_path: Path) -> None:
    """Keys one after another are counted off; where some are missing they are looked for."""
    vectors = clustered(40)
    files = RowFiles(tmp_path, "lib")
    manifest = files.extend(None, 1, [], blobs(vectors[:30], 5))
    asked = np.array([34, 5, 6, 4, 35, 0, -3, 10**12, 2**63 - 1], dtype=np.int64)
    found = view_of(tmp_path).vectors(asked)
    assert np.array_equal(found[:3], vectors[[29, 0, 1]])
    assert not found[3:].any()
    files.extend(manifest, 2, [6], blobs(vectors[30:], 100))
    asked = np.array([34, 6, 100, 99, 109, 110], dtype=np.int64)
    found = view_of(tmp_path).vectors(asked)
    assert not found[[1, 3, 5]].any()
    assert np.array_equal(found[[0, 2, 4]], vectors[[29, 30, 39]])
    assert view_of(tmp_path).traits(asked) == [b"traits of 34", b"", b"traits of 100", b"", b"traits of 109", b""]
