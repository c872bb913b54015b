"""Adding to a large index: the same file as faiss writes, from a mapped one whose pages are let go, and a cut one is built again."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest

from decoct import trace
from decoct.data import Floats
from decoct.index.embedded import ivf
from decoct.index.embedded.ivf import let_go, trim
from decoct.index.embedded.rows import RowFiles, StoredRow
from decoct_testing.store_corpus import unit_rows


def resident(path: Path) -> int:
    """Kilobytes of the file that this process has mapped and holds."""
    inside, total = False, 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split(" ", 1)[0]:
            inside = line.endswith(str(path))
        elif inside and line.startswith("Rss:"):
            total += int(line.split()[1])
    return total


@pytest.mark.parametrize("first", [900, 1300])
def test_adding_to_a_mapped_index_writes_what_adding_in_memory_does(tmp_path: Path, first: int) -> None:
    import faiss

    rows = np.random.default_rng(0).standard_normal((1500, 16)).astype(np.float32)

    def read(start: int, end: int) -> Floats:
        found: Floats = rows[start:end]
        return found

    ivf.build(read, first, None, 0, tmp_path / "old")
    index = faiss.read_index(str(tmp_path / "old"))
    index.add(rows[first:])
    faiss.write_index(index, str(tmp_path / "expected"))
    size = ivf.build(read, 1500, tmp_path / "old", first, tmp_path / "new")
    assert (tmp_path / "new").read_bytes() == (tmp_path / "expected").read_bytes()
    assert size == (tmp_path / "expected").stat().st_size
    assert ivf.load(tmp_path / "new", 1500).rows == 1500


def test_a_cut_index_is_built_again_and_not_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivf, "EXACT", 300)
    monkeypatch.setattr(ivf, "TAIL", 100)
    files, vectors = RowFiles(tmp_path, "lib"), unit_rows(1000).astype(np.float16)

    def added(start: int, end: int) -> list[StoredRow]:
        return [(key + 1, vectors[key].tobytes(), b"", b"") for key in range(start, end)]

    manifest = files.extend(None, 1, [], added(0, 600))
    path = files.index(manifest)
    path.write_bytes(path.read_bytes()[:-100])
    with trace.recording() as record:
        manifest = files.extend(manifest, 2, [], added(600, 1000))
    assert record.fallbacks["store.vector_index_rebuilt"] == 1
    assert (manifest.indexed, manifest.trained) == (1000, 1000)
    assert ivf.load(files.index(manifest), 1000).rows == 1000


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="tells resident pages on Linux")
def test_pages_of_a_file_are_let_go_and_read_again(tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096
    (tmp_path / "file").write_bytes(content)
    with (tmp_path / "file").open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        view = np.frombuffer(mapped, dtype=np.uint8)
        assert int(view.sum()) == sum(content)
        assert resident(tmp_path / "file") == 1024
        let_go(view.ctypes.data + 5000, len(content) - 5000)
        assert resident(tmp_path / "file") == 4  # the page before
        assert view.tobytes() == content
        trim()
        assert view.tobytes() == content
        del view
