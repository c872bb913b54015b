"""What a user names, to sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct.documents.base import Failure, Limits, Source
from decoct.documents.network import web
from decoct.documents.sources import sources
from decoct.errors import CorpusError


def test_files_folders_and_urls_in_the_order_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    asked: list[tuple[str, bool]] = []

    def fetch(url: str, *, limits: Limits | None, allow_private: bool) -> Source:
        asked.append((url, allow_private))
        if "bad" in url:
            raise CorpusError("no")
        return Source.of(url, b"page")

    monkeypatch.setattr(web, "fetch", fetch)
    arguments: list[str | Path] = [
        tmp_path / "b.txt",
        "https://e.org/x",
        str(tmp_path / "docs"),
        "http://u:secret@bad.example/@y",
        tmp_path / "none",
    ]
    found = list(sources(arguments, allow_private=True))
    assert [item.name if isinstance(item, Source) else item.code for item in found] == [
        "b.txt",
        "https://e.org/x",
        "docs/a.txt",
        "url",
        "missing",
    ]
    assert asked[0] == ("https://e.org/x", True)
    assert isinstance(found[3], Failure)
    assert found[3].source == "http://bad.example/@y"


def test_a_url_is_fetched_only_when_its_turn_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.txt").write_text("b")
    monkeypatch.setattr(web, "fetch", lambda *_, **__: pytest.fail("fetched too early"))
    first = next(sources([tmp_path / "b.txt", "https://e.org/x"]))
    assert isinstance(first, Source)


def test_an_address_of_this_machine_says_what_is_fetched() -> None:
    (failure,) = sources(["file:///etc/passwd"])
    assert isinstance(failure, Failure)
    assert failure.code == "url"
    assert "only http and https" in failure.reason


def test_a_storage_that_nobody_knows_is_said_to_be_so() -> None:
    (failure,) = sources(["git+ssh://host/x"])
    assert isinstance(failure, Failure)
    assert (failure.code, "Protocol not known: git+ssh" in failure.reason) == ("unreadable", True)
