"""`decoct doctor` and `decoct status` on libraries that the disk has changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct_testing.hash_embedder import HashEmbedder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("decoct.embed.resolve.open_embedder", lambda *_: HashEmbedder())
    monkeypatch.setattr("decoct.cli.doctor._embedder", lambda: "not asked here")
    with Library.open(tmp_path / "lib") as opened:
        opened.add([Document(f"doc-{n}", f"The river number {n} runs to the sea. " * 20) for n in range(12)])
    return tmp_path / "lib"


def change(library: Path, statement: str) -> None:
    file = sqlite3.connect(library / "library.db")
    file.execute(statement)
    file.commit()
    file.close()


def rows(run: Run, library: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    code, out, err = run("doctor", "--library", str(library), "--json")
    assert err == ""
    return code, {row["what"]: row for row in json.loads(out)}


def test_a_sound_library_has_every_digest_computed(run: Run, library: Path) -> None:
    code, found = rows(run, library)
    assert code == 0
    for what in ("documents", "texts", "chunks", "vectors", "metadata"):
        assert (found[what]["state"], found[what]["checked"], found[what]["damaged"]) == ("ok", 12, [])
    assert {found[what]["state"] for what in ("pages", "tables", "index lexical", "index vectors", "provenance")} == {
        "ok"
    }


@pytest.mark.parametrize(
    ("what", "statement"),
    [
        ("texts", "UPDATE texts SET text = replace(text, 'sea', 'see') WHERE place / 1048576 = 3"),
        ("chunks", "UPDATE chunks SET past = past - 1 WHERE document = 3"),
        ("vectors", "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE key = (SELECT first_key FROM documents WHERE number = 3)"),
    ],
)  # fmt: skip
def test_what_differs_is_named(run: Run, library: Path, what: str, statement: str) -> None:
    change(library, statement)
    code, found = rows(run, library)
    assert code == 1
    assert (found[what]["state"], found[what]["damaged"]) == ("broken", ["doc-2"])
    code, out, _ = run("doctor", "--library", str(library))
    assert code == 1
    assert "1 damaged: doc-2" in out


def test_a_damaged_index_is_named_and_not_mended_by_looking(run: Run, library: Path) -> None:
    (library / "lexical" / "meta.json").unlink()
    (keys,) = (library / "vectors").glob("keys-*.i8")
    keys.write_bytes(keys.read_bytes()[:-1] + b"\x07")
    for _ in range(2):
        code, found = rows(run, library)
        assert code == 1
        assert found["index lexical"]["damaged"] == ["meta.json"]
        assert found["index vectors"]["damaged"] == [keys.name]
    _, out, _ = run("status", "--library", str(library))
    assert out.count("not there, or damaged: it is built at the next search") == 2
    _, out, _ = run("search", "river", "--library", str(library), "--json")
    answer = json.loads(out)
    assert len(answer["hits"]) == 10
    assert (
        answer["trace"]["fallbacks"]["store.lexical_rebuilt"]
        == answer["trace"]["fallbacks"]["store.vectors_rebuilt"]
        == 1
    )
    assert rows(run, library)[0] == 0
    _, out, _ = run("status", "--library", str(library), "--json")
    status = json.loads(out)
    assert (set(status["derived"].values()), status["generation"]) == ({status["sequence"]}, 0)


def test_a_library_that_cannot_be_opened_is_read_as_far_as_it_goes(run: Run, library: Path) -> None:
    change(library, "DROP TABLE settings")
    code, found = rows(run, library)
    assert code == 1
    assert found[f"library {library}"]["state"] == "broken"
    assert found["texts"]["state"] == "ok"


@pytest.mark.parametrize("content", [b"", b"\xff" * 8192])
def test_a_file_that_is_no_database_is_told(run: Run, library: Path, content: bytes) -> None:
    (library / "library.db").write_bytes(content)
    code, found = rows(run, library)
    assert code == 1
    assert "damaged" in found[f"library {library}"]["detail"]
    code, _, err = run("search", "river", "--library", str(library))
    assert (code, err.count("\n")) == (1, 1)
    assert f"decoct doctor --library {library}" in err
    for command in (["ingest", "."], ["status"]):
        code, _, err = run(*command, "--library", str(library))
        assert code == 1
        assert "damaged" in err
    assert (library / "library.db").read_bytes() == content
