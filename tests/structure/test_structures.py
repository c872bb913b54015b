"""The life of a structure: built, kept up to date, interrupted, dropped; with a method that counts words."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from decoct import Document, Library, trace
from decoct.cli import main
from decoct.cli.app import app
from decoct.data import Floats
from decoct.embed.base import TextKind
from decoct.errors import ConfigError, MissingStructureError, ModelUnavailableError, StaleIndexError, StoreBusyError
from decoct.index.base import Entry
from decoct.index.embedded.lock import WriteLock
from decoct.registry import STAGES
from decoct.registry import names as registered
from decoct.trace import recording
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.contract import StructureContract
from decoct_lab.structure.of_library import LibraryStructures
from decoct_lab.structure.shelf import Shelf
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.retriever_contract import library


@dataclass(frozen=True)
class WordCounts:
    """Counts words; `fails` names documents of which a piece fails, `log` what was read."""

    model: str = ""
    fails: tuple[str, ...] = ()
    unreachable: bool = False
    log: list[str] = field(default_factory=list, compare=False)

    @property
    def fingerprint(self) -> str:
        return f"words-1:{self.model}"

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        return Spending(calls=sum(1 for _ in documents) if self.model else 0)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        if self.unreachable:
            raise ModelUnavailableError("nobody answers")
        if self.model:
            trace.count(model_calls=len(documents), prompt_tokens=10 * len(documents))
        self.log.extend(one.document.id for one in documents)
        return [
            Part(
                json.dumps(sum(len(chunk.text.split()) for chunk in one.chunks)).encode(),
                ("no",) if one.document.id in self.fails else (),
            )
            for one in documents
        ]

    def put_together(self, workshop: Workshop) -> None:
        parts = dict(workshop.parts())
        workshop.vectors("ids", list(parts))
        (workshop.folder / "counts.json").write_text(json.dumps({doc: int(body) for doc, body in parts.items()}))


def counts(folder: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((folder / "counts.json").read_text())
    return found


class TestWordCounts(StructureContract):
    @pytest.fixture
    def method(self, embedder: HashEmbedder) -> WordCounts:
        return WordCounts()


@pytest.fixture
def structures(tmp_path: Path) -> LibraryStructures:
    embedder = HashEmbedder()
    return LibraryStructures(library(embedder), embedder, tmp_path)


def test_what_is_missing_says_what_to_run(structures: LibraryStructures, tmp_path: Path) -> None:
    with pytest.raises(MissingStructureError, match=f"run `decoct structure build words --library {tmp_path}`"):
        structures.read("words", counts)
    structures.build("words", WordCounts()).run()
    assert structures.read("words", counts)["d00"] == 42


def test_a_finished_structure_stays_in_use_until_the_next_is(structures: LibraryStructures) -> None:
    structures.build("words", WordCounts()).run()
    with pytest.raises(ModelUnavailableError):
        structures.build("words", WordCounts(model="m", unreachable=True)).run()
    assert len(structures.read("words", counts)) == 40
    (state,) = structures.states()
    assert (state.model, state.stale) == ("", False)


def test_failed_pieces_are_counted_and_tried_again(structures: LibraryStructures) -> None:
    report = structures.build("words", WordCounts("m", fails=("d03",))).run()
    assert (report.failed, report.failures, report.documents) == (1, {"d03": ["no"]}, 40)
    assert report.spent == Spending(40, 0, 400, 0)
    assert structures.states()[0].failed == 1
    again = WordCounts("m")
    assert structures.build("words", again).estimate() == (1, Spending(calls=1))
    assert structures.build("words", again).run().failed == 0
    assert again.log == ["d03"]


def test_what_a_model_was_paid_for_is_not_replaced_by_rules(structures: LibraryStructures) -> None:
    structures.build("words", WordCounts("m")).run()
    with pytest.raises(ConfigError, match=r"was built with m: name a model with --llm, or remove it first"):
        structures.build("words", WordCounts()).run()
    assert structures.drop("words") > 0
    assert structures.build("words", WordCounts()).run().read == 40
    with pytest.raises(ConfigError, match="has no structure 'other'; it has: words"):
        structures.drop("other")


def test_vectors_are_embedded_once(structures: LibraryStructures, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []
    embed = HashEmbedder.embed

    def told(self: HashEmbedder, texts: Sequence[str], kind: TextKind) -> Floats:
        embedded.extend(texts)
        return embed(self, texts, kind)

    monkeypatch.setattr(HashEmbedder, "embed", told)
    structures.build("words", WordCounts()).run()
    assert sorted(embedded) == [f"d{n:02}" for n in range(40)]
    embedded.clear()
    structures._store.delete(["d07"])
    structures.build("words", WordCounts()).run()
    assert embedded == []
    rows = structures.read("words", lambda folder: np.load(folder / "ids.npy"))
    assert rows.shape == (39, 64)
    assert np.array_equal(rows[7], HashEmbedder().embed(["d08"], "passage")[0])


def test_an_older_structure_is_used_and_counted(structures: LibraryStructures) -> None:
    structures.build("words", WordCounts()).run()
    with recording() as record:
        structures.read("words", counts)
    assert not record.fallbacks
    structures._asked = (-10.0, ("", 0, 0))
    structures._store.delete(["d01"])
    with recording() as record:
        assert "d01" in structures.read("words", counts)
    assert record.fallbacks == {"structure.stale": 1}


def test_a_change_costs_what_the_others_cost(structures: LibraryStructures) -> None:
    """40 documents cost 40 calls; one that is new will cost one, however the library tells it without the model."""
    structures.build("words", WordCounts("m")).run()
    source = library(HashEmbedder())
    keys = source.chunk_keys("d00")
    chunks = tuple(replace(chunk, span=replace(chunk.span, doc_id="new")) for chunk in source.chunks(keys))
    document = replace(source.document("d00"), id="new")
    structures._store.put([Entry(document, chunks, source.vectors(keys), "new")])
    (state,) = structures.states()
    assert (state.new, state.rebuild) == (1, Spending(1, 0, 10, 0))


def test_two_do_not_build_at_once(structures: LibraryStructures, tmp_path: Path) -> None:
    structures.build("words", WordCounts()).run()
    with WriteLock(tmp_path / "structures" / "words" / "write.lock").held(), pytest.raises(StoreBusyError):
        structures.build("words", WordCounts()).run()


def test_a_damaged_record_says_what_to_run(structures: LibraryStructures, tmp_path: Path) -> None:
    structures.build("words", WordCounts()).run()
    (tmp_path / "structures" / "words" / "current.json").write_text("{")
    with pytest.raises(StaleIndexError, match="decoct structure build words"):
        structures.read("words", counts)


@pytest.mark.parametrize("name", ["../x", "", "A", "a/b", "x" * 65])
def test_names_lead_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be a structure's name"):
        Shelf(tmp_path).folder(name)


# -- the command line ------------------------------------------------------------------------------------------------
@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setitem(STAGES, "structure", {"words": f"{__name__}:WordCounts"})
    registered.cache_clear()
    with Library.open(tmp_path / "lib") as opened:
        opened.add([Document("a", "One two three."), Document("b", "Four five.")])
    yield tmp_path / "lib"
    registered.cache_clear()


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_build_list_status_drop(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estimate = json.loads(run("structure", "build", "words", "--library", place, "--estimate", "--json"))
    assert estimate == {
        "structure": "words",
        "estimate": {"documents": 2, "calls": 0, "cached": 0, "prompt_tokens": 0, "completion_tokens": 0},
    }
    assert not (place / "structures").exists()
    built = json.loads(run("structure", "build", "words", "--library", place, "--json"))
    assert (built["read"], built["documents"], built["chunks"], built["failed"], built["calls"]) == (2, 2, 2, 0, 0)
    assert "2 documents, 2 chunks (0 read, 2 unchanged, 0 removed)" in run(
        "structure", "build", "words", "--library", place
    )
    assert "up to date" in run("structure", "list", "--library", place)
    with Library.open(place) as opened:
        opened.add(Document("c", "Six."))
        opened.delete("a")
    (state,) = json.loads(run("status", "--library", place, "--json"))["structures"]
    assert (state["name"], state["form"], state["stale"]) == ("words", "model-free", True)
    assert state["behind"] == {"new": 1, "changed": 0, "gone": 1}
    assert "stale (1 new, 1 gone): building it again costs no model call" in run("status", "--library", place)
    assert "words removed" in run("structure", "drop", "words", "--library", place)
    assert "not built: " in run("structure", "list", "--library", place)
    with pytest.raises(SystemExit) as ended:
        main(["structure", "build", "wrods", "--library", str(place)])
    assert ended.value.code == 2
    assert "did you mean 'words'?" in capsys.readouterr().err


def test_a_structure_travels_in_a_backup(place: Path, tmp_path: Path) -> None:
    run("structure", "build", "words", "--library", place)
    run("backup", tmp_path / "all.tar", "--library", place)
    run("restore", tmp_path / "all.tar", "--library", tmp_path / "back")
    with Library.open(tmp_path / "back") as opened:
        assert opened.structures.read("words", counts) == {"a": 3, "b": 2}
        assert not opened.structures.states()[0].stale


def test_the_parts_are_whole_after_a_kill(place: Path) -> None:
    run("structure", "build", "words", "--library", place)
    with sqlite3.connect(place / "structures" / "words" / "parts.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
