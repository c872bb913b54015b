"""What the disk does to a library: lost and flipped bytes in every file are noticed, mended where that can be, and named where not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from decoct import trace
from decoct.errors import DamagedStoreError, StoreError
from decoct.index.abilities import Checked
from decoct.index.embedded import EmbeddedStore, database, files, ivf, nearest, waiting
from decoct.index.embedded import opened as opened_library
from decoct.index.embedded.opening import stored_settings
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry, unit_rows
from decoct_testing.store_same import same_store


def opened(folder: Path, **options: bool) -> EmbeddedStore:
    return EmbeddedStore.open(folder, settings={}, **options)


def lower(patched: pytest.MonkeyPatch) -> None:
    """Sizes at which a small library has a faiss file and rows after it."""
    patched.setattr(ivf, "EXACT", 30)
    patched.setattr(ivf, "TAIL", 8)
    patched.setattr(nearest, "FEW", 2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library whose indexes have all kinds of files: removed rows, a faiss file and rows after it."""
    place = tmp_path_factory.mktemp("made") / "lib"
    with pytest.MonkeyPatch.context() as patched:
        lower(patched)
        with opened(place) as store:
            store.put(corpus())
            store.refresh()
            store.delete(["doc-003", "doc-010"])
    return place


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That library, the test's own."""
    lower(monkeypatch)
    return Path(shutil.copytree(made, tmp_path / "lib"))


@pytest.fixture
def model() -> MemoryStore:
    found = MemoryStore()
    found.put(corpus())
    found.delete(["doc-003", "doc-010"])
    return found


def flip(path: Path, at: int | None = None) -> None:
    """Change one byte."""
    data = bytearray(path.read_bytes())
    place = len(data) // 2 if at is None else at
    data[place] ^= 0x5A
    path.write_bytes(bytes(data))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def lose(path: Path) -> None:
    path.unlink()


