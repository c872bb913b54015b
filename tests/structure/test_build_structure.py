"""What a build reads and what it passes over, told by digests and first chunks; batches, and what is left of a build that failed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from decoct import trace
from decoct.data import Chunk, Document, Span
from decoct.errors import ModelError, StoreBusyError
from decoct.index.base import Entry
from decoct.index.embedded.lock import WriteLock
from decoct_lab.structure import build
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.build import BuildStructure, StructureReport, pages, parts_digests
from decoct_lab.structure.shelf import Shelf
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore

EMBEDDER = HashEmbedder()


def entry(name: str, text: str = "Some words.") -> Entry:
    chunk = Chunk(Span(name, 0, len(text)), text)
    return Entry(Document(name, text), (chunk,), EMBEDDER.embed([text], "passage"), f"digest of {text}")


@dataclass(frozen=True)
class Lengths:
    """Notes each document's length; a batch with "bad" in it, or putting together where `breaks`, fails."""

    model: str = ""
    breaks: bool = False
    batches: list[list[str]] = field(default_factory=list, compare=False)

    @property
    def fingerprint(self) -> str:
        return f"lengths:{self.model}"

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        return Spending(calls=sum(1 for _ in documents))

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        names = [one.document.id for one in documents]
        self.batches.append(names)
        if "bad" in names:
            raise ModelError("the model is gone")
        trace.count(model_calls=len(names), completion_tokens=5)
        trace.fallback("lengths.guessed")
        return [Part(str(len(one.document.text)).encode()) for one in documents]

    def put_together(self, workshop: Workshop) -> None:
        (workshop.folder / "lengths.json").write_text(json.dumps({name: int(body) for name, body in workshop.parts()}))
        if self.breaks:
            raise ModelError("the model is gone")


def building(store: MemoryStore, home: Path, method: Lengths | None = None) -> BuildStructure:
    return BuildStructure(store, EMBEDDER, Shelf(home), "lengths", method or Lengths())


def made(home: Path) -> dict[str, int]:
    _, folder = Shelf(home).made("lengths")
    found: dict[str, int] = json.loads((folder / "lengths.json").read_text())
    return found


def test_a_document_that_was_stored_anew_is_told_by_its_first_chunk() -> None:
    store = MemoryStore()
    store.put([entry("a"), entry("b")])
    before = parts_digests(store, ["a", "b", "unknown"])
    assert sorted(before) == ["a", "b"]
    store.put([entry("a")])  # the same text under other keys
    after = parts_digests(store, ["a", "b"])
    assert (after["a"] != before["a"], after["b"]) == (True, before["b"])


def test_pages_hold_every_document_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "PAGE", 2)
    store = MemoryStore()
    assert list(pages(store)) == []
    store.put([entry(name) for name in "abcd"])
    assert list(pages(store)) == [["a", "b"], ["c", "d"]]
    store.put([entry("e")])
    assert list(pages(store)) == [["a", "b"], ["c", "d"], ["e"]]


def test_only_what_changed_is_read_and_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([entry("a"), entry("b", "Longer than that."), entry("c")])
    first = building(store, tmp_path).run()
    assert (first.read, first.unchanged, first.removed, first.documents, first.chunks) == (3, 0, 0, 3, 3)
    assert made(tmp_path) == {"a": 11, "b": 17, "c": 11}
    store.put([entry("b", "Short.")])
    store.delete(["c"])
    assert building(store, tmp_path).estimate() == (1, Spending(calls=1))
    second = building(store, tmp_path).run()
    assert (second.read, second.unchanged, second.removed, second.documents) == (1, 1, 1, 2)
    assert made(tmp_path) == {"a": 11, "b": 6}
    third = building(store, tmp_path).run()
    assert (third.read, third.unchanged, third.bytes > 0) == (0, 2, True)
    assert [path.name for path in (tmp_path / "structures" / "lengths").glob("made-*")] == ["made-2"]


def test_each_batch_that_was_read_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "BATCH", 2)
    store = MemoryStore()
    store.put([entry(name) for name in ("a", "aa", "bad", "c")])
    failing = Lengths()
    with pytest.raises(ModelError):
        building(store, tmp_path, failing).run()
    assert failing.batches == [["a", "aa"], ["bad", "c"]]
    store.delete(["bad"])
    method = Lengths()
    assert building(store, tmp_path, method).run().read == 1
    assert method.batches == [["c"]]


def test_a_model_is_asked_a_few_documents_at_a_time(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([entry(f"{n:02}") for n in range(build.BATCH_ASKED + 1)])
    method = Lengths("m")
    report = building(store, tmp_path, method).run()
    assert [len(batch) for batch in method.batches] == [build.BATCH_ASKED, 1]
    assert report.spent == Spending(calls=9, completion_tokens=10)
    assert report.fallbacks == {"lengths.guessed": 2}
    record = Shelf(tmp_path).finished("lengths")
    assert record is not None
    assert (record.model, record.spending.calls, record.documents) == ("m", 9, 9)


def test_a_structure_that_could_not_be_put_together_leaves_the_one_before(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([entry("a")])
    building(store, tmp_path).run()
    store.put([entry("b")])
    with pytest.raises(ModelError):
        building(store, tmp_path, Lengths(breaks=True)).run()
    assert made(tmp_path) == {"a": 11}
    assert not list((tmp_path / "structures" / "lengths").glob("*.new"))
    assert building(store, tmp_path).run().documents == 2
    assert made(tmp_path) == {"a": 11, "b": 11}


def test_two_builds_at_once_are_one_too_many(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([entry("a")])
    folder = tmp_path / "structures" / "lengths"
    folder.mkdir(parents=True)
    with WriteLock(folder / "write.lock").held(), pytest.raises(StoreBusyError):
        building(store, tmp_path).run()


def test_progress_is_told_and_may_end_the_build(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([entry("a")])
    told: list[tuple[str, int, int]] = []
    building(store, tmp_path).run(lambda report: told.append((report.doing, report.done, report.total)))
    assert (told[0], told[-1]) == (("reading", 0, 1), ("done", 1, 1))

    def stop(_: StructureReport) -> None:
        raise KeyboardInterrupt

    store.put([entry("b")])
    with pytest.raises(KeyboardInterrupt):
        building(store, tmp_path).run(stop)
    assert made(tmp_path) == {"a": 11}


def test_a_report_is_ready_for_json() -> None:
    report = StructureReport(read=2, failures={"a": ["no"]}, spent=Spending(3, 1, 20, 10), seconds=1.26)
    shown = json.loads(json.dumps(report.as_dict()))
    assert (shown["calls"], shown["cached"], shown["seconds"]) == (3, 1, 1.3)
    assert shown["failures"] == [{"document": "a", "reasons": ["no"]}]
