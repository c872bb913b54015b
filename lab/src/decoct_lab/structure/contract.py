"""What every structure's method must pass. Subclass in a test module and give the fixture `method`.

The library is `retriever_contract.library()`; structures are built into a folder of the test's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from decoct.index.base import Entry, Store
from decoct_lab.structure.base import Chunked, StructureMethod
from decoct_lab.structure.build import StructureReport
from decoct_lab.structure.of_library import LibraryStructures
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.retriever_contract import library


class StructureContract:
    """Building, resuming, keeping up with the library."""

    # Whether a structure that grew is the same as one built at once (trees that new leaves join are not).
    grown_is_the_same: ClassVar[bool] = True

    @pytest.fixture
    def embedder(self) -> HashEmbedder:
        """The library's embedder."""
        return HashEmbedder()

    @pytest.fixture
    def method(self, embedder: HashEmbedder) -> StructureMethod:
        """The method under test."""
        raise NotImplementedError("give the fixture 'method'")

    def test_nothing_is_done_twice(self, method: StructureMethod, embedder: HashEmbedder, tmp_path: Path) -> None:
        """A second build reads nothing and leaves every file as it is."""
        structures = LibraryStructures(library(embedder), embedder, tmp_path)
        first = structures.build("it", method).run()
        assert (first.read, first.documents) == (40, 40)
        before = _files(tmp_path)
        assert structures.build("it", method).estimate()[0] == 0
        second = structures.build("it", method).run()
        assert (second.read, second.unchanged, second.spent.calls) == (0, 40, 0)
        assert _files(tmp_path) == before

    def test_it_keeps_up_with_the_library(
        self, method: StructureMethod, embedder: HashEmbedder, tmp_path: Path
    ) -> None:
        """Documents that are new are read, those that are gone are forgotten, the others are not touched."""
        whole = library(embedder)
        store = MemoryStore()
        ids = sorted(info.id for info in whole.documents())
        _copy(whole, store, ids[:30])
        structures = LibraryStructures(store, embedder, tmp_path / "grown")
        structures.build("it", method).run()
        _copy(whole, store, ids[30:])
        (state,) = structures.states()
        assert (state.new, state.gone, state.stale) == (10, 0, True)
        assert structures.build("it", method).run().read == 10
        store.delete(ids[:5])
        (state,) = structures.states()
        assert (state.new, state.gone, state.stale) == (0, 5, True)
        report = structures.build("it", method).run()
        assert (report.read, report.removed, report.documents) == (0, 5, 35)
        assert not structures.states()[0].stale
        if self.grown_is_the_same:
            LibraryStructures(store, embedder, tmp_path / "whole").build("it", method).run()
            assert _made(tmp_path / "grown") == _made(tmp_path / "whole")

    def test_an_interrupted_build_goes_on(
        self, method: StructureMethod, embedder: HashEmbedder, tmp_path: Path
    ) -> None:
        """Whenever it is ended, the next build finishes it, and ends with what one go would have made."""
        store = library(embedder)
        LibraryStructures(store, embedder, tmp_path / "at-once").build("it", method).run()
        for stop in range(1, 4):
            home = tmp_path / f"stop-{stop}"
            building = LibraryStructures(store, embedder, home).build("it", method)
            try:
                building.run(_Ends(stop))
            except KeyboardInterrupt:
                assert not (home / "structures" / "it" / "current.json").exists()
            building.run()
            assert _made(home) == _made(tmp_path / "at-once")

    def test_odd_documents_are_read(self, method: StructureMethod, embedder: HashEmbedder) -> None:
        """One part a document, in order, also of none and of documents without chunks."""
        store = library(embedder)
        some = [
            Chunked(store.document(one), tuple(store.chunks(store.chunk_keys(one)))) for one in ("d00", "d01", "d02")
        ]
        assert method.read([]) == []
        assert len(method.read([*some, Chunked(some[0].document, ())])) == 4
        assert method.estimate([]).calls == 0
        assert method.fingerprint


class _Ends:
    """Progress that interrupts at its nth call."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, report: StructureReport) -> None:
        self.left -= 1
        if self.left == 0 and report.doing != "done":
            raise KeyboardInterrupt


def _copy(source: Store, target: Store, doc_ids: list[str]) -> None:
    for doc_id in doc_ids:
        keys = source.chunk_keys(doc_id)
        chunks = tuple(source.chunks(keys))
        target.put([Entry(source.document(doc_id), chunks, source.vectors(keys), doc_id)])


def _files(home: Path) -> dict[str, int]:
    return {str(path.relative_to(home)): path.stat().st_ino for path in _paths(home, "made-*/*")}


def _made(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in _paths(home, "made-*/*")}


def _paths(home: Path, pattern: str) -> Iterator[Path]:
    return (path for path in sorted(home.glob(f"structures/it/{pattern}")) if path.is_file())