KINDS = ["lexical/meta.json", "lexical/decoct.json", "vectors/manifest.json"] + [
    f"{name}" for name in ("lexical/*.idx", "lexical/*.term", "lexical/*.fast", "lexical/*.fieldnorm", "lexical/*.del")
] + ["vectors/rows-*.f2", "vectors/keys-*.i8", "vectors/marks-*.u1", "vectors/dead-*.i8", "vectors/ivf-*.faiss"]  # fmt: skip
KINDS += ["vectors/traits-*.u1", "vectors/ends-*.i8"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", [flip, cut, lose])
def test_a_damaged_index_is_built_again_and_that_is_said(
    folder: Path, model: MemoryStore, damage: object, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    (path, *_) = folder.glob(kind)
    assert callable(damage)
    damage(path)
    index = kind.partition("/")[0]
    with opened(folder) as store:
        if "ivf" not in kind:
            assert store.status().derived[index] == -1
        with trace.recording() as record:
            same_store(store, model)
        built = "store.vector_index_rebuilt" if "ivf" in kind else f"store.{index}_rebuilt"
        assert record.fallbacks[built] == 1
        assert ("built again" in caplog.text) == ("ivf" not in kind)
    with opened(folder) as store, trace.recording() as record:  # and once is enough
        assert set(store.status().derived.values()) == {2}
        store.lexical("river", 5)
        store.nearest(unit_rows(1)[0], 5)
        assert not record.fallbacks
        assert [one for one in store.verify() if one.damaged] == []


@pytest.mark.parametrize("kind", ["lexical/meta.json", "vectors/keys-*.i8"])
def test_a_writer_mends_what_it_finds_damaged(folder: Path, model: MemoryStore, kind: str) -> None:
    (path, *_) = folder.glob(kind)
    lose(path)
    with opened(folder) as store, trace.recording() as record:
        for one in (store, model):
            one.put([make_entry("new", ["river stone"], seed=9)])
        same_store(store, model)
        assert record.fallbacks[f"store.{kind.partition('/')[0]}_rebuilt"] == 1


def test_files_that_a_killed_writer_left_in_the_way_are_mended(folder: Path, model: MemoryStore) -> None:
    """tantivy refuses to write a list of removed rows whose name is taken."""
    with opened(folder) as store:
        for n in range(3):
            for one in (store, model):
                one.delete([f"doc-{n + 20:03}"])
            segments = {path.stem.partition(".")[0] for path in (folder / "lexical").glob("*.idx")}
            for number in range(400):
                for segment in segments:
                    (folder / "lexical" / f"{segment}.{number}.del").touch()
        with trace.recording() as record:
            same_store(store, model)
        assert record.fallbacks["store.lexical_rebuilt"] == 1


def test_a_lost_faiss_file_that_is_not_needed_any_more_is_let_go(
    folder: Path, model: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ivf, "EXACT", 20_000)
    (path,) = folder.glob("vectors/ivf-*.faiss")
    lose(path)
    with opened(folder) as store:
        same_store(store, model)
        assert {(one.damaged, one.behind) for one in store.verify()} == {((), 0)}


def test_a_new_library_is_not_called_damaged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with opened(tmp_path) as store, trace.recording() as record:
        assert len(store.lexical("river", 5)) == len(store.nearest(unit_rows(1)[0], 5)) == 0
        store.put(corpus(2))
        store.put(corpus(3))
        store.lexical("river", 5)
        store.delete([info.id for info in store.documents()])
        store.refresh()
        store.put(corpus(2))
        store.nearest(unit_rows(1)[0], 5)
    assert not record.fallbacks
    assert not caplog.text


@pytest.mark.parametrize("kind", ["lexical/meta.json", "vectors/keys-*.i8"])
def test_reading_only_a_damaged_index_of_a_large_library_is_told(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MOST", 10)
    monkeypatch.setattr(opened_library, "PATIENCE", 0.0)
    (path, *_) = folder.glob(kind)
    lose(path)
    with opened(folder, read_only=True) as store, pytest.raises(StoreError, match="write access"):
        _ = store.lexical("river", 5) if "lexical" in kind else store.nearest(unit_rows(1)[0], 5)


@pytest.mark.parametrize("kind", ["lexical/meta.json", "vectors/keys-*.i8"])
def test_reading_only_a_small_library_is_searched_without_its_index(
    folder: Path, kind: str, model: MemoryStore
) -> None:
    (path, *_) = folder.glob(kind)
    lose(path)
    with opened(folder, read_only=True) as store:
        same_store(store, model)


def test_an_index_that_is_ahead_of_a_restored_database_is_not_believed(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "library.db", tmp_path / "copy.db")
    with opened(folder) as store:
        store.put([make_entry("later", ["violin"])])
        store.delete(["doc-001"])
    shutil.copy(tmp_path / "copy.db", folder / "library.db")
    restored = MemoryStore()
    restored.put(corpus())
    restored.delete(["doc-003", "doc-010"])
    with opened(folder) as store:
        assert len(store.lexical("violin", 5)) == len(restored.lexical("violin", 5))
        same_store(store, restored)
        store.put([make_entry("other", ["lantern"])])  # its sequence number is that of `later`
    shutil.copytree(folder / "vectors", tmp_path / "vectors")
    shutil.rmtree(folder / "vectors")
    shutil.copytree(tmp_path / "vectors", folder / "vectors")
    with opened(folder) as store:
        assert len(store.chunks(store.nearest(unit_rows(1)[0], 500).keys)) == store.status().chunks


def test_a_large_file_that_rested_is_not_read_again(
    folder: Path, model: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGE", 1)
    monkeypatch.setattr(files, "RESTED", -1.0)
    with opened(folder) as store:
        same_store(store, model)  # found right and noted
    monkeypatch.setattr(files, "checksum", lambda *_: pytest.fail("read again"))
    with opened(folder) as store:
        assert set(store.status().derived.values()) == {2}
    monkeypatch.undo()
    monkeypatch.setattr(files, "LARGE", 1)
    (path,) = folder.glob("vectors/rows-*.f2")
    flip(path)
    with opened(folder) as store:
        assert store.status().derived["vectors"] == -1
        same_store(store, model)


# -- the database ------------------------------------------------------------------------------------------------
def damaged(folder: Path) -> dict[str, tuple[str, ...]]:
    with opened(folder) as store:
        return {one.what: one.damaged for one in store.verify() if one.damaged}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE texts SET text = upper(text) WHERE place / 1048576 = 5", {"texts": ("doc-004",)}),
        ("UPDATE vectors SET vector = zeroblob(24) WHERE key = 1", {"vectors": ("doc-000",), "index vectors": ()}),
        ("UPDATE vectors SET signature = zeroblob(8) WHERE key = 1", {"vectors": ("doc-000",)}),
        ("UPDATE chunks SET first = first + 1 WHERE key = 1", {"chunks": ("doc-000",)}),
        ("UPDATE chunks SET traits = x'00' WHERE key = 1", {"chunks": ("doc-000",)}),
        ("DELETE FROM chunks WHERE key = 1", {"chunks": ("doc-000",), "tables": ()}),
        ("UPDATE documents SET title = 'x' WHERE number = 6", {"documents": ("doc-005",)}),
        ("UPDATE documents SET metadata = '{' WHERE number = 6", {"documents": ("doc-005",)}),
        ("DELETE FROM metadata WHERE document = 6 AND name = 'year'", {"metadata": ("doc-005",)}),
        ("DELETE FROM sums WHERE document = 6", {"documents": ("doc-005",)}),
        ("DELETE FROM mentions WHERE chunk = 1", {"tables": ("names that chunks mention", "mentions of chunks")}),
        ("DELETE FROM known_as WHERE document = 6", {"tables": ("names of documents", "documents known by names")}),
        ("UPDATE meta SET value = value + 1 WHERE name = 'chunks'", {"tables": ("the tally of chunks",)}),
    ],
)
def test_every_digest_is_computed_again(folder: Path, statement: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert damaged(folder) == {}
    file = sqlite3.connect(folder / "library.db")
    file.execute(statement)
    file.commit()
    file.close()
    found = damaged(folder)
    for what, names in expected.items():
        assert found[what]
        if names:
            assert found[what] == names


def test_a_sound_library_is_called_sound(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    with opened(folder) as store:
        checked = {one.what: one for one in store.verify(lambda done, of: told.append((done, of)))}
    assert checked["texts"] == Checked("texts", 28)
    assert checked["vectors"].checked == checked["chunks"].checked == 28
    assert told[-1] == (27, 28)


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_page_is_a_typed_error_that_names_doctor(folder: Path, seed: int) -> None:
    """Whatever page is overwritten: an answer, or an error that says what to do; never a traceback of another kind."""
    file = folder / "library.db"
    pages = file.stat().st_size // 4096
    with file.open("r+b") as handle:
        for page in range(seed, pages, 8):
            if page:
                handle.seek(page * 4096)
                handle.write(bytes((page * 37 + n) % 256 for n in range(4096)))
    told = []
    try:
        with opened(folder) as store:
            ids = [f"doc-{n:03}" for n in range(30)]
            asked: list[Callable[[], object]] = [
                lambda: list(store.documents()), lambda: [store.document(one) for one in store.digests(ids)],
                lambda: store.chunks(range(1, 80)), lambda: store.vectors(range(1, 80)), lambda: store.traits(range(1, 80)),
                lambda: store.signatures(range(1, 80)), lambda: store.extents(range(1, 80)), store.status, store.metadata_keys,
                lambda: store.lexical("river", 50, {"year": ("2001",)}), lambda: store.nearest(unit_rows(1)[0], 50, {"year": ("2001",)}),
                lambda: list(store.verify()), lambda: store.mentioned_in([1], 5), lambda: store.named([1], 5),
                lambda: store.put([make_entry("doc-001", ["river"])]), lambda: store.delete(ids),
            ]  # fmt: skip
            for ask in asked:
                try:
                    ask()
                except StoreError as error:
                    told.append(error)
            shutil.rmtree(folder / "lexical", ignore_errors=True)
    except StoreError as error:
        told.append(error)
    assert told
    assert {type(error) for error in told} == {DamagedStoreError}
    assert all("decoct doctor --library" in str(error) for error in told)


@pytest.mark.parametrize("create", [True, False])
def test_an_empty_database_is_damage(folder: Path, create: bool) -> None:
    for name in ("lexical", "vectors"):
        shutil.rmtree(folder / name)
    (folder / "library.db").write_bytes(b"")
    with pytest.raises(DamagedStoreError, match=r"library\.db is empty"):
        opened(folder, create=create)
    with pytest.raises(DamagedStoreError, match="empty"):
        stored_settings(folder)
    assert (folder / "library.db").stat().st_size == 0


def test_a_database_that_is_gone_is_not_an_empty_library(folder: Path) -> None:
    (folder / "library.db").unlink()
    with pytest.raises(DamagedStoreError, match=r"library\.db is gone, though lexical"):
        opened(folder)
    assert not (folder / "library.db").exists()


def test_a_database_cut_under_an_open_handle_is_told(folder: Path) -> None:
    with opened(folder) as store:
        assert store.status().documents == 28
        os.truncate(folder / "library.db", 0)
        time.sleep(2 * database.FRESH)
        with pytest.raises(DamagedStoreError, match="was cut to 0 bytes"):
            store.documents().__next__()


MAKING = """
import os, sys
from pathlib import Path
from decoct.index.embedded import EmbeddedStore
STEPS = {"os.link", "os.remove", "open", "sqlite3.connect", "os.mkdir"}
for step in range(1, 12):
    place = Path(sys.argv[1]) / str(step)
    child = os.fork()
    if not child:
        left = [step]
        def count(event, _):
            left[0] -= event in STEPS
            if not left[0]:
                os._exit(9)
        sys.addaudithook(count)
        EmbeddedStore.open(place, settings={}).close()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_crash_while_a_library_is_made_leaves_nothing_or_a_library(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", MAKING, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.split().count("9") > 3
    for step in range(1, 12):
        file = tmp_path / str(step) / "library.db"
        assert [path.stat().st_size > 0 for path in file.parent.glob("library.db")] in ([], [True])
        with opened(file.parent) as store:
            assert store.status().documents == 0
