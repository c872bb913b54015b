"""The way into a store: batches, resumption, failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from decoct.chunking.base import Chunker
from decoct.chunking.cut import chunks_of
from decoct.chunking.fixed import Fixed
from decoct.chunking.sentence import SentencePacked
from decoct.data import Chunk, Document, Floats
from decoct.documents.base import Failure
from decoct.embed.base import TextKind
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import StoreBusyError
from decoct.index.base import Store
from decoct.index.embedded import EmbeddedStore
from decoct.ingest import Ingest, Report, search_text
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore


@dataclass
class Counting:
    """An embedder that counts the texts it is given and fails when told to."""

    inner: HashEmbedder = field(default_factory=HashEmbedder)
    texts: list[str] = field(default_factory=list)
    fail_after: int = 10**9

    @property
    def fingerprint(self) -> str:
        return self.inner.fingerprint

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        self.texts += texts
        if len(self.texts) > self.fail_after:
            raise KeyboardInterrupt
        return self.inner.embed(texts, kind)


def ingest(store: Store, embedder: Counting, build: str = "1") -> Ingest:
    return Ingest(store, Fixed(default_tokenizer()), embedder, build)


DOCUMENTS = [Document("a", "The river Aare flows through Bern.", title="Aare"), Document("b", "Bern is a city.")]


def test_documents_are_stored_with_title_in_the_search_text_only() -> None:
    store, embedder = MemoryStore(), Counting()
    report = ingest(store, embedder).run(DOCUMENTS)
    assert (report.added, report.replaced, report.unchanged, report.chunks) == (2, 0, 0, 2)
    assert embedder.texts == ["Aare\nThe river Aare flows through Bern.", "Bern is a city."]
    (chunk,) = store.chunks(store.chunk_keys("a"))
    assert chunk.text == DOCUMENTS[0].text
    assert search_text(chunk).startswith("Aare\n")


def test_the_headings_above_a_chunk_are_embedded_with_it_and_not_quoted() -> None:
    store, embedder = MemoryStore(), Counting()
    text = "Rivers\n\nThe Aare flows through Bern."
    document = Document("a", text, "Swiss", headings=((0, 6),), levels=(2,))
    Ingest(store, SentencePacked(default_tokenizer(), 7), embedder, "1").run([document])
    assert embedder.texts == ["Swiss\nRivers", "Swiss\nRivers\nThe Aare flows through Bern."]
    assert [chunk.text for chunk in store.chunks(store.chunk_keys("a"))] == ["Rivers", "The Aare flows through Bern."]
    again = Ingest(store, SentencePacked(default_tokenizer(), 7), Counting(), "1")
    assert again.run([document]).unchanged == 1
    assert again.run([replace(document, levels=(3,))]).replaced == 1


def test_what_is_unchanged_costs_nothing_and_what_changed_is_replaced() -> None:
    store = MemoryStore()
    ingest(store, Counting()).run(DOCUMENTS)
    embedder = Counting()
    changed = Document("b", "Bern is the capital.", metadata={"year": 2020})
    report = ingest(store, embedder).run([DOCUMENTS[0], changed])
    assert (report.added, report.replaced, report.unchanged) == (0, 1, 1)
    assert embedder.texts == ["Bern is the capital."]
    assert store.document("b").text == "Bern is the capital."


def test_metadata_and_build_settings_count_as_content() -> None:
    store = MemoryStore()
    ingest(store, Counting()).run(DOCUMENTS)
    with_metadata = [Document("b", DOCUMENTS[1].text, metadata={"year": 2020})]
    assert ingest(store, Counting()).run(with_metadata).replaced == 1
    assert ingest(store, Counting(), build="2").run(DOCUMENTS).replaced == 2


def test_the_same_document_twice_is_one_and_two_of_one_id_a_failure() -> None:
    store = MemoryStore()
    report = ingest(store, Counting()).run([*DOCUMENTS, DOCUMENTS[0], Document("a", "Another text.", source="x.txt")])
    assert report.added == 2
    assert [failure.source for failure in report.failures] == ["x.txt"]
    assert store.document("a").text == DOCUMENTS[0].text


def test_failures_pass_into_the_report() -> None:
    failure = Failure("broken.pdf", "damaged", "parse")
    report = ingest(MemoryStore(), Counting()).run([failure, DOCUMENTS[0]])
    assert report.failures == [failure]
    assert report.as_dict()["failures"] == [{"source": "broken.pdf", "reason": "damaged", "code": "parse"}]


def test_an_interrupted_run_keeps_what_was_committed_and_goes_on() -> None:
    many = [Document(f"d{i:04}", f"Document number {i}.") for i in range(1200)]
    store = MemoryStore()
    with pytest.raises(KeyboardInterrupt):
        ingest(store, Counting(fail_after=1000)).run(many)
    kept = store.status().documents
    assert 0 < kept < 1200
    again = Counting()
    report = ingest(store, again).run(many)
    assert (report.unchanged, report.added) == (kept, 1200 - kept)
    assert len(again.texts) == 1200 - kept


def test_progress_is_told_after_every_batch() -> None:
    seen: list[int] = []

    def note(report: Report) -> None:
        seen.append(report.documents)

    ingest(MemoryStore(), Counting()).run([Document(f"d{i}", f"Text {i}.") for i in range(600)], progress=note)
    assert seen[0] == 0
    assert list(dict.fromkeys(seen)) == [0, 512, 600]


def test_the_work_done_counts_the_part_of_a_long_document_that_is_embedded() -> None:
    shares: list[float] = []

    def note(report: Report) -> None:
        shares.append(round(report.characters_done / report.characters_seen, 2) if report.characters_seen else 0.0)

    long = Document("long", "The river flows on. " * 4_000)
    ingest(MemoryStore(), Counting()).run([Document("short", "Bern."), long], progress=note)
    assert shares == sorted(shares)
    assert any(0.1 < share < 0.9 for share in shares)
    assert shares[-1] == 1.0


def test_the_time_left_is_told_by_the_pace_of_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of one long line is read and cut for long before its first part is embedded, which is no measure of the rest."""
    now = [0.0]
    embed = HashEmbedder.embed

    def cut(chunker: Chunker, document: Document) -> list[Chunk]:
        now[0] += 30
        return chunks_of(chunker, document)

    def embedded(self: HashEmbedder, texts: Sequence[str], kind: TextKind) -> Floats:
        now[0] += 0.1 * len(texts)
        return embed(self, texts, kind)

    monkeypatch.setattr("decoct.ingest.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr("decoct.ingest.chunks_of", cut)
    monkeypatch.setattr(HashEmbedder, "embed", embedded)
    told: list[tuple[float, float]] = []

    def note(report: Report) -> None:
        report.share_read = 1.0
        if report.seconds_left is not None:
            told.append((now[0], report.seconds_left))

    Ingest(MemoryStore(), Fixed(default_tokenizer()), HashEmbedder(), "1").run(
        [Document("one", "The river flows. " * 9_000)], note
    )
    end = now[0]
    assert len(told) > 5
    assert all(abs(at + left - end) < 0.2 * (end - 30) for at, left in told), (told, end)


def test_a_document_that_cannot_be_stored_is_a_failure_and_stops_no_other() -> None:
    store = MemoryStore()
    bad = [
        Document("blank", " \n"),
        Document("half", "river \ud800"),
        Document("half \ud800", "river"),
        Document("nested", "river", metadata={"tags": {"a": 1}}),  # type: ignore[dict-item]
    ]
    report = ingest(store, Counting()).run([*bad, DOCUMENTS[0]])
    assert report.added == 1
    reasons = [(failure.source, failure.reason.split(":")[0]) for failure in report.failures]
    assert reasons == [
        ("blank", "it holds no text"),
        ("half", "it holds half a surrogate pair"),
        ("half \\ud800", "it holds half a surrogate pair"),
        ("nested", "its metadata 'tags' is no text, number, truth value or list of texts"),
    ]


def test_empty_metadata_counts_as_left_out_and_a_date_as_its_text() -> None:
    store, day = MemoryStore(), date(2024, 5, 17)
    document = Document("a", "A mill.", metadata={"none": None, "day": day, "kind": "mill"})  # type: ignore[dict-item]
    report = ingest(store, Counting()).run([document])
    assert (report.added, report.failures) == (1, [])
    assert store.document("a").metadata == {"day": "2024-05-17", "kind": "mill"}
    assert ingest(store, Counting()).run([document]).unchanged == 1


def test_a_second_writer_is_refused_before_it_reads_and_embeds(tmp_path: Path) -> None:
    given, embedder = (Document(str(number), "A mill.") for number in range(9)), Counting()
    with EmbeddedStore.open(tmp_path, settings={}) as first, EmbeddedStore.open(tmp_path, settings={}) as second:
        with first.session():
            with pytest.raises(StoreBusyError):
                ingest(second, embedder).run(given)
            assert (len(list(given)), embedder.texts) == (8, [])
            assert ingest(second, embedder).run([]).documents == 0  # what has nothing to write waits for nobody
        assert ingest(second, embedder).run(DOCUMENTS).added == 2
