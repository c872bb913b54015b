"""What was read of each document, on disk: written whole or not at all, and out of date by its method's fingerprint."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from decoct.errors import DamagedStoreError, StoreError
from decoct_lab.structure.base import Part
from decoct_lab.structure.parts import PartRow, Parts


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    opened = Parts(tmp_path / "parts.db")
    yield opened
    opened.close()


def row(document: str, body: bytes = b"notes", *, failed: tuple[str, ...] = (), chunks: int = 2) -> PartRow:
    spent = {"calls": 3, "cached": 1, "prompt_tokens": 100.4, "completion_tokens": 9.6}
    return PartRow(document, f"digest of {document!a}", chunks, Part(body, failed), spent, 1.5)


def test_a_part_is_known_by_the_method_that_read_it(parts: Parts) -> None:
    parts.put("rules-1", [row("a"), row("b", failed=("too long",))])
    assert parts.known("rules-1") == {"a": ("digest of 'a'", 0), "b": ("digest of 'b'", 1)}
    assert parts.known("rules-2") == {}
    assert parts.ids() == {"a", "b"}


def test_bodies_come_back_byte_for_byte_by_id(parts: Parts) -> None:
    parts.put("m", [row("b", bytes(range(256)) * 9), row("a", b"")])
    assert list(parts.bodies("m")) == [("a", b""), ("b", bytes(range(256)) * 9)]


def test_a_document_has_one_part_the_last(parts: Parts) -> None:
    parts.put("m", [row("a", b"first")])
    parts.put("n", [row("a", b"second")])
    assert (list(parts.bodies("m")), list(parts.bodies("n"))) == ([], [("a", b"second")])


def test_totals_by_hand(parts: Parts) -> None:
    """Two documents of 2 and 5 chunks; each cost 3 calls (1 of them kept), 100.4 and 9.6 tokens, 1.5 seconds."""
    parts.put("m", [row("a"), row("b", failed=("x", "y"), chunks=5)])
    spent = {"calls": 6, "cached": 2, "prompt_tokens": 201, "completion_tokens": 19}
    assert parts.totals("m") == (2, 7, 2, spent, 3.0)
    assert parts.totals("other") == (0, 0, 0, dict.fromkeys(spent, 0), 0)


def test_of_many_failures_the_first_five_reasons_are_kept(parts: Parts) -> None:
    parts.put("m", [row("a", failed=tuple("abcdefg")), row("b")])
    assert parts.failures("m") == {"a": list("abcde")}
    assert parts.known("m")["a"][1] == 7


def test_removed_documents_are_forgotten(parts: Parts) -> None:
    parts.put("m", [row("a"), row("b")])
    parts.remove(["a", "nowhere"])
    assert parts.ids() == {"b"}


def test_every_change_is_counted_once_a_batch(parts: Parts) -> None:
    assert parts.changes == 0
    parts.put("m", [row("a"), row("b")])
    parts.remove(["a"])
    parts.remove([])
    assert parts.changes == 2


def test_a_batch_that_fails_leaves_nothing_of_it(parts: Parts) -> None:
    """The first row is written when the second, which has no digest, is refused by the table."""
    broken = replace(row("b"), digest=None)  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        parts.put("m", [row("a"), broken])
    assert (parts.ids(), parts.changes) == (set(), 0)
    parts.put("m", [row("a")])  # and the next one is not held up by it
    assert parts.ids() == {"a"}


def test_ids_of_any_characters(parts: Parts) -> None:
    odd = ["d/ü", "\ud800", "'; DROP TABLE parts; --", ""]
    parts.put("m", [row(one) for one in odd])
    assert parts.ids() == set(odd)


def test_vectors_are_kept_until_the_structure_is_finished(parts: Parts) -> None:
    rows = [(bytes([n % 256, n // 256]), f"vector {n}".encode()) for n in range(1200)]
    parts.keep_vectors(rows)
    asked = [digest for digest, _ in rows] + [b"unknown"]
    assert parts.vectors(asked) == dict(rows)
    parts.forget_vectors()
    assert parts.vectors(asked) == {}


def test_a_memory_is_recalled_by_its_key(parts: Parts) -> None:
    parts.keep("summary of 1", "old")
    parts.keep("summary of 1", "new")
    assert (parts.recalled("summary of 1"), parts.recalled("summary of 2")) == ("new", None)


def test_parts_are_there_again_after_reopening(tmp_path: Path) -> None:
    first = Parts(tmp_path / "parts.db")
    first.put("m", [row("a")])
    first.close()
    again = Parts(tmp_path / "parts.db")
    assert list(again.bodies("m")) == [("a", b"notes")]
    assert again.changes == 1
    again.close()


def test_a_file_that_is_no_database_is_told_as_damaged(tmp_path: Path) -> None:
    (tmp_path / "parts.db").write_bytes(b"this is no database, and long enough to be read as one" * 40)
    with pytest.raises(DamagedStoreError, match="drop the structure and build it again"):
        Parts(tmp_path / "parts.db")


def test_a_folder_that_is_not_there_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        Parts(tmp_path / "nowhere" / "parts.db")


def test_a_writer_that_waits_in_vain_is_told(tmp_path: Path) -> None:
    parts = Parts(tmp_path / "parts.db")
    other = sqlite3.connect(tmp_path / "parts.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    parts._connection.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        parts.put("m", [row("a")])
    other.execute("ROLLBACK")
    other.close()
    parts.close()
