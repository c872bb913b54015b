"""Opening, settings, locking, derived indexes and failures of the embedded store."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from decoct import trace
from decoct.data import Chunk, Document, Span
from decoct.errors import StaleIndexError, StoreBusyError, StoreError
from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore, derived, schema, waiting
from decoct.index.embedded import opened as opened_library
from decoct.index.embedded.opening import stored_settings
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import corpus, make_entry, number, unit_rows
from decoct_testing.store_same import same_store

SETTINGS = {"embedder": "one", "chunker": "fixed"}


def opened(folder: Path, **options: bool) -> EmbeddedStore:
    return EmbeddedStore.open(folder, settings=SETTINGS, **options)


def filled(folder: Path, documents: int = 10) -> Path:
    with opened(folder) as store:
        store.put(corpus(documents))
    return folder


# -- opening -----------------------------------------------------------------------------------------------------
def test_everything_is_there_after_reopening(tmp_path: Path) -> None:
    model = MemoryStore()
    model.put(corpus())
    with opened(filled(tmp_path / "a", 30)) as store:
        same_store(store, model)
        assert store.status().settings == SETTINGS
        assert store.status().derived == {"lexical": 1, "vectors": 1}


def test_other_settings_are_refused_with_what_to_run(tmp_path: Path) -> None:
    filled(tmp_path)
    with pytest.raises(StaleIndexError, match=r"embedder 'one', not 'two'.*decoct ingest --rebuild"):
        EmbeddedStore.open(tmp_path, settings={"embedder": "two"})
    EmbeddedStore.open(tmp_path, settings={}).close()
    assert stored_settings(tmp_path) == SETTINGS


def test_an_emptied_library_may_be_built_another_way(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    with opened(tmp_path) as store:
        store.delete([info.id for info in store.documents()])
    with EmbeddedStore.open(tmp_path, settings={"embedder": "two"}) as store:
        document = Document("a", "river")
        store.put([Entry(document, (Chunk(Span("a", 0, 5), "river"),), unit_rows(1, dimension=5), "d")])
        assert len(store.nearest(unit_rows(1, dimension=5)[0], 3)) == 1
        assert store.status().settings == {"embedder": "two"}
    with opened(tmp_path / "new") as other:
        assert stored_settings(tmp_path / "new") is None
        other.close()
    assert stored_settings(tmp_path / "nowhere") is None


def test_vectors_of_another_length_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put(corpus(1))
        one = Document("z", "river")
        with pytest.raises(StoreError, match="5 dimensions"):
            store.put([Entry(one, (Chunk(Span("z", 0, 5), "river"),), unit_rows(1, dimension=5), "d")])
        with pytest.raises(StoreError, match="dimensions"):
            store.nearest(np.zeros(5, np.float32), 3)
        wrong = Entry(one, (Chunk(Span("z", 0, 5), "river"),), np.full((1, 12), np.nan, np.float32), "d")
        with pytest.raises(StoreError, match="not finite"):
            store.put([wrong])


def test_half_a_surrogate_pair_is_told(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        with pytest.raises(StoreError, match="surrogate"):
            store.put([make_entry("a", ["river \ud800"])])
        assert store.status().documents == 0


def test_what_is_no_library_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no library at"):
        opened(tmp_path / "none", create=False)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="is a file"):
        opened(tmp_path / "file")
    for name, content in (("text", b"not a database at all" * 100), ("short", b"SQLite format 3\x00" + b"\x01" * 200)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "library.db").write_bytes(content)
        with pytest.raises(StoreError, match="damaged") as caught:
            opened(tmp_path / name)
        assert "\n" not in str(caught.value)
    (tmp_path / "other").mkdir()
    foreign = sqlite3.connect(tmp_path / "other" / "library.db")
    foreign.execute("CREATE TABLE t (x)")
    foreign.close()
    with pytest.raises(StoreError, match="another program"):
        opened(tmp_path / "other")


def test_a_damaged_page_is_told(tmp_path: Path) -> None:
    file = filled(tmp_path, 30) / "library.db"
    size = file.stat().st_size
    with file.open("r+b") as handle:
        handle.seek(4096)
        handle.write(b"\xff" * (size - 4096))
    with pytest.raises(StoreError, match="damaged"):
        opened(tmp_path)


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.documents().__next__()


# -- schema ------------------------------------------------------------------------------------------------------
def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    file = sqlite3.connect(tmp_path / "library.db")
    file.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    file.close()
    with pytest.raises(StoreError, match="newer Decoct"):
        opened(tmp_path)


def test_a_file_of_version_1_is_brought_up(tmp_path: Path) -> None:
    # The tables of version 1 as they were released, filled by hand: this file never changes.
    file = sqlite3.connect(tmp_path / "library.db")
    file.executescript((Path(__file__).parent / "version_1.sql").read_text())
    file.close()
    with EmbeddedStore.open(tmp_path, settings={"embedder": "hand"}) as store:
        assert store.document("a").text == "The river runs.\nA stone lies."
        assert [chunk.text for chunk in store.chunks(store.lexical("rivers", 3).keys)] == ["The river runs."]
        assert store.nearest(np.array([0, 1], np.float32), 2).keys.tolist() == [2, 1]
        assert store.mentioned_in([number("river")], 1).keys.tolist() == [1]
        assert store.named([number("alpha")], 1).keys.tolist() == [1, 2]
        assert [info.id for info in store.documents({"year": ("2020",)})] == ["a"]
        store.put([make_entry("b", [], names=("beta",))])
        assert store.delete(["a"]) == 1
        assert (store.status().documents, store.status().names) == (1, 1)


def test_a_migration_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)

    def halfway(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE documents ADD COLUMN half TEXT")
        raise sqlite3.OperationalError("stopped halfway")

    def whole(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE documents ADD COLUMN language TEXT")

    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, halfway])
    with pytest.raises(StoreError, match="halfway"):
        opened(tmp_path)
    with pytest.raises(StoreError, match="write access"):
        opened(tmp_path, read_only=True)
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS[:-1], whole])
    opened(tmp_path).close()
    file = sqlite3.connect(tmp_path / "library.db")
    columns = [row[1] for row in file.execute("PRAGMA table_info(documents)")]
    assert "language" in columns
    assert "half" not in columns
    assert file.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
    file.close()


# -- derived indexes ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["lexical", "vectors"])
def test_a_deleted_index_is_built_again(tmp_path: Path, name: str) -> None:
    model = MemoryStore()
    model.put(corpus())
    shutil.rmtree(filled(tmp_path, 30) / name)
    with opened(tmp_path) as store:
        same_store(store, model)


@pytest.mark.parametrize("damage", ["short", "garbage", "missing"])
def test_a_damaged_index_is_built_again(tmp_path: Path, damage: str) -> None:
    model = MemoryStore()
    model.put(corpus())
    filled(tmp_path, 30)
    for file in [*(tmp_path / "lexical").iterdir(), *(tmp_path / "vectors").iterdir()]:
        if file.suffix in {".json", ".lock"} or file.name == "dead-1.i8" or not file.stat().st_size:
            continue
        if damage == "missing":
            file.unlink()
        elif damage == "short":
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        elif file.parent.name == "lexical":  # vectors have no checksum: garbage there is only found by its length
            file.write_bytes(os.urandom(file.stat().st_size))
    with opened(tmp_path) as store:
        same_store(store, model)


def test_an_index_of_another_library_is_not_taken(tmp_path: Path) -> None:
    filled(tmp_path / "one", 3)
    with opened(tmp_path / "two") as store:
        store.put([make_entry("x", ["violin"])])
    for name in ("lexical", "vectors"):
        shutil.rmtree(tmp_path / "two" / name)
        shutil.copytree(tmp_path / "one" / name, tmp_path / "two" / name)
    with opened(tmp_path / "two") as store:
        assert len(store.lexical("violin", 5)) == 1
        assert len(store.nearest(unit_rows(1)[0], 50)) == 1


def test_an_older_copy_of_an_index_catches_up(tmp_path: Path) -> None:
    model = MemoryStore()
    filled(tmp_path / "a", 5)
    for name in ("lexical", "vectors"):
        shutil.copytree(tmp_path / "a" / name, tmp_path / "old" / name)
    with opened(tmp_path / "a") as store:
        for n in range(4):  # each put prunes what the indexes hold, so the log no longer reaches back to the copies
            store.put([make_entry(f"x{n}", ["violin stone"])])
            store.refresh()
        store.delete(["doc-001"])
    model.put(corpus(5))
    model.put([make_entry(f"x{n}", ["violin stone"]) for n in range(4)])
    model.delete(["doc-001"])
    for name in ("lexical", "vectors"):
        shutil.rmtree(tmp_path / "a" / name)
        shutil.copytree(tmp_path / "old" / name, tmp_path / "a" / name)
    with opened(tmp_path / "a") as store:
        same_store(store, model)


def test_the_indexes_catch_up_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "DELAY", 0.05)
    with opened(tmp_path) as store, opened(tmp_path, read_only=True) as reader:
        store.put(corpus(3))
        deadline = time.monotonic() + 300
        while reader.status().derived != {"lexical": 1, "vectors": 1} and time.monotonic() < deadline:
            time.sleep(0.02)
        assert reader.status().derived == {"lexical": 1, "vectors": 1}
        assert len(reader.lexical("river stone bridge garden", 5))


def test_many_chunks_are_indexed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "PENDING", 10)
    with opened(tmp_path) as store:
        store.put([make_entry("first", ["river"])])  # a new library is searchable at once
        assert store.status().derived == {"lexical": 1, "vectors": 1}
        store.put([make_entry("second", ["river"])])
        assert store.status().derived == {"lexical": 1, "vectors": 1}
        store.put(corpus(20))
        assert store.status().derived == {"lexical": 3, "vectors": 3}


# -- locking and reading beside a writer -------------------------------------------------------------------------
def test_a_second_writer_is_told_and_a_reader_is_not_kept_out(tmp_path: Path) -> None:
    with opened(tmp_path) as first, opened(tmp_path) as second:
        first.put(corpus(2))
        with pytest.raises(StoreBusyError, match=rf"pid {os.getpid()}"):
            second.put(corpus(1))
        assert second.status().documents == 2
        first.close()
        assert second.delete(["doc-000"]) == 1


def test_a_lagging_reader_never_finds_the_removed(tmp_path: Path) -> None:
    filled(tmp_path, 30)
    with opened(tmp_path) as writer, opened(tmp_path) as reader:
        query = unit_rows(1, seed=5)[0]
        first = reader.nearest(query, 10).keys.tolist()
        gone = {chunk.span.doc_id for chunk in reader.chunks(first[:6])}
        writer.delete(sorted(gone))
        for _ in range(2):
            with trace.recording() as record:
                near, words = reader.nearest(query, 10), reader.lexical("river stone", 1000)
            assert len(near) == 10
            assert not gone & {chunk.span.doc_id for chunk in reader.chunks(near.keys)}
            assert len(reader.chunks(words.keys)) == len(words)
            assert not record.fallbacks
        writer.refresh()
        with trace.recording() as record:
            assert reader.nearest(query, 10).keys.tolist() == near.keys.tolist()
        assert not record.fallbacks


def test_reading_only_changes_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    before = {
        path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.suffix not in {".db-shm", ".db-wal"}
    }
    with opened(tmp_path, read_only=True) as store:
        assert len(store.lexical("river stone bridge garden", 5))
        assert len(store.nearest(unit_rows(1)[0], 5)) == 5
        with pytest.raises(StoreError, match="reading only"):
            store.put(corpus(1))
        with pytest.raises(StoreError, match="reading only"):
            store.delete(["doc-000"])
    after = {path: path.stat().st_mtime_ns for path in before}
    assert after == before


def test_a_missing_index_of_a_large_library_cannot_be_built_when_reading_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MOST", 10)
    monkeypatch.setattr(opened_library, "PATIENCE", 0.0)
    shutil.rmtree(filled(tmp_path) / "lexical")
    with opened(tmp_path, read_only=True) as store, pytest.raises(StoreError, match="write access"):
        store.lexical("river", 5)


# -- the disk ----------------------------------------------------------------------------------------------------
def run(code: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


def test_a_folder_that_cannot_be_written_is_read() -> None:
    # Not under tmp_path, whose parents only its owner may enter.
    above = Path(tempfile.mkdtemp())
    above.chmod(0o755)
    folder = filled(above / "library")
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)  # everything must have been written for others to read
    done = run(
        """
        import mmap, os, sys
        from pathlib import Path
        import faiss, tantivy, numpy
        from decoct.errors import StoreError
        from decoct.index.embedded import EmbeddedStore
        from decoct_testing.store_corpus import corpus, unit_rows
        query, more = unit_rows(1)[0], corpus(1)
        os.chdir(Path(sys.argv[1]))
        if os.getuid() == 0:
            os.setuid(65534)  # root may write everywhere
        store = EmbeddedStore.open(Path("."), settings={})
        print(len(store.lexical("river stone bridge garden", 5)), len(store.nearest(query, 5)), store.status().documents)
        try:
            store.put(more)
        except StoreError as error:
            print(error)
        store.close()
        """,
        folder,
    )
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(above)
    assert done.stdout.startswith("5 5 10\n"), done.stderr
    assert "reading only" in done.stdout


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    folder = filled(tmp_path, 5)
    done = run(
        """
        import resource, sys
        from pathlib import Path
        from decoct.errors import StoreError
        from decoct.index.embedded import EmbeddedStore
        from decoct_testing.store_corpus import corpus, make_entry, number, WORDS
        folder = Path(sys.argv[1])
        store = EmbeddedStore.open(folder, settings={})
        size = (folder / "library.db").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100_000, size + 100_000))  # a file cannot grow further
        for n in range(1000):
            try:
                store.put([make_entry(f"big{n}", [" ".join(WORDS) * 50] * 5)])
            except StoreError as error:
                print(n, type(error).__name__, str(error).count(chr(10)), str(error))
                break
        print(store.status().documents)
        """,
        folder,
    )
    number, kind, lines, *_ = done.stdout.split(" ")
    assert (kind, lines) == ("StoreError", "0"), done.stdout + done.stderr
    with opened(folder) as store:
        assert store.status().documents == 5 + int(number)
        assert len(store.lexical("lantern", 1000)) >= int(number) * 5


def test_settings_are_json_free_text(tmp_path: Path) -> None:
    settings = {"chunker": json.dumps({"use": "fixed"}), "embedder": "ü'\"\n"}
    with EmbeddedStore.open(tmp_path, settings=settings) as store:
        store.put(corpus(1))
    assert stored_settings(tmp_path) == settings
